package props_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/oracle"
	"gamma/props"
)

// TestPropAccumulator checks the oracle's accumulators against a model, by commands in any order.
func TestPropAccumulator(t *testing.T) {
	t.Run("Acc32", func(t *testing.T) {
		t.Parallel()
		props.AccumulatorSubject[float32, *oracle.Acc32]{Name: "oracle.Acc32", New: func() *oracle.Acc32 { return new(oracle.Acc32) }}.Check(t)
	})
	t.Run("Acc64", func(t *testing.T) {
		t.Parallel()
		props.AccumulatorSubject[float64, *oracle.Acc64]{Name: "oracle.Acc64", New: func() *oracle.Acc64 { return new(oracle.Acc64) }}.Check(t)
	})
	t.Run("AccDot64", func(t *testing.T) {
		t.Parallel()
		props.AccumulatorSubject[float64, *oracle.AccDot64]{Name: "oracle.AccDot64", New: func() *oracle.AccDot64 { return new(oracle.AccDot64) }}.Check(t)
	})
}

// faulty is an accumulator with one planted fault.
type faulty struct {
	oracle.Acc32
	fault string
	lost  bool
	terms int
}

func (a *faulty) Reset() {
	if a.fault == "Reset keeps specials" && !a.IsFinite() {
		return
	}
	a.Acc32.Reset()
	a.lost, a.terms = false, 0
}

func (a *faulty) Add(x float32) {
	before, _ := math.Frexp(a.Float64())
	_, e := math.Frexp(a.Float64())
	a.Acc32.Add(x)
	a.terms++
	switch a.fault {
	case "loses a carry once":
		// When the sum first grows past 2^32, a unit of 2^32 is lost.
		if _, after := math.Frexp(a.Float64()); before > 0 && e <= 32 && after > 32 && after < 60 && !a.lost {
			a.lost = true
			a.Acc32.Sub(1 << 32)
		}
	case "overflows after 255 terms":
		if a.terms == 256 {
			a.Acc32.Sub(x)
		}
	case "rounds while it adds":
		if a.IsFinite() && a.terms%7 == 0 {
			s := a.Float64()
			a.Acc32.Reset()
			hi := float32(s)
			if !math.IsInf(float64(hi), 0) {
				a.Acc32.Add(hi)
				a.Acc32.Add(float32(s - float64(hi)))
			}
		}
	}
}

func (a *faulty) Sub(x float32) {
	if a.fault == "Sub of zero adds it" && x == 0 {
		a.Acc32.Add(x)
		return
	}
	a.Acc32.Sub(x)
}

func (a *faulty) AddSlice(x []float32) {
	if a.fault == "AddSlice drops what follows 1024 terms" && len(x) > 1024 {
		x = x[:1024]
	}
	a.Acc32.AddSlice(x)
}

func (a *faulty) Merge(b *faulty) {
	switch a.fault {
	case "merges specials wrongly":
		if !b.IsFinite() {
			return
		}
	case "empties what it merges":
		a.Acc32.Merge(&b.Acc32)
		if a != b {
			b.Acc32.Reset()
		}
		return
	}
	a.Acc32.Merge(&b.Acc32)
}

func (a *faulty) Neg() {
	if a.fault == "forgets to negate infinities" && !a.IsFinite() {
		return
	}
	a.Acc32.Neg()
}

func (a *faulty) Round(f model.Format, r model.Rounding) uint64 {
	switch {
	case a.fault == "mixes up the directions of negative sums" && a.Sign() < 0 && r == model.TowardPositive:
		r = model.TowardZero - 1
	case a.fault == "rounds by way of binary64" && a.IsFinite() && f.P == 8:
		var s oracle.Acc32
		s.Add(float32(a.Float64()))
		return s.Round(f, r)
	case a.fault == "changes when it is rounded" && f.P == 4:
		defer a.Acc32.Add(math.SmallestNonzeroFloat32)
	case a.fault == "panics at NaN" && a.IsNaN():
		panic("not a number")
	}
	return a.Acc32.Round(f, r)
}

func (a *faulty) Cmp(b *faulty) (int, bool) { return a.Acc32.Cmp(&b.Acc32) }

// TestAccumulatorFaultsAreFound plants faults in an accumulator; each is found, with few commands.
func TestAccumulatorFaultsAreFound(t *testing.T) {
	for fault, most := range map[string]int{
		"loses a carry once": 6, "overflows after 255 terms": 2, "rounds while it adds": 8, "Reset keeps specials": 3,
		"Sub of zero adds it": 2, "AddSlice drops what follows 1024 terms": 2, "merges specials wrongly": 3,
		"empties what it merges": 3, "forgets to negate infinities": 3, "mixes up the directions of negative sums": 3,
		"rounds by way of binary64": 4, "changes when it is rounded": 3, "panics at NaN": 2,
	} {
		t.Run(fault, func(t *testing.T) {
			f, err := props.AccumulatorSubject[float32, *faulty]{
				Name: "faulty", New: func() *faulty { return &faulty{fault: fault} },
			}.Find()
			require.NoError(t, err)
			require.NotNil(t, f, "not found")
			t.Log(f.Text())
			require.LessOrEqual(t, len(f.Commands), most)
			require.Regexp(t, "^faulty (violates|breaks under) acc.model: after ", f.Text())
			require.Contains(t, f.Text(), "-gamma.seed=fixed")
		})
	}
	f, err := props.AccumulatorSubject[float32, *faulty]{Name: "faultless", New: func() *faulty { return new(faulty) }}.Find()
	require.NoError(t, err)
	require.Nil(t, f, "the wrapper itself is right")
	_, err = props.AccumulatorSubject[float32, *faulty]{Name: "none"}.Find()
	require.ErrorContains(t, err, "needs a Name and New")
}

// TestFiniteAccumulator: an accumulator that promises nothing of NaNs and infinities is not given any, and its other faults are found.
func TestFiniteAccumulator(t *testing.T) {
	find := func(fault string) *props.SequenceFailure {
		f, err := props.AccumulatorSubject[float32, *faulty]{Name: fault, New: func() *faulty { return &faulty{fault: fault} }, Finite: true}.Find()
		require.NoError(t, err)
		return f
	}
	require.Nil(t, find("Reset keeps specials"))
	require.NotNil(t, find("overflows after 255 terms"))
}
