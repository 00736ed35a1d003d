package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
)

// TestRecorderRemembers: the last inputs are remembered, so many and no more, the last one first, those in files of their own among them.
func TestRecorderRemembers(t *testing.T) {
	t.Setenv("GAMMA_DIR", filepath.Join(t.TempDir(), "[a-")) // no pattern
	recall := func(_ model.LawID, text []byte) (corpus.Body, error) {
		return &corpus.Integers{Header: corpus.Header{Kernel: string(text)}}, nil
	}
	r := openRecorder(t, "k", recall)
	require.NotEmpty(t, r.name)
	require.Empty(t, r.past())
	for i := 1; i <= 3*remembers; i++ {
		if b := r.headed("a.b"); i%3 > 0 {
			r.write(fmt.Appendf(b, "input\n%d", i))
		} else { // too long for the record
			long := &corpus.Integers{Header: corpus.Header{Law: "a.b", Kernel: fmt.Sprint(i)}, Bits: 8}
			r.write(append(append(b, "file\n"...), r.spill(long)...))
		}
		var got []string
		for _, b := range r.past() {
			law, subject, body, err := ParseRecord(b, recall)
			require.NoError(t, err)
			require.Equal(t, "a.b k", law+" "+subject)
			got = append(got, body.Head().Kernel)
		}
		var want []string
		for k := i; k > max(0, i-remembers-1); k-- {
			want = append(want, fmt.Sprint(k))
		}
		require.Equal(t, want, got)
	}
	list := func() []os.DirEntry {
		files, err := os.ReadDir(filepath.Dir(r.name))
		require.NoError(t, err)
		return files
	}
	require.Greater(t, len(list()), 1)
	require.LessOrEqual(t, len(list()), remembers+2)
	r.Close()
	require.Empty(t, list())
}
