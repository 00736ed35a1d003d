package props

import (
	"math"
	"math/bits"
	"slices"
)

// Family is one kind of input, made to provoke one kind of fault.
type Family struct {
	Name string
	Text string // what the vectors look like, in one line
	fill func(g *generator)
	// special says that the vectors hold NaNs or infinities.
	special bool
	// random says that leaves are drawn independently, so that rounding errors look random too.
	random bool
	// exact says that every sum of leaves, and of products, is exact in the input's format.
	exact bool
}

// Families lists every family of inputs that the laws draw from.
func Families() []Family { return slices.Clone(families) }

var (
	familyByName = map[string]*Family{}
	families     = []Family{
		{Name: "window", Text: "random signs and significands, exponents in a window", fill: fillWindow, random: true},
		{Name: "onesign", Text: "the same with one sign", fill: fillOneSign, random: true},
		{Name: "unit", Text: "uniform in [-1, 1)", fill: fillUnit, random: true},
		{Name: "pairs", Text: "cancelling pairs x, -x, and a small rest", fill: fillPairs},
		{Name: "cond", Text: "large condition number: the last leaf cancels the sum of the others", fill: fillCond},
		{Name: "ties", Text: "sums that fall half way between two numbers, of both parities", fill: fillTies},
		{Name: "pow2", Text: "powers of two and their neighbours", fill: fillPow2},
		{Name: "subnormal", Text: "subnormals and the least normals", fill: fillSubnormal},
		{Name: "overflow", Text: "sums near the largest finite number", fill: fillOverflow},
		{Name: "integers", Text: "integers with the sum of magnitudes at most 2^P", fill: fillIntegers, exact: true},
		{Name: "mask", Text: "ones, with +M and -M that swamp what is added between them", fill: fillMask},
		{Name: "sparse", Text: "signed zeros but for a few leaves", fill: fillSparse},
		{Name: "special", Text: "NaNs, infinities, zeros and extremes among ordinary leaves", fill: fillSpecial, special: true},
		{Name: "planted", Text: "one leaf 1 and the others u, the worst case of recursive summation", fill: fillPlanted},
		{Name: "balanced", Text: "leaf i is u^popcount(i), the worst case of balanced trees", fill: fillBalanced},
		{Name: "constant", Text: "all leaves equal", fill: fillConstant},
		{Name: "geometric", Text: "growing or shrinking magnitudes", fill: fillGeometric},
		{Name: "zeros", Text: "positive and negative zeros", fill: fillZeros, exact: true},
		{Name: "bits", Text: "random finite encodings", fill: fillBits},
		{Name: "kahan", Text: "the pieces of the worst known inputs of Kahan's sum", fill: fillKahan},
		{Name: "nearties", Text: "the exact result lies off a tie by less than binary64 shows", fill: fillNearTies},
		{Name: "tower", Text: "powers of u of several orders that cancel down to the smallest", fill: fillTower},
		{Name: "edge", Text: "differences that are subnormal, of leaves that are not", fill: fillEdge},
	}
)

func init() {
	for i := range families {
		familyByName[families[i].Name] = &families[i]
	}
}

func familyNames() []string {
	names := make([]string, len(families))
	for i := range families {
		names[i] = families[i].Name
	}
	return names
}

// window returns the exponent window of parameters a and b: a places it, b gives its width.
func (g *generator) window() (lo, width int) {
	lo, hi := g.midRange()
	width = min(g.b%(2*g.f.P+4), hi-lo) + 1
	return exponent(g.a, lo, hi-width+1), width
}

func fillWindow(g *generator) {
	lo, width := g.window()
	for i := range g.x {
		r := g.rng.next()
		hi, _ := bits.Mul64(r<<8, uint64(width))
		g.x[i] = g.enc(r>>63, lo+int(hi), r)
	}
}

func fillOneSign(g *generator) {
	fillWindow(g)
	keep, neg := g.sign-1, uint64(g.a&1)*g.sign
	for i := range g.x {
		g.x[i] = g.x[i]&keep | neg
	}
	if g.y != nil {
		g.dotFilled = true
		one := g.rng.next()
		for i := range g.y {
			r := g.rng.next()
			g.y[i] = g.enc(one, -int(r>>62), r)
		}
	}
}

func fillUnit(g *generator) {
	for i := range g.x {
		r := g.rng.next()
		g.x[i] = g.enc(r>>63, -1-bits.TrailingZeros64(r|1<<20), r>>1)
	}
}

