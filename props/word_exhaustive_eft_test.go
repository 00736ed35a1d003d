package props

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
	"gamma/model/word"
	"gamma/props/internal/attack"
)

// tableWords is arithmetic over a toy format of at most 10 bits: sums and products by table, fused ones by model/round.
type tableWords struct {
	a        attack.WordArith
	n        uint // bits of an encoding
	add, mul []uint16
}

func newTableWords(a round.Arith) *tableWords {
	t := &tableWords{a: attack.WordArith{Arith: a}, n: uint(a.F.Bits())}
	for x := range uint64(1) << t.n {
		for y := range uint64(1) << t.n {
			t.add = append(t.add, uint16(a.Add(x, y)))
			t.mul = append(t.mul, uint16(a.Mul(x, y)))
		}
	}
	return t
}

func (t *tableWords) Add(a, b uint16) uint16 { return t.add[uint(a)<<t.n|uint(b)] }

func (t *tableWords) Mul(a, b uint16) uint16 { return t.mul[uint(a)<<t.n|uint(b)] }

func (t *tableWords) Div(a, b uint16) uint16 { return uint16(t.a.Div(uint64(a), uint64(b))) }

func (t *tableWords) Fma(a, b, c uint16) uint16 {
	return uint16(t.a.Fma(uint64(a), uint64(b), uint64(c)))
}

func (t *tableWords) Sqrt(a uint16) uint16 { return uint16(t.a.Sqrt(uint64(a))) }

func (t *tableWords) Neg(a uint16) uint16 { return a ^ 1<<(t.n-1) }

func (t *tableWords) One() uint16 { return uint16(t.a.One()) }

func (t *tableWords) Splitter() uint16 { return uint16(t.a.Splitter()) }

// toyNumber is what the statements need to know of an encoding.
type toyNumber struct {
	bits   uint16
	v      int64 // multiple of the least subnormal number; of a flushed operand 0
	e      int   // exponent, Emin for subnormal numbers and zeros
	finite bool
	top    bool // ±Ω
}

func toyNumbers(f model.Format, flush model.Flush) (all []toyNumber) {
	for b := range uint64(1) << f.Bits() {
		x := toyNumber{bits: uint16(b), finite: f.IsFinite(b), e: f.Emin}
		if x.finite {
			neg, m, e := f.Decode(b)
			x.v = int64(m) << (e - (f.Emin - f.P + 1))
			if flush.In && m < 1<<(f.P-1) {
				x.v = 0
			}
			if neg {
				x.v = -x.v
			}
			x.e = e + f.P - 1
			x.top = b&(f.SignBit()-1) == f.MaxBits()
		}
		all = append(all, x)
	}
	return all
}

// transformRun is one transform over one arithmetic.
type transformRun struct {
	t      *tableWords
	f      model.Format
	all    []toyNumber
	p      *word.Program
	values []uint16
	out    [2]uint16
}

// on returns both results.
func (r *transformRun) on(in ...uint16) (s, e toyNumber) {
	copy(r.values, in)
	word.Run(r.p, r.t, r.values, r.out[:])
	return r.all[r.out[0]], r.all[r.out[1]]
}

// transformCase is one arithmetic of the exhaustive runs.
type transformCase struct {
	p     int
	r     model.Rounding
	flush model.Flush
}

func (c transformCase) String() string { return fmt.Sprintf("p=%d %v flush %+v", c.p, c.r, c.flush) }

func transformCases() (all []transformCase) {
	top := 5
	if thorough() {
		top = 6
	}
	for p := 3; p <= top; p++ {
		all = append(all,
			transformCase{p, model.NearestEven, model.Flush{}}, transformCase{p, model.NearestAway, model.Flush{}},
			transformCase{p, model.NearestEven, model.Flush{In: true, Out: true}},
			transformCase{p, model.NearestEven, model.Flush{In: true, Out: true, Before: true}},
		)
	}
	// The plain arithmetic at the last precision, too.
	if top < 6 {
		all = append(all, transformCase{6, model.NearestEven, model.Flush{}}, transformCase{6, model.NearestEven, model.Flush{In: true, Out: true}})
	}
	return all
}

