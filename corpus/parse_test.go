package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// designCase is the example of the package comment.
const designCase = `gamma case v1
# Lost last lane: missing barrier. Reduced from 1024 leaves.
law sum.enclosure
kernel shaders/sum.metal#tree
expect holds
behaviour rne ftz=off contract=off order=accesses seed=7
launch groups=1 threads=32
tree lanes/32/1024
n 1024
x 1023 -0x1.8p-20    # -1.43e-06
`

// TestParseDesign reads the example and writes it back, byte for byte.
func TestParseDesign(t *testing.T) {
	c, err := Parse[*Case]([]byte(designCase), Options{})
	require.NoError(t, err)
	require.Equal(t, model.SumEnclosure, c.Law)
	require.Equal(t, "shaders/sum.metal#tree", c.Kernel)
	require.Equal(t, ExpectHolds, c.Expect)
	require.Equal(t, model.Behaviour{Order: "accesses", Seed: 7}, c.Behaviour)
	require.Equal(t, model.Launch1D(1, 32), c.Launch)
	require.Equal(t, "lanes/32/1024", c.Tree)
	require.Equal(t, []string{"Lost last lane: missing barrier. Reduced from 1024 leaves."}, c.Comments)
	require.Equal(t, 1024, c.N())
	require.Zero(t, c.Y.Len())
	require.Equal(t, float32(-0x1.8p-20), c.X.F32[1023])
	require.Equal(t, 1, nonzero(c.X))
	text, err := Format(c, Options{})
	require.NoError(t, err)
	require.Equal(t, designCase, string(text))
}

// TestCanonical lists files as a hand may write them and their one form.
func TestCanonical(t *testing.T) {
	const head = "gamma case v1\nlaw a.b\nkernel k\nexpect holds\n"
	for _, c := range []struct{ name, in, want string }{
		{"shortest", "gamma case v1\nlaw a.b\nkernel k\nn 0\n", head + "n 0\n"},
		{"order, spaces, blank lines, CRLF", "gamma case v1 \r\n\r\n  n\t2 \r\nx  1   0x10p-4\r\nkernel k\nx 0 -0x2p0\nlaw a.b\n", head + "n 2\nx 0 -0x1p+1    # -2\nx 1 0x1p+0    # 1\n"},
		{"defaults", "gamma case v1\nlaw a.b\nkernel k\nbehaviour rne ftz=off contract=off\nseed 0\nrows 1\nformat binary32\nn 1\n", head + "n 1\n"},
		{"comments", "gamma case v1\nlaw a.b\n#\n#one\nkernel k\n#  two  \nn 1\n# \ttab\n", "gamma case v1\n#\n# one\n#  two\n#  tab\n" + head[14:] + "n 1\n"},
		{"derived comment", "gamma case v1\nlaw a.b\nkernel k\nn 1\nx 0 0x1p0#\n", ""},
		{"derived comment is made anew", "gamma case v1\nlaw a.b\nkernel k\nn 1\nx 0 0x1p0 # 7e+999\n", head + "n 1\nx 0 0x1p+0    # 1\n"},
		{"zeros", "gamma case v1\nlaw a.b\nkernel k\nn 3\nx 0 0x0p0\nx 1 -0x0p0\n", head + "n 3\nx 1 -0x0p+0    # -0\n"},
		{"a dot product of zeros", "gamma case v1\nlaw a.b\nkernel k\nn 3\ny 2 0x0p0\n", head + "n 3\ny 0 0x0p+0    # 0\n"},
		{"x before y", "gamma case v1\nlaw a.b\nkernel k\nn 3\ny 1 0x1p0\nx 1 nan\ny 0 -inf\n", head + "n 3\nx 1 nan:0x7fc00000\ny 0 -inf\ny 1 0x1p+0    # 1\n"},
		{"wants", "gamma case v1\nlaw a.b\nkernel k\nwant 0x10p0\nn 0\n", head + "want 0x1p+4\nn 0\n"},
		{"want in no format", "gamma case v1\nlaw a.b\nkernel k\nwant +inf\nn 0\n", head + "want inf\nn 0\n"},
		{"rows", "gamma case v1\nlaw a.b\nkernel k\nwant  0x2p0\tnan\nrows 2\nn 4\n", head + "want 0x1p+1 nan\nrows 2\nn 4\n"},
		{"one want for all", "gamma case v1\nlaw a.b\nkernel k\nwant  0x2p0\t0x1p1\nrows 2\nn 4\n", head + "want 0x1p+1\nrows 2\nn 4\n"},
		{"one want", "gamma case v1\nlaw a.b\nkernel k\nwant nan\nrows 2\nn 4\n", head + "want nan\nrows 2\nn 4\n"},
		{"shared factors", "gamma case v1\nlaw a.b\nkernel k\nny 2\nrows 2\nn 4\ny 1 0x1p0\n", head + "rows 2\nn 4\nny 2\ny 1 0x1p+0    # 1\n"},
		{"shared factors of zero", "gamma case v1\nlaw a.b\nkernel k\nny 2\nrows 2\nn 4\n", head + "rows 2\nn 4\nny 2\ny 0 0x0p+0    # 0\n"},
		{"as many factors", "gamma case v1\nlaw a.b\nkernel k\nny 4\nn 4\n", head + "n 4\ny 0 0x0p+0    # 0\n"},
		{"own recipe", "gamma case v1\nlaw a.b\nkernel k\nn 4\nsha256 8245C8A620A75FCF3043DA16665914095E184243F49B32BC25BB316ED7154F59\ngen  iota\n", head + "n 4\ngen iota\nsha256 8245c8a620a75fcf3043da16665914095e184243f49b32bc25bb316ed7154f59\n"},
		{"another's recipe", "gamma case v1\nlaw a.b\nkernel k\nn 4\ngen bells seed=7\nsha256 8245C8A620A75FCF3043DA16665914095E184243F49B32BC25BB316ED7154F59\n", head + "n 4\ngen bells seed=7\nsha256 8245c8a620a75fcf3043da16665914095e184243f49b32bc25bb316ed7154f59\n"},
		{"launch", "gamma case v1\nlaw a.b\nkernel k\nlaunch threads=8,1,1 groups=4,2,1\nn 0\n", head + "launch groups=4,2,1 threads=8\nn 0\n"},
		{"format", "gamma case v1\nlaw a.b\nkernel k\nformat e4m3\nn 1\nx 0 nan\n", head + "format e4m3\nn 1\nx 0 nan:0x7f\n"},
		{"violated", "gamma case v1\nlaw a.b\nkernel k\nexpect violated\nn 1\n", "gamma case v1\nlaw a.b\nkernel k\nexpect violated\nn 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Canonical([]byte(c.in))
			if c.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
			again, err := Canonical(got)
			require.NoError(t, err)
			require.Equal(t, c.want, string(again))
		})
	}
}