func fillPairs(g *generator) {
	fillWindow(g)
	for i := 1; i < len(g.x); i += 2 {
		g.x[i] = g.x[i-1] ^ g.sign
	}
	if g.b&1 == 0 { // a rest that survives
		r := g.rng.next()
		lo, _ := g.window()
		g.x[len(g.x)-1] = g.enc(r>>63, lo-g.f.P/2, r)
	}
	if g.y != nil {
		g.dotFilled = true
		for i := range g.y {
			if i%2 == 1 {
				g.y[i] = g.y[i-1]
				continue
			}
			r := g.rng.next()
			g.y[i] = g.enc(r>>63, -int(r>>62), r)
		}
	}
	if g.b&2 == 0 {
		g.shuffle()
	}
}

func fillCond(g *generator) {
	lo, width := g.window()
	if g.y != nil {
		g.dotFilled = true
		one := g.enc(0, 0, 0)
		for i := range g.y {
			g.y[i] = one
			if g.b&1 == 0 && i != len(g.y)-1 {
				r := g.rng.next()
				g.y[i] = g.enc(r>>63, -int(r>>63), r)
			}
		}
	}
	var sum float64
	for i := range g.x {
		r := g.rng.next()
		hi, _ := bits.Mul64(r<<8, uint64(width))
		g.x[i] = g.enc(r>>63, lo+int(hi), r)
		// Several leaves, not the last alone, chase the sum, so that it shrinks by stages.
		if i == len(g.x)-1 || g.a&1 == 0 && i%7 == 6 {
			g.x[i] = g.float(-sum)
			if g.y != nil {
				g.y[i] = g.enc(0, 0, 0)
			}
		}
		t := g.value(g.x[i])
		if g.y != nil {
			t = float64(t * g.value(g.y[i]))
		}
		sum += t
	}
}

func fillTies(g *generator) {
	e, _ := g.midRange()
	e = max(e+g.f.P+1, exponent(g.a, e, g.f.Emax/2))
	// Leaves are odd multiples of half a unit beside numbers of P bits.
	half := e - g.f.P
	for i := range g.x {
		r := g.rng.next()
		if i == 0 || r>>60 == 0 {
			g.x[i] = g.num(r>>63*uint64(g.b&1), 1<<(g.f.P-1)|r&g.frac&0xf, half+1)
			continue
		}
		m := uint64(1)
		if g.b&2 != 0 {
			m = 2*(r>>8&3) + 1
		}
		g.x[i] = g.num(r>>62*uint64(g.b>>2&1), m, half)
	}
	if g.b&8 != 0 {
		g.shuffle()
	}
	if g.y != nil {
		g.ones()
	}
}

// ones makes the second factors ones, so that the products are the leaves.
func (g *generator) ones() {
	g.dotFilled = true
	one := g.enc(0, 0, 0)
	for i := range g.y {
		g.y[i] = one
	}
}

func fillPow2(g *generator) {
	lo, width := g.window()
	for i := range g.x {
		r := g.rng.next()
		e := lo + int(r>>16%uint64(width))
		switch r >> 8 % 4 {
		case 0, 1:
			g.x[i] = g.enc(r, e, 0)
		case 2:
			g.x[i] = g.enc(r, e, 1)
		default:
			g.x[i] = g.enc(r, e, g.frac)
		}
	}
}

func fillSubnormal(g *generator) {
	top := g.f.MinNormalBits() << (g.a % 4) // subnormals alone, or with a few binades above
	for i := range g.x {
		r := g.rng.next()
		hi, _ := bits.Mul64(r, min(top, g.top))
		g.x[i] = hi
		if g.b&1 == 0 {
			g.x[i] |= r & 1 * g.sign
		}
	}
	if g.y != nil {
		g.dotFilled = true
		for i := range g.y {
			r := g.rng.next()
			if g.b&2 == 0 { // products that are subnormal though their factors are not
				g.x[i] = g.enc(r>>61, g.f.Emin/2+int(r>>8&3), r)
				g.y[i] = g.enc(r>>62, g.f.Emin/2+int(r>>16&3)-int(r>>24%uint64(g.f.P+2)), r>>32)
				continue
			}
			g.y[i] = g.enc(r>>63, int(r>>61&1), r)
		}
	}
}

