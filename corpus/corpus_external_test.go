package corpus_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/big"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels"
	"gamma/model"
)

// load returns our own cases.
func load(t *testing.T) []corpus.File[*corpus.Case] {
	t.Helper()
	files, errs := corpus.Load[*corpus.Case](corpus.Files, corpus.Options{})
	require.Empty(t, errs)
	require.NotEmpty(t, files)
	return files
}

// TestFilesCanonical reformats every file, and holds it to its name and to its directory.
func TestFilesCanonical(t *testing.T) {
	for _, f := range load(t) {
		text, err := fs.ReadFile(corpus.Files, f.Path)
		require.NoError(t, err)
		want, err := corpus.Canonical(text)
		require.NoError(t, err)
		require.Equal(t, string(want), string(text), f.Path)
		want, err = corpus.Format(f.Body, corpus.Options{})
		require.NoError(t, err)
		require.Equal(t, string(want), string(text), f.Path)
		name, err := corpus.FileName(f.Body)
		require.NoError(t, err)
		require.Equal(t, path.Join(string(f.Body.Law), name), f.Path)
		require.NotEmpty(t, f.Body.Comments, "%s: a case of ours says where it is from", f.Path)
	}
}

// TestFilesEmbedded finds each file of the directory in Files, new directories included.
func TestFilesEmbedded(t *testing.T) {
	onDisk, errs := corpus.Load[*corpus.Case](os.DirFS("."), corpus.Options{})
	require.Empty(t, errs)
	var want, got []string
	for _, f := range onDisk {
		if !strings.HasPrefix(f.Path, "testdata/") {
			want = append(want, f.Path)
		}
	}
	for _, f := range load(t) {
		got = append(got, f.Path)
	}
	require.Equal(t, want, got)
}

// exact returns the exact result of one row, and ok = false where a leaf is not finite.
func exact(c model.Claim, x, y corpus.Values) (r *big.Rat, ok bool) {
	r = new(big.Rat)
	for i := range x.Len() {
		if !x.Format.IsFinite(x.At(i)) {
			return nil, false
		}
	}
	if i := alike(x); y.Len() == 0 && i < x.Len() { // x_i, …, x_(n-1) are the same
		r.Mul(x.Format.Rat(x.At(i)), big.NewRat(int64(x.Len()-i), 1))
		x = x.Slice(0, i)
	}
	for i := range x.Len() {
		if x.At(i) == 0 {
			continue
		}
		term := x.Format.Rat(x.At(i))
		if y.Len() > 0 {
			term.Mul(term, y.Format.Rat(y.At(i)))
		}
		r.Add(r, term)
	}
	return r, true
}

// alike returns the least i from which on all leaves are the same.
func alike(x corpus.Values) int {
	i := x.Len()
	for i > 0 && x.At(i-1) == x.At(x.Len()-1) {
		i--
	}
	return i
}

// TestFilesWant holds each right result to exact rational arithmetic: it is the number of the
// result's format that lies next to the exact result, and the even one of two.
func TestFilesWant(t *testing.T) {
	checked := 0
	for _, f := range load(t) {
		c := f.Body
		if c.Want == "" {
			continue
		}
		if strings.HasPrefix(c.Kernel, "shaders/") {
			continue // package props/device runs it
		}
		k, ok := kernels.Find(c.Kernel)
		require.True(t, ok, f.Path)
		claim := k.Claim.WithDefaults(c.X.Format)
		wants := strings.Fields(c.Want)
		rows := max(c.Rows, 1)
		n := c.N() / rows
		for row := range rows {
			w := wants[min(row, len(wants)-1)]
			want, err := corpus.ParseValue(claim.Out, w)
			require.NoError(t, err, f.Path)
			y := c.Y
			if y.Len() > 0 {
				y = y.Slice(row*n, row*n+n)
			}
			r, ok := exact(claim, c.X.Slice(row*n, row*n+n), y)
			if !ok {
				require.False(t, claim.Out.IsFinite(want), f.Path)
				continue
			}
			if claim.Mean {
				r.Quo(r, big.NewRat(int64(n), 1))
			}
			checked++
			require.Truef(t, nearest(claim.Out, want, r), "%s: want %s, exact %s", f.Path, w, r.FloatString(20))
		}
	}
	require.Greater(t, checked, 30)
}

// nearest reports whether b is r rounded to nearest even.
func nearest(f model.Format, b uint64, r *big.Rat) bool {
	// The halfway point above MaxFinite decides between it and infinity.
	top := new(big.Rat).Sub(f.Rat(f.MaxBits()), f.Rat(f.Prev(f.MaxBits())))
	top.Quo(top, big.NewRat(2, 1)).Add(top, f.Rat(f.MaxBits()))
	if f.IsInf(b) {
		return new(big.Rat).Abs(r).Cmp(top) >= 0 && (r.Sign() < 0) == f.Signbit(b)
	}
	if !f.IsFinite(b) || new(big.Rat).Abs(r).Cmp(top) >= 0 {
		return false
	}
	off := func(b uint64) *big.Rat {
		d := new(big.Rat).Sub(f.Rat(b), r)
		return d.Abs(d)
	}
	for _, other := range []uint64{f.Next(b), f.Prev(b)} {
		if !f.IsFinite(other) {
			continue
		}
		if c := off(b).Cmp(off(other)); c > 0 || c == 0 && b&1 == 1 {
			return false
		}
	}
	return true
}

