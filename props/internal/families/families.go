package families

import (
	"math"
	"math/bits"
	"slices"
)

// Family is one kind of input, made to provoke one kind of fault.
type Family struct {
	Name string
	Text string // what the vectors look like, in one line
	fill func(g *Generator)
	// Special says that the vectors hold NaNs or infinities.
	Special bool
	// Random says that leaves are drawn independently, so that rounding errors look random too.
	Random bool
	// Exact says that every sum of leaves, and of products, is exact in the input's format.
	Exact bool
	// Beyond says that the family comes after all draws, so that a seed draws what it always did.
	Beyond bool
}

// Families lists every family of inputs that the laws draw from.
func Families() []Family { return slices.Clone(All) }

var (
	// FamilyByName finds an entry of All.
	FamilyByName = map[string]*Family{}
	// All is the table of families, which Families copies.
	All = []Family{
		{Name: "window", Text: "random signs and significands, exponents in a window", fill: fillWindow, Random: true},
		{Name: "onesign", Text: "the same with one sign", fill: fillOneSign, Random: true},
		{Name: "unit", Text: "uniform in [-1, 1)", fill: fillUnit, Random: true},
		{Name: "pairs", Text: "cancelling pairs x, -x, and a small rest", fill: fillPairs},
		{Name: "cond", Text: "large condition number: the last leaf cancels the sum of the others", fill: fillCond},
		{Name: "ties", Text: "sums that fall half way between two numbers, of both parities", fill: fillTies},
		{Name: "pow2", Text: "powers of two and their neighbours", fill: fillPow2},
		{Name: "subnormal", Text: "subnormals and the least normals", fill: fillSubnormal},
		{Name: "overflow", Text: "sums near the largest finite number", fill: fillOverflow},
		{Name: "integers", Text: "integers with the sum of magnitudes at most 2^P", fill: fillIntegers, Exact: true},
		{Name: "mask", Text: "ones, with +M and -M that swamp what is added between them", fill: fillMask},
		{Name: "sparse", Text: "signed zeros but for a few leaves", fill: fillSparse},
		{Name: "special", Text: "NaNs, infinities, zeros and extremes among ordinary leaves", fill: fillSpecial, Special: true},
		{Name: "planted", Text: "one leaf 1 and the others u, the worst case of recursive summation", fill: fillPlanted},
		{Name: "balanced", Text: "leaf i is u^popcount(i), the worst case of balanced trees", fill: fillBalanced},
		{Name: "constant", Text: "all leaves equal", fill: fillConstant},
		{Name: "geometric", Text: "growing or shrinking magnitudes", fill: fillGeometric},
		{Name: "zeros", Text: "positive and negative zeros", fill: fillZeros, Exact: true},
		{Name: "bits", Text: "random finite encodings", fill: fillBits},
		{Name: "kahan", Text: "the pieces of the worst known inputs of Kahan's sum", fill: fillKahan},
		{Name: "nearties", Text: "the exact result lies off a tie by less than binary64 shows", fill: fillNearTies},
		{Name: "tower", Text: "powers of u of several orders that cancel down to the smallest", fill: fillTower},
		{Name: "edge", Text: "differences that are subnormal, of leaves that are not", fill: fillEdge},
		{Name: "opposed", Text: "numbers near the largest of one sign, then as many of the other: runs of any length overflow by themselves", fill: fillOpposed, Beyond: true},
		{Name: "ladder", Text: "all exponents from the largest down to the least, and back with the other sign: the largest condition numbers", fill: fillLadder, Beyond: true},
	}
)

func init() {
	for i := range All {
		FamilyByName[All[i].Name] = &All[i]
	}
}

// FamilyNames returns the names of all families, in the order of the table.
func FamilyNames() []string {
	names := make([]string, len(All))
	for i := range All {
		names[i] = All[i].Name
	}
	return names
}

// DrawnNames returns the names of the families that draws go through: all but those beyond them.
func DrawnNames() []string {
	var names []string
	for i := range All {
		if !All[i].Beyond {
			names = append(names, All[i].Name)
		}
	}
	return names
}

// window returns the exponent window of parameters a and b: a places it, b gives its width.
func (g *Generator) window() (lo, width int) {
	lo, hi := g.midRange()
	width = min(g.B%(2*g.F.P+4), hi-lo) + 1
	return exponent(g.A, lo, hi-width+1), width
}