func fillOverflow(g *generator) {
	big := 1 + g.b%4
	spread := bits.Len(uint(g.n))
	for i := range g.x {
		r := g.rng.next()
		e := g.f.Emax - int(r>>8&1)
		if g.a&1 == 0 { // many terms of the same size rather than a few large ones
			e -= spread - int(r>>16&1)
		} else if i >= big {
			e = g.f.Emax - g.f.P - int(r>>16&7)
		}
		g.x[i] = g.enc(r>>63*uint64(g.a>>1&1), e, r)
	}
	g.shuffle()
	if g.y != nil && g.b&16 == 0 {
		g.ones()
	}
}

func fillIntegers(g *generator) {
	limit := uint64(1) << g.f.P // the sum of magnitudes stays at most this
	if g.f.Emax < g.f.P {
		limit = 1 << g.f.Emax
	}
	if g.y != nil {
		g.integerProducts(limit)
		return
	}
	each, large, room := limit/uint64(g.n), limit/8, limit
	if g.squares { // the squares' sum is limited
		each, large = sqrt(each), sqrt(large)
	}
	for i := range g.x {
		r := g.rng.next()
		var m uint64
		switch g.b % 5 {
		case 0: // all magnitudes alike
			m = min(1, each)
		case 1:
			hi, _ := bits.Mul64(r<<8, each+1)
			m = hi
		case 2: // a power of two each, so that a lost leaf can be read off
			m = 1 << (i % g.f.P)
		case 3: // few, large
			if r>>8%uint64(g.n) < 4 {
				hi, _ := bits.Mul64(r<<8, large)
				m = hi
			}
		default:
			m = uint64(i + 1)
		}
		if each == 0 && m == 0 && g.b%5 == 0 && room > 0 {
			m = 1
		}
		if g.squares {
			m = min(m, sqrt(room))
			room -= m * m
		} else {
			m = min(m, room)
			room -= m
		}
		g.x[i] = g.num(r>>63*uint64(g.a&1), m, 0)
	}
	if g.a&2 != 0 {
		g.shuffle()
	}
}

// sqrt returns the largest integer whose square is at most n, for n below 2^62.
func sqrt(n uint64) uint64 {
	r := uint64(math.Sqrt(float64(n)))
	for r*r > n {
		r--
	}
	return r
}

// integerProducts fills both factors with integers whose products' magnitudes sum to at most limit.
func (g *generator) integerProducts(limit uint64) {
	g.dotFilled = true
	each := limit / uint64(g.n)
	side := max(1, uint64(math.Sqrt(float64(each)))) // side² is at most about each
	room := limit
	for i := range g.x {
		r := g.rng.next()
		a, b := 1+r>>8%side, 1+r>>32%side
		if a*b > room {
			a, b = 0, 0
		}
		if g.b%5 == 0 {
			a = min(a, 1)
			b = a
		}
		room -= a * b
		g.x[i] = g.num(r>>63*uint64(g.a&1), a, 0)
		g.y[i] = g.num(r>>62*uint64(g.a>>1&1), b, 0)
	}
}

func fillMask(g *generator) {
	one := g.enc(0, 0, 0)
	for i := range g.x {
		g.x[i] = one
	}
	m := g.enc(0, min(g.f.Emax-1, g.f.P+g.b%8), 0)
	if g.y != nil {
		g.ones()
	}
	if len(g.x) >= 2 {
		i := g.a * (len(g.x) - 1) / 255
		j := g.rng.below(len(g.x) - 1)
		if j >= i {
			j++
		}
		g.x[i], g.x[j] = m, m^g.sign
	}
}

func fillSparse(g *generator) {
	for i := range g.x {
		g.x[i] = g.rng.next() & 1 * g.sign * uint64(g.b&1)
	}
	lo, width := g.window()
	for range 1 + g.b%5 {
		r := g.rng.next()
		g.x[g.rng.below(len(g.x))] = g.enc(r>>63, lo+int(r>>40%uint64(width)), r)
	}
}

func fillSpecial(g *generator) {
	if g.a&7 == 7 { // nothing finite at all
		for i := range g.x {
			g.x[i] = g.special(g.b)
		}
		return
	}
	fillWindow(g)
	for range 1 + g.a&3 {
		g.x[g.rng.below(len(g.x))] = g.special(g.b)
	}
	if g.y != nil {
		g.companion()
		g.dotFilled = true
		if g.b&32 != 0 { // 0·inf
			i := g.rng.below(len(g.x))
			g.x[i], g.y[i] = uint64(g.a&1)*g.sign, g.special(1)
			if g.b&128 != 0 {
				g.x[i], g.y[i] = g.y[i], g.x[i]
			}
		}
		if g.b&64 != 0 {
			g.y[g.rng.below(len(g.y))] = g.special(g.b)
		}
	}
}