func abs64(v int64) int64 { return max(v, -v) }

// TestExhaustiveTransforms holds every statement about error-free transforms to all pairs of all formats of 3 to 6 bits, subnormal
// numbers included.
func TestExhaustiveTransforms(t *testing.T) {
	for _, c := range transformCases() {
		f := model.Toy(c.p)
		table := newTableWords(round.Arith{F: f, R: c.r, Fl: c.flush})
		all := toyNumbers(f, c.flush)
		run := func(name string) *transformRun {
			p := algorithm(t, name).Program
			return &transformRun{t: table, f: f, all: all, p: p, values: make([]uint16, len(p.Inputs)+len(p.Steps))}
		}
		if c.flush == (model.Flush{}) {
			exhaustSums(t, c, run)
			exhaustFast(t, c, run("Fast2Sum"))
			exhaustSplit(t, c, run("Veltkamp"))
		} else {
			exhaustFlushed(t, c, run)
		}
		exhaustProducts(t, c, run)
	}
}

// exhaustSums: where s is finite, s = RN(a+b) and s+e = a+b; but e may be a NaN where the operand that is rebuilt, as s less the other,
// is ±Ω and rounds beyond it: a in Knuth's order and b in the other.
func exhaustSums(t *testing.T, c transformCase, run func(string) *transformRun) {
	for name, first := range map[string]int{"2Sum": 0, "2SumLeft": 1} {
		r := run(name)
		pairs, spurious := 0, 0
		for _, a := range r.all {
			for _, b := range r.all {
				if !a.finite || !b.finite {
					continue
				}
				s, e := r.on(a.bits, b.bits)
				if !s.finite {
					continue
				}
				pairs++
				switch {
				case s.bits != r.t.Add(a.bits, b.bits):
					t.Fatalf("%v %s: s of %d and %d is not their sum, rounded", c, name, a.v, b.v)
				case e.finite && s.v+e.v == a.v+b.v:
				case !e.finite && [2]toyNumber{a, b}[first].top:
					spurious++
				default:
					t.Fatalf("%v %s is not exact: %d %d -> %d %d", c, name, a.v, b.v, s.v, e.v)
				}
			}
		}
		require.NotZero(t, spurious)
		t.Logf("%v %s: exact for %d pairs but %d NaNs with operand %d = ±Ω", c, name, pairs, spurious, first+1)
	}
}

// exhaustFast: exact where |a| >= |b| or where a's exponent is at least b's, without spurious overflow; not always elsewhere, but
// often.
func exhaustFast(t *testing.T, c transformCase, r *transformRun) {
	ordered, unordered, lucky := 0, 0, 0
	for _, a := range r.all {
		for _, b := range r.all {
			if !a.finite || !b.finite {
				continue
			}
			s, e := r.on(a.bits, b.bits)
			if !s.finite {
				continue
			}
			exact := e.finite && s.v+e.v == a.v+b.v
			if abs64(a.v) >= abs64(b.v) || a.e >= b.e || b.v == 0 {
				ordered++
				if !exact {
					t.Fatalf("%v Fast2Sum is not exact: %d %d -> %d %d", c, a.v, b.v, s.v, e.v)
				}
				continue
			}
			unordered++
			if exact {
				lucky++
			}
		}
	}
	require.NotZero(t, lucky)
	require.Less(t, lucky, unordered)
	t.Logf("%v Fast2Sum: exact for %d ordered pairs, and for %d of %d others", c, ordered, lucky, unordered)
}

// exhaustSplit: hi+lo = a where |a| < 2^(Emax-s), s = ceil(p/2), with at most p-s bits in hi and s-1 in lo, ties to even or away.
func exhaustSplit(t *testing.T, c transformCase, r *transformRun) {
	s := (c.p + 1) / 2
	wide := 0 // low words of s bits
	for _, a := range r.all {
		if !a.finite || a.v != 0 && a.e >= r.f.Emax-s {
			continue
		}
		h, l := r.on(a.bits)
		require.True(t, h.finite && l.finite && h.v+l.v == a.v, "%v Veltkamp %d -> %d %d", c, a.v, h.v, l.v)
		require.LessOrEqual(t, oddBits(h.v), c.p-s)
		require.LessOrEqual(t, oddBits(l.v), s)
		if oddBits(l.v) == s {
			wide++
		}
	}
	t.Logf("%v Veltkamp: exact; %d low words of %d bits", c, wide, s)
	require.Zero(t, wide)
}

