package props

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/model/round"
	"gamma/props/internal/engine"
	"gamma/props/internal/merge"
	"gamma/props/judge"
)

// sweepOf searches a law on all inputs.
func sweepOf(t *testing.T, k Kernel, id model.LawID) (engine.Failure, error) {
	t.Helper()
	set := settingsOf(t)
	set.Sweep = true
	judged, err := k.Judged(set)
	require.NoError(t, err)
	l, err := engine.LawByID(judge.FormulaLaws(), id)
	require.NoError(t, err)
	return judged.(*engine.Engine).Found(engine.Erase(&l))
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
		t.Setenv("GAMMA_SWEEP", "all")
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
				t.Setenv("GAMMA_SHARD", fmt.Sprintf("%d/%d", i+1, parts))
				k.Check(t)
			}
			require.NoError(t, engine.EndShards(0))
		}
		require.Len(t, seen, 1<<16, "%d parts", parts)
		for x, n := range seen {
			require.Equal(t, 1, n, "%#x", x)
		}
	}
}

// What is said of how many elements a sweep judged is of all of its blocks: in one process, in one shard, and in 16 that are merged.
func TestSweepCounts(t *testing.T) {
	noOptions(t)
	t.Setenv("GAMMA_SWEEP", "all")
	t.Setenv("GAMMA_LAW", string(model.FormulaEnclosure))
	k := sweptKernel(func(x uint16) uint16 { return x &^ 0x8000 })
	const said = "63488 elements judged by their enclosures" // 2·0x7c00 are finite
	t.Setenv("GAMMA_DIR", t.TempDir())
	k.Check(t)
	require.NoError(t, engine.EndShards(0))
	require.Regexp(t, `(?m)^test.Magnitudes +cpu +formula.enclosure +`+said+"$", Summary())
	var one []string
	for _, parts := range []int{1, 16} {
		dir := t.TempDir()
		t.Setenv("GAMMA_DIR", dir)
		for i := range parts {
			t.Setenv("GAMMA_SHARD", fmt.Sprintf("%d/%d", i+1, parts))
			k.Check(t)
		}
		require.NoError(t, engine.EndShards(0))
		lines := merged(t, dir)
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], `"measures":[{"text":"{n element} judged by their enclosures","sums":[63488]}]`)
		require.Contains(t, lines[0], `"remarks":["`+said+`"]`, ".ci/campaign reads it")
		if one == nil {
			one = lines
		}
		require.Equal(t, one, lines, "%d parts", parts)
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
	for text, want := range map[string]bool{"": false, "all": true} {
		t.Setenv("GAMMA_SWEEP", text)
		s, err := engine.ReadSettings()
		require.NoError(t, err)
		require.Equal(t, want, s.Sweep, "%q", text)
	}
	for _, text := range []string{"1/2", "x", "1"} {
		t.Setenv("GAMMA_SWEEP", text)
		_, err := engine.ReadSettings()
		require.ErrorContains(t, err, "GAMMA_SWEEP", text)
	}
}

