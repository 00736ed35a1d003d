package corpus

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// TestResiduesCanonical holds every file of ours to its canonical form, to its name and to its directory, and finds each embedded.
func TestResiduesCanonical(t *testing.T) {
	embedded, errs := Load[*Residues](Files, Options{})
	require.Empty(t, errs)
	require.NotEmpty(t, embedded)
	for _, f := range embedded {
		text, err := fs.ReadFile(Files, f.Path)
		require.NoError(t, err)
		want, err := Canonical(text)
		require.NoError(t, err)
		require.Equal(t, string(want), string(text), f.Path)
		name, err := FileName(f.Body)
		require.NoError(t, err)
		require.Equal(t, path.Join(string(f.Body.Law), name), f.Path)
		require.NotEmpty(t, f.Body.Comments, "%s: a file of ours says where it is from", f.Path)
		if ownRecipe(f.Body.Gen) {
			require.NoError(t, f.Body.Expand(nil), f.Path)
		}
	}
	onDisk, errs := Load[*Residues](os.DirFS("."), Options{})
	require.Empty(t, errs)
	var want, got []string
	for _, f := range onDisk {
		if !strings.HasPrefix(f.Path, "testdata/") {
			want = append(want, f.Path)
		}
	}
	for _, f := range embedded {
		got = append(got, f.Path)
	}
	require.Equal(t, want, got)
	require.Empty(t, UnknownFiles(os.DirFS(".")))
}

// Files with everything in them.
const (
	sampleRows = `gamma residues v1
# One.
law mont.value
kernel montgomery.Multiply
behaviour rne ftz=on contract=off seed=7
launch groups=1 threads=32
bits 64
modulus 1152921504606748673
seed 9
batch yes
row 18446744073709551615 0 holds # a comment
row 3 5 violated
`
	sampleTransform = `gamma residues v1
# Two.
law ntt.convolution
kernel ntt.Mutant
expect violated
bits 8
modulus 97
n 4
count 2
ring negacyclic
root 19
x 0 255
x 7 1
y 0 0
`
	sampleGen = `gamma residues v1
law ntt.exact
kernel ntt.Fast
expect holds
bits 32
modulus 5
n 4
ring cyclic
root 2
gen iota
sha256 b32a816386734af9d9ba061267e45107c1c82296fa4a6085aa8727b1cf752c34
`
	sampleNone = "gamma residues v1\nlaw mont.refuses\nkernel k\nexpect holds\nbits 8\nmodulus 18446744073709551615\n"
)

func TestResiduesRoundTrip(t *testing.T) {
	r, err := Parse[*Residues]([]byte(sampleRows), Options{})
	require.NoError(t, err)
	require.Equal(t, model.LawID("mont.value"), r.Law)
	require.Equal(t, []ResidueRow{
		{Words: []uint64{^uint64(0), 0}, Expect: ExpectHolds, Comment: "a comment", Line: 11},
		{Words: []uint64{3, 5}, Expect: ExpectViolated, Line: 12},
	}, r.Rows)
	require.True(t, r.Batch)
	require.Equal(t, []any{64, uint64(1152921504606748673), uint64(9)}, []any{r.Bits, r.Modulus, r.Seed})
	text, err := Format(r, Options{})
	require.NoError(t, err)
	require.Equal(t, sampleRows, string(text))

	r, err = Parse[*Residues]([]byte(sampleTransform), Options{})
	require.NoError(t, err)
	require.Equal(t, &Residues{
		Law: "ntt.convolution", Kernel: "ntt.Mutant", Expect: ExpectViolated, Bits: 8, Modulus: 97, N: 4, Count: 2, Ring: Negacyclic, Root: 19,
		X: []uint64{255, 0, 0, 0, 0, 0, 0, 1}, Y: make([]uint64, 8), Comments: []string{"Two."},
	}, r)
	text, err = Format(r, Options{})
	require.NoError(t, err)
	require.Equal(t, sampleTransform, string(text))

	loose := "gamma residues v1  \r\n\n bits  8 \nmodulus 0x61\nkernel k\nlaw a.b\n  row 0x0A\t0\tholds   #  x \nrow 00 1 violated#\n"
	text, err = Canonical([]byte(loose))
	require.NoError(t, err)
	require.Equal(t, "gamma residues v1\nlaw a.b\nkernel k\nbits 8\nmodulus 97\nrow 10 0 holds # x\nrow 0 1 violated\n", string(text))
	loose = "gamma residues v1\nlaw a.b\nkernel k\ny 3 0x1\nx 1 0\nx 0 2\nroot 19\ncount 1\nring cyclic\nn 4\nbits 8\nmodulus 97\n"
	text, err = Canonical([]byte(loose))
	require.NoError(t, err)
	require.Equal(t, "gamma residues v1\nlaw a.b\nkernel k\nexpect holds\nbits 8\nmodulus 97\nn 4\nring cyclic\nroot 19\nx 0 2\ny 3 1\n", string(text))
	for _, s := range []string{sampleGen, sampleNone} {
		text, err = Canonical([]byte(s))
		require.NoError(t, err)
		require.Equal(t, s, string(text))
	}
	// Rows of no words, of functions of the modulus.
	text, err = Canonical([]byte("gamma residues v1\nlaw a.b\nkernel k\nbits 8\nmodulus 97\nrow holds\n"))
	require.NoError(t, err)
	require.Contains(t, string(text), "\nrow holds\n")
}