// special returns one special datum; b chooses which kinds may come.
func (g *generator) special(b int) uint64 {
	r := g.rng.next()
	inf := g.top
	if g.f.HasInf {
		inf = g.f.InfBits()
	}
	switch b % 6 {
	case 0:
		return g.f.NaNBits() | r&1*g.sign
	case 1:
		return inf // one sign only
	case 2:
		return inf | r&1*g.sign
	case 3:
		return inf | g.sign
	case 4:
		return []uint64{0, g.sign, g.top, g.top | g.sign, 1, g.f.MinNormalBits()}[r%6]
	}
	switch r >> 8 % 4 {
	case 0:
		return g.f.NaNBits()
	case 1:
		return g.top | r&1*g.sign
	default:
		return inf | r&1*g.sign
	}
}

func fillPlanted(g *generator) {
	lo, hi := g.midRange()
	e := exponent(g.a, min(lo+2*g.f.P+2, hi), hi)
	// Blocks of 2^part such leaves sum to u each.
	part := [...]int{0, 0, 3, 6}[g.b>>6&3]
	small := g.enc(0, e-g.f.P-part, 0)
	switch g.b & 3 {
	case 1: // u(1+2u): each addition of it to 1 rounds up
		small = g.enc(0, e-g.f.P-part, 1)
	case 2: // u(1-u): each rounds down
		small = g.enc(0, e-g.f.P-part-1, g.frac)
	}
	for i := range g.x {
		g.x[i] = small
	}
	at := 0
	switch g.b >> 2 & 3 {
	case 1:
		at = len(g.x) - 1
	case 2:
		at = g.rng.below(len(g.x))
	}
	g.x[at] = g.enc(0, e, 0)
	if g.b&16 != 0 {
		g.x[at] = g.enc(0, e, 1) // an odd significand: ties go up
	}
	if g.b&32 != 0 {
		for i := range g.x {
			g.x[i] |= g.sign
		}
	}
	if g.y != nil {
		g.ones()
	}
}

func fillBalanced(g *generator) {
	_, hi := g.midRange()
	for i := range g.x {
		k := bits.OnesCount(uint(i))
		if g.b&1 != 0 {
			k = bits.OnesCount(uint(len(g.x) - 1 - i))
		}
		if e := hi - k*g.f.P; e >= g.f.Emin {
			g.x[i] = g.enc(uint64(g.b>>1), e, 0)
		} else {
			g.x[i] = 0
		}
	}
	if g.y != nil {
		g.ones()
	}
}

func fillConstant(g *generator) {
	lo, _ := g.window()
	r := g.rng.next()
	c := g.enc(r>>63*uint64(g.b&1), lo, r)
	switch g.b >> 1 & 3 {
	case 0:
		c = g.enc(0, 0, 0)
	case 1:
		c = g.float(1.0 / 255)
	}
	for i := range g.x {
		g.x[i] = c
	}
	if g.y != nil && g.b&8 == 0 {
		g.dotFilled = true
		copy(g.y, g.x)
	}
}

func fillGeometric(g *generator) {
	lo, hi := g.midRange()
	step := 1 + g.b%3
	for i := range g.x {
		r := g.rng.next()
		e := lo + i*step%(hi-lo+1)
		if g.a&1 != 0 {
			e = hi - i*step%(hi-lo+1)
		}
		frac := r
		if g.a&2 != 0 {
			frac = 0
		}
		g.x[i] = g.enc(uint64(i)*uint64(g.a>>2&1)|r>>63*uint64(g.a>>3&1), e, frac)
	}
}

func fillZeros(g *generator) {
	for i := range g.x {
		switch g.b % 3 {
		case 0:
			g.x[i] = g.sign
		case 1:
			g.x[i] = g.rng.next() & 1 * g.sign
		default:
			g.x[i] = 0
		}
	}
	if g.y != nil {
		g.ones()
	}
}

func fillBits(g *generator) {
	top := g.top + 1
	for i := range g.x {
		r := g.rng.next()
		hi, _ := bits.Mul64(r, top)
		g.x[i] = hi | r&1*g.sign
	}
}