func fillWindow(g *Generator) {
	lo, width := g.window()
	for i := range g.x {
		r := g.Rng.Next()
		hi, _ := bits.Mul64(r<<8, uint64(width))
		g.x[i] = g.Enc(r>>63, lo+int(hi), r)
	}
}

func fillOneSign(g *Generator) {
	fillWindow(g)
	keep, neg := g.Sign-1, uint64(g.A&1)*g.Sign
	for i := range g.x {
		g.x[i] = g.x[i]&keep | neg
	}
	if g.y != nil {
		g.dotFilled = true
		one := g.Rng.Next()
		for i := range g.y {
			r := g.Rng.Next()
			g.y[i] = g.Enc(one, -int(r>>62), r)
		}
	}
}

func fillUnit(g *Generator) {
	for i := range g.x {
		r := g.Rng.Next()
		g.x[i] = g.Enc(r>>63, -1-bits.TrailingZeros64(r|1<<20), r>>1)
	}
}

func fillPairs(g *Generator) {
	fillWindow(g)
	for i := 1; i < len(g.x); i += 2 {
		g.x[i] = g.x[i-1] ^ g.Sign
	}
	if g.B&1 == 0 { // a rest that survives
		r := g.Rng.Next()
		lo, _ := g.window()
		g.x[len(g.x)-1] = g.Enc(r>>63, lo-g.F.P/2, r)
	}
	if g.y != nil {
		g.dotFilled = true
		for i := range g.y {
			if i%2 == 1 {
				g.y[i] = g.y[i-1]
				continue
			}
			r := g.Rng.Next()
			g.y[i] = g.Enc(r>>63, -int(r>>62), r)
		}
	}
	if g.B&2 == 0 {
		g.shuffle()
	}
}

func fillCond(g *Generator) {
	lo, width := g.window()
	if g.y != nil {
		g.dotFilled = true
		one := g.Enc(0, 0, 0)
		for i := range g.y {
			g.y[i] = one
			if g.B&1 == 0 && i != len(g.y)-1 {
				r := g.Rng.Next()
				g.y[i] = g.Enc(r>>63, -int(r>>63), r)
			}
		}
	}
	var sum float64
	for i := range g.x {
		r := g.Rng.Next()
		hi, _ := bits.Mul64(r<<8, uint64(width))
		g.x[i] = g.Enc(r>>63, lo+int(hi), r)
		// Several leaves, not the last alone, chase the sum, so that it shrinks by stages.
		if i == len(g.x)-1 || g.A&1 == 0 && i%7 == 6 {
			g.x[i] = g.float(-sum)
			if g.y != nil {
				g.y[i] = g.Enc(0, 0, 0)
			}
		}
		t := g.value(g.x[i])
		if g.y != nil {
			t = float64(t * g.value(g.y[i]))
		}
		sum += t
	}
}

func fillTies(g *Generator) {
	e, _ := g.midRange()
	e = max(e+g.F.P+1, exponent(g.A, e, g.F.Emax/2))
	// Leaves are odd multiples of half a unit beside numbers of P bits.
	half := e - g.F.P
	for i := range g.x {
		r := g.Rng.Next()
		if i == 0 || r>>60 == 0 {
			g.x[i] = g.Num(r>>63*uint64(g.B&1), 1<<(g.F.P-1)|r&g.Frac&0xf, half+1)
			continue
		}
		m := uint64(1)
		if g.B&2 != 0 {
			m = 2*(r>>8&3) + 1
		}
		g.x[i] = g.Num(r>>62*uint64(g.B>>2&1), m, half)
	}
	if g.B&8 != 0 {
		g.shuffle()
	}
	if g.y != nil {
		g.ones()
	}
}

// ones makes the second factors ones, so that the products are the leaves.
func (g *Generator) ones() {
	g.dotFilled = true
	one := g.Enc(0, 0, 0)
	for i := range g.y {
		g.y[i] = one
	}
}

func fillPow2(g *Generator) {
	lo, width := g.window()
	for i := range g.x {
		r := g.Rng.Next()
		e := lo + int(r>>16%uint64(width))
		switch r >> 8 % 4 {
		case 0, 1:
			g.x[i] = g.Enc(r, e, 0)
		case 2:
			g.x[i] = g.Enc(r, e, 1)
		default:
			g.x[i] = g.Enc(r, e, g.Frac)
		}
	}
}

