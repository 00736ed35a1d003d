package families

import (
	"math"
	"math/bits"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
)

// Generator makes the encodings of one recipe. It writes encodings, never rounds, and shares no
// arithmetic with kernels or oracle; where a family needs a rounded number, it truncates.
type Generator struct {
	F       model.Format
	n       int
	A, B    int
	Rng     draw.Splitmix
	x, y    []uint64
	squares bool // the leaves will be squared
	// dotFilled is set by families that choose the second factors themselves.
	dotFilled bool

	// Of the format, at hand for every element:
	Bias, Emin, Emax int // bias is 1 - Emin
	Shift            int // width of the fraction
	Sign, Frac, Top  uint64
}

// NewGenerator returns the generator of a recipe in a format: the same recipe gives the same numbers on every machine.
func NewGenerator(r *Recipe, f model.Format) Generator {
	seed := draw.Mix(r.Seed) ^ draw.Mix(uint64(r.A)<<8|uint64(r.B)|uint64(r.N)<<16)
	for i := range len(r.Family) {
		seed = draw.Mix(seed ^ uint64(r.Family[i]))
	}
	return Generator{
		F: f, n: r.N, A: int(r.A), B: int(r.B), Rng: draw.Splitmix(seed), squares: r.Squares,
		Bias: 1 - f.Emin, Emin: f.Emin, Emax: f.Emax, Shift: f.P - 1,
		Sign: f.SignBit(), Frac: 1<<(f.P-1) - 1, Top: f.MaxBits(),
	}
}

// Enc returns the normal number (-1)^(neg&1) · 1.frac · 2^e; e is clamped to [Emin, Emax].
func (g *Generator) Enc(neg uint64, e int, frac uint64) uint64 {
	e = min(max(e, g.Emin), g.Emax)
	b := min(uint64(e+g.Bias)<<(g.Shift&63)|frac&g.Frac, g.Top)
	return b | (neg&1)*g.Sign
}

// Num returns m·2^e truncated toward zero to the format; it saturates at MaxFinite.
func (g *Generator) Num(neg uint64, m uint64, e int) uint64 {
	if m == 0 {
		return (neg & 1) * g.Sign
	}
	top := e + bits.Len64(m) - 1 // exponent of the leading bit
	if top > g.F.Emax {
		return g.Top | (neg&1)*g.Sign
	}
	shift := max(top, g.F.Emin) - g.F.P + 1 - e // bits to drop (negative: to append)
	switch {
	case shift >= 64:
		m = 0
	case shift > 0:
		m >>= shift
	default:
		m <<= -shift
	}
	if m&(1<<(g.F.P-1)) == 0 { // subnormal
		return m | (neg&1)*g.Sign
	}
	b := uint64(top+g.Bias)<<(g.F.P-1) | m&g.Frac
	return min(b, g.Top) | (neg&1)*g.Sign
}

// float returns v truncated toward zero to the format.
func (g *Generator) float(v float64) uint64 {
	if v == 0 || math.IsNaN(v) {
		return 0
	}
	var neg uint64
	if v < 0 {
		neg, v = 1, -v
	}
	if math.IsInf(v, 0) {
		return g.Top | neg*g.Sign
	}
	m, e := math.Frexp(v)
	return g.Num(neg, uint64(m*(1<<53)), e-53)
}

// value returns the finite number b as a float64, exactly. It says what F.Decode and Ldexp would, without their calls: nearly every number that is
// drawn goes through it.
func (g *Generator) value(b uint64) float64 {
	m, e := b&g.Frac, int(b&^g.Sign>>(g.Shift&63))
	if e == 0 {
		e = 1
	} else {
		m |= g.Frac + 1
	}
	v := float64(m)
	if e += g.Emin - 1 - g.Shift; e >= -1022 {
		v = float64(v * math.Float64frombits(uint64(e+1023)<<52)) // v·2^e
	} else {
		v = math.Ldexp(v, e)
	}
	if b&g.Sign != 0 {
		return -v
	}
	return v
}

// exponent maps a parameter of 0 to 255 to an exponent between lo and hi.
func exponent(param, lo, hi int) int { return lo + param*(hi-lo)/255 }

// midRange returns exponents between which sums of the vector neither overflow nor become
// subnormal by themselves; products of two such numbers neither, when the case is a dot product.
func (g *Generator) midRange() (lo, hi int) {
	lo, hi = g.F.Emin, g.F.Emax-bits.Len(uint(g.n))-2
	if g.y != nil || g.squares {
		lo, hi = lo/2+1, hi/2-1
	}
	return lo, max(lo, hi)
}

// shuffle permutes x, and y with it where there is one.
func (g *Generator) shuffle() {
	for i := len(g.x) - 1; i > 0; i-- {
		j := g.Rng.Below(i + 1)
		g.x[i], g.x[j] = g.x[j], g.x[i]
		if g.dotFilled {
			g.y[i], g.y[j] = g.y[j], g.y[i]
		}
	}
}

// companion fills the second factors of a dot product whose family speaks of one vector only: ones,
// powers of two, the first vector itself, reversed, or numbers near one.
func (g *Generator) companion() {
	one := g.Enc(0, 0, 0)
	switch kind := g.Rng.Below(6); kind {
	case 0:
		for i := range g.y {
			g.y[i] = one
		}
	case 1:
		for i := range g.y {
			r := g.Rng.Next()
			g.y[i] = g.Enc(r, int(r>>8%5)-2, 0)
		}
	case 2:
		copy(g.y, g.x)
	case 3:
		for i := range g.y {
			g.y[i] = g.x[len(g.x)-1-i]
		}
	default:
		for i := range g.y {
			r := g.Rng.Next()
			g.y[i] = g.Enc(r>>63, -int(r>>60&1), r)
		}
	}
}

// Store copies encodings into v, whose memory it uses again where that is large enough.
func Store(v corpus.Values, b []uint64, f model.Format) corpus.Values {
	switch f.Name {
	case model.Binary32.Name:
		v = corpus.Values{Format: f, F32: draw.Grow(v.F32, len(b))}
		for i, e := range b {
			v.F32[i] = math.Float32frombits(uint32(e))
		}
	case model.Binary64.Name:
		v = corpus.Values{Format: f, F64: draw.Grow(v.F64, len(b))}
		for i, e := range b {
			v.F64[i] = math.Float64frombits(e)
		}
	default:
		v = corpus.Values{Format: f, Bits: draw.Grow(v.Bits, len(b))}
		for i, e := range b {
			v.Bits[i] = uint16(e)
		}
	}
	return v
}