// run returns what the kernel makes of the case, one encoding a row.
func run(t *testing.T, k kernels.Kernel, c *corpus.Case) []uint64 {
	t.Helper()
	bits32 := func(v float32) []uint64 { return []uint64{uint64(math.Float32bits(v))} }
	switch {
	case k.Sum32 != nil:
		return bits32(k.Sum32(c.X.F32))
	case k.Sum64 != nil:
		return []uint64{math.Float64bits(k.Sum64(c.X.F64))}
	case k.SumBits != nil:
		return []uint64{k.SumBits(c.X.Bits)}
	case k.Dot32 != nil:
		return bits32(k.Dot32(c.X.F32, c.Y.F32))
	case k.Dot64 != nil:
		return []uint64{math.Float64bits(k.Dot64(c.X.F64, c.Y.F64))}
	case k.DotBits != nil:
		return []uint64{k.DotBits(c.X.Bits, c.Y.Bits)}
	case k.Squares32 != nil:
		require.True(t, c.X.Equal(c.Y), "a sum of squares lists its leaves as both factors")
		return bits32(k.Squares32(c.X.F32))
	case k.Rows32 != nil:
		dst := make([]float32, max(c.Rows, 1))
		k.Rows32(dst, c.X.F32, c.N()/len(dst))
		var all []uint64
		for _, v := range dst {
			all = append(all, bits32(v)...)
		}
		return all
	}
	t.Fatalf("%s has no function that the corpus runs", k.Name)
	return nil
}

// TestFilesRun runs every case of ours: the right result, where one is given, is what comes out,
// but from kernels that only claim to be one of several trees.
func TestFilesRun(t *testing.T) {
	compared := 0
	for _, f := range load(t) {
		c := f.Body
		if strings.HasPrefix(c.Kernel, "shaders/") {
			continue // package props/device runs it
		}
		k, ok := kernels.Find(c.Kernel)
		require.Truef(t, ok, "%s: no kernel is called %s", f.Path, c.Kernel)
		require.Equal(t, k.Claim.In, c.X.Format, f.Path)
		require.Equal(t, k.IsDot(), strings.HasPrefix(string(c.Law), "dot."), f.Path)
		got := run(t, k, c)
		if c.Want == "" || c.Law == model.SumMember || c.Expect == corpus.ExpectViolated {
			continue
		}
		out := k.Claim.WithDefaults(c.X.Format).Out
		var words []string
		for _, b := range got {
			if out.IsNaN(b) {
				words = append(words, "nan")
				continue
			}
			words = append(words, corpus.FormatValue(out, b))
		}
		compared++
		wants := strings.Fields(c.Want)
		for row, w := range words {
			require.Equal(t, wants[min(row, len(wants)-1)], w, f.Path)
		}
	}
	require.Greater(t, compared, 40)
}

// The entries of the log whose kernel is one of these words, and those whose kernel contains one.
const (
	bugWords = "A01 A03 A04 A05 A06 A07 A08 A10 A11 A12 A13 A16 A18 A20 A21 A23 A24 A25 B01 B02 B04 B11 B12 B14 B16 B17 C03 C08 D01 D03 D04 D05 D06 E05 E09 F01 F02 N01 N08 N13 N20 N22 N24 N25 N26 N29 N31 N34 N37 T03 T04 T11 T12"
	bugParts = "A28 B07 C01 C02 C11 C17 D11 E12"
)

// TestBugs holds the table of the log's entries to the log: every one is there, with cases that
// exist or with a reason.
func TestBugs(t *testing.T) {
	inTable := map[string]bool{}
	cases := 0
	last := ""
	for _, b := range corpus.Bugs() {
		require.Less(t, last, b.ID)
		last = b.ID
		inTable[b.ID] = true
		require.NotEmpty(t, b.Project)
		require.Truef(t, len(b.Cases) > 0 || strings.HasPrefix(b.Reason, "No case: "), "%s has neither a case nor a reason", b.ID)
		require.Truef(t, len(b.Cases) == 0 || b.Law != "", "%s has cases and no law", b.ID)
		cases += len(b.Cases)
	}
	for _, id := range strings.Fields(bugWords + " " + bugParts) {
		require.True(t, inTable[id], id)
	}
	require.Len(t, inTable, len(strings.Fields(bugWords+" "+bugParts)))
	require.Equal(t, 77, cases, "a case of an entry has gone, or has come: count again")
}

// TestBugsLog compares the table with the log itself, where it lies beside the repository.
func TestBugsLog(t *testing.T) {
	file, err := os.Open("../../shared/bugs/log.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the log of bugs does not lie beside this checkout (../shared/bugs/log.jsonl); TestBugs has its list of entries")
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	word := regexp.MustCompile(`\b(sum|dot|mean|norm)s?\b`)
	part := regexp.MustCompile(`sum|dot|mean|norm`)
	var words, parts []string
	table := map[string]corpus.Bug{}
	for _, b := range corpus.Bugs() {
		table[b.ID] = b
	}
	for s := bufio.NewScanner(file); s.Scan(); {
		var e struct{ ID, Project, Kernel string }
		require.NoError(t, json.Unmarshal(s.Bytes(), &e))
		switch {
		case word.MatchString(e.Kernel):
			words = append(words, e.ID)
		case part.MatchString(e.Kernel):
			parts = append(parts, e.ID)
		default:
			continue
		}
		require.Equal(t, e.Project, table[e.ID].Project, e.ID)
		require.Equal(t, e.Kernel, table[e.ID].Kernel, e.ID)
	}
	require.Equal(t, bugWords, strings.Join(words, " "))
	require.Equal(t, bugParts, strings.Join(parts, " "))
}
