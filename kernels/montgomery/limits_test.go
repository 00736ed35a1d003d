package montgomery

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

// wrongRows counts the rows (a, b) with a < la and b < lb that fail.
func wrongRows(la, lb uint64, fails func(a, b uint8) bool) (n int) {
	for a := range min(la, 256) {
		for b := range min(lb, 256) {
			if fails(uint8(a), uint8(b)) {
				n++
			}
		}
	}
	return n
}

// unchecked returns the types of words of 8 bits for any odd q, limits left aside.
func unchecked(t *testing.T, q uint8) *LazyToy[uint8] {
	m, err := NewToy(q)
	require.NoError(t, err)
	return &LazyToy[uint8]{ShortToy[uint8]{*m}}
}

// TestLimitsAreReal tries what the types refuse: every operand on words of 8 bits, for every modulus. A limit is proven, and the
// first modulus with a wrong word comes soon after it.
func TestLimitsAreReal(t *testing.T) {
	type result struct{ last, first uint64 } // the last modulus with all words right before the first with a wrong one
	limits := map[string]*result{}
	try := func(name string, q uint64, wrong int) {
		r := limits[name]
		if r == nil {
			r = &result{}
			limits[name] = r
		}
		switch {
		case wrong == 0 && r.first == 0:
			r.last = q
		case wrong > 0 && r.first == 0:
			r.first = q
		}
	}
	for q := uint64(3); q < 256; q += 2 {
		m := unchecked(t, uint8(q))
		is := func(word uint8, want, f uint64) bool { return uint64(word)%q == want%q && uint64(word) < f*q }
		product := func(a, b uint8) uint64 { return uint64(a) * uint64(b) * uint64(m.FromMontgomery(1)) }
		try("MulSum", q, wrongRows(q, q, func(a, b uint8) bool { return !is(m.MulSum(a, b), product(a, b), 1) }))
		try("AddShort", q, wrongRows(q, q, func(a, b uint8) bool { return !is(m.Add(a, b), uint64(a)+uint64(b), 1) }))
		try("MulLazy", q, wrongRows(2*q, 2*q, func(a, b uint8) bool { return !is(m.MulLazy(a, b), product(a, b), 2) }))
		try("AddLazy", q, wrongRows(2*q, 2*q, func(a, b uint8) bool { return !is(m.AddLazy(a, b), uint64(a)+uint64(b), 2) }))
		try("MulShoup", q, wrongRows(256, q, func(a, w uint8) bool {
			return !is(m.MulShoup(a, w, m.ShoupQuotient(w)), uint64(a)*uint64(w), 1)
		}))
		try("ForwardLazy", q, wrongRows(4*q, 4*q, func(x, y uint8) bool {
			s, d := m.ForwardLazy(x, y, m.one) // w = 1
			return !is(s, uint64(x)+uint64(y), 4) || !is(d, uint64(x)+4*q-uint64(y), 4)
		}))
		seed := func(a, b uint8) uint8 { // as the seed has it, on words of 8 bits
			h, l := mulToy(a, b)
			kh, kl := mulToy(l*m.negative, uint8(q))
			var carry uint8
			if l > ^kl {
				carry = 1
			}
			sum := h + kh + carry
			if sum >= uint8(q) {
				return sum - uint8(q)
			}
			return sum
		}
		try("seed", q, wrongRows(q, q, func(a, b uint8) bool { return !is(seed(a, b), product(a, b), 1) }))
	}
	for q := uint64(2); q < 256; q++ {
		mu := 0xffff / q
		m := &BarrettToy[uint8]{q: uint8(q), h: uint8(mu >> 8), l: uint8(mu)}
		try("BarrettReduce", q, wrongRows(1, 256, func(_, a uint8) bool { return uint64(m.Reduce(a)) != uint64(a)%q }))
		try("BarrettReduceWide", q, wrongRows(256, 256, func(h, l uint8) bool {
			return uint64(m.ReduceWide(h, l)) != (uint64(h)<<8|uint64(l))%q
		}))
	}
	for name, want := range map[string]struct {
		proven uint64
		result
	}{
		"MulSum":            {157, result{159, 161}}, // q²+q·R <= R², up to 0.618·R = 158.2; the type ends at R/2, for its Add
		"seed":              {157, result{159, 161}}, // the same sum, which drops the same carry
		"AddShort":          {127, result{127, 129}},
		"MulLazy":           {63, result{69, 71}}, // ends later than proven, since products and k are not at their greatest together
		"AddLazy":           {63, result{63, 65}},
		"MulShoup":          {127, result{129, 131}}, // as MulLazy
		"ForwardLazy":       {63, result{63, 65}},
		"BarrettReduce":     {255, result{255, 0}},   // no limit but the word
		"BarrettReduceWide": {128, result{137, 138}}, // as MulLazy
	} {
		got := *limits[name]
		if got != want.result {
			t.Errorf("%s: right up to q = %d, wrong at %d; want %d and %d", name, got.last, got.first, want.last, want.first)
		}
		if got.last < want.proven {
			t.Errorf("%s: wrong at q = %d, though proven up to %d", name, got.first, want.proven)
		}
	}
}

// TestLimits64 shows words of 64 bits that come out wrong just above the limits.
func TestLimits64(t *testing.T) {
	truth := func(a, b, q uint64) uint64 {
		h, l := bits.Mul64(a, b)
		_, r := bits.Div64(h%q, l, q)
		return r
	}
	// A little above the golden ratio's part of R, and at 2^64-59: a carry lost.
	for _, q := range []uint64{5<<61 + 1, 1<<64 - 59} {
		m, err := NewModulus64(q)
		require.NoError(t, err)
		_, err = m.Short()
		require.Error(t, err)
		unchecked := &Short64{*m}
		wrong, x := 0, uint64(1)
		for range 1 << 16 {
			x = x*6364136223846793005 + 1442695040888963407
			a := q - 1 - x>>33%1000
			b := q - 1 - x>>43%1000
			plain := m.FromMontgomery(b)
			require.Equal(t, truth(a, plain, q), m.Mul(a, b))
			require.Equal(t, truth(a, plain, q), m.MulCarry(a, b))
			if unchecked.MulSum(a, b) != m.Mul(a, b) {
				wrong++
			}
		}
		require.Positive(t, wrong)
	}
	// Just above 2^62, x+2q leaves the word; just above 2^63, a+b does.
	lazy, err := NewModulus64(1<<62 + 1)
	require.NoError(t, err)
	_, err = lazy.Lazy()
	require.ErrorContains(t, err, "has 63 bits")
	_, d := (&Lazy64{Short64{*lazy}}).ForwardLazy(2*lazy.q-1, 0, 0)
	require.NotEqual(t, (2*lazy.q-1)%lazy.q, d%lazy.q)
	short, err := NewModulus64(1<<63 + 1)
	require.NoError(t, err)
	_, err = short.Short()
	require.ErrorContains(t, err, "has 64 bits")
	require.NotEqual(t, short.q-2, (&Short64{*short}).Add(short.q-1, short.q-1))
	require.Equal(t, short.q-2, short.Add(short.q-1, short.q-1))
}