// TestParseErrors lists broken files: what is said of each, and where.
func TestParseErrors(t *testing.T) {
	const head = "gamma case v1\nlaw a.b\nkernel k\nn 4\n"
	const at = "f.case:"
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", at + `1:1: the file is empty; its first line is "gamma case v1"`},
		{"another file", "hello\n", at + `1:1: the file is not a .case file: its first line must be "gamma case v1"`},
		{"another file of one line", "\x00\x01\x02", at + `1:1: the file is not a .case file`},
		{"byte order mark", "\uFEFFgamma case v1\n", at + `1:1: the file is not a .case file`},
		{"a later version", "gamma case v2\n", at + `1:1: the file says "gamma case v2", and this version of gamma reads "gamma case v1" only`},
		{"cut in the header", "gamma ca", at + `1:1: the file is not a .case file`},
		{"cut after the header", "gamma case v1\n", at + `2:1: there is no line "law" before this one; the file is cut off, or the line is missing`},
		{"cut before n", "gamma case v1\nlaw a.b\nkernel k\n", at + `4:1: there is no line "n" before this one`},
		{"cut after the header's words", "gamma case v1", at + `1:14: the last line has no newline`},
		{"cut in a value", head + "x 0 0x1p-2", at + "5:11: the last line has no newline at its end: the file is cut off; complete it"},
		{"unknown key", head + "  value 3\n", at + `5:3: no key is called "value"; known are law, kernel,`},
		{"key in capitals", head + "X 0 0x1p0\n", at + `5:1: no key is called "X"`},
		{"duplicate key", head + "n 4\n", at + "5:1: n stands in line 4 already; delete one of them"},
		{"no value", head + "seed \n", at + "5:5: seed has no value"},
		{"comment after a value", head + "seed 3 # three\n", at + "5:6: the value of seed has a comment after it; comments stand on lines of their own"},
		{"law", "gamma case v1\nlaw Sum\n", at + `2:5: law: "Sum" is not a law's name`},
		{"law as a path", "gamma case v1\nlaw ../x\n", at + `2:5: law: "../x" is not a law's name`},
		{"law of one word", "gamma case v1\nlaw sum\n", at + `2:5: law: "sum" is not a law's name`},
		{"expect", head + "expect fails\n", at + `5:8: expect: "fails" is not an expectation; a case holds or is violated`},
		{"want", head + "want 16\n", at + `5:6: want: want is a hex float, inf, -inf or nan: "16" is decimal, and values are hex floats; in binary64 it is 0x1p+4`},
		{"behaviour", head + "behaviour rne ftz=maybe\n", at + `5:11: behaviour: model: no flush mode is called "maybe"`},
		{"behaviour twice", head + "behaviour rne up\n", at + `5:11: behaviour: model: behaviour "rne up" gives rounding twice`},
		{"launch", head + "launch groups=0 threads=1\n", at + `5:8: launch: groups: "0" lies outside 1 to 2147483647`},
		{"launch of two sizes", head + "launch groups=1,2 threads=1\n", at + `5:8: launch: "groups=1,2" has one size or three`},
		{"half a launch", head + "launch threads=1\n", at + `5:8: launch: a launch needs both`},
		{"launch twice", head + "launch threads=1 threads=1\n", at + `5:8: launch: threads is given twice`},
		{"launch with more", head + "launch warps=1\n", at + `5:8: launch: a launch has groups= and threads=, not "warps=1"`},
		{"seed", head + "seed -1\n", at + `5:6: seed: "-1" is not a number; write decimal digits`},
		{"rows", head + "rows 0\n", at + `5:6: rows: "0" lies outside 1 to 268435456`},
		{"rows of no length", head + "rows 3\n", at + "5:6: 4 leaves do not make 3 rows of one length"},
		{"wants without rows", head + "want inf nan\n", at + "5:6: want gives 2 results, and there are 1 rows"},
		{"a want too few", head + "want inf nan\nrows 4\n", at + "5:6: want gives 2 results, and there are 4 rows"},
		{"factors", head + "rows 2\nny 3\n", at + "6:4: 3 second factors go with 4 leaves in 2 rows neither one to one nor one to each leaf of a row"},
		{"factor outside", head + "rows 2\nny 2\ny 2 0x1p0\n", at + "7:5: y 2 lies outside the 2 elements that line 6 gives"},
		{"factors and a recipe", head + "ny 4\ngen iota\n", at + "5:4: a case with a recipe (line 6) takes"},
		{"format", head + "format fp4\n", at + `5:8: format: model: no format is called "fp4"`},
		{"format that does not fit", head + "format toy12\n", at + `5:8: format: encodings of toy12 have 17 bits, and cases hold 16 at most`},
		{"huge n", "gamma case v1\nn 268435457\n", at + `2:3: n: "268435457" lies outside 0 to 268435456`},
		{"n beyond every integer", "gamma case v1\nn 99999999999999999999999\n", at + `2:3: n: "99999999999999999999999" lies outside`},
		{"n of no digits", "gamma case v1\nn 0x10\n", at + `2:3: n: "0x10" is not a decimal number`},
		{"n beyond memory", "gamma case v1\nlaw a.b\nkernel k\nn 268435456\nx 3 0x1p0\n", at + `4:3: 268435456 leaves of binary32 take 1073741824 bytes, more than the 134217728 allowed; raise Options.MaxBytes`},
		{"index outside", head + "x 3 0x1p0\nx 4 0x1p0\n", at + "6:5: x 4 lies outside the 4 elements that line 4 gives; indices count from 0"},
		{"index beyond every n", head + "x 268435456 0x1p0\n", at + `5:3: index: "268435456" lies outside 0 to 268435455`},
		{"negative index", head + "x -1 0x1p0\n", at + `5:3: index: "-1" is not a decimal number`},
		{"no index", head + "x\n", at + `5:2: index: "" is not a decimal number`},
		{"no leaf", head + "x 1\n", at + "5:4: x 1 has no value"},
		{"a comment for a leaf", head + "x 1 # 7\n", at + "5:5: x 1 has no value"},
		{"duplicate index", head + "x 2 0x1p0\nx 0 0x1p0\nx 2 0x1p0\n", at + "7:5: x 2 stands in line 5 already; delete one of them"},
		{"two values", head + "x 1 0x1p0  0x1p0\n", at + "5:12: there is more after the value"},
		{"a note after a leaf", head + "x 1 0x1p0 # the bad one\n", at + `5:11: the comment after a value is its decimal and derived from it; yours, "# the bad one", belongs on a line of its own`},
		{"rounding", head + "y 1   0x1.0000001p0\n", at + "5:7: y 1: 0x1.0000001p+0 is not a number of binary32, and case files are not rounded; next to it lie 0x1p+0 and 0x1.000002p+0"},
		{"format below the values", "gamma case v1\nlaw a.b\nkernel k\nn 1\nx 0 0x1.001p0\nformat binary16\n", at + "5:5: x 0: 0x1.001p+0 is not a number of binary16"},
		{"control character", head + "# a\x07\n", at + "5:4: byte 0x07 is not text in UTF-8"},
		{"not UTF-8", head + "# é\xff\n", at + "5:5: byte 0xff is not text in UTF-8"},
		{"NUL", head + "\x00\n", at + "5:1: byte 0x00"},
		{"kernel that does not print", "gamma case v1\nlaw a.b\nkernel a\tb\n", at + `3:8: kernel: "a\tb" has the character '\t', which does not print`},
		{"bidirectional kernel", "gamma case v1\nkernel a\u202eb\n", at + `2:8: kernel: "a\u202eb" has the character '\u202e'`},
		{"sha256 alone", head + "sha256 " + strings.Repeat("0", 64) + "\n", at + "5:8: sha256 stands without the line gen"},
		{"short sha256", head + "sha256 00\n", at + `5:8: sha256: "00" is not 64 hex digits`},
		{"recipe and values", head + "gen iota\nx 0 0x1p0\n", at + "6:5: a case with a recipe (line 5) lists no values"},
		{"recipe without digest", head + "gen iota\n", at + "5:5: a recipe needs the digest of its values after it; add the line: sha256 8245c8a6"},
		{"recipe that changed", head + "gen iota\nsha256 " + strings.Repeat("0", 64) + "\n", at + `6:8: the recipe "iota" now expands to sha256 8245c8a6`},
		{"recipe without a generator", head + "gen bells\n", at + `5:5: recipe "bells": no generator is at hand for it`},
		{"recipe of a wrong word", head + "gen const values=0x1p0\n", at + `5:5: recipe "const values=0x1p0": it has no parameter "values"; known are ["value" "first" "y"]`},
		{"recipe of no word", head + "gen const\n", at + `5:5: recipe "const": const needs value=`},
		{"recipe twice", head + "gen const value=0x1p0 value=0x1p0\n", at + `5:5: recipe "const value=0x1p0 value=0x1p0": it gives value twice`},
		{"recipe of a wrong value", head + "gen const value=1\n", at + `5:5: recipe "const value=1": value: "1" is decimal`},
		{"recipe beyond the format", "gamma case v1\nlaw a.b\nkernel k\nformat binary16\nn 2050\ngen iota\n", at + `6:5: recipe "iota": leaf 2049: 0x1.002p+11 is not a number of binary16`},
		{"recipe beyond memory", "gamma case v1\nlaw a.b\nkernel k\nn 268435456\ngen iota\n", at + `5:5: 268435456 leaves of binary32 take 1073741824 bytes`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse[*Case]([]byte(c.in), Options{File: "f.case"})
			require.ErrorContains(t, err, c.want)
			require.True(t, got == nil) // and not Nil, which would print 2^28 leaves
			require.True(t, strings.HasPrefix(err.Error(), at), "no place in: %v", err)
			require.Less(t, len(err.Error()), 500)
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Positive(t, e.Pos.Column)
		})
	}
}

