package props

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/props/internal/engine"
)

// readFile returns what a file holds.
func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return text
}

// ledgerIn returns the one file of blocks below a folder.
func ledgerIn(t *testing.T, dir string) string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if ok, _ := filepath.Match("blocks-*.jsonl", filepath.Base(path)); ok {
			files = append(files, path)
		}
		return err
	}))
	require.Len(t, files, 1)
	return files[0]
}

// Options that would make what is judged depend on time, or on the shard, are refused by name; one case on file is not cut.
func TestShardRefusesOptions(t *testing.T) {
	noOptions(t)
	t.Setenv("GAMMA_SHARD", "2/3")
	for o, value := range map[*engine.Option]string{engine.OptBudget: "1s", engine.OptTotal: "1m", engine.OptSeed: "random", engine.OptSweep: "1/2"} {
		t.Run(o.Name, func(t *testing.T) {
			t.Setenv(o.Env(), value)
			_, err := engine.ReadSettings()
			require.ErrorContains(t, err, "props: -gamma."+o.Name+" (or "+o.Env()+`) is "`+value+`", which does not go with -gamma.shard: `)
		})
	}
	t.Setenv("GAMMA_TOTAL", "none")
	t.Setenv("GAMMA_CASE", "x.case")
	s, err := engine.ReadSettings()
	require.NoError(t, err)
	require.False(t, s.Shard.On())
}

// The parts of the blocks of any law are disjoint and whole, whatever their number is.
func TestPartsAreWhole(t *testing.T) {
	for _, of := range []int{1, 2, 3, 16} {
		for hash := range uint64(5) {
			for k := range 40 {
				n := 0
				for i := range of {
					if (engine.Part{I: i + 1, Of: of}).Has(hash*0x9e3779b97f4a7c15, k) {
						n++
					}
				}
				require.Equal(t, 1, n, "block %d of %d parts", k, of)
			}
		}
	}
}
