package families

import "slices"

// Formulas lists the families of rows that kernels of formulas are given, beside those of Families that they name.
func Formulas() []Family { return slices.Clone(formulas) }

// formulas is the table of families for formulas: what shows a fault of a softmax, a norm or an activation is not what shows one of a sum.
var formulas = []Family{
	{Name: "normal", Text: "normally distributed, deviation 1", fill: func(g *Generator) { g.normals(0, 0) }, Random: true},
	{Name: "shifted", Text: "normally distributed about 60 to 128 or their negatives, where exp overflows or underflows", fill: fillShifted},
	{Name: "peak", Text: "normally distributed, and one element 30, 60 or 90", fill: fillPeak},
	{Name: "offset", Text: "normally distributed about a mean of 10 to 4096", fill: fillOffset},
	{Name: "narrow", Text: "deviation 2^-10, about 0, 1 or 10", fill: fillNarrow},
	{Name: "knees", Text: "magnitudes near those at which elementary functions change: 2^-20, 0.01, 1, 4, 9, 88", fill: fillKnees},
	{Name: "opposites", Text: "normally distributed pairs x, -x", fill: fillOpposites},
	{Name: "tied", Text: "few different numbers, so that the greatest is there several times", fill: fillTied},
	{Name: "small", Text: "integers of magnitude 1 to 16", fill: fillSmall, Exact: true},
	{Name: "onehot", Text: "zeros, and one element 1, 16 or 0.1", fill: fillOneHot},
	{Name: "masked", Text: "-inf in the place of all, all but one, a half or every other element", fill: fillMasked, Special: true},
	{Name: "nonfinite", Text: "normally distributed, with a few NaNs or infinities", fill: fillNonFinite, Special: true},
}

func init() {
	for i := range formulas {
		FamilyByName[formulas[i].Name] = &formulas[i]
	}
}

// normalBits are the bits after the point of normals.
const normalBits = 20

// normal returns a number whose distribution is nearly normal, with mean 0 and deviation 1, in units of 2^-normalBits: the sum of
// twelve uniform ones, less 6.
func (g *Generator) normal() int64 {
	s := int64(-6 << normalBits)
	for range 4 {
		r := g.Rng.Next()
		s += int64(r&0xfffff + r>>20&0xfffff + r>>40&0xfffff)
	}
	return s
}

// fixed returns v·2^e truncated to the format.
func (g *Generator) fixed(v int64, e int) uint64 {
	if v < 0 {
		return g.Num(1, uint64(-v), e)
	}
	return g.Num(0, uint64(v), e)
}

// normals fills the row with numbers about mean, of deviation 2^scale.
func (g *Generator) normals(mean int64, scale int) {
	e := scale - normalBits
	for i := range g.x {
		g.x[i] = g.fixed(mean<<(normalBits-scale)+g.normal(), e)
	}
}

func fillShifted(g *Generator) { g.normals([...]int64{95, 88, -95, 60, 100, 128, -104}[g.A%7], 0) }

func fillOffset(g *Generator) { g.normals([...]int64{10, 100, 1000, -1000, 4096}[g.A%5], 0) }

func fillNarrow(g *Generator) { g.normals([...]int64{0, 0, 1, 10}[g.A%4], -10) }

func fillPeak(g *Generator) {
	g.normals(0, 0)
	g.x[g.place()] = g.fixed([...]int64{30, 60, 90}[g.B%3], 0)
}

// place returns the first place, the last, or any.
func (g *Generator) place() int {
	return [...]int{0, len(g.x) - 1, g.Rng.Below(len(g.x)), g.Rng.Below(len(g.x))}[g.A%4]
}

func fillKnees(g *Generator) {
	// In units of 2^-normalBits.
	knees := [...]int64{1, 1 << normalBits / 100, 1 << normalBits, 4 << normalBits, 9 << normalBits, 88 << normalBits}
	for i := range g.x {
		k := knees[g.A%8%len(knees)]
		if g.A%8 >= len(knees) { // all at once
			k = knees[g.Rng.Below(len(knees))]
		}
		r := g.Rng.Next()
		g.x[i] = g.fixed(k<<16+(k<<8>>8)*(int64(r&0x3fff)-0x2000), -normalBits-16) | r>>63*g.Sign
	}
}

func fillOpposites(g *Generator) {
	g.normals([...]int64{0, 0, 100}[g.A%3], 0)
	for i := 1; i < len(g.x); i += 2 {
		g.x[i] = g.x[i-1] ^ g.Sign
	}
	if g.B&1 == 0 {
		g.shuffle()
	}
}

func fillTied(g *Generator) {
	g.normals(0, 0)
	for i := 1 + g.A%3; i < len(g.x); i++ {
		g.x[i] = g.x[g.Rng.Below(1+g.A%3)]
	}
}

func fillSmall(g *Generator) {
	most := [...]int{1, 3, 8, 16}[g.A%4]
	for i := range g.x {
		g.x[i] = g.fixed(int64(g.Rng.Below(2*most+1)-most), 0)
	}
}

func fillOneHot(g *Generator) {
	clear(g.x)
	g.x[g.place()] = [...]uint64{g.fixed(1, 0), g.fixed(16, 0), g.float(0.1)}[g.B%3]
}

// negativeInfinity returns -inf, or the least number of a format that has no infinities.
func (g *Generator) negativeInfinity() uint64 {
	if g.F.HasInf {
		return g.F.InfBits() | g.Sign
	}
	return g.Top | g.Sign
}

func fillMasked(g *Generator) {
	g.normals(0, 0)
	keep := g.place()
	for i := range g.x {
		if [...]bool{true, i != keep, 2*i >= len(g.x), i&1 != 0}[g.B%4] {
			g.x[i] = g.negativeInfinity()
		}
	}
}

func fillNonFinite(g *Generator) {
	g.normals(0, 0)
	for range 1 + g.A%4 {
		g.x[g.Rng.Below(len(g.x))] = g.special(g.B)
	}
}