// TestParseEveryPrefix cuts a file everywhere: only whole lines may be read, and only from n on.
func TestParseEveryPrefix(t *testing.T) {
	n := strings.Index(designCase, "x 1023")
	for i := range designCase {
		_, err := Parse[*Case]([]byte(designCase[:i]), Options{})
		if i == n {
			require.NoError(t, err) // Load finds it by its name
			continue
		}
		require.Error(t, err, designCase[:i])
	}
}

// TestParseLongLine gives the parser a line and a file that are too long.
func TestParseLongLine(t *testing.T) {
	line := bytes.Repeat([]byte("x"), maxLineBytes+1)
	_, err := Parse[*Case]([]byte("gamma case v1\n"+string(line)+"\n"), Options{})
	require.EqualError(t, err, fmt.Sprintf("case:2:%d: the line has %d bytes, more than %d", maxLineBytes+1, maxLineBytes+1, maxLineBytes))
	_, err = Parse[*Case](append([]byte("gamma case v1\n"), make([]byte, MaxFileBytes-13)...), Options{})
	require.ErrorContains(t, err, "case:1:1: the file has 134217729 bytes, more than 134217728; store large inputs by a recipe")
}

// randomCase draws a case of every shape that the format can hold.
func randomCase(r *rand.Rand) *Case {
	formats := append(smallFormats(), model.Binary32, model.Binary64)
	f := formats[r.IntN(len(formats))]
	n := r.IntN(20)
	v := func() Values {
		v := NewValues(f, n)
		for i := range n {
			if r.IntN(3) > 0 {
				v.Set(i, r.Uint64()&(f.SignBit()<<1-1))
			}
		}
		return v
	}
	c := &Case{
		Law: model.SumTree, Kernel: "päckage.Kernel[float32] x", Expect: ExpectHolds,
		Comments: []string{"found by hand", "", "  indented"}, X: v(),
	}
	if r.IntN(2) == 0 && n > 0 {
		c.Y = v()
	}
	if r.IntN(2) == 0 {
		c.Behaviour = model.Behaviour{
			Rounding: model.TowardZero, Flush: model.Flush{In: true}, Flush16: model.Flush{Out: true, Before: true},
			Contract: model.ContractFast, Rewrites: model.Rewrites{Reassociate: true, NoInfs: true}, Order: "stages",
			SIMDWidth: 32, ULP: true, Poison: true, Seed: r.Uint64(),
		}
		c.Launch = model.Launch{Groups: model.Size3{X: 3, Y: 2, Z: 1}, Threads: model.Size3{X: 1024, Y: 1, Z: 1}}
		c.Expect, c.Want, c.Tree, c.Seed = ExpectViolated, "-0x1.8p-3", "pairwise/8/20", r.Uint64()
		if n%3 == 0 {
			c.Rows, c.Want = 3, "-0x1.8p-3 inf nan"
			if c.Y.Len() > 0 && r.IntN(2) == 0 {
				c.Y = c.Y.Slice(0, n/3)
			}
		}
	}
	return c
}

