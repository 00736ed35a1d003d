package words

import (
	"slices"
	"strconv"

	"gamma/corpus"
	"gamma/model/word"
	"gamma/props/internal/draw"
	"gamma/props/internal/families"
)

// WordRecipe is the few small draws that expand, by a local generator, into a batch of rows. The same recipe gives the same bits
// on every machine.
type WordRecipe struct {
	Family string // one of WordFamilies
	Rows   int
	A, B   uint8 // parameters, with a meaning of its own in each family
	Seed   uint64
}

// String returns the recipe as reports write it: "cancel rows=256 a=3 b=200 seed=7"; "" of none.
func (r WordRecipe) String() string {
	if r.Family == "" {
		return ""
	}
	b := append([]byte(r.Family), " rows="...)
	b = strconv.AppendInt(b, int64(r.Rows), 10)
	b = strconv.AppendUint(append(b, " a="...), uint64(r.A), 10)
	b = strconv.AppendUint(append(b, " b="...), uint64(r.B), 10)
	return string(strconv.AppendUint(append(b, " seed="...), r.Seed, 10))
}

// WordFamily is a way to draw rows: high words first, then the low words that go with them.
type WordFamily = families.RowsOf[*wordGenerator]

// wordFamilies are the families, in the order in which laws draw from them.
var wordFamilies = []WordFamily{
	{Name: "near", Text: "magnitudes around 1, any bits", Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.near, lowAny) }},
	{Name: "window", Text: "exponents from a window of any width", Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.window, lowAny) }},
	{Name: "powers", Text: "neighbours of powers of two", Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.power, lowEdge) }},
	{Name: "ties", Text: "low words of half an ulp, high words even; few bits", Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.few, lowTie) }},
	{Name: "alone", Text: "low words zero, one half of them", Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.mixed, lowZero) }},
	{Name: "few", Text: "few bits in every word", Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.few, lowFew) }},
	{Name: "runs", Text: "long runs of ones and zeros", Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.run, lowEdge) }},
	{Name: "cancel", Text: "second operands that nearly cancel the first", Draw: (*wordGenerator).cancel},
	{Name: "spread", Text: "second operands far below the first, low words far below high ones", Draw: (*wordGenerator).spread},
	{Name: "integers", Text: "small integers", Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.integer, lowZero) }},
	{Name: "halfway", Text: "first words whose product lies in the middle between two numbers, all else far below", Draw: (*wordGenerator).halfway},
	{Name: "extreme", Text: "low words next to half an ulp, high words next to a power of two or to a short number", Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.mixed, lowEdge) }},
	{Name: "edges", Text: "subnormal numbers, and both ends of the range", Special: true, Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.edge, lowAny) }},
	{Name: "specials", Text: "NaNs, infinities and zeros among numbers", Special: true, Draw: (*wordGenerator).specials},
	{Name: "unnormalised", Text: "low words of half an ulp, high words odd", Special: true, Draw: func(g *wordGenerator, row []uint64) { g.each(row, g.odd, lowOdd) }},
}

// WordFamilies returns the families of rows.
func WordFamilies() []WordFamily { return slices.Concat(wordFamilies, beyondFamilies) }

var wordFamilyByName = families.ByName(wordFamilies, beyondFamilies)

// The families of laws about numbers, about the ends of the range, about special values, and of those that want all.
var (
	numberFamilies    = families.NamesOf(wordFamilies, false)
	transformFamilies = append(append([]string(nil), numberFamilies...), "edges")
	sumFamilies       = append(append(append([]string(nil), numberFamilies...), numberFamilies...), "edges") // the ends are costly to judge
	specialFamilies   = []string{"specials", "specials", "edges", "edges", "unnormalised", "near"}
	edgeFamilies      = []string{"edges", "edges", "window", "spread", "cancel", "near"}
	allWordFamilies   = families.NamesOf(wordFamilies, true)
)

// How low words are drawn for high ones.
type lowKind uint8

const (
	lowAny  lowKind = iota // any exponent below half an ulp, often just below
	lowEdge                // half an ulp less little
	lowTie                 // half an ulp, of even numbers
	lowOdd                 // half an ulp, of all
	lowZero                // zero, one time in two
	lowFew                 // few bits
)