func fillSubnormal(g *Generator) {
	top := g.F.MinNormalBits() << (g.A % 4) // subnormals alone, or with a few binades above
	for i := range g.x {
		r := g.Rng.Next()
		hi, _ := bits.Mul64(r, min(top, g.Top))
		g.x[i] = hi
		if g.B&1 == 0 {
			g.x[i] |= r & 1 * g.Sign
		}
	}
	if g.y != nil {
		g.dotFilled = true
		for i := range g.y {
			r := g.Rng.Next()
			if g.B&2 == 0 { // products that are subnormal though their factors are not
				g.x[i] = g.Enc(r>>61, g.F.Emin/2+int(r>>8&3), r)
				g.y[i] = g.Enc(r>>62, g.F.Emin/2+int(r>>16&3)-int(r>>24%uint64(g.F.P+2)), r>>32)
				continue
			}
			g.y[i] = g.Enc(r>>63, int(r>>61&1), r)
		}
	}
}

func fillOverflow(g *Generator) {
	big := 1 + g.B%4
	spread := bits.Len(uint(g.n))
	for i := range g.x {
		r := g.Rng.Next()
		e := g.F.Emax - int(r>>8&1)
		if g.A&1 == 0 { // many terms of the same size rather than a few large ones
			e -= spread - int(r>>16&1)
		} else if i >= big {
			e = g.F.Emax - g.F.P - int(r>>16&7)
		}
		g.x[i] = g.Enc(r>>63*uint64(g.A>>1&1), e, r)
	}
	g.shuffle()
	if g.y != nil && g.B&16 == 0 {
		g.ones()
	}
}

func fillIntegers(g *Generator) {
	limit := uint64(1) << g.F.P // the sum of magnitudes stays at most this
	if g.F.Emax < g.F.P {
		limit = 1 << g.F.Emax
	}
	if g.y != nil {
		g.integerProducts(limit)
		return
	}
	each, large, room := limit/uint64(g.n), limit/8, limit
	if g.squares { // the squares' sum is limited
		each, large = Sqrt(each), Sqrt(large)
	}
	for i := range g.x {
		r := g.Rng.Next()
		var m uint64
		switch g.B % 5 {
		case 0: // all magnitudes alike
			m = min(1, each)
		case 1:
			hi, _ := bits.Mul64(r<<8, each+1)
			m = hi
		case 2: // a power of two each, so that a lost leaf can be read off
			m = 1 << (i % g.F.P)
		case 3: // few, large
			if r>>8%uint64(g.n) < 4 {
				hi, _ := bits.Mul64(r<<8, large)
				m = hi
			}
		default:
			m = uint64(i + 1)
		}
		if each == 0 && m == 0 && g.B%5 == 0 && room > 0 {
			m = 1
		}
		if g.squares {
			m = min(m, Sqrt(room))
			room -= m * m
		} else {
			m = min(m, room)
			room -= m
		}
		g.x[i] = g.Num(r>>63*uint64(g.A&1), m, 0)
	}
	if g.A&2 != 0 {
		g.shuffle()
	}
}

// Sqrt returns the largest integer whose square is at most n, for n below 2^62.
func Sqrt(n uint64) uint64 {
	r := uint64(math.Sqrt(float64(n)))
	for r*r > n {
		r--
	}
	return r
}

// integerProducts fills both factors with integers whose products' magnitudes sum to at most limit.
func (g *Generator) integerProducts(limit uint64) {
	g.dotFilled = true
	each := limit / uint64(g.n)
	side := max(1, uint64(math.Sqrt(float64(each)))) // side² is at most about each
	room := limit
	for i := range g.x {
		r := g.Rng.Next()
		a, b := 1+r>>8%side, 1+r>>32%side
		if a*b > room {
			a, b = 0, 0
		}
		if g.B%5 == 0 {
			a = min(a, 1)
			b = a
		}
		room -= a * b
		g.x[i] = g.Num(r>>63*uint64(g.A&1), a, 0)
		g.y[i] = g.Num(r>>62*uint64(g.A>>1&1), b, 0)
	}
}