// requireSame compares two cases, values by their encodings.
func requireSame(t *testing.T, want, got *Case) {
	t.Helper()
	require.True(t, want.X.Equal(got.X), "x: %v\nnot %v", got.X, want.X)
	require.Equal(t, want.Y.Len(), got.Y.Len())
	require.True(t, want.Y.Len() == 0 || want.Y.Equal(got.Y), "y: %v\nnot %v", got.Y, want.Y)
	a, b := *want, *got
	a.X, a.Y, b.X, b.Y = Values{}, Values{}, Values{}, Values{}
	require.Equal(t, a, b)
}

// TestRoundTrip writes random cases and reads them back.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		c := randomCase(r)
		text, err := Format(c, Options{})
		require.NoError(t, err)
		back, err := Parse[*Case](text, Options{})
		require.NoError(t, err, string(text))
		requireSame(t, c, back)
		again, err := Canonical(text)
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))
	}
}

// TestFormatErrors lists cases that no file can hold.
func TestFormatErrors(t *testing.T) {
	for want, spoil := range map[string]func(c *Case){
		`"" is not a law's name`:                      func(c *Case) { c.Law = "" },
		`"Sum.x" is not a law's name`:                 func(c *Case) { c.Law = "Sum.x" },
		"kernel: it is empty":                         func(c *Case) { c.Kernel = "" },
		"which does not print":                        func(c *Case) { c.Kernel = "a\nb" },
		"white space at an end":                       func(c *Case) { c.Kernel = "a " },
		"is not UTF-8":                                func(c *Case) { c.Kernel = "a\xff" },
		"like a value with a comment":                 func(c *Case) { c.Kernel = "a #b" },
		"is not an expectation":                       func(c *Case) { c.Expect = "maybe" },
		"want is a hex float":                         func(c *Case) { c.Want = "1.5" },
		"no order is called":                          func(c *Case) { c.Behaviour.Order = "odd" },
		"groups: \"0\" lies outside":                  func(c *Case) { c.Launch.Threads = model.Size3{X: 1, Y: 1, Z: 1} },
		"tree: \" \" has white":                       func(c *Case) { c.Tree = " " },
		"do not make 2 rows":                          func(c *Case) { c.Rows = 2 },
		"want gives 2 results":                        func(c *Case) { c.Want = "inf nan" },
		"rows: \"-1\" is not a decimal number":        func(c *Case) { c.Rows = -1 },
		"the values have no format":                   func(c *Case) { c.X = Values{} },
		"toy12 have 17 bits":                          func(c *Case) { c.X = Encodings(model.Toy(12), nil) },
		"is not the one that model":                   func(c *Case) { c.X.Format.Emax++ },
		"1 second factors go with 3 leaves in 1 rows": func(c *Case) { c.Y = Float32s([]float32{1}) },
		"and the second factors in binary64":          func(c *Case) { c.Y = Float64s([]float64{1, 2, 3}) },
		"deferred, and it has no recipe":              func(c *Case) { c.X, c.Deferred = Values{}, &Deferred{Format: model.Binary32} },
		"deferred and present at once":                func(c *Case) { c.Gen, c.Deferred = "iota", &Deferred{Format: model.Binary32} },
		"gen: \"a  b\" has more than":                 func(c *Case) { c.Gen = "a  b" },
	} {
		c := &Case{Law: "a.b", Kernel: "k", X: Float32s([]float32{1, 2, 3})}
		_, err := Format(c, Options{})
		require.NoError(t, err)
		spoil(c)
		_, err = Format(c, Options{})
		require.ErrorContains(t, err, "corpus: the case cannot be written: ")
		require.ErrorContains(t, err, want)
		_, err = FileName(c)
		if want != "want is a hex float" && want != "is not an expectation" {
			require.ErrorContains(t, err, want)
		}
	}
}