// wordGenerator makes the rows of one recipe.
type wordGenerator struct {
	families.Generator
	op    word.Op
	words []int
	ord   bool // operands want order
	mask  uint64
	reach int // how far apart the exponents of operands may be: sums have three words' widths, products less
}

// WordExpander expands recipes into memory that it keeps.
type WordExpander struct {
	bits []uint64
	v    corpus.Values
	g    wordGenerator
}

// Expand returns the rows of a recipe; they are valid until the next call.
func (e *WordExpander) Expand(r WordRecipe, p *Subject) corpus.Values {
	g := &e.g
	g.Generator = families.NewGenerator(&families.Recipe{Family: r.Family, N: r.Rows, A: r.A, B: r.B, Seed: r.Seed}, p.Format)
	if g.op != p.Claim.Op || g.words == nil {
		g.op, g.words = p.Claim.Op, p.Claim.Op.Operands()
	}
	g.ord = p.Alg != nil && p.Alg.Ordered
	g.mask, g.reach = g.Frac, 3*g.F.P
	if g.op.Function == word.Product || g.op.Function == word.ComplexProduct {
		g.reach = g.F.P / 2
	}
	n := g.op.In()
	e.bits = draw.Grow(e.bits, r.Rows*n)
	draw := wordFamilyByName[r.Family].Draw
	for i := range r.Rows {
		row := e.bits[i*n : (i+1)*n]
		draw(g, row)
		g.fix(row)
	}
	e.v = families.Store(e.v, e.bits, p.Format)
	return e.v
}

// fix makes roots have operands that are not negative, but for one row in 16, and orders operands that want it, but for one in 8.
func (g *wordGenerator) fix(row []uint64) {
	switch {
	case g.op.Function == word.Root:
		if row[0]&g.Sign != 0 && g.Rng.Next()>>60 != 0 {
			for i := range row {
				row[i] ^= g.Sign
			}
		}
	case g.ord && len(row) == 2:
		if row[0]&^g.Sign < row[1]&^g.Sign && g.Rng.Next()>>61 != 0 {
			row[0], row[1] = row[1], row[0]
		}
	}
}

// each draws every operand of a row alone.
func (g *wordGenerator) each(row []uint64, high func(r uint64) uint64, low lowKind) {
	k := 0
	for _, n := range g.words {
		row[k] = high(g.Rng.Next())
		for j := 1; j < n; j++ {
			row[k+j] = g.low(row[k+j-1], low)
		}
		k += n
	}
}

// fields of an encoding
func (g *wordGenerator) field(b uint64) int { return int(b &^ g.Sign >> g.Shift) }

// make returns ±1.frac·2^e, or the subnormal number that is left of it, or the largest number.
func (g *wordGenerator) make(neg uint64, e int, frac uint64) uint64 {
	frac &= g.mask
	if e < g.Emin {
		return g.Num(neg, 1<<g.Shift|frac, e-g.Shift)
	}
	return g.Enc(neg, e, frac)
}

// near: exponents -2 to 1, any bits.
func (g *wordGenerator) near(r uint64) uint64 { return g.Enc(r>>63, int(r>>60&3)-2, r) }

// window: exponents from a window whose width and centre are the recipe's parameters; one time in eight anywhere but at the ends.
func (g *wordGenerator) window(r uint64) uint64 {
	width := 2 + g.B>>2
	e := (g.A-128)*width/256 + int(r>>54&0xff)*width>>8 - width/2
	if r>>62 == 0 && g.A < 64 {
		e = (g.Emin + int(r>>54&0xff)*(g.Emax-g.Emin)>>8) / 2
	}
	return g.Enc(r>>53, e, r*0x9e3779b97f4a7c15>>11)
}

// small returns a number of 1 to shift bits, all lengths alike likely.
func (g *wordGenerator) small(r uint64) uint64 { return r & g.mask >> (g.place(r>>56) & 63) }

// place maps a byte to a place of the fraction, 0 to shift-1.
func (g *wordGenerator) place(b uint64) uint64 { return b & 0xff * uint64(g.Shift) >> 8 }