func fillMask(g *Generator) {
	one := g.Enc(0, 0, 0)
	for i := range g.x {
		g.x[i] = one
	}
	m := g.Enc(0, min(g.F.Emax-1, g.F.P+g.B%8), 0)
	if g.y != nil {
		g.ones()
	}
	if len(g.x) >= 2 {
		i := g.A * (len(g.x) - 1) / 255
		j := g.Rng.Below(len(g.x) - 1)
		if j >= i {
			j++
		}
		g.x[i], g.x[j] = m, m^g.Sign
	}
}

func fillSparse(g *Generator) {
	for i := range g.x {
		g.x[i] = g.Rng.Next() & 1 * g.Sign * uint64(g.B&1)
	}
	lo, width := g.window()
	for range 1 + g.B%5 {
		r := g.Rng.Next()
		g.x[g.Rng.Below(len(g.x))] = g.Enc(r>>63, lo+int(r>>40%uint64(width)), r)
	}
}

func fillSpecial(g *Generator) {
	if g.A&7 == 7 { // nothing finite at all
		for i := range g.x {
			g.x[i] = g.special(g.B)
		}
		return
	}
	fillWindow(g)
	for range 1 + g.A&3 {
		g.x[g.Rng.Below(len(g.x))] = g.special(g.B)
	}
	if g.y != nil {
		g.companion()
		g.dotFilled = true
		if g.B&32 != 0 { // 0·inf
			i := g.Rng.Below(len(g.x))
			g.x[i], g.y[i] = uint64(g.A&1)*g.Sign, g.special(1)
			if g.B&128 != 0 {
				g.x[i], g.y[i] = g.y[i], g.x[i]
			}
		}
		if g.B&64 != 0 {
			g.y[g.Rng.Below(len(g.y))] = g.special(g.B)
		}
	}
}

// special returns one special datum; b chooses which kinds may come.
func (g *Generator) special(b int) uint64 {
	r := g.Rng.Next()
	inf := g.Top
	if g.F.HasInf {
		inf = g.F.InfBits()
	}
	switch b % 6 {
	case 0:
		return g.F.NaNBits() | r&1*g.Sign
	case 1:
		return inf // one sign only
	case 2:
		return inf | r&1*g.Sign
	case 3:
		return inf | g.Sign
	case 4:
		return []uint64{0, g.Sign, g.Top, g.Top | g.Sign, 1, g.F.MinNormalBits()}[r%6]
	}
	switch r >> 8 % 4 {
	case 0:
		return g.F.NaNBits()
	case 1:
		return g.Top | r&1*g.Sign
	default:
		return inf | r&1*g.Sign
	}
}

func fillPlanted(g *Generator) {
	lo, hi := g.midRange()
	e := exponent(g.A, min(lo+2*g.F.P+2, hi), hi)
	// Blocks of 2^part such leaves sum to u each.
	part := [...]int{0, 0, 3, 6}[g.B>>6&3]
	small := g.Enc(0, e-g.F.P-part, 0)
	switch g.B & 3 {
	case 1: // u(1+2u): each addition of it to 1 rounds up
		small = g.Enc(0, e-g.F.P-part, 1)
	case 2: // u(1-u): each rounds down
		small = g.Enc(0, e-g.F.P-part-1, g.Frac)
	}
	for i := range g.x {
		g.x[i] = small
	}
	at := 0
	switch g.B >> 2 & 3 {
	case 1:
		at = len(g.x) - 1
	case 2:
		at = g.Rng.Below(len(g.x))
	}
	g.x[at] = g.Enc(0, e, 0)
	if g.B&16 != 0 {
		g.x[at] = g.Enc(0, e, 1) // an odd significand: ties go up
	}
	if g.B&32 != 0 {
		for i := range g.x {
			g.x[i] |= g.Sign
		}
	}
	if g.y != nil {
		g.ones()
	}
}

func fillBalanced(g *Generator) {
	_, hi := g.midRange()
	for i := range g.x {
		k := bits.OnesCount(uint(i))
		if g.B&1 != 0 {
			k = bits.OnesCount(uint(len(g.x) - 1 - i))
		}
		if e := hi - k*g.F.P; e >= g.F.Emin {
			g.x[i] = g.Enc(uint64(g.B>>1), e, 0)
		} else {
			g.x[i] = 0
		}
	}
	if g.y != nil {
		g.ones()
	}
}

