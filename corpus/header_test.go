package corpus

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// commonKeys are the keys that every file has, but for expect.
const commonKeys = "law a.b\nkernel k\nbehaviour rne ftz=on contract=off seed=7\nlaunch groups=1 threads=32\nseed 9\nisolate yes\n"

// oneOfEach is a file of each kind with all of them.
var oneOfEach = map[string]string{
	"a.b/x.case":     "gamma case v1\n# One.\n" + commonKeys + "expect violated\nn 1\nx 0 0x1p0\n",
	"a.b/x.cases":    "gamma cases v1\n# One.\n" + commonKeys + "words 1\nrow 0x1p0 holds\n",
	"a.b/x.residues": "gamma residues v1\n# One.\n" + commonKeys + "expect violated\nbits 8\nmodulus 97\n",
	"a.b/x.integers": "gamma integers v1\n# One.\n" + commonKeys + "expect violated\nbits 8\nn 3\nx 1 255\n",
	"a.b/x.arrays":   "gamma arrays v1\n# One.\n" + commonKeys + "expect violated\naxis n 3\ninput x binary32 n\nvalue x 1 0x1p0\n",
}

// TestHeader reads and writes the keys that every kind has.
func TestHeader(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range oneOfEach {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	files, errs := Load[Body](fsys, Options{})
	require.Empty(t, errs)
	require.Len(t, files, len(Extensions()))
	for _, f := range files {
		want := Header{
			Law: "a.b", Kernel: "k", Expect: ExpectViolated, Launch: model.Launch1D(1, 32), Seed: 9, Isolate: true, Comments: []string{"One."},
			Behaviour: f.Body.Head().Behaviour,
		}
		require.EqualValues(t, 7, want.Behaviour.Seed)
		if _, rows := f.Body.(*Table); rows {
			want.Expect = "" // each row has its own
		}
		require.Equal(t, want, f.Body.Head(), f.Path)
		text, err := Format(f.Body, Options{})
		require.NoError(t, err)
		back, err := Parse[Body](text, Options{})
		require.NoError(t, err)
		require.Equal(t, want, back.Head(), f.Path)
		again, err := Canonical([]byte(oneOfEach[f.Path]))
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))

		want.Isolate = false
		before, err := FileName(f.Body)
		require.NoError(t, err)
		f.Body.SetHead(want)
		require.Equal(t, want, f.Body.Head(), f.Path)
		after, err := FileName(f.Body)
		require.NoError(t, err)
		require.NotEqual(t, before, after)
	}
	_, err := Parse[*Table]([]byte(oneOfEach["a.b/x.case"]), Options{})
	require.ErrorContains(t, err, `table:1:1: the file is not a .cases file: its first line must be "gamma cases v1"`)
	_, err = Parse[Body]([]byte("gamma sums v1\n"), Options{})
	require.ErrorContains(t, err, `case:1:1: the file is not a case file: its first line must be "gamma case v1" or "gamma cases v1" or "gamma residues v1" or "gamma arrays v1" or "gamma integers v1"`)
	_, err = Parse[Body](nil, Options{})
	require.ErrorContains(t, err, `case:1:1: the file is empty; its first line is "gamma case v1" or`)
	_, err = Parse[Body]([]byte("gamma residues v2\n"), Options{})
	require.ErrorContains(t, err, `this version of gamma reads "gamma residues v1" only`)
}

// moments is the body of a kind of its own: what a new kind has to write.
type moments struct {
	Header
	Order int
	X     []uint64
}

var momentsKind = &kind{"moments", ".moments", "gamma moments ", 1 << 20, "split it", []string{"x"}, func() Body { return new(moments) }}

type momentsCodec struct {
	*moments
	x vector
}

func (m *moments) codec(Options) codec             { return &momentsCodec{m, vector{key: "x"}} }
func (e *momentsCodec) kind() *kind                { return momentsKind }
func (e *momentsCodec) rows() *rowLayout           { return nil }
func (e *momentsCodec) check(*Header) error        { return nil }
func (e *momentsCodec) identify(out *bytes.Buffer) { e.write(out) }

func (e *momentsCodec) keys(h *Header) []key {
	return []key{h.key("law"), h.key("kernel"), h.key("expect"), h.key("seed"), countKey("order", &e.Order, 1, 9)}
}

func (e *momentsCodec) element(p *parser, _, value string, at place) error {
	return e.x.read(p, value, at, 100)
}

func (e *momentsCodec) finish(p *parser, _ place) error {
	e.X = make([]uint64, len(e.x.list))
	if err := e.x.decode(p, len(e.X), p.seen["order"], parseWord); err != nil {
		return err
	}
	for _, w := range e.x.list {
		e.X[w.index] = w.code
	}
	return nil
}

func (e *momentsCodec) write(out *bytes.Buffer) {
	writeVector(out, "x", len(e.X), func(i int) uint64 { return e.X[i] }, func(w uint64) { out.WriteString(strconv.FormatUint(w, 10)) })
}

// TestNewKind reads, writes and saves a body of another kind, for which nothing here was changed.
func TestNewKind(t *testing.T) {
	const text = "gamma moments v1\n# Third.\nlaw a.b\nkernel k\nexpect holds\nseed 4\norder 3\nx 0 7\nx 1 8\n"
	b, err := parse([]byte(text), []*kind{momentsKind}, Options{})
	require.NoError(t, err)
	require.Equal(t, &moments{Header{Law: "a.b", Kernel: "k", Expect: ExpectHolds, Seed: 4, Comments: []string{"Third."}}, 3, []uint64{7, 8}}, b)
	back, err := Format(b, Options{})
	require.NoError(t, err)
	require.Equal(t, text, string(back))
	_, err = parse([]byte(strings.Replace(text, "order 3", "order 0", 1)), []*kind{momentsKind}, Options{})
	require.EqualError(t, err, `moments:7:7: order: "0" lies outside 1 to 9`)
	b.(*moments).Order = 10
	_, err = Format(b, Options{})
	require.EqualError(t, err, `corpus: the moments cannot be written: order: "10" lies outside 1 to 9`)
	b.(*moments).Order = 3
	dir := t.TempDir()
	file, err := Save(dir, b, Options{})
	require.NoError(t, err)
	require.Regexp(t, `^a\.b-k-[0-9a-f]{8}\.moments$`, filepath.Base(file))
	saved, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, text, string(saved))
}