// A sweep over all pairs of small words judges each once, in as many shards as there are, and comes to one result; a fault at one pair is found by the shard
// that has it, and by no other.
func TestSweepOfPairs(t *testing.T) {
	noOptions(t)
	t.Setenv("GAMMA_SWEEP", "all")
	t.Setenv("GAMMA_LAW", "round.mul")
	t.Setenv("GAMMA_SAVE", "off")
	var one []string
	for _, parts := range []int{1, 2, 7} {
		dir := t.TempDir()
		t.Setenv("GAMMA_DIR", dir)
		a := round.Arith{F: model.E5M2}
		seen := map[[2]uint64]int{}
		k := Arithmetic{Name: "test.Words", Format: model.E5M2, Mul: func(x, y uint64) uint64 {
			seen[[2]uint64{x, y}]++
			return a.Mul(x, y)
		}}
		for i := range parts {
			t.Setenv("GAMMA_SHARD", fmt.Sprintf("%d/%d", i+1, parts))
			k.Check(t)
		}
		require.NoError(t, engine.EndShards(0))
		for x, n := range seen { // what is not known at once to hold is asked for once more
			require.LessOrEqual(t, n, 2, "%#x", x)
		}
		finite := 2 * 0x7c
		require.Len(t, seen, finite*finite, "%d parts", parts)
		lines := merged(t, dir)
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], `"cases":65536,`)
		require.Contains(t, lines[0], fmt.Sprintf(`"holds":%d,`, finite*finite))
		require.Contains(t, lines[0], `"promise":{"what":"scalar arithmetic","test":"TestSweepOfPairs"`)
		if one == nil {
			one = lines
		}
		require.Equal(t, one, lines)

		wrong, found := [2]uint64{0x35, 0xb2}, 0 // 0.3125·-0.1875
		k.Mul = func(x, y uint64) uint64 {
			if [2]uint64{x, y} == wrong {
				return a.Mul(x, y) + 1
			}
			return a.Mul(x, y)
		}
		for i := range parts {
			t.Setenv("GAMMA_DIR", t.TempDir())
			t.Setenv("GAMMA_SHARD", fmt.Sprintf("%d/%d", i+1, parts))
			set, err := engine.ReadSettings()
			require.NoError(t, err)
			j, err := k.Judged(set)
			require.NoError(t, err)
			j.Base().Sum.Test = "TestSweepOfPairs"
			heard := &heardErrors{TB: t}
			j.Check(heard, func(_ string, part func(t engine.TB)) { part(heard) }, nil)
			require.NoError(t, engine.EndShards(1))
			if len(heard.errors) > 0 {
				found++
				require.Contains(t, heard.errors[0], "mul(0x1.4p-2, -0x1.8p-3) is")
			}
		}
		require.Equal(t, 1, found, "%d parts", parts)
	}
}

// heardErrors is a test that keeps its errors.
type heardErrors struct {
	engine.TB
	errors []string
}

func (h *heardErrors) Error(args ...any) { h.errors = append(h.errors, fmt.Sprint(args...)) }

func (h *heardErrors) Errorf(format string, args ...any) { h.Error(fmt.Sprintf(format, args...)) }

// A shard of the sweep over all pairs of halfs is killed in the middle of its second block, and goes on where it was: the block on file is not judged again, the
// other is judged whole, and the file is that of a process that nobody has killed.
func TestSweepOfHalfsGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it starts processes that judge 2^20 pairs a block, and kills one")
	}
	where := t.TempDir()
	shard := func(dir, asleepAt string) (rows []string, e ended) {
		e = startChild(t, where, "halfs", patience, "GAMMA_DIR="+dir, "GAMMA_SWEEP=all", "GAMMA_LAW=round.mul", "GAMMA_SHARD=77/2048", "GAMMA_SAVE=off", sleepRow+"="+asleepAt)
		for _, m := range regexp.MustCompile(`(?m)^row (\w+)$`).FindAllStringSubmatch(e.out, -1) {
			rows = append(rows, m[1])
		}
		return rows, e
	}
	const block = 16 // first operands
	whole := t.TempDir()
	all, e := shard(whole, "")
	require.False(t, e.failed, e.out)
	require.Len(t, all, 2*block)

	dir, at := t.TempDir(), block+block/3
	killed, e := shard(dir, all[at])
	require.True(t, e.killed, e.out)
	require.Equal(t, all[:at+1], killed)
	require.Equal(t, "signal: killed", e.state.String())
	file := ledgerIn(t, dir)
	left := readFile(t, file)
	require.Equal(t, 1, bytes.Count(left, []byte(`"law":"round.mul","subject":"child.Halfs","cases":1048576`)), "the first block is on file, and no part of the second")
	problems := strings.Join(merge.Read([]string{file}).Problems, "\n")
	require.Contains(t, problems, "shard 77/2048 of gamma/props.test has not ended: it was killed")

	again, e := shard(dir, "")
	require.False(t, e.failed, e.out)
	require.Equal(t, all[block:], again, "the second block, from its first pair on")
	text := readFile(t, file)
	require.True(t, bytes.HasPrefix(text, left))
	timeless := regexp.MustCompile(`"seconds":[^,}]*`)
	require.Equal(t, timeless.ReplaceAllString(string(readFile(t, ledgerIn(t, whole))), ""), timeless.ReplaceAllString(string(text), ""))
}
