package modular

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// toy is R of the exhaustive tests.
const toy = 256

// rat parses "5/2"; "" is nil.
func rat(s string) *big.Rat {
	if s == "" {
		return nil
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// top returns the greatest integer below f·q and R; of a nil f, R-1.
func top(f *big.Rat, q, radix int64) int64 {
	if f == nil {
		return radix - 1
	}
	n := new(big.Int).Mul(f.Num(), big.NewInt(q))
	n.Sub(n, big.NewInt(1))
	return min(n.Div(n, f.Denom()).Int64(), radix-1)
}

// single returns the recurrence of one step on one or two operands.
func single(op StepOp, k uint64) *Recurrence {
	r := &Recurrence{In: []string{"a", "b"}, Steps: []Step{{Op: op, A: 0, B: 1, K: k}}, Out: []int{2}}
	if !op.binary() {
		r.In, r.Steps[0].B, r.Out = r.In[:1], 0, []int{1}
	}
	return r
}

// plain computes a step on integers, without a word's limits, and says whether words would hold all of it: its oracle is the
// definition of each step, in int64.
func plain(op StepOp, k, a, b, q int64) (x int64, fits bool) {
	switch op {
	case Add:
		x, fits = a+b, true
	case Subtract:
		x, fits = a+k*q-b, b <= k*q && a+k*q < toy
	case Reduce:
		x, fits = a, k*q < toy
		if a >= k*q {
			x = a - k*q
		}
	case Shoup:
		x, fits = a*b-a*(b*toy/q)/toy*q, b < q
	case Montgomery:
		for m := range int64(toy) {
			if (a*b+m*q)%toy == 0 {
				return (a*b + m*q) / toy, (a*b + m*q) < toy*toy
			}
		}
	case Copy:
		return a, true
	}
	return x, fits && x >= 0 && x < toy
}

// montgomeryTable speeds plain up: [a·b mod R] is m.
func montgomeryTable(q int64) (m [toy]int64) {
	for v := range int64(toy) {
		m[-v*q&(toy-1)] = v
	}
	return m
}

// steps are operations with their constants, and the parts of the ranges to try.
var steps = []struct {
	op StepOp
	k  uint64
}{
	{Add, 0}, {Subtract, 1}, {Subtract, 2}, {Subtract, 3}, {Reduce, 1}, {Reduce, 2}, {Reduce, 4}, {Shoup, 0}, {Montgomery, 0}, {Copy, 0},
}

// TestBoundExhaustive takes every modulus, all words in a range and every step, for words of 8 bits: where Bound promises, no
// word reaches the bound, all fit and Run finds the same.
func TestBoundExhaustive(t *testing.T) {
	for _, s := range steps {
		r := single(s.op, s.k)
		promised, closest := 0, new(big.Rat)
		for q := int64(2); q < toy; q++ {
			table := montgomeryTable(q)
			if s.op == Montgomery && q%2 == 0 {
				continue
			}
			for _, alpha := range []string{"1", "2", "5/2", "4", ""} {
				for _, beta := range []string{"1", "3/2", "3"} {
					if s.op == Shoup && beta != "1" || !s.op.binary() && beta != "1" {
						continue
					}
					in := []*big.Rat{rat(alpha), rat(beta)}[:len(r.In)]
					out, err := r.Bound(uint64(q), 8, in)
					if err != nil {
						var o *Overflow
						require.ErrorAs(t, err, &o)
						continue
					}
					promised++
					bound := top(out[0], q, 1<<40) // the greatest integer that the bound allows
					most := int64(-1)
					last := int64(0)
					if s.op.binary() {
						last = top(in[1], q, toy)
					}
					for a := range top(in[0], q, toy) + 1 {
						for b := range last + 1 {
							var x int64
							var fits bool
							if s.op == Montgomery {
								sum := a*b + table[a*b%toy]*q
								x, fits = sum/toy, sum%toy == 0 && sum < toy*toy
							} else {
								x, fits = plain(s.op, int64(s.k), a, b, q)
							}
							if !fits || x > bound {
								t.Fatalf("%s %d of %d and %d modulo %d: %d, fits: %t, bound %s·q", s.op, s.k, a, b, q, x, fits, out[0].RatString())
							}
							most = max(most, x)
						}
					}
					if part := big.NewRat(most, bound); bound > 0 && part.Cmp(closest) > 0 {
						closest = part
					}
				}
			}
		}
		require.Greater(t, promised, 50, s.op)
		require.GreaterOrEqual(t, closest.Cmp(big.NewRat(1, 1)), 0, "%s %d: the bound is never reached; the best is %s of it", s.op, s.k, closest)
	}
}

// TestRunExhaustive holds Run to the definition, for words of 8 bits, and to big integers for wider ones.
func TestRunExhaustive(t *testing.T) {
	for _, s := range steps {
		r := single(s.op, s.k)
		for _, q := range []int64{2, 3, 17, 64, 85, 127, 128, 129, 200, 255} {
			table := montgomeryTable(q)
			for a := range int64(toy) {
				for b := int64(0); b < toy; b += 1 + (a+b)%9 {
					words := []uint64{uint64(a), uint64(b)}[:len(r.In)]
					out, err := r.Run(uint64(q), 8, words)
					if s.op == Montgomery && q%2 == 0 {
						require.ErrorContains(t, err, "is even")
						continue
					}
					x, fits := int64(0), false
					if s.op == Montgomery {
						sum := a*b + table[a*b%toy]*q
						x, fits = sum/toy, sum < toy*toy
					} else if s.op != Shoup || b < q {
						x, fits = plain(s.op, int64(s.k), a, b, q)
					}
					if fits != (err == nil) || fits && out[0] != uint64(x) {
						t.Fatalf("%s %d of %d and %d modulo %d: %v, %v; want %d, %t", s.op, s.k, a, b, q, out, err, x, fits)
					}
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 8))
	for _, bits := range []int{16, 32, 64} {
		radix := new(big.Int).Lsh(big.NewInt(1), uint(bits))
		for range 5000 {
			q := (r.Uint64()>>r.IntN(64)&greatest(bits) | 3)
			a, w := r.Uint64()>>r.IntN(64)&greatest(bits), r.Uint64N(q)
			A, W, Q := new(big.Int).SetUint64(a), new(big.Int).SetUint64(w), new(big.Int).SetUint64(q)
			for _, op := range []StepOp{Shoup, Montgomery, Add, Subtract} {
				want, fits := new(big.Int), true
				switch op {
				case Shoup:
					e := new(big.Int).Mul(W, radix)
					e.Div(e, Q).Mul(e, A).Div(e, radix)
					want.Sub(new(big.Int).Mul(A, W), e.Mul(e, Q))
				case Montgomery:
					m := new(big.Int).Mul(A, W)
					m.Mul(m, new(big.Int).ModInverse(Q, radix)).Neg(m).Mod(m, radix)
					want.Mul(A, W).Add(want, m.Mul(m, Q)).Div(want, radix)
				case Add:
					want.Add(A, W)
				case Subtract:
					sum := new(big.Int).Add(A, new(big.Int).Mul(Q, big.NewInt(3)))
					fits = sum.Cmp(radix) < 0
					want.Sub(sum, W)
				}
				fits = fits && want.Cmp(radix) < 0
				out, err := single(op, 3).Run(q, bits, []uint64{a, w})
				if fits != (err == nil) || fits && out[0] != want.Uint64() {
					t.Fatalf("%s of %d and %d modulo %d, %d bits: %v, %v; want %s, %t", op, a, w, q, bits, out, err, want, fits)
				}
			}
		}
	}
}

// fitsAll reports whether no word of one step leaves [0, R), by trying all operands in their ranges.
func fitsAll(op StepOp, k, q int64, alpha, beta *big.Rat) bool {
	table := montgomeryTable(q)
	if alpha.Cmp(big.NewRat(toy, q)) > 0 || beta.Cmp(big.NewRat(toy, q)) > 0 {
		return false
	}
	for a := range top(alpha, q, toy) + 1 {
		for b := range top(beta, q, toy) + 1 {
			if op == Montgomery {
				if a*b+table[a*b%toy]*q >= toy*toy {
					return false
				}
			} else if _, fits := plain(op, k, a, b, q); !fits {
				return false
			}
		}
	}
	return true
}

// TestMaxModulusTight compares MaxModulus with the greatest modulus up to which no operands at all make a word leave [0, R), for
// each step and words of 8 bits. Where they differ, the gap stands here: conditions speak of α·q, and the greatest word below it
// may be almost 1 less.
func TestMaxModulusTight(t *testing.T) {
	for _, c := range []struct {
		op          StepOp
		k           uint64
		in          string
		most, truly uint64
	}{
		{Add, 0, "1", 128, 128},
		{Add, 0, "2", 64, 64},
		{Add, 0, "3/2", 85, 85},
		{Subtract, 1, "1", 128, 128},
		{Subtract, 2, "2", 64, 64},
		{Subtract, 2, "1", 85, 85},
		{Reduce, 1, "2", 128, 128},
		{Reduce, 4, "4", 63, 63},
		{Shoup, 0, "1", 158, 160},
		{Shoup, 0, "4", 64, 64},
		{Montgomery, 0, "1", 157, 159},
		{Montgomery, 0, "2", 99, 101},
		{Montgomery, 0, "4", 55, 57},
	} {
		r := single(c.op, c.k)
		if c.op == Shoup {
			r.In[1] = "w"
		}
		require.Equal(t, int(c.most), int(MaxModulus([]*Recurrence{r}, rat(c.in), 8)), "%s %d of %s", c.op, c.k, c.in)
		beta := rat(c.in)
		if c.op == Shoup {
			beta = rat("1")
		}
		truly, each := int64(0), int64(1)
		if c.op == Montgomery {
			each = 2
		}
		for q := 1 + each; q < toy && fitsAll(c.op, int64(c.k), q, rat(c.in), beta); q += each {
			truly = q
		}
		require.Equal(t, int(c.truly), int(truly), "%s %d of %s", c.op, c.k, c.in)
		require.LessOrEqual(t, c.most, c.truly)
	}
}

// Butterflies, as kernels declare them.
func forward(multiply StepOp) *Recurrence {
	return &Recurrence{
		In:    []string{"x", "y", "w"},
		Steps: []Step{{Op: Reduce, A: 0, K: 2}, {Op: multiply, A: 1, B: 2}, {Op: Add, A: 3, B: 4}, {Op: Subtract, A: 3, B: 4, K: 2}},
		Out:   []int{5, 6},
	}
}

func inverse(multiply StepOp) *Recurrence {
	return &Recurrence{
		In:    []string{"x", "y", "w"},
		Steps: []Step{{Op: Add, A: 0, B: 1}, {Op: Reduce, A: 3, K: 2}, {Op: Subtract, A: 0, B: 1, K: 2}, {Op: multiply, A: 5, B: 2}},
		Out:   []int{4, 6},
	}
}

// strict reduces after each step.
func strict(multiply StepOp) *Recurrence {
	return &Recurrence{
		In: []string{"x", "y", "w"},
		Steps: []Step{
			{Op: multiply, A: 1, B: 2}, {Op: Reduce, A: 3, K: 1}, {Op: Add, A: 0, B: 4}, {Op: Reduce, A: 5, K: 1}, {Op: Subtract, A: 0, B: 4, K: 1}, {Op: Reduce, A: 7, K: 1},
		},
		Out: []int{6, 8},
	}
}

// lazy keeps x as it is, so that words grow by 2 in each stage; with reduce, x is brought below 4 before.
func lazy(reduce bool) *Recurrence {
	r := &Recurrence{
		In:    []string{"x", "y", "w"},
		Steps: []Step{{Op: Copy, A: 0}, {Op: Montgomery, A: 1, B: 2}, {Op: Add, A: 3, B: 4}, {Op: Subtract, A: 3, B: 4, K: 2}},
		Out:   []int{5, 6},
	}
	if reduce {
		r.Steps[0] = Step{Op: Reduce, A: 0, K: 4}
	}
	return r
}

// times returns a stage n times.
func times(n int, r ...*Recurrence) (all []*Recurrence) {
	for range n {
		all = append(all, r...)
	}
	return all
}

// TestMaxModulusKnown holds the greatest moduli to those that are known of lazy transforms.
func TestMaxModulusKnown(t *testing.T) {
	for _, c := range []struct {
		name   string
		stages []*Recurrence
		in     string
		want   uint64 // of 64 bits
	}{
		{"Harvey forward", times(16, forward(Shoup)), "4", 1 << 62},
		{"Harvey inverse", times(16, inverse(Shoup)), "2", 1 << 62},
		{"Montgomery forward", times(16, forward(Montgomery)), "4", 1<<62 - 1},
		{"Montgomery inverse", times(16, inverse(Montgomery)), "2", 1<<62 - 1},
		{"strict", times(16, strict(Montgomery)), "1", 1<<63 - 1},
		{"strict Shoup", times(16, strict(Shoup)), "1", 1 << 63},
		// A reduction in every other stage, as in Lattigo: words below 8q.
		{"alternate", times(8, lazy(true), lazy(false)), "2", 1<<61 - 1},
		// Montgomery's product of reduced words: up to the golden section of R, and not to R/2 only.
		{"product", []*Recurrence{{In: []string{"a", "b"}, Steps: []Step{{Op: Montgomery, A: 0, B: 1}, {Op: Reduce, A: 2, K: 1}}, Out: []int{3}}}, "1", 0x9e3779b97f4a7c15},
		{"sum", []*Recurrence{{In: []string{"a", "b"}, Steps: []Step{{Op: Add, A: 0, B: 1}, {Op: Reduce, A: 2, K: 1}}, Out: []int{3}}}, "1", 1 << 63},
	} {
		q := MaxModulus(c.stages, rat(c.in), 64)
		require.Equal(t, fmt.Sprintf("%#x", c.want), fmt.Sprintf("%#x", q), c.name)
		bounds, err := StageBounds(c.stages, rat(c.in), q, 64)
		require.NoError(t, err)
		require.Len(t, bounds, len(c.stages))
		last, err := StageBounds(c.stages, rat(c.in), q+2, 64)
		var o *Overflow
		require.ErrorAs(t, err, &o, "%s: %v", c.name, last)
	}
	bounds, err := StageBounds(times(3, lazy(true), lazy(false)), rat("1"), 1<<60-93, 64)
	require.NoError(t, err)
	for i, most := range []int64{3, 5, 6, 8, 6, 8} { // 1+2, 3+2, 4+2, 6+2, …, each 2 being 1 and a bit
		require.LessOrEqual(t, bounds[i].Cmp(big.NewRat(most, 1)), 0, "%d: %s", i, bounds[i].FloatString(3))
		require.Greater(t, bounds[i].Cmp(big.NewRat(most-1, 1)), 0, "%d: %s", i, bounds[i].FloatString(3))
	}
}

// TestStageBoundsExhaustive takes lazy butterflies stage after stage, for words of 8 bits, with all words that the greatest word of
// the stage before allows: no bound is exceeded, at the greatest modulus and below, and the greatest word is near to it.
func TestStageBoundsExhaustive(t *testing.T) {
	for _, c := range []struct {
		name   string
		stages []*Recurrence
		in     int64
		gap    int64 // what the bound is more than the greatest word, at most, in words
	}{
		{"forward Shoup", times(3, forward(Shoup)), 4, 6},
		{"inverse Shoup", times(3, inverse(Shoup)), 2, 3},
		{"forward Montgomery", times(3, forward(Montgomery)), 4, 6},
		{"inverse Montgomery", times(3, inverse(Montgomery)), 2, 3},
		{"strict", times(2, strict(Montgomery)), 1, 0},
		{"alternate", times(2, lazy(true), lazy(false)), 2, 16},
	} {
		limit := MaxModulus(c.stages, big.NewRat(c.in, 1), 8)
		for _, q := range []uint64{limit, limit/2 | 1, 13} {
			q |= 1
			if q > limit {
				q -= 2
			}
			bounds, err := StageBounds(c.stages, big.NewRat(c.in, 1), q, 8)
			require.NoError(t, err)
			most := uint64(c.in)*q - 1
			for i, r := range c.stages {
				var next uint64
				each := 1 + most/24 // all words at either end, and some between
				for x := uint64(0); x <= most; x = step(x, most, each) {
					for y := uint64(0); y <= most; y = step(y, most, each) {
						for w := uint64(0); w < q; w = step(w, q-1, 1+q/12) {
							out, err := r.Run(q, 8, []uint64{x, y, w})
							require.NoError(t, err, "%s modulo %d", c.name, q)
							next = max(next, out[0], out[1])
						}
					}
				}
				most = next
				allowed := top(bounds[i], int64(q), 1<<40)
				if int64(most) > allowed || allowed-int64(most) > c.gap {
					t.Errorf("%s modulo %d, stage %d: the greatest word is %d, and the bound %s·q allows %d", c.name, q, i, most, bounds[i].FloatString(3), allowed)
				}
			}
		}
	}
}

// step goes to the next of the words to try: all of the first and last 8, and one in each.
func step(x, most, each uint64) uint64 {
	if x < 8 || x+8+each >= most {
		return x + 1
	}
	return x + each
}

// TestMaxModulusMonotone draws recurrences and holds bisection to the walk over all moduli.
func TestMaxModulusMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	some := 0
	for range 120 {
		c := &Recurrence{In: []string{"x", "y", "w"}}
		for range 1 + r.IntN(5) {
			c.Steps = append(c.Steps, Step{Op: StepOp(r.IntN(6)), A: r.IntN(len(c.In) + len(c.Steps)), B: r.IntN(len(c.In) + len(c.Steps)), K: 1 + r.Uint64N(4)})
			if c.Steps[len(c.Steps)-1].Op == Shoup {
				c.Steps[len(c.Steps)-1].B = 2
			}
		}
		c.Out = []int{len(c.In) + len(c.Steps) - 1}
		stages := times(1+r.IntN(3), c)
		in := big.NewRat(1+r.Int64N(12), 1+r.Int64N(4))
		got := MaxModulus(stages, in, 8)
		odd := false
		for _, s := range c.Steps {
			odd = odd || s.Op == Montgomery
		}
		for q := uint64(2); q < toy; q++ {
			if odd && q%2 == 0 {
				continue
			}
			_, err := StageBounds(stages, in, q, 8)
			require.Equal(t, q <= got, err == nil, "%+v in %s modulo %d, greatest %d: %v", c, in, q, got, err)
		}
		if got > 3 && got < 200 {
			some++
		}
	}
	require.Greater(t, some, 20)
}

// TestSeedProduct finds from which modulus on the seed page's mont_mul is wrong, in its words' likeness of 8 bits: not from R/2 on,
// but from the golden section of R on, where the sum of the upper words leaves the word. Its sum of residues, a+b, is what is wrong
// from R/2 on.
func TestSeedProduct(t *testing.T) {
	first := func(wrong func(a, b, q uint8) bool) int {
		for q := 3; q < toy; q += 2 {
			for a := range q {
				for b := range q {
					if wrong(uint8(a), uint8(b), uint8(q)) {
						return q
					}
				}
			}
		}
		return 0
	}
	product := func(a, b, q uint8) bool {
		m := -(a * b) * uint8(wordInverse(uint64(q)))
		hi := uint8(uint(a)*uint(b)>>8) + uint8(uint(m)*uint(q)>>8)
		if a*b > ^(m * q) {
			hi++
		}
		if hi >= q {
			hi -= q
		}
		return uint(hi)<<8%uint(q) != uint(a)*uint(b)%uint(q)
	}
	sum := func(a, b, q uint8) bool {
		s := a + b
		if s >= q {
			s -= q
		}
		return uint(s) != (uint(a)+uint(b))%uint(q)
	}
	require.Equal(t, 161, first(product))
	require.Equal(t, 129, first(sum))
}

func TestRecurrenceErrors(t *testing.T) {
	ok := single(Add, 0)
	bound := func(r *Recurrence, q uint64, bits int, in ...*big.Rat) error {
		_, err := r.Bound(q, bits, in)
		return err
	}
	one := big.NewRat(1, 1)
	for _, c := range []struct {
		err  error
		want string
	}{
		{bound(ok, 1, 8, one, one), "modulus 1; a modulus of 8-bit words is 2 to 255"},
		{bound(ok, 256, 8, one, one), "modulus 256"},
		{bound(ok, 3, 9, one, one), "words of 9 bits"},
		{bound(ok, 3, 8, one), "1 bounds for 2 operands"},
		{bound(ok, 3, 8, one, new(big.Rat)), "operand b is bounded by 0·q"},
		{bound(ok, 129, 8, one, big.NewRat(2, 1)), "operands: operand b may be up to 2·q = 258, and the limit is 1.984496·q = 256 (q = 129, words of 8 bits)"},
		{bound(ok, 129, 8, one, one), "step 0, add: the result may be up to 2·q = 258, and the limit is 1.984496·q = 256"},
		{bound(single(Subtract, 1), 3, 8, one, big.NewRat(3, 2)), "step 0, subtract: what is taken away may be up to 1.500000·q"},
		{bound(single(Reduce, 2), 128, 8, one), "step 0, reduce: 2·q may be up to 2·q = 256"},
		{bound(single(Shoup, 0), 3, 8, one, big.NewRat(3, 2)), "step 0, Shoup: the factor may be up to"},
		{bound(single(Montgomery, 0), 4, 8, one, one), "step 0, Montgomery: the modulus 4 is even"},
		{bound(single(Subtract, 0), 3, 8, one, one), "step 0, subtract: K is 0"},
		{bound(single(9, 0), 3, 8, one, one), "step 0: operation 9 is not defined"},
		{bound(&Recurrence{In: []string{"a"}, Steps: []Step{{Op: Copy, A: 1}}}, 3, 8, one), "step 0, copy: A is word 1; there are words 0 to 0"},
		{bound(&Recurrence{In: []string{"a"}, Steps: []Step{{Op: Add, A: 0, B: -1}}}, 3, 8, one), "step 0, add: B is word -1"},
		{bound(&Recurrence{In: []string{"a"}, Out: []int{1}}, 3, 8, one), "result 0 is word 1; there are words 0 to 0"},
	} {
		require.ErrorContains(t, c.err, c.want)
	}
	_, err := StageBounds(times(2, lazy(false)), rat("4"), 61, 8)
	var o *Overflow
	require.ErrorAs(t, err, &o)
	require.Equal(t, []int{0, 2}, []int{o.Stage, o.Step}, "%v", err)
	_, err = StageBounds([]*Recurrence{nil}, one, 3, 8)
	require.ErrorContains(t, err, "stage 0 has no recurrence")
	_, err = StageBounds([]*Recurrence{{In: []string{"x"}}}, one, 3, 8)
	require.ErrorContains(t, err, "stage 0: it has no result")
	_, err = StageBounds([]*Recurrence{{In: []string{"x"}, Out: []int{4}}}, one, 3, 8)
	require.ErrorContains(t, err, "stage 0: modular: result 0 is word 4")
	require.Zero(t, MaxModulus([]*Recurrence{ok}, nil, 8))
	require.Zero(t, MaxModulus([]*Recurrence{nil}, one, 8))
	require.Zero(t, MaxModulus([]*Recurrence{ok}, one, 7))
	require.Zero(t, MaxModulus([]*Recurrence{ok}, big.NewRat(200, 1), 8))
	for _, c := range []struct {
		r     *Recurrence
		q     uint64
		words []uint64
		want  string
	}{
		{ok, 3, []uint64{1}, "1 words for 2 operands"},
		{ok, 3, []uint64{1, 256}, "operand b = 256 is not a word of 8 bits"},
		{ok, 0, []uint64{1, 2}, "modulus 0"},
		{ok, 3, []uint64{255, 1}, "step 0, add: the result may be up to 85.333333·q = 256, and the limit is 85·q = 255"},
		{single(Shoup, 0), 3, []uint64{1, 3}, "the factor"},
		{single(Subtract, 1), 3, []uint64{1, 4}, "what is taken away"},
		{single(Subtract, ^uint64(0)), 255, []uint64{1, 4}, "the sum before it"},
		{single(Reduce, ^uint64(0)), 255, []uint64{1}, "K·q"},
		{single(9, 0), 255, []uint64{1, 1}, "operation 9 is not defined"},
	} {
		_, err := c.r.Run(c.q, 8, c.words)
		require.ErrorContains(t, err, c.want)
	}
}

// TestBoundShort rounds a bound of many bits up, and keeps it rigorous.
func TestBoundShort(t *testing.T) {
	square := &Recurrence{In: []string{"x"}, Out: []int{40}}
	for i := range 40 {
		square.Steps = append(square.Steps, Step{Op: Montgomery, A: i, B: i})
	}
	out, err := square.Bound(1<<61-1, 64, []*big.Rat{big.NewRat(1, 1)})
	require.NoError(t, err)
	require.LessOrEqual(t, out[0].Denom().BitLen(), maxBoundBits)
	require.Equal(t, 1, out[0].Cmp(big.NewRat(1, 1)))
	require.Equal(t, -1, out[0].Cmp(big.NewRat(2, 1)))
	third := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), maxBoundBits), big.NewInt(1)))
	require.Equal(t, 1, shorten(third).Cmp(third))
}

