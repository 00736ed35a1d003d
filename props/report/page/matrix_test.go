package page

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// matrices returns the kill matrices on file.
func matrices(t *testing.T) (files []string) {
	for _, pattern := range []string{"../../testdata/*kill-matrix*.txt", "../../device/testdata/kill-matrix*.txt"} {
		list, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, list...)
	}
	require.GreaterOrEqual(t, len(files), 12)
	return files
}

// TestMatricesOnFile: every kill matrix on file is read, and each of its mutants is found by a law.
func TestMatricesOnFile(t *testing.T) {
	for _, file := range matrices(t) {
		list, err := ReadMatrix(file)
		require.NoError(t, err)
		for _, m := range list {
			for _, row := range m.Rows {
				require.Len(t, row.Cells, len(m.Laws), "%s %s", m.Name, row.Name)
				killed := slices.ContainsFunc(row.Cells, func(c Cell) bool { return c.Mark >= Kills })
				require.True(t, killed, "%s: nothing kills %s: %v", m.Name, row.Name, row.Cells)
			}
			t.Logf("%s: %d mutants, laws %q", m.Name, len(m.Rows), m.Laws)
		}
	}
}

// TestMatrixRows: rows of the three forms, a name that is too long for its column among them, are read as they stand.
func TestMatrixRows(t *testing.T) {
	cell := func(file, mutant, law string) (Cell, Mutant) {
		list, err := ReadMatrix(file)
		require.NoError(t, err)
		for _, m := range list {
			for _, row := range m.Rows {
				for i, id := range m.Laws {
					if row.Name == mutant && id == law && i < len(row.Cells) {
						return row.Cells[i], row
					}
				}
			}
		}
		t.Fatalf("%s has no %s of %s", file, law, mutant)
		return Cell{}, Mutant{}
	}
	c, row := cell("../../testdata/kill-matrix.txt", "SumDoublesBlockEdge", "member")
	require.Equal(t, Cell{Mark: Passes}, c)
	require.Contains(t, row.Fault, "leaf 64 ends one block")
	c, _ = cell("../../testdata/kill-matrix.txt", "SumDoublesBlockEdge", "integers")
	require.Equal(t, Cell{Mark: Kills}, c)
	c, row = cell("../../testdata/modular-kill-matrix.txt", "SumKeepsCarry", "pure")
	require.Equal(t, Cell{Must, "1"}, c)
	require.Contains(t, row.Fault, "whether the last sum of all was reduced is kept")
	c, _ = cell("../../testdata/word-kill-matrix.txt", "TwoSumFast", "eft.special")
	require.Equal(t, Cell{Mark: Passes}, c)
	c, _ = cell("../../device/testdata/kill-matrix-formulas.txt", "product_last_column", "kernel.init")
	require.Equal(t, Cell{Mark: Must}, c)
	c, _ = cell("../../testdata/fft-kill-matrix.txt", "FFTSignIgnored", "fft.error")
	require.Equal(t, Cell{Must, "10"}, c)
}

// TestNoMatrix: what is no kill matrix is an error that names the file.
func TestNoMatrix(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "prose": "some text\nand more of it: x\n", "headed": "mutant  killed by\n"} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := ReadMatrix(file)
		require.ErrorContains(t, err, "it is not a kill matrix")
	}
	_, err := ReadMatrix(filepath.Join(dir, "absent"))
	require.ErrorContains(t, err, "cannot be read")
}