// power: 2^e and little more or less.
func (g *wordGenerator) power(r uint64) uint64 {
	b := uint64(g.Bias+int(r>>53&3)-1) << g.Shift
	d := g.small(r)
	if r>>52&1 != 0 {
		return b - d | r>>63*g.Sign
	}
	return b + d | r>>63*g.Sign
}

// few: one to three bits on top.
func (g *wordGenerator) few(r uint64) uint64 {
	f := uint64(1)<<(g.place(r)&63) | uint64(1)<<(g.place(r>>8)&63)
	if r>>16&3 == 0 {
		f = 0
	}
	if r>>18&1 == 0 { // an even last place
		f &^= 1
	}
	return g.Enc(r>>63, int(r>>53&3)-1, f)
}

// run: ones from a bit down to another.
func (g *wordGenerator) run(r uint64) uint64 {
	i, j := g.place(r), g.place(r>>8)
	f := (uint64(2)<<max(i, j) - 1) &^ (uint64(1)<<min(i, j) - 1)
	if r>>16&1 != 0 {
		f = ^f
	}
	return g.Enc(r>>63, int(r>>53&3)-1, f)
}

// integer: of 1 to 12 bits.
func (g *wordGenerator) integer(r uint64) uint64 {
	return g.Num(r>>63, r&0xfff>>(r>>16%12), 0)
}

// mixed draws from one of the kinds above.
func (g *wordGenerator) mixed(r uint64) uint64 {
	s := r * 0x9e3779b97f4a7c15
	s ^= s >> 32
	switch r >> 61 {
	case 0, 1:
		return g.near(s)
	case 2, 3, 4:
		return g.power(s)
	case 5:
		return g.few(s)
	case 6:
		return g.run(s)
	}
	// a short number and little more
	b := g.Enc(s>>63, int(s>>53&3)-1, s&^(uint64(1)<<(g.place(s>>8)&63)-1))
	return b + g.small(r)&0xff
}

// odd: a number whose last place is odd.
func (g *wordGenerator) odd(r uint64) uint64 { return g.mixed(r) | 1 }

// edge: subnormal, around the least normal number, or at the other end, or where products meet the ends.
func (g *wordGenerator) edge(r uint64) uint64 {
	neg := r >> 63
	switch r >> 59 & 15 {
	case 0, 1:
		return g.small(r) | neg*g.Sign
	case 2:
		return g.Frac + 1 + r&7 - 4 | neg*g.Sign
	case 3:
		return g.Top - g.small(r)&0xff>>(r>>40&4) | neg*g.Sign
	case 5, 6:
		return g.make(neg, g.Emin+int(r>>40&63), r)
	case 7:
		return g.make(neg, g.Emin/2+int(r>>40&63)-16, r)
	case 8:
		return g.make(neg, g.Emax/2+int(r>>40&7)-4, r)
	case 9:
		return g.make(neg, g.Emax-int(r>>40&63), r)
	case 10, 11:
		return g.make(neg, g.Emin+g.Shift+int(r>>40&7)-4, r)
	}
	return g.near(r)
}

// low returns a low word for a high one, so that both are a double word; for lowTie only if the high word's last place is even.
func (g *wordGenerator) low(h uint64, kind lowKind) uint64 {
	r := g.Rng.Next()
	neg := r >> 63
	field := g.field(h)
	if field == 0 || field > g.Emax+g.Bias {
		return 0
	}
	e := field - g.Bias - g.Shift - 1 // exponent of half an ulp
	// Below a power of two numbers are twice as dense.
	if h&g.mask == 0 && neg != h>>(g.F.Bits()-1) {
		e--
	}
	switch kind {
	case lowTie:
		if r>>61&1 == 0 && h&1 == 0 {
			return g.make(neg, e, 0)
		}
		return g.make(neg, e-1, r)
	case lowOdd:
		return g.make(neg, e, 0)
	case lowZero:
		if r>>62&1 == 0 {
			return 0
		}
	case lowFew:
		return g.make(neg, e-1-int(r>>58&7), uint64(1)<<(g.place(r)&63))
	case lowEdge:
		switch r >> 60 & 7 {
		case 0:
			return g.make(neg, e-1, 0)
		case 1:
			return 0
		}
		return g.make(neg, e-1, ^g.small(r))
	}
	switch r >> 60 & 7 {
	case 0:
		e -= int(r >> 54 & 31)
	case 1:
		e -= int(r >> 54 & 3)
	}
	return g.make(neg, e-1, r)
}