// oddBits returns the width of v without its trailing zeros.
func oddBits(v int64) (n int) {
	for v = abs64(v); v != 0 && v&1 == 0; v >>= 1 {
	}
	for ; v != 0; v >>= 1 {
		n++
	}
	return n
}

// exhaustProducts: p+e = a·b where the exponents add up to Emin+P-1 at least and p is finite; Dekker's also wants operands that can
// be split and, as the high halves may be rounded up, a product of these that does not overflow: e_a+e_b <= Emax-2. Under flush-to-zero the error has to be a normal number, with Emin+2P-2,
// and so have the halves that Dekker's splits: each exponent is at least Emin+P-1.
func exhaustProducts(t *testing.T, c transformCase, run func(string) *transformRun) {
	for _, name := range []string{"2ProdFMA", "Dekker"} {
		r := run(name)
		least := r.f.Emin + c.p - 1
		if c.flush.Out {
			least = r.f.Emin + 2*c.p - 2
		}
		split, most, each := r.f.Emax+1, 2*r.f.Emax, r.f.Emin
		if name == "Dekker" {
			split, most = r.f.Emax-(c.p+1)/2, r.f.Emax-2
			if c.flush.Out {
				each = r.f.Emin + c.p - 1
			}
		}
		in, below, exactBelow, failed := 0, 0, 0, 0
		for _, a := range r.all {
			for _, b := range r.all {
				if !a.finite || !b.finite || a.e >= split || b.e >= split || a.e+b.e > most {
					continue
				}
				p, e := r.on(a.bits, b.bits)
				if !p.finite {
					continue
				}
				exact := e.finite && a.v*b.v == (p.v+e.v)<<(c.p-1-r.f.Emin)
				switch {
				case a.e+b.e >= least && min(a.e, b.e) >= each || a.v == 0 || b.v == 0:
					in++
					if !exact {
						failed++
					}
				default:
					below++
					if exact {
						exactBelow++
					}
				}
			}
		}
		t.Logf("%v %s: exact for %d of %d pairs with e_a+e_b >= %d, and for %d of %d below", c, name, in-failed, in, least, exactBelow, below)
		require.Zero(t, failed, "%v %s", c, name)
		require.Less(t, exactBelow, below)
	}
}

// exhaustFlushed: with subnormal operands taken for zero, 2Sum is exact where the lesser magnitude is 0 or at least 2^(Emin+P-1),
// and else loses less than 2^Emin; Fast2Sum likewise where it is ordered.
func exhaustFlushed(t *testing.T, c transformCase, run func(string) *transformRun) {
	least := int64(1) << (2*c.p - 2) // 2^(Emin+P-1) in least subnormal numbers
	tiny := int64(1) << (c.p - 1)    // 2^Emin
	for name, first := range map[string]int{"2Sum": 0, "2SumLeft": 1, "Fast2Sum": -1} {
		r := run(name)
		lossy, most := 0, int64(0)
		for _, a := range r.all {
			for _, b := range r.all {
				if !a.finite || !b.finite || first < 0 && abs64(a.v) < abs64(b.v) || first >= 0 && [2]toyNumber{a, b}[first].top {
					continue
				}
				s, e := r.on(a.bits, b.bits)
				if !s.finite {
					continue
				}
				loss := abs64(a.v + b.v - s.v - e.v)
				small := min(abs64(a.v), abs64(b.v))
				if !e.finite || loss >= tiny || loss > 0 && (small == 0 || small >= least) {
					t.Fatalf("%v %s: %d %d -> %d %d", c, name, a.v, b.v, s.v, e.v)
				}
				if loss > 0 {
					lossy++
					most = max(most, loss)
				}
			}
		}
		require.NotZero(t, lossy)
		t.Logf("%v %s: %d pairs lose, at most %d/%d of 2^Emin", c, name, lossy, most, tiny)
	}
}