// TestClaimBounds proves and disproves ranges that claims give.
func TestClaimBounds(t *testing.T) {
	w := func(f uint64) Word { return Word{Name: "w", Range: f} }
	c := &Claim{
		Function: ForwardButterfly, Bits: 64, In: []Word{w(4), w(4), w(1), {Shoup: true}}, Out: []Word{w(4), w(4)},
		Recurrence: forward(Shoup),
	}
	out, err := c.Bounds(1<<62 - 57)
	require.NoError(t, err)
	require.Len(t, out, 2)
	_, err = c.Bounds(1<<62 + 1)
	var o *Overflow
	require.True(t, errors.As(err, &o))
	c.Out[1] = w(2)
	_, err = c.Bounds(1<<61 - 1)
	require.ErrorContains(t, err, "result 1: modular: the range claimed is below 2·q, and the steps keep below 4·q only")
	c.Recurrence = nil
	_, err = c.Bounds(17)
	require.ErrorIs(t, err, errUndeclared)

	d := &Direction{In: Side{Range: 1}, Out: Side{Range: 1}}
	_, err = d.Bounds(8, 17, 64)
	require.ErrorIs(t, err, errUndeclared)
	d.Stages = func(n int) []*Recurrence { return times(n/2, strict(Montgomery)) }
	bounds, err := d.Bounds(8, 1<<62-57, 64)
	require.NoError(t, err)
	require.Equal(t, []*big.Rat{rat("1"), rat("1"), rat("1"), rat("1")}, bounds)
	d.Stages = func(n int) []*Recurrence { return times(n/2, forward(Montgomery)) }
	_, err = d.Bounds(8, 1<<61-1, 64)
	require.ErrorContains(t, err, "the range claimed is below 1·q")
}