// TestFormatFlush writes a behaviour that says what means nothing.
func TestFormatFlush(t *testing.T) {
	c := &Case{Law: "a.b", Kernel: "k", X: Float32s(nil), Behaviour: model.Behaviour{Flush: model.Flush{Before: true}}}
	text, err := Format(c, Options{})
	require.NoError(t, err)
	require.Equal(t, "gamma case v1\nlaw a.b\nkernel k\nexpect holds\nn 0\n", string(text))
}

// TestFormatComments writes comments that could break a file.
func TestFormatComments(t *testing.T) {
	c := &Case{Law: "a.b", Kernel: "k", X: Float32s(nil), Comments: []string{"panic: one\n\ttwo\r\nlaw x.y", "\xffthree\x00", "# four"}}
	text, err := Format(c, Options{})
	require.NoError(t, err)
	require.Equal(t, "gamma case v1\n# panic: one\n#  two\n# law x.y\n# \uFFFDthree\n# # four\nlaw a.b\nkernel k\nexpect holds\nn 0\n", string(text))
	back, err := Parse[*Case](text, Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"panic: one", " two", "law x.y", "\uFFFDthree", "# four"}, back.Comments)
}

// TestRecipe stores a vector by its recipe, and one that the recipe does not give by its values.
func TestRecipe(t *testing.T) {
	c := &Case{Law: "a.b", Kernel: "k", Gen: "const value=0x1p+0 first=0x1p+24", X: filled(model.Binary32, 20_000, 0x3f800000)}
	c.X.F32[0] = 1 << 24
	text, err := Format(c, Options{})
	require.NoError(t, err)
	require.Equal(t, "gamma case v1\nlaw a.b\nkernel k\nexpect holds\nn 20000\ngen const value=0x1p+0 first=0x1p+24\n"+
		"sha256 "+fmt.Sprintf("%x", Digest(c.X, c.Y))+"\n", string(text))
	back, err := Parse[*Case](text, Options{})
	require.NoError(t, err)
	require.Nil(t, back.Deferred)
	require.True(t, back.X.Equal(c.X))
	kept, err := Canonical(text)
	require.NoError(t, err)
	require.Equal(t, string(text), string(kept))

	name, err := FileName(c)
	require.NoError(t, err)
	c.X.F32[7] = math.Nextafter32(1, 2)
	long, err := Format(c, Options{})
	require.NoError(t, err)
	require.Contains(t, string(long), "\nx 7 0x1.000002p+0    # 1\n")
	other, err := FileName(c)
	require.NoError(t, err)
	require.NotEqual(t, name, other)

	c = &Case{Law: "a.b", Kernel: "k", Gen: "const value=-0x1p+0 y=0x1p+1", X: filled(model.Binary32, 2, 0xbf800000), Y: filled(model.Binary32, 2, 0x40000000)}
	short, err := Format(c, Options{})
	require.NoError(t, err)
	require.Contains(t, string(short), "\nn 2\ngen const value=-0x1p+0 y=0x1p+1\nsha256 ")
	c.Y.F32[1] = 3
	short, err = Format(c, Options{})
	require.NoError(t, err)
	require.Contains(t, string(short), "\nn 2\nx 0 -0x1p+0    # -1\nx 1 -0x1p+0    # -1\ny 0 0x1p+1    # 2\ny 1 0x1.8p+1    # 3\n")
	c.Y.F32[1] = 2
	x, y, err := Options{}.expand(c.Gen, model.Binary32, 2)
	require.NoError(t, err)
	require.True(t, x.Equal(c.X) && y.Equal(c.Y))
}