// TestResiduesRecipes expands recipes, and finds that one has changed.
func TestResiduesRecipes(t *testing.T) {
	r, err := Parse[*Residues]([]byte(sampleGen), Options{})
	require.NoError(t, err)
	require.Nil(t, r.X)
	require.NoError(t, r.Expand(nil))
	require.Equal(t, []uint64{0, 1, 2, 3}, r.X)
	require.Nil(t, r.Y)
	text, err := Format(r, Options{})
	require.NoError(t, err)
	require.Equal(t, sampleGen, string(text))
	name, err := FileName(r)
	require.NoError(t, err)
	r.X[3] = 4
	_, err = Format(r, Options{})
	require.ErrorContains(t, err, `the recipe "iota" does not give its x and y; clear Gen`)
	r.X[3], r.Gen = 3, ""
	listed, err := FileName(r) // the same numbers have the same name, listed or not
	require.NoError(t, err)
	require.Equal(t, name, listed)

	r, err = Parse[*Residues]([]byte(strings.Replace(sampleGen, "iota\nsha256 b", "iota\nsha256 4", 1)), Options{})
	require.NoError(t, err)
	require.ErrorContains(t, r.Expand(nil), "its generator has changed")
	other := strings.Replace(sampleGen, "gen iota", "gen mine 7", 1)
	r, err = Parse[*Residues]([]byte(other), Options{})
	require.NoError(t, err)
	require.ErrorContains(t, r.Expand(nil), `recipe "mine 7": no generator is at hand`)
	require.NoError(t, r.Expand(func(r *Residues) (x, y []uint64, err error) {
		require.Equal(t, "mine 7", r.Gen)
		return []uint64{0, 1, 2, 3}, nil, nil
	}))
	require.Equal(t, []uint64{0, 1, 2, 3}, r.X)
	text, err = Format(r, Options{})
	require.NoError(t, err)
	require.Equal(t, other, string(text))
	require.NoError(t, r.Expand(nil)) // it is expanded already

	for gen, want := range map[string]struct {
		x, y []uint64
		err  string
	}{
		"const value=3":               {[]uint64{3, 3}, nil, ""},
		"const value=3 first=0xff":    {[]uint64{255, 3}, nil, ""},
		"const value=3 y=0":           {[]uint64{3, 3}, []uint64{0, 0}, ""},
		"const first=3":               {nil, nil, "const needs value="},
		"const value=3 value=4":       {nil, nil, "it gives value twice"},
		"const value=256":             {nil, nil, "place 0: 256 is not a word of 8 bits"},
		"const value=-1":              {nil, nil, "value: \"-1\" is not a number"},
		"const value=3 last=4":        {nil, nil, "it has no parameter \"last\""},
		"iota 3":                      {nil, nil, "it has no parameter \"3\""},
		"short":                       {nil, nil, "x has 1 words and y 0; 1 transforms of 2 points have 2 of x"},
		"failing":                     {nil, nil, `recipe "failing": out of order`},
		"const value=1 first=2 y=999": {nil, nil, "999 is not a word"},
	} {
		r := &Residues{Law: "a.b", Kernel: "k", Bits: 8, Modulus: 17, N: 2, Ring: Cyclic, Root: 16, Gen: gen, SHA256: DigestResidues(8, want.x, want.y)}
		err := r.Expand(func(*Residues) (x, y []uint64, err error) {
			if gen == "failing" {
				return nil, nil, errors.New("out of order")
			}
			return []uint64{1}, nil, nil
		})
		if want.err != "" {
			require.ErrorContains(t, err, want.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want.x, r.X)
		require.Equal(t, want.y, r.Y)
	}
	r = &Residues{N: 2, Bits: 8, Gen: "iota"}
	require.ErrorContains(t, r.Expand(nil), "there is no number modulo 0")
}

// TestResiduesErrors names the place of what is wrong with a file.
func TestResiduesErrors(t *testing.T) {
	head := "gamma residues v1\nlaw a.b\nkernel k\nbits 8\nmodulus 97\n"
	ntt := head + "n 4\nring cyclic\nroot 22\n"
	for in, want := range map[string]string{
		"":                                                  "1:1: the file is empty",
		"gamma case v1\n":                                   "1:1: the file is not a .residues file",
		"gamma residues v2\n":                               "1:1: the file says \"gamma residues v2\", and this version",
		"gamma residues v1\nlaw a.b":                        "2:8: the last line has no newline",
		"gamma residues v1\nlaw ab\n":                       "2:5: law: \"ab\" is not a law's name",
		"gamma residues v1\nlaw a.b\nlaw a.b\n":             "3:1: law stands in line 2 already",
		"gamma residues v1\nlows a.b\n":                     "2:1: no key is called \"lows\"",
		"gamma residues v1\nlaw\n":                          "2:4: law has no value",
		"gamma residues v1\nkernel k\x01\n":                 "2:9: byte 0x01",
		"gamma residues v1\nkernel \xff\n":                  "2:8: byte 0xff",
		"gamma residues v1\nbits 9\n":                       "2:6: bits: words have 8, 16, 32 or 64 bits, not 9",
		"gamma residues v1\nbits x\n":                       "2:6: bits: \"x\" is not a decimal",
		"gamma residues v1\nmodulus 1e3\n":                  "2:9: modulus: \"1e3\" is not a number",
		"gamma residues v1\nmodulus -3\n":                   "2:9: modulus: \"-3\" is not a number",
		"gamma residues v1\nmodulus 0x\n":                   "2:9: modulus: \"0x\" is not a number",
		"gamma residues v1\nmodulus 1_0\n":                  "2:9: modulus: \"1_0\" is not a number",
		"gamma residues v1\nmodulus 18446744073709551616\n": "2:9: modulus: \"18446744073709551616\" has more than 64 bits",
		"gamma residues v1\nring round\n":                   "2:6: ring: \"round\" is not a ring",
		"gamma residues v1\nbatch no\n":                     "2:7: batch: \"no\" is not yes",
		"gamma residues v1\nn 0\n":                          "2:3: n: \"0\" lies outside 1 to 4194304",
		"gamma residues v1\nn 5000000\n":                    "2:3: n: \"5000000\" lies outside",
		"gamma residues v1\nsha256 12\n":                    "2:8: sha256: \"12\" is not 64 hex digits",
		"gamma residues v1\nexpect maybe\n":                 "2:8: expect: \"maybe\" is not an expectation",
		"gamma residues v1\nlaunch groups=1\n":              "2:8: launch:",
		"gamma residues v1\nbehaviour odd\n":                "2:11: behaviour:",
		"gamma residues v1\nlaw a.b\nkernel k\n":            "4:1: there is no line \"bits\"",
		"gamma residues v1\nrow 1 holds\n":                  "2:1: there is no line \"law\"",
		head + "row 1 2\n":                                  "6:8: the row does not end in holds",
		head + "row\n":                                      "6:4: the row does not end in holds",
		head + "row 1 256 holds\n":                          "6:7: 256 is not a word of 8 bits",
		head + "row 1  maybe\n":                             "6:8: \"maybe\" is not a number",
		head + "row 1 holds 2\n":                            "6:13: \"2\" stands after the expectation",
		head + "row 1 holds\nrow 1 2 holds\n":               "7:5: the row has 2 words, and those of this file have 1",
		head + "row 1 holds\nseed 3\n":                      "7:1: seed stands after a row",
		head + "row 1 holds\n# after\n":                     "7:1: a comment on a line of its own",
		head + "expect holds\nrow 1 holds\n":                "6:8: the file has rows, and expect is for files without",
		ntt + "row 1 holds\n":                               "6:3: the file has rows, and n is for files without",
		head + "batch yes\n":                                "6:7: the file has no rows",
		head + "root 3\n":                                   "6:6: root is for transforms, and there is no line n",
		head + "x 0 1\n":                                    "6:5: x and y are for transforms",
		head + "n 4\nroot 3\n":                              "8:1: a transform has a line \"ring\"",
		head + "n 4\nring cyclic\n":                         "8:1: a transform has a line \"root\"",
		ntt + "count 4194304\n":                             "9:7: 4194304 transforms of 4 points are more than",
		ntt + "x 4 1\n":                                     "9:5: x 4 lies outside the 4 elements that line 6 gives",
		ntt + "x 1 1\nx 1 1\n":                              "10:5: x 1 stands in line 9 already",
		ntt + "x 1 256\n":                                   "9:5: x 1: 256 is not a word of 8 bits",
		ntt + "x 1\n":                                       "9:4: x 1 has no value",
		ntt + "x  1 1 # one\n":                              "9:8: the comment after a value is its decimal",
		ntt + "x 1 1.5\n":                                   "9:5: x 1: \"1.5\" is not a number",
		ntt + "x one 1\n":                                   "9:3: index: \"one\" is not a decimal",
		ntt + "gen iota\n":                                  "9:5: a recipe needs a line sha256; it is ",
		ntt + "gen iota 1\n":                                "9:5: a recipe needs a line sha256; and: recipe \"iota 1\"",
		ntt + "gen mine\n":                                  "9:5: a recipe needs a line sha256, which the generator's package knows",
		ntt + "sha256 " + strings.Repeat("0", 64) + "\n":    "9:8: sha256 belongs to a recipe",
		ntt + "gen iota\nsha256 " + strings.Repeat("0", 64) + "\ny 1 1\n":               "11:5: x and y come from the recipe in line 9",
		head + "row" + strings.Repeat(" 1", MaxTableWords+1) + " holds\n":               "the row has more than 512 words",
		"gamma residues v1\n" + strings.Repeat("#"+strings.Repeat("a", 1<<20)+"\n", 17): "1:1: the file has 17825",
	} {
		_, err := Parse[*Residues]([]byte(in), Options{File: "t.residues"})
		require.ErrorContains(t, err, want, "%.200q", in)
		require.ErrorContains(t, err, "t.residues:", "%.200q", in)
		var e *Error
		require.ErrorAs(t, err, &e)
	}
	for want, change := range map[string]func(r *Residues){
		"is not a law's name":              func(r *Residues) { r.Law = "x" },
		"kernel: it is empty":              func(r *Residues) { r.Kernel = "" },
		"words have 8, 16, 32 or 64 bits":  func(r *Residues) { r.Bits = 7 },
		"is not a ring":                    func(r *Residues) { r.Ring = "" },
		"4 of x, and as many or none of y": func(r *Residues) { r.X = r.X[:3] },
		"place 2: 256 is not a word":       func(r *Residues) { r.X[2] = 256 },
		"place 1: 257 is not a word":       func(r *Residues) { r.Y = []uint64{1, 257, 3, 4} },
		"numbers of a transform, and N":    func(r *Residues) { r.N = 0 },
		"it has rows, and is of a":         func(r *Residues) { r.Rows = []ResidueRow{{}} },
		"it is a batch, and has no rows":   func(r *Residues) { r.Batch = true },
		"-1 transforms of 4 points":        func(r *Residues) { r.Count = -1 },
		"is not an expectation":            func(r *Residues) { r.Expect = "no" },
		"gen: \"a  b\" has more than one":  func(r *Residues) { r.Gen = "a  b" },
		"it has no sha256":                 func(r *Residues) { r.X, r.Gen = nil, "mine" },
		"the residues cannot be written: row 1: it has 1 words; all rows have 0": func(r *Residues) {
			*r = Residues{Law: "a.b", Kernel: "k", Bits: 8, Rows: []ResidueRow{{}, {Words: []uint64{1}}}}
		},
		"the residues cannot be written: row 0: 256 is not a word": func(r *Residues) {
			*r = Residues{Law: "a.b", Kernel: "k", Bits: 8, Rows: []ResidueRow{{Words: []uint64{256}}}}
		},
		"the residues cannot be written: row 0: \"so\" is not an expectation": func(r *Residues) {
			*r = Residues{Law: "a.b", Kernel: "k", Bits: 8, Rows: []ResidueRow{{Expect: "so"}}}
		},
	} {
		r := &Residues{Law: "a.b", Kernel: "k", Bits: 8, Modulus: 97, N: 4, Ring: Cyclic, Root: 22, X: make([]uint64, 4)}
		change(r)
		_, err := Format(r, Options{})
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, 8, (&Residues{N: 4, Count: 2}).Len())
}

// TestLoadResidues reports each bad file, and those of no kind.
func TestLoadResidues(t *testing.T) {
	r, err := Parse[*Residues]([]byte(sampleTransform), Options{})
	require.NoError(t, err)
	name, err := FileName(r)
	require.NoError(t, err)
	require.Regexp(t, `^ntt\.convolution-ntt-mutant-[0-9a-f]{8}\.residues$`, name)
	fsys := fstest.MapFS{
		"a.b/x.residues":                 {Data: []byte("x\n")},
		"c.residues":                     {Data: []byte(sampleRows)},
		"d.case":                         {Data: []byte("no residues")},
		"e.f/" + name:                    {Data: []byte(sampleTransform)},
		"g.h/" + name:                    {Data: []byte(strings.Replace(sampleTransform, "x 7 1\n", "", 1))},
		"i.j/k.residue":                  {Data: []byte(sampleRows)},
		"i.j/l":                          {},
		"i.j/.tmp":                       {},
		"m.n/o.residues":                 {Data: make([]byte, MaxTableBytes+1)},
		"p.q/r.residues":                 {Mode: fs.ModeSymlink},
		"testdata/fuzz/FuzzX/0123456789": {},
	}
	files, errs := Load[*Residues](fsys, Options{})
	require.Len(t, files, 2)
	require.Equal(t, "c.residues", files[0].Path)
	require.Len(t, errs, 4)
	for i, want := range []string{"a.b/x.residues:1:1:", "g.h/" + name + ":1:1: the name says", "m.n/o.residues: it has 16777217 bytes", "p.q/r.residues: it is not a regular file"} {
		require.ErrorContains(t, errs[i], want)
	}
	errs = UnknownFiles(fsys)
	require.Len(t, errs, 2)
	require.ErrorContains(t, errs[0], `i.j/k.residue: no kind of case file has the extension ".residue"`)
	require.ErrorContains(t, errs[1], "i.j/l: ")
	require.Empty(t, UnknownFiles(os.DirFS("no/such/place")))
	files, errs = Load[*Residues](os.DirFS("no/such/place"), Options{})
	require.Empty(t, files)
	require.Empty(t, errs)
}

// TestSaveResidues adds rows to a file, keeps those that it has, and saves a transform once.
func TestSaveResidues(t *testing.T) {
	dir := t.TempDir()
	rows := func(words ...uint64) *Residues {
		r := &Residues{Law: "a.b", Kernel: "pkg.F", Bits: 8, Modulus: 97}
		for _, w := range words {
			r.Rows = append(r.Rows, ResidueRow{Words: []uint64{w}, Comment: "new"})
		}
		return r
	}
	save := func(r *Residues) string {
		t.Helper()
		file, err := Save(dir, r, Options{})
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, string(r.Law)), filepath.Dir(file))
		require.Regexp(t, `^(a\.b-)?pkg-f-[0-9a-f]{8}\.residues$`, filepath.Base(file))
		return file
	}
	first := save(rows(1))
	again := rows(2, 1)
	again.Rows[1].Comment = "other"
	require.Equal(t, first, save(again))
	text, err := os.ReadFile(first)
	require.NoError(t, err)
	require.Equal(t, "gamma residues v1\nlaw a.b\nkernel pkg.F\nbits 8\nmodulus 97\nrow 1 holds # new\nrow 2 holds # new\n", string(text))
	all := []string{first}
	for _, change := range []func(r *Residues){
		func(r *Residues) { r.Modulus = 95 },
		func(r *Residues) { r.Bits = 16 },
		func(r *Residues) { r.Batch = true },
		func(r *Residues) { r.Batch, r.Rows[0].Words = true, []uint64{4} },
		func(r *Residues) { r.Rows, r.N, r.Ring, r.X = nil, 2, Cyclic, []uint64{1, 2} },
		func(r *Residues) { r.Rows, r.N, r.Ring, r.X = nil, 2, Cyclic, []uint64{1, 3} },
		func(r *Residues) { r.Rows, r.N, r.Ring, r.X, r.Y = nil, 2, Cyclic, []uint64{1, 2}, []uint64{0, 0} },
		func(r *Residues) { r.Rows, r.N, r.Ring, r.X = nil, 2, Negacyclic, []uint64{1, 2} },
		func(r *Residues) { r.Seed = 3 },
	} {
		r := rows(3)
		change(r)
		all = append(all, save(r))
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(all))), len(all), "%v", all)

	// A known open fault that is found again meets its own file, which stays.
	fault := &Residues{Law: "a.b", Kernel: "pkg.F", Expect: ExpectViolated, Bits: 8, Modulus: 97, N: 2, Ring: Cyclic, Root: 96, X: []uint64{1, 2}}
	file := save(fault)
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	fault.Expect, fault.Comments = "", []string{"again"}
	require.Equal(t, file, save(fault))
	now, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(was), string(now))
	files, errs := Load[*Residues](os.DirFS(dir), Options{})
	require.Empty(t, errs)
	require.Len(t, files, len(all)+1)

	// A file under an earlier name, which had no law in front, is found by its digits.
	earlier := filepath.Join(filepath.Dir(file), strings.TrimPrefix(filepath.Base(file), "a.b-"))
	require.NoError(t, os.Rename(file, earlier))
	require.Equal(t, earlier, save(fault))

	more := rows(1)
	more.Rows[0].Words = []uint64{5, 6}
	beside, err := Save(dir, more, Options{}) // rows of another length have a file of their own
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(first, ".residues")+"-2.residues", beside)
	require.NoError(t, os.WriteFile(first, []byte("no\n"), 0o666))
	beside, err = Save(dir, rows(1), Options{}) // a broken file stays, and Load tells of it
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(first, ".residues")+"-3.residues", beside)
	_, errs = Load[*Residues](os.DirFS(dir), Options{})
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], ".residues:1:1: ")
}

func FuzzParseResidues(f *testing.F) {
	for _, s := range []string{
		sampleRows, sampleTransform, sampleGen, sampleNone,
		"gamma residues v1\nlaw a.b\nkernel k\nbits 64\nmodulus 0xffffffff00000001\nrow holds # c\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse[*Residues](text, Options{})
		if err != nil {
			return
		}
		one, err := Format(r, Options{})
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		two, err := Canonical(one)
		if err != nil || string(one) != string(two) {
			t.Fatalf("%q is not canonical: %q, %v", one, two, err)
		}
		if _, err := FileName(r); err != nil {
			t.Fatalf("what was read has no name: %v", err)
		}
		_ = r.Expand(nil) // an error or not: no panic
	})
}