func fillConstant(g *Generator) {
	lo, _ := g.window()
	r := g.Rng.Next()
	c := g.Enc(r>>63*uint64(g.B&1), lo, r)
	switch g.B >> 1 & 3 {
	case 0:
		c = g.Enc(0, 0, 0)
	case 1:
		c = g.float(1.0 / 255)
	}
	for i := range g.x {
		g.x[i] = c
	}
	if g.y != nil && g.B&8 == 0 {
		g.dotFilled = true
		copy(g.y, g.x)
	}
}

func fillGeometric(g *Generator) {
	lo, hi := g.midRange()
	step := 1 + g.B%3
	for i := range g.x {
		r := g.Rng.Next()
		e := lo + i*step%(hi-lo+1)
		if g.A&1 != 0 {
			e = hi - i*step%(hi-lo+1)
		}
		frac := r
		if g.A&2 != 0 {
			frac = 0
		}
		g.x[i] = g.Enc(uint64(i)*uint64(g.A>>2&1)|r>>63*uint64(g.A>>3&1), e, frac)
	}
}

func fillZeros(g *Generator) {
	for i := range g.x {
		switch g.B % 3 {
		case 0:
			g.x[i] = g.Sign
		case 1:
			g.x[i] = g.Rng.Next() & 1 * g.Sign
		default:
			g.x[i] = 0
		}
	}
	if g.y != nil {
		g.ones()
	}
}

func fillBits(g *Generator) {
	top := g.Top + 1
	for i := range g.x {
		r := g.Rng.Next()
		hi, _ := bits.Mul64(r, top)
		g.x[i] = hi | r&1*g.Sign
	}
}

func fillKahan(g *Generator) {
	lo, hi := g.midRange()
	e := exponent(g.A, min(lo+3*g.F.P, hi), hi)
	u := g.F.P
	for i := range g.x {
		r := g.Rng.Next()
		k := e + int(r>>50&3) - 1
		small := r >> 40 & 7
		switch r >> 8 % 8 {
		case 0:
			g.x[i] = g.Num(0, 3, k-u-2) // 3u/4
		case 1:
			g.x[i] = g.Enc(0, k-2, 5) // 1/4 and a few ulp
		case 2:
			g.x[i] = g.Enc(0, k-1, g.Frac) // 1-u
		case 3:
			g.x[i] = g.Enc(1, k-u, 0) // -u
		case 4:
			g.x[i] = g.Enc(r>>20, k-u-int(small), small)
		case 5:
			g.x[i] = g.Enc(r>>20&uint64(g.B&1), k-int(small), g.Frac-small)
		case 6:
			g.x[i] = g.Enc(r>>20&uint64(g.B&1), k-int(small), small)
		default:
			g.x[i] = g.Enc(r>>20&uint64(g.B&1), k-int(r>>32%uint64(2*u)), r>>12)
		}
	}
	if g.y != nil && g.B&2 == 0 {
		g.ones()
	}
}