// cancel: y is near -x, or its high word far below and x's low word near minus it.
func (g *wordGenerator) cancel(row []uint64) {
	g.each(row, g.mixed, lowAny)
	if g.op.Y == 0 || g.op.Function == word.DotProduct {
		return
	}
	cut := g.op.Components() * g.op.X
	for c := range g.op.Components() {
		x, y := c*g.op.X, cut+c*g.op.Y
		r := g.Rng.Next()
		d := g.small(r) >> (r >> 40 & 15)
		b := row[x] ^ g.Sign
		if r>>63 == 0 {
			b += d
		} else {
			b -= d
		}
		if f := g.field(b); f == 0 || f > g.Emax+g.Bias {
			b = row[x]
		}
		row[y] = b
		if r>>62&1 == 0 && g.op.X > 1 { // what cancels is a low word
			row[y] = row[x+1] ^ g.Sign
		}
		if g.op.Y > 1 {
			row[y+1] = g.low(row[y], lowKind(r>>50%3))
		}
	}
}

// spread: the exponents of the operands differ widely, low words lie anywhere below.
func (g *wordGenerator) spread(row []uint64) {
	k := 0
	for i, n := range g.words {
		r := g.Rng.Next()
		e := int(r >> 60 & 3)
		if i > 0 {
			e -= int(r>>48&0xff) * g.reach >> 8
		}
		if r>>59&1 != 0 && i > 0 { // the first operand is the small one
			e = -e
		}
		row[k] = g.make(r>>63, e, draw.Mix(r))
		for j := 1; j < n; j++ {
			row[k+j] = g.low(row[k+j-1], lowAny)
			if r>>58&1 != 0 {
				row[k+j] = g.make(r>>57, e-g.F.P-2-int(r>>40&31), r)
			}
		}
		k += n
	}
}

// halfway: (1+2^-i)·(1+2^(i-P)) is half an ulp above a number and a bit; the other operands are small, and so are low words.
func (g *wordGenerator) halfway(row []uint64) {
	r := g.Rng.Next()
	i := 1 + int(g.place(r))
	k := 0
	for c, n := range g.words {
		s := g.Rng.Next()
		switch {
		case c == 0:
			row[k] = g.Enc(s>>63, 0, uint64(1)<<(g.Shift-i))
		case c == g.op.Components() && g.op.Y > 0:
			row[k] = g.Enc(s>>63, 0, uint64(1)<<((i-1)&63))
		default:
			row[k] = g.make(s>>63, -2-int(s>>40&0xff)*g.F.P>>7, s&^(1<<(g.place(s>>32)&63)-1))
		}
		for j := 1; j < n; j++ {
			row[k+j] = g.low(row[k+j-1], lowAny)
			if s>>62&1 == 0 {
				row[k+j] = 0
			}
		}
		k += n
	}
}

// specials: a NaN, an infinity or a zero in the place of some word.
func (g *wordGenerator) specials(row []uint64) {
	g.each(row, g.edge, lowAny)
	r := g.Rng.Next()
	for range 1 + r>>63 {
		r = draw.Mix(r)
		special := [...]uint64{g.F.InfBits(), g.F.InfBits() | g.Sign, g.F.NaNBits(), 0, g.Sign, g.F.InfBits() | 1, g.F.MaxBits(), g.F.MaxBits() | g.Sign}
		row[r%uint64(len(row))] = special[r>>60&7]
	}
}

// DrawRecipe makes a recipe of draws from any engine.
func DrawRecipe(families []string, place int, a, b uint8, seed, own uint64, rows int) WordRecipe {
	h := draw.Mix(seed ^ own ^ uint64(place)<<32)
	return WordRecipe{Family: families[place*len(families)>>16], Rows: rows, A: a ^ uint8(h), B: b ^ uint8(h>>8), Seed: h >> 20}
}