// TestRecipeOfOthers runs a recipe of another package: without its generator the case waits, and a
// generator that is wrong in any way is found out.
func TestRecipeOfOthers(t *testing.T) {
	ramp := func(gen string, f model.Format, n int) (x, y Values, err error) {
		if gen != "ramp" {
			return x, y, errors.New("no such family")
		}
		x = NewValues(f, n)
		for i := range n {
			x.Set(i, uint64(i+1))
		}
		return x, y, nil
	}
	o := Options{Expand: ramp}
	x, _, err := ramp("ramp", model.Binary64, 5000)
	require.NoError(t, err)
	c := &Case{Law: "a.b", Kernel: "k", Gen: "ramp", X: x, Expect: ExpectHolds}
	text, err := Format(c, o)
	require.NoError(t, err)
	require.Contains(t, string(text), "\nformat binary64\nn 5000\ngen ramp\nsha256 ")
	name, err := FileName(c)
	require.NoError(t, err)

	listed, err := Format(c, Options{}) // nobody can vouch for the recipe
	require.NoError(t, err)
	require.NotContains(t, string(listed), "gen")
	few := &Case{Law: "a.b", Kernel: "k", Gen: "ramp", X: x.Slice(0, genThreshold)}
	listed, err = Format(few, o)
	require.NoError(t, err)
	require.NotContains(t, string(listed), "gen")

	late, err := Parse[*Case](text, Options{})
	require.NoError(t, err)
	require.NotNil(t, late.Deferred)
	require.Equal(t, 5000, late.N())
	require.Equal(t, model.Binary64, late.Format())
	same, err := FileName(late)
	require.NoError(t, err)
	require.Equal(t, name, same)
	kept, err := Format(late, Options{})
	require.NoError(t, err)
	require.Equal(t, string(text), string(kept))
	require.EqualError(t, late.Expand(Options{}), `recipe "ramp": no generator is at hand for it; set Options.Expand to the one of the package that saved it`)
	require.NoError(t, late.Expand(o))
	requireSame(t, c, late)
	require.NoError(t, late.Expand(Options{}))

	for want, expand := range map[string]Expander{
		"now expands to sha256": func(gen string, f model.Format, n int) (x, y Values, err error) {
			x, y, err = ramp(gen, f, n)
			x.Set(4999, 1)
			return x, y, err
		},
		"gave 4999 leaves of binary64, not 5000 of binary64": func(gen string, f model.Format, n int) (x, y Values, err error) {
			return ramp(gen, f, n-1)
		},
		"gave 5000 leaves of binary32, not 5000 of binary64": func(gen string, _ model.Format, n int) (x, y Values, err error) {
			return ramp(gen, model.Binary32, n)
		},
		"gave 5001 second factors": func(gen string, f model.Format, n int) (x, y Values, err error) {
			x, _, err = ramp(gen, f, n)
			return x, NewValues(f, n+1), err
		},
		"no such family": func(_ string, f model.Format, n int) (x, y Values, err error) { return ramp("slope", f, n) },
	} {
		_, err := Parse[*Case](text, Options{Expand: expand})
		require.ErrorContains(t, err, want)
		late, err := Parse[*Case](text, Options{})
		require.NoError(t, err)
		require.ErrorContains(t, late.Expand(Options{Expand: expand}), want)
		require.NotNil(t, late.Deferred)
	}
}

