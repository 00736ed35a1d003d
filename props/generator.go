package props

import (
	"math"
	"math/bits"

	"gamma/corpus"
	"gamma/model"
)

// generator makes the encodings of one recipe. It writes encodings, never rounds, and shares no
// arithmetic with kernels or oracle; where a family needs a rounded number, it truncates.
type generator struct {
	f       model.Format
	n       int
	a, b    int
	rng     splitmix
	x, y    []uint64
	squares bool // the leaves will be squared
	// dotFilled is set by families that choose the second factors themselves.
	dotFilled bool

	// Of the format, at hand for every element:
	bias, emin, emax int // bias is 1 - Emin
	shift            int // width of the fraction
	sign, frac, top  uint64
}

// splitmix is SplitMix64: state += 0x9e3779b97f4a7c15, and two multiply-xorshift rounds.
// Source: [Steele-Lea-Flood 2014]; S. Vigna's constants.
type splitmix uint64

func (s *splitmix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return mix(uint64(*s))
}

// mix is the finaliser of splitmix, a bijection.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1; its bias is below n·2^-64.
func (s *splitmix) below(n int) int {
	hi, _ := bits.Mul64(s.next(), uint64(n))
	return int(hi)
}

func newGenerator(r *Recipe, f model.Format) generator {
	seed := mix(r.Seed) ^ mix(uint64(r.A)<<8|uint64(r.B)|uint64(r.N)<<16)
	for i := range len(r.Family) {
		seed = mix(seed ^ uint64(r.Family[i]))
	}
	return generator{
		f: f, n: r.N, a: int(r.A), b: int(r.B), rng: splitmix(seed), squares: r.Squares,
		bias: 1 - f.Emin, emin: f.Emin, emax: f.Emax, shift: f.P - 1,
		sign: f.SignBit(), frac: 1<<(f.P-1) - 1, top: f.MaxBits(),
	}
}

// enc returns the normal number (-1)^(neg&1) · 1.frac · 2^e; e is clamped to [Emin, Emax].
func (g *generator) enc(neg uint64, e int, frac uint64) uint64 {
	e = min(max(e, g.emin), g.emax)
	b := min(uint64(e+g.bias)<<(g.shift&63)|frac&g.frac, g.top)
	return b | (neg&1)*g.sign
}

// num returns m·2^e truncated toward zero to the format; it saturates at MaxFinite.
func (g *generator) num(neg uint64, m uint64, e int) uint64 {
	if m == 0 {
		return (neg & 1) * g.sign
	}
	top := e + bits.Len64(m) - 1 // exponent of the leading bit
	if top > g.f.Emax {
		return g.top | (neg&1)*g.sign
	}
	shift := max(top, g.f.Emin) - g.f.P + 1 - e // bits to drop (negative: to append)
	switch {
	case shift >= 64:
		m = 0
	case shift > 0:
		m >>= shift
	default:
		m <<= -shift
	}
	if m&(1<<(g.f.P-1)) == 0 { // subnormal
		return m | (neg&1)*g.sign
	}
	b := uint64(top+g.bias)<<(g.f.P-1) | m&g.frac
	return min(b, g.top) | (neg&1)*g.sign
}

// float returns v truncated toward zero to the format.
func (g *generator) float(v float64) uint64 {
	if v == 0 || math.IsNaN(v) {
		return 0
	}
	var neg uint64
	if v < 0 {
		neg, v = 1, -v
	}
	if math.IsInf(v, 0) {
		return g.top | neg*g.sign
	}
	m, e := math.Frexp(v)
	return g.num(neg, uint64(m*(1<<53)), e-53)
}

// value returns the finite number b as a float64, exactly.
func (g *generator) value(b uint64) float64 {
	neg, m, e := g.f.Decode(b)
	v := math.Ldexp(float64(m), e)
	if neg {
		return -v
	}
	return v
}

// exponent maps a parameter of 0 to 255 to an exponent between lo and hi.
func exponent(param, lo, hi int) int { return lo + param*(hi-lo)/255 }

// midRange returns exponents between which sums of the vector neither overflow nor become
// subnormal by themselves; products of two such numbers neither, when the case is a dot product.
func (g *generator) midRange() (lo, hi int) {
	lo, hi = g.f.Emin, g.f.Emax-bits.Len(uint(g.n))-2
	if g.y != nil || g.squares {
		lo, hi = lo/2+1, hi/2-1
	}
	return lo, max(lo, hi)
}

// shuffle permutes x, and y with it where there is one.
func (g *generator) shuffle() {
	for i := len(g.x) - 1; i > 0; i-- {
		j := g.rng.below(i + 1)
		g.x[i], g.x[j] = g.x[j], g.x[i]
		if g.dotFilled {
			g.y[i], g.y[j] = g.y[j], g.y[i]
		}
	}
}

// companion fills the second factors of a dot product whose family speaks of one vector only: ones,
// powers of two, the first vector itself, reversed, or numbers near one.
func (g *generator) companion() {
	one := g.enc(0, 0, 0)
	switch kind := g.rng.below(6); kind {
	case 0:
		for i := range g.y {
			g.y[i] = one
		}
	case 1:
		for i := range g.y {
			r := g.rng.next()
			g.y[i] = g.enc(r, int(r>>8%5)-2, 0)
		}
	case 2:
		copy(g.y, g.x)
	case 3:
		for i := range g.y {
			g.y[i] = g.x[len(g.x)-1-i]
		}
	default:
		for i := range g.y {
			r := g.rng.next()
			g.y[i] = g.enc(r>>63, -int(r>>60&1), r)
		}
	}
}

// store copies encodings into v, whose memory it uses again where that is large enough.
func store(v corpus.Values, b []uint64, f model.Format) corpus.Values {
	switch f.Name {
	case model.Binary32.Name:
		v = corpus.Values{Format: f, F32: grow(v.F32, len(b))}
		for i, e := range b {
			v.F32[i] = math.Float32frombits(uint32(e))
		}
	case model.Binary64.Name:
		v = corpus.Values{Format: f, F64: grow(v.F64, len(b))}
		for i, e := range b {
			v.F64[i] = math.Float64frombits(e)
		}
	default:
		v = corpus.Values{Format: f, Bits: grow(v.Bits, len(b))}
		for i, e := range b {
			v.Bits[i] = uint16(e)
		}
	}
	return v
}
