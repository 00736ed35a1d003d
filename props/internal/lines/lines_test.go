package lines

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// record has a field of each sort that lines have.
type record struct {
	Name   string         `json:"name"`
	Cases  int            `json:"cases"`
	Ratio  float64        `json:"ratio"`
	Seeds  []string       `json:"seeds"`
	Counts map[string]int `json:"counts"`
	Late   bool           `json:"late"`
}

// zeros is a file that does not end.
type zeros struct{ read int }

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	z.read += len(p)
	return len(p), nil
}

// TestDecode: what is wrong with a line is said in words, whatever it is, and lines that are right are read.
func TestDecode(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(strings.Repeat(`{"name":"a"}`, 1000)))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for name, row := range map[string]struct{ text, want string }{
		"right":            {`{"name":"a","cases":3,"ratio":1e300,"seeds":["7"],"counts":{"a":1,"A":2},"late":true}`, ""},
		"unknown names":    {`{"name":"a","more":{"name":[{"name":1},{"name":2}]}}`, ""},
		"torn":             {`{"name":"a","cas`, "the line is torn"},
		"torn in a text":   {`{"name":"a`, "the line is torn"},
		"torn in a list":   {`{"seeds":["a"`, "the line is torn"},
		"two lines in one": {`{"name":"a"}{"name":"b"}`, "invalid character '{' after top-level value, at its byte 13"},
		"rubbish after it": {`{"name":"a"} x`, "invalid character 'x' after top-level value"},
		"NaN":              {`{"ratio":NaN,"late":true}`, "invalid character 'N' looking for beginning of value, at its byte 10"},
		"infinity":         {`{"ratio":-Infinity,"late":true}`, "invalid character 'I' in numeric literal"},
		"1e999":            {`{"ratio":1e999}`, "ratio is a JSON number 1e999, and has to be a number of at most 1.797"},
		"1e308 cases":      {`{"cases":1e308}`, "cases is a JSON number 1e308, and has to be a whole number of 64 bits"},
		"a long number":    {`{"cases":1` + strings.Repeat("0", 1<<20) + `}`, "000 …, and has to be a whole number of 64 bits"},
		"half a case":      {`{"cases":5.5}`, "cases is a JSON number 5.5, and has to be a whole number"},
		"a text":           {`{"cases":"five"}`, "cases is a JSON string, and has to be a whole number"},
		"a number":         {`{"name":3}`, "name is a JSON number, and has to be text"},
		"no list":          {`{"seeds":"7"}`, "seeds is a JSON string, and has to be a list"},
		"no object":        {`{"counts":[1]}`, "counts is a JSON array, and has to be an object"},
		"no truth":         {`{"late":"yes"}`, "late is a JSON string, and has to be true or false"},
		"doubled":          {`{"name":"a","cases":3,"name":"b"}`, `it has two values of "name"`},
		"doubled below":    {`{"name":"a","counts":{"x":1,"y":2,"x":3}}`, `it has two values of "x"`},
		"doubled in lists": {`{"name":"a","more":[1,[{"b":"b","c":"b"},{"b":1,"b":2}]]}`, `it has two values of "b"`},
		"a list":           {`[1,2]`, `it begins with "[1,2]", and not with a brace`},
		"null":             {`null`, `it begins with "null"`},
		"deep":             {`{"more":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "exceeded max depth"},
		"binary":           {"{\"name\":\"\x00\"}", "it is not text in UTF-8"},
		"other bytes":      {"{\"name\":\"\xff\"}", "it is not text in UTF-8"},
		"UTF-16":           {"{\x00}\x00", "it is not text in UTF-8"},
		"a mark":           {"\xef\xbb\xbf{}", "byte order mark; save the file without one"},
		"packed":           {strings.ReplaceAll(packed.String(), "\n", " "), "it is not text in UTF-8; the file is another one, packed or damaged"},
	} {
		read := 0
		err := Each(strings.NewReader("\n"+row.text+"\r\n \n"), func(l Line) {
			read++
			require.Equal(t, 2, l.Number, name)
			var r record
			err := l.Decode(&r)
			if row.want == "" {
				require.NoError(t, err, name)
				require.Equal(t, "a", r.Name, name)
				return
			}
			require.ErrorContains(t, err, row.want, name)
			require.Less(t, len(err.Error()), 3*mostShown, name)
		})
		require.NoError(t, err, name)
		require.Equal(t, 1, read, name)
	}
}

// TestEach: a line that is too long is read as one, and so is one whose end is missing; a file without lines ends.
func TestEach(t *testing.T) {
	var seen []string
	each := func(text string) {
		seen = nil
		require.NoError(t, Each(strings.NewReader(text), func(l Line) {
			var r record
			if err := l.Decode(&r); err != nil {
				seen = append(seen, err.Error())
			} else {
				seen = append(seen, r.Name)
			}
		}))
	}
	each(`{"name":"` + strings.Repeat("a", 100<<20) + `"}` + "\n" + `{"name":"b"}`)
	require.Equal(t, []string{"the line has more than 16777216 bytes; no program of Gamma's writes such a line", "b"}, seen)
	each(`{"name":"a"}` + "\n" + `{"name":nul`)
	require.Len(t, seen, 2)
	require.Contains(t, seen[1], "the line is torn")
	each("")
	require.Empty(t, seen)
	z := &zeros{}
	require.ErrorContains(t, Each(z, func(Line) { t.Fatal("a line") }), "line 1 does not end")
	require.Less(t, z.read, 2*endless)
}

// TestPrintable: nothing of a text changes a terminal.
func TestPrintable(t *testing.T) {
	require.Equal(t, "a\ufffd[31m\n\tγ\ufffd", Printable("a\x1b[31m\n\tγ\u202e"))
	require.Equal(t, strings.Repeat("γ", mostShown)+" …", Short(strings.Repeat("γ", 1000)))
}