// TestRecipeOfOddFactors runs a recipe whose second factors go with no row.
func TestRecipeOfOddFactors(t *testing.T) {
	expand := func(_ string, f model.Format, n int) (x, y Values, err error) {
		return filled(f, n, 1), filled(f, 2, 1), nil
	}
	x, y, err := expand("", model.Binary32, 6)
	require.NoError(t, err)
	text := fmt.Sprintf("gamma case v1\nlaw a.b\nkernel k\nrows 3\nn 6\ngen pairs\nsha256 %x\n", Digest(x, y))
	c, err := Parse[*Case]([]byte(text), Options{Expand: expand})
	require.NoError(t, err)
	require.Equal(t, 2, c.Y.Len())
	text = strings.Replace(text, "rows 3\n", "rows 2\n", 1)
	const want = `recipe "pairs": 2 second factors go with 6 leaves in 2 rows neither`
	_, err = Parse[*Case]([]byte(text), Options{Expand: expand})
	require.ErrorContains(t, err, "case:6:5: "+want)
	c, err = Parse[*Case]([]byte(text), Options{})
	require.NoError(t, err)
	require.ErrorContains(t, c.Expand(Options{Expand: expand}), want)
}

// TestDigest tells apart what a weak digest would not.
func TestDigest(t *testing.T) {
	seen := map[[32]byte]string{}
	for name, v := range map[string][2]Values{
		"two":         {Float32s([]float32{1, 2}), {}},
		"other order": {Float32s([]float32{2, 1}), {}},
		"a pair":      {Float32s([]float32{1}), Float32s([]float32{2})},
		"+0":          {Float32s([]float32{0}), {}},
		"-0":          {Float32s([]float32{float32(math.Copysign(0, -1))}), {}},
		"wide +0":     {Float64s([]float64{0}), {}},
		"none":        {Float32s(nil), {}},
		"half +0":     {Encodings(model.Binary16, []uint16{0}), {}},
		"bfloat +0":   {Encodings(model.BFloat16, []uint16{0}), {}},
	} {
		d := Digest(v[0], v[1])
		require.Empty(t, seen[d], name)
		seen[d] = name
	}
	// Across the buffer's edge, by the plain definition.
	for _, n := range []int{1023, 1024, 1025, 2048, 5000} {
		x, _, err := Options{}.expand("iota", model.Binary64, n)
		require.NoError(t, err)
		require.Equal(t, plainDigest(x), Digest(x, Values{}))
	}
}

