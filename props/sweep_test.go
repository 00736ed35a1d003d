package props

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/engine"
	"gamma/props/internal/formulas"
	"gamma/props/judge"
)

// sweepOf searches a law on a part of all inputs.
func sweepOf(t *testing.T, k Kernel, id model.LawID, part engine.Part) (engine.Failure, error) {
	t.Helper()
	set := settingsOf(t)
	set.Sweep = part
	judged, err := k.Judged(set)
	require.NoError(t, err)
	l, err := engine.LawByID(judge.FormulaLaws(), id)
	require.NoError(t, err)
	return judged.(*engine.Engine[*formulas.Call, formulas.Kernel, *corpus.Arrays]).Found(&l)
}

// sweptKernel is a kernel of 16 bits, which calls see with each input.
func sweptKernel(see func(x uint16) uint16) Kernel {
	x := formula.Input("x", formula.Float(model.Binary16), "n")
	return Kernel{Name: "test.Magnitudes", Formula: formula.Abs(x), Claim: formula.Claim{Format: model.Binary16}, Call: func(c *KernelCall) error {
		dst := c.Encodings("dst")
		for i, v := range c.Encodings("x") {
			dst[i] = see(v)
		}
		return nil
	}}
}

// A sweep judges each input once.
func TestSweepIsWhole(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	seen := map[uint16]int{}
	k := sweptKernel(func(x uint16) uint16 { seen[x]++; return x &^ 0x8000 })
	for _, id := range []model.LawID{model.FormulaEnclosure, model.FormulaSpecial} {
		for i := range 2 { // each part has finite numbers and others
			f, err := sweepOf(t, k, id, engine.Part{I: i + 1, Of: 2})
			require.NoError(t, err)
			require.Nil(t, f)
		}
	}
	require.Len(t, seen, 1<<16)
	for x, n := range seen {
		require.Equal(t, 1, n, "%#x", x)
	}
}

// A law that has no input in a part draws as always.
func TestSweepWithoutInputs(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SWEEP", "1/4") // positive numbers below 1.5: none is special
	sweptKernel(func(x uint16) uint16 { return x &^ 0x8000 }).Check(t)
}

// A sweep finds one wrong result of 2^16.
func TestSweepFindsOne(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	k := sweptKernel(func(x uint16) uint16 {
		if x == 0x9abc {
			return 0x1abd
		}
		return x &^ 0x8000
	})
	f, err := sweepOf(t, k, model.FormulaEnclosure, engine.Part{I: 1, Of: 1})
	require.NoError(t, err)
	require.NotNil(t, f)
	require.Contains(t, f.Text(), "x[0]        -0x1.afp-9")
}

// A sweep finds one wrong result by its neighbours, and by that of the opposite number.
func TestSweepOfVariableLaws(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	for _, wrong := range []bool{false, true} {
		calls := 0
		k := sweptKernel(func(x uint16) uint16 {
			calls++
			if wrong && x == 0x9abc {
				return 0x1aba
			}
			return x &^ 0x8000
		})
		k.Claim.Symmetry = formula.Even
		k.Claim.Falling, k.Claim.Rising = []formula.Range{{From: math.Inf(-1), To: 0}}, []formula.Range{{From: 0, To: 2}}
		for id, want := range map[model.LawID]string{model.FormulaSymmetry: "the claim says that f is even", model.FormulaMonotone: "f falls on [-Inf, 0]"} {
			calls = 0
			f, err := sweepOf(t, k, id, engine.Part{I: 1, Of: 1})
			require.NoError(t, err)
			if !wrong {
				require.Nil(t, f)
				// Finite numbers: the positive ones and their opposites; and those that are negative or at most 2, with the next one each, in chunks of 128.
				require.Equal(t, map[model.LawID]int{model.FormulaSymmetry: 2 * 0x7c00, model.FormulaMonotone: 2 * (0x7c00 + 0x4080)}[id], calls, id)
				continue
			}
			require.NotNil(t, f, id)
			require.Contains(t, strings.Join(strings.Fields(f.Text()), " "), want)
		}
	}
}

// A sweep that is interrupted goes on where it ended, and leaves nothing out.
func TestSweepGoesOn(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GAMMA_DIR", dir)
	seen := map[uint16]int{}
	left := 300 * 128 // inputs until the first interruption
	k := sweptKernel(func(x uint16) uint16 {
		if left--; left == 0 {
			panic("interrupted")
		}
		seen[x]++
		return x &^ 0x8000
	})
	part := engine.Part{I: 1, Of: 1}
	f, err := sweepOf(t, k, model.FormulaEnclosure, part)
	require.NoError(t, err)
	require.NotNil(t, f, "the first run ends by a panic of the kernel")
	files, err := filepath.Glob(filepath.Join(dir, "*", "sweep-test.Magnitudes-*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Equal(t, "256\n", string(text))

	left = math.MaxInt
	seen[0] = 100
	f, err = sweepOf(t, k, model.FormulaEnclosure, part)
	require.NoError(t, err)
	require.Nil(t, f)
	for x := range 1 << 16 {
		if x&0x7fff < 0x7c00 {
			require.Positive(t, seen[uint16(x)], "%#x", x)
		}
	}
	require.Equal(t, 100, seen[0], "what is on file is not judged again")
	require.NoFileExists(t, files[0], "a sweep that is whole begins anew")

	require.NoError(t, os.WriteFile(files[0], []byte("5000\n"), 0o644))
	_, err = sweepOf(t, k, model.FormulaEnclosure, part)
	require.ErrorContains(t, err, "does not say how far a sweep has come")
}

// The flag is checked.
func TestSweepFlag(t *testing.T) {
	for text, want := range map[string]engine.Part{"": {}, "all": {I: 1, Of: 1}, "2/3": {I: 2, Of: 3}} {
		t.Setenv("GAMMA_SWEEP", text)
		s, err := engine.ReadSettings()
		require.NoError(t, err)
		require.Equal(t, want, s.Sweep, "%q", text)
	}
	for _, text := range []string{"0/3", "4/3", "x", "1/300", "1"} {
		t.Setenv("GAMMA_SWEEP", text)
		_, err := engine.ReadSettings()
		require.ErrorContains(t, err, "GAMMA_SWEEP", text)
	}
}
