package props

import (
	"bytes"
	"fmt"
	"math"
	"os"
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

// sweepOf searches a law on all inputs.
func sweepOf(t *testing.T, k Kernel, id model.LawID) (engine.Failure, error) {
	t.Helper()
	set := settingsOf(t)
	set.Sweep = engine.Part{I: 1, Of: 1}
	judged, err := k.Judged(set)
	require.NoError(t, err)
	l, err := engine.LawByID(judge.FormulaLaws(), id)
	require.NoError(t, err)
	return judged.(engine.Whole[*formulas.Call, formulas.Kernel, *corpus.Arrays]).Found(&l)
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

// A sweep judges each input once, in as many parts as there are.
func TestSweepIsWhole(t *testing.T) {
	for _, parts := range []int{1, 2, 7} {
		t.Setenv("GAMMA_DIR", t.TempDir())
		t.Setenv("GAMMA_LAW", "formula.")
		seen, finite := map[uint16]int{}, true
		k := sweptKernel(func(x uint16) uint16 {
			if finite == (x&0x7fff < 0x7c00) {
				seen[x]++
			}
			return x &^ 0x8000
		})
		for _, id := range []model.LawID{model.FormulaEnclosure, model.FormulaSpecial} {
			t.Setenv("GAMMA_LAW", string(id))
			finite = id == model.FormulaEnclosure
			for i := range parts { // each part has finite numbers and others
				t.Setenv("GAMMA_SWEEP", fmt.Sprintf("%d/%d", i+1, parts))
				k.Check(t)
			}
		}
		require.Len(t, seen, 1<<16, "%d parts", parts)
		for x, n := range seen {
			require.Equal(t, 1, n, "%#x", x)
		}
	}
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
	f, err := sweepOf(t, k, model.FormulaEnclosure)
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
			f, err := sweepOf(t, k, id)
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

// A sweep that is interrupted goes on with the block where it ended, and leaves nothing out.
func TestSweepGoesOn(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GAMMA_DIR", dir)
	t.Setenv("GAMMA_SWEEP", "all")
	t.Setenv("GAMMA_LAW", string(model.FormulaEnclosure))
	seen := map[uint16]int{}
	k := sweptKernel(func(x uint16) uint16 {
		seen[x]++
		return x &^ 0x8000
	})
	k.Check(t)
	require.NoError(t, engine.EndShards(0))
	file := ledgerIn(t, dir)
	lines := bytes.SplitAfter(readFile(t, file), []byte("\n"))
	require.NoError(t, os.WriteFile(file, append(bytes.Join(lines[:100], nil), lines[100][:30]...), 0o644)) // as if it had been killed while it wrote
	clear(seen)
	k.Check(t)
	require.NoError(t, engine.EndShards(0))
	require.Zero(t, seen[0], "what is on file is not judged again")
	blocks := bytes.Count(readFile(t, file), []byte(`"kind":"block"`))
	require.Equal(t, bytes.Count(bytes.Join(lines, nil), []byte(`"kind":"block"`)), blocks)
	var at []uint16
	for x, n := range seen {
		require.Equal(t, 1, n)
		at = append(at, x)
	}
	require.NotEmpty(t, at)
	require.Less(t, len(at), 2*0x7c00)
	clear(seen)
	k.Check(t)
	require.NoError(t, engine.EndShards(0))
	require.Empty(t, seen, "all of it is on file")
}

// The flag is checked.
func TestSweepFlag(t *testing.T) {
	for text, want := range map[string]engine.Part{"": {}, "all": {I: 1, Of: 1}, "2/3": {I: 2, Of: 3}} {
		t.Setenv("GAMMA_SWEEP", text)
		s, err := engine.ReadSettings()
		require.NoError(t, err)
		require.Equal(t, want, s.Sweep, "%q", text)
	}
	for _, text := range []string{"0/3", "4/3", "x", "1/70000", "1"} {
		t.Setenv("GAMMA_SWEEP", text)
		_, err := engine.ReadSettings()
		require.ErrorContains(t, err, "GAMMA_SWEEP", text)
	}
}