// FuzzParse reads any bytes: it must not panic, and what it reads must survive a round trip.
func FuzzParse(f *testing.F) {
	f.Add([]byte(designCase))
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		text, err := Format(randomCase(r), Options{})
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("gamma case v1\nlaw a.b\nkernel k\nn 4\ngen iota\nsha256 " + strings.Repeat("0", 64) + "\n"))
	f.Add([]byte("gamma case v1\nlaw a.b\nkernel k\nn 4\ngen const value=nan\n"))
	f.Add([]byte(preceded(designCase, designCase, oneOfEach["a.b/x.cases"])))
	f.Add([]byte("gamma case v1\nlaw a.b\nkernel k\nn 4\ny 0 0x0p0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		o := Options{MaxBytes: 1 << 16}
		c, err := Parse[*Case](text, o)
		if err != nil {
			var e *Error
			require.ErrorAs(t, err, &e)
			return
		}
		written, err := Format(c, o)
		require.NoError(t, err)
		back, err := Parse[*Case](written, o)
		require.NoError(t, err, "%s", written)
		requireSame(t, c, back)
		again, err := Format(back, o)
		require.NoError(t, err)
		require.Equal(t, string(written), string(again))
		name, err := FileName(c)
		require.NoError(t, err)
		same, err := FileName(back)
		require.NoError(t, err)
		require.Equal(t, name, same)
	})
}

// plainDigest is Digest of a vector of binary64 by the words of its comment.
func plainDigest(x Values) [32]byte {
	b := fmt.Appendf(nil, "binary64 %d 0\n", x.Len())
	for _, v := range x.F64 {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return sha256.Sum256(b)
}

// filled returns n copies of b.
func filled(f model.Format, n int, b uint64) Values {
	v := NewValues(f, n)
	for i := range n {
		v.Set(i, b)
	}
	return v
}