// fillNearTies plants a number of P bits, half its unit in the last place, and something far smaller
// of either sign, among zeros or cancelling pairs. For dot products the half unit is a product that
// falls short of it by its last bit: (1+2u)(1-2u) = 1-4u².
func fillNearTies(g *Generator) {
	for i := range g.x {
		g.x[i] = 0
	}
	lo, hi := g.midRange()
	e := exponent(g.A, min(lo+2*g.F.P, hi), hi)
	r := g.Rng.Next()
	if g.B&1 != 0 && len(g.x) > 3 {
		for i := 3; i+1 < len(g.x); i += 2 {
			q := g.Rng.Next()
			g.x[i] = g.Enc(q>>63, e-int(q>>58&15), q)
			g.x[i+1] = g.x[i] ^ g.Sign
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
	put(0, g.Enc(r>>63, e, r))
	put(1, g.Enc(r>>62, e-g.F.P, 0))
	if g.y != nil && g.B&2 != 0 && len(g.x) > 1 {
		g.x[1] = g.Enc(r>>62, e-g.F.P, 1)
		g.y[1] = g.Enc(0, -1, g.Frac-1)
	} else {
		tiny := e - g.F.P - 30 - int(r>>32&63)
		if g.y != nil && len(g.x) > 2 { // a product reaches lower than a factor
			g.y[2] = g.Enc(0, max(tiny/2, g.F.Emin), 0)
			tiny -= max(tiny/2, g.F.Emin)
		}
		put(2, g.Enc(r>>61, max(tiny, g.F.Emin), r>>8))
	}
	if g.B&4 != 0 {
		g.shuffle()
	}
}

// fillTower plants u^k for k = 0 to depth, and the negatives of all but the smallest, among zeros:
// a compensated sum keeps the smallest only if its order is high enough.
func fillTower(g *Generator) {
	for i := range g.x {
		g.x[i] = 0
	}
	lo, hi := g.midRange()
	depth := 2 + g.B%4
	for depth > 1 && hi-depth*g.F.P < lo {
		depth--
	}
	e := exponent(g.A, lo+depth*g.F.P, hi)
	put := func(i int, b uint64) {
		if i < len(g.x) {
			g.x[i] = b
		}
	}
	for k := 0; k <= depth; k++ {
		r := g.Rng.Next()
		b := g.Enc(0, e-k*g.F.P, r*uint64(g.B>>3&1))
		put(k, b)
		if k < depth {
			put(depth+1+k, b^g.Sign)
		}
	}
	if g.B>>4&3 == 3 {
		g.shuffle()
	}
	if g.y != nil {
		g.ones()
	}
}

func fillEdge(g *Generator) {
	least := g.F.MinNormalBits()
	for i := range g.x {
		r := g.Rng.Next()
		// Numbers of the lowest binades whose differences are a few units in the last place.
		g.x[i] = min(least+r>>8%16+r>>60&1*least, g.Top)
		if i%2 == 1 || g.B&1 != 0 && r&1 != 0 {
			g.x[i] |= g.Sign
		}
	}
	if g.B&2 != 0 {
		g.shuffle()
	}
	if g.y != nil {
		g.ones()
	}
}

// fillOpposed fills halves, or runs of a power of two, of opposite signs that cancel; a last odd leaf stays. Half of the vectors hold the
// largest number alone; others lie up to 2^15 below it, so that short runs do not overflow.
func fillOpposed(g *Generator) {
	n := len(g.x)
	run := max(1, n/2)
	if g.A&1 != 0 {
		run = 1 << (g.A >> 1 % bits.Len(uint(run)))
	}
	leaf := func() uint64 {
		r := g.Rng.Next()
		if g.B&1 == 0 {
			return g.Top
		}
		return g.Enc(0, g.F.Emax-g.B>>1&15-int(r>>63), r)
	}
	pair := func(i, j int) {
		b := leaf()
		g.x[i], g.x[j] = b, b|g.Sign
	}
	i := 0
	for ; i+2*run <= n; i += 2 * run {
		for j := range run {
			pair(i+j, i+j+run)
		}
	}
	for ; i+2 <= n; i += 2 {
		pair(i, i+1)
	}
	if i < n {
		g.x[i] = leaf()
	}
	if g.A&128 != 0 {
		for i := range g.x {
			g.x[i] ^= g.Sign
		}
	}
	if g.y != nil {
		g.ones()
	}
}

// fillLadder fills exponents from the largest that sums leave room for down to the least, one leaf about the least normal number, and
// the same exponents with the other sign, up again or down again.
func fillLadder(g *Generator) {
	_, hi := g.midRange()
	rungs := (len(g.x) - 1) / 2
	clear(g.x)
	if g.y != nil {
		g.ones()
	}
	for i := range rungs {
		r := g.Rng.Next()
		if g.B&1 == 0 {
			r = 0
		}
		b := g.Enc(uint64(g.B>>1), hi-i*(hi-g.F.Emin)/rungs, r)
		j := len(g.x) - 1 - i
		if g.A&1 != 0 {
			j = rungs + 1 + i
		}
		g.x[i], g.x[j] = b, b^g.Sign
		if g.y != nil && g.A&2 != 0 {
			g.y[i] = g.Enc(0, -int(r>>58&7), 0)
			g.y[j] = g.y[i]
		}
	}
	g.x[rungs] = g.Enc(uint64(g.B>>2), g.F.Emin+g.B>>4, g.Rng.Next())
	if g.A&4 != 0 {
		g.shuffle()
	}
}
