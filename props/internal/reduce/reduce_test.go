package reduce

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/props/internal/verdict"
)

// list is an input of these tests: numbers, and what they run under.
type list struct {
	at verdict.Setting
	x  []int
}

type lists struct{}

func (lists) Setting(in list) (verdict.Setting, int) { return in.at, len(in.x) }

func (lists) Under(in list, at verdict.Setting) list {
	in.at = at
	return in
}

func (lists) Record(b []byte, in list) []byte { return fmt.Appendf(b, "%v", in) }

// watched counts how often each input is evaluated.
func watched(fails func(in list) bool) (counting func(in list) bool, evals map[string]int) {
	evals = map[string]int{}
	return func(in list) bool {
		evals[fmt.Sprintf("%v", in)]++
		return fails(in)
	}, evals
}

// shrinks leaves items out until nothing gets further.
func shrinks(r *Loop[list]) func() {
	return func() {
		r.Until(func() {
			base := r.Cur
			r.Settle(len(base.x), r.Impatient(len(base.x), PhaseMisses), func(drop []bool) list {
				return list{base.at, Without(base.x, 1, drop)}
			})
		})
	}
}

func count(n int) list {
	in := list{}
	for i := range n {
		in.x = append(in.x, i)
	}
	return in
}

func TestSettleLeavesWhatIsNeeded(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(1000)
		needed := []int{rng.IntN(n), rng.IntN(n), rng.IntN(n)}
		slices.Sort(needed)
		needed = slices.Compact(needed)
		fails, evals := watched(func(in list) bool {
			return !slices.ContainsFunc(needed, func(k int) bool { return !slices.Contains(in.x, k) })
		})
		r := New(count(n), lists{}, fails, Options[list]{})
		got, s := r.Run(shrinks(r))
		require.Equal(t, needed, got.x)
		require.True(t, s.Reproduced)
		require.False(t, s.Flaky || s.Exhausted)
		require.LessOrEqual(t, s.Evals, 60)
		for in, times := range evals {
			if in != fmt.Sprintf("%v", got) {
				require.Equal(t, 1, times, "only the result is evaluated twice")
			}
		}
	}
}

func TestBudgetAndDeadline(t *testing.T) {
	fails := func(in list) bool { return len(in.x) > 0 && in.x[len(in.x)-1] == 999 && len(in.x)%7 == 6 }
	for limit := 1; limit < 40; limit++ {
		counting, evals := watched(fails)
		r := New(count(1000), lists{}, counting, Options[list]{MaxEvals: limit})
		got, s := r.Run(shrinks(r))
		require.LessOrEqual(t, s.Evals, limit)
		total := 0
		for _, n := range evals {
			total += n
		}
		require.Equal(t, total, s.Evals)
		require.True(t, fails(got))
	}
	r := New(count(3), lists{}, func(list) bool { return true }, Options[list]{Deadline: time.Now().Add(-time.Second)})
	got, s := r.Run(shrinks(r))
	require.Equal(t, Stats{Exhausted: true}, s)
	require.Len(t, got.x, 3)
}

func TestWhatDoesNotFailIsNotReduced(t *testing.T) {
	r := New(count(9), lists{}, func(list) bool { return false }, Options[list]{})
	got, s := r.Run(func() { t.Error("there is nothing to reduce") })
	require.Equal(t, Stats{Evals: 1}, s)
	require.Len(t, got.x, 9)
}

func TestPanicsAndFlakyPredicates(t *testing.T) {
	r := New(count(50), lists{}, func(in list) bool {
		if len(in.x) < 10 {
			panic("too few")
		}
		return true
	}, Options[list]{})
	got, s := r.Run(shrinks(r))
	require.Len(t, got.x, 10)
	require.Positive(t, s.Panics)
	require.Equal(t, "too few", s.Panic)

	// Inputs of fewer than 20 items fail once, and then no more: the last that fails again is the result.
	seen := map[string]bool{}
	r = New(count(50), lists{}, func(in list) bool {
		key := fmt.Sprintf("%v", in)
		again := seen[key]
		seen[key] = true
		return slices.Contains(in.x, 3) && slices.Contains(in.x, 40) && (len(in.x) >= 20 || !again)
	}, Options[list]{})
	got, s = r.Run(shrinks(r))
	require.True(t, s.Flaky)
	require.GreaterOrEqual(t, len(got.x), 20)
	require.Less(t, len(got.x), 50)
}

func TestRows(t *testing.T) {
	rows := func(failing int, fails func(in list) bool) []int {
		in := count(12)
		r := New(in, lists{}, fails, Options[list]{})
		got, _ := r.Run(func() {
			r.Rows(4, failing, func(drop []bool) list { return list{x: Without(in.x, 3, drop)} })
		})
		return got.x
	}
	require.Equal(t, []int{6, 7, 8}, rows(2, func(in list) bool { return slices.Contains(in.x, 7) }), "the failing one")
	require.Equal(t, []int{0, 1, 2, 6, 7, 8}, rows(2, func(in list) bool { return slices.Contains(in.x, 7) && in.x[0] == 0 }), "and the one that it needs")
}

func TestNumbers(t *testing.T) {
	r := New(list{x: []int{1000, 77}}, lists{}, func(in list) bool { return in.x[0] >= 123 && in.x[1] > 5 }, Options[list]{})
	got, _ := r.Run(func() {
		least := r.Lower(0, 1000, func(v int) (list, bool) { return list{x: []int{v, 77}}, true })
		require.Equal(t, 123, least)
	})
	require.Equal(t, []int{123, 77}, got.x)
	for _, v := range []int{0, 5, 67, 100, 1003} { // the remainder modulo 32 counts
		r := New(list{x: []int{v}}, lists{}, func(in list) bool { return in.x[0]%32 == v%32 }, Options[list]{})
		got, _ := r.Run(func() { r.Squeeze(v, func(w int) (list, bool) { return list{x: []int{w}}, true }) })
		require.Equal(t, v%32, got.x[0])
	}
}

func TestProgress(t *testing.T) {
	var sizes []int
	r := New(count(100), lists{}, func(in list) bool { return len(in.x) > 4 }, Options[list]{Progress: func(in list, s Stats) {
		sizes = append(sizes, len(in.x))
		require.Len(t, sizes, s.Accepted)
	}})
	got, s := r.Run(shrinks(r))
	require.Len(t, sizes, s.Accepted)
	require.Equal(t, 5, sizes[len(sizes)-1])
	require.Len(t, got.x, 5)
}