func fillKahan(g *generator) {
	lo, hi := g.midRange()
	e := exponent(g.a, min(lo+3*g.f.P, hi), hi)
	u := g.f.P
	for i := range g.x {
		r := g.rng.next()
		k := e + int(r>>50&3) - 1
		small := r >> 40 & 7
		switch r >> 8 % 8 {
		case 0:
			g.x[i] = g.num(0, 3, k-u-2) // 3u/4
		case 1:
			g.x[i] = g.enc(0, k-2, 5) // 1/4 and a few ulp
		case 2:
			g.x[i] = g.enc(0, k-1, g.frac) // 1-u
		case 3:
			g.x[i] = g.enc(1, k-u, 0) // -u
		case 4:
			g.x[i] = g.enc(r>>20, k-u-int(small), small)
		case 5:
			g.x[i] = g.enc(r>>20&uint64(g.b&1), k-int(small), g.frac-small)
		case 6:
			g.x[i] = g.enc(r>>20&uint64(g.b&1), k-int(small), small)
		default:
			g.x[i] = g.enc(r>>20&uint64(g.b&1), k-int(r>>32%uint64(2*u)), r>>12)
		}
	}
	if g.y != nil && g.b&2 == 0 {
		g.ones()
	}
}

// fillNearTies plants a number of P bits, half its unit in the last place, and something far smaller
// of either sign, among zeros or cancelling pairs. For dot products the half unit is a product that
// falls short of it by its last bit: (1+2u)(1-2u) = 1-4u².
func fillNearTies(g *generator) {
	for i := range g.x {
		g.x[i] = 0
	}
	lo, hi := g.midRange()
	e := exponent(g.a, min(lo+2*g.f.P, hi), hi)
	r := g.rng.next()
	if g.b&1 != 0 && len(g.x) > 3 {
		for i := 3; i+1 < len(g.x); i += 2 {
			q := g.rng.next()
			g.x[i] = g.enc(q>>63, e-int(q>>58&15), q)
			g.x[i+1] = g.x[i] ^ g.sign
		}
	}
	if g.y != nil {
		g.ones()
	}
	put := func(i int, b uint64) {
		if i < len(g.x) {
			g.x[i] = b
		}
	}
	put(0, g.enc(r>>63, e, r))
	put(1, g.enc(r>>62, e-g.f.P, 0))
	if g.y != nil && g.b&2 != 0 && len(g.x) > 1 {
		g.x[1] = g.enc(r>>62, e-g.f.P, 1)
		g.y[1] = g.enc(0, -1, g.frac-1)
	} else {
		tiny := e - g.f.P - 30 - int(r>>32&63)
		if g.y != nil && len(g.x) > 2 { // a product reaches lower than a factor
			g.y[2] = g.enc(0, max(tiny/2, g.f.Emin), 0)
			tiny -= max(tiny/2, g.f.Emin)
		}
		put(2, g.enc(r>>61, max(tiny, g.f.Emin), r>>8))
	}
	if g.b&4 != 0 {
		g.shuffle()
	}
}

// fillTower plants u^k for k = 0 to depth, and the negatives of all but the smallest, among zeros:
// a compensated sum keeps the smallest only if its order is high enough.
func fillTower(g *generator) {
	for i := range g.x {
		g.x[i] = 0
	}
	lo, hi := g.midRange()
	depth := 2 + g.b%4
	for depth > 1 && hi-depth*g.f.P < lo {
		depth--
	}
	e := exponent(g.a, lo+depth*g.f.P, hi)
	put := func(i int, b uint64) {
		if i < len(g.x) {
			g.x[i] = b
		}
	}
	for k := 0; k <= depth; k++ {
		r := g.rng.next()
		b := g.enc(0, e-k*g.f.P, r*uint64(g.b>>3&1))
		put(k, b)
		if k < depth {
			put(depth+1+k, b^g.sign)
		}
	}
	if g.b>>4&3 == 3 {
		g.shuffle()
	}
	if g.y != nil {
		g.ones()
	}
}

func fillEdge(g *generator) {
	least := g.f.MinNormalBits()
	for i := range g.x {
		r := g.rng.next()
		// Numbers of the lowest binades whose differences are a few units in the last place.
		g.x[i] = min(least+r>>8%16+r>>60&1*least, g.top)
		if i%2 == 1 || g.b&1 != 0 && r&1 != 0 {
			g.x[i] |= g.sign
		}
	}
	if g.b&2 != 0 {
		g.shuffle()
	}
	if g.y != nil {
		g.ones()
	}
}
