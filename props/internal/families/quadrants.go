package families

import "math/bits"

func init() {
	// Not among formulas, from which each formula draws: what is drawn for others would change.
	FamilyByName[quadrants.Name] = &quadrants
	FamilyByName[consecutive.Name] = &consecutive
	FamilyByName[quarters.Name] = &quarters
	FamilyByName[hardest.Name] = &hardest
}

var quadrants = Family{Name: "quadrants", Text: "magnitudes beside multiples of π/4, of every exponent, and known hard cases of sin and cos", fill: fillQuadrants}

// Quadrants is the family for formulas with sin, cos or tan.
func Quadrants() Family { return quadrants }

var quarters = Family{Name: "quarters", Text: "magnitudes that are multiples of 1/4, and their neighbours", fill: fillQuarters}

// Quarters is the family for formulas with sinpi or cospi.
func Quarters() Family { return quarters }

var hardest = Family{Name: "hardest", Text: "magnitudes whose sin, cos, exp, log or tanh lies nearest to a tie between two numbers of binary32", fill: fillHardest}

// Hardest is the family for formulas whose functions are claimed to be correctly rounded.
func Hardest() Family { return hardest }

var consecutive = Family{Name: "consecutive", Text: "all numbers from one on, in the order of their encodings", fill: fillConsecutive, Special: true}

// Consecutive is the family for trying all: N numbers from encoding N·(256·A + B) on.
func Consecutive() Family { return consecutive }

func fillConsecutive(g *Generator) {
	for i := range g.x {
		g.x[i] = uint64(g.n*(g.A<<8|g.B)+i) & (g.Sign<<1 - 1)
	}
}

// nearest holds, for each exponent e from 0 to 127, the significand m of the binary32 number m·2^(e-23) that is nearest to a multiple of π/2, found by trying
// all: near π/2 itself the first ones, and 2^-29.2 from a multiple that with e = 95.
var nearest = [128]uint32{
	0xc90fdb, 0xc90fdb, 0x96cbe4, 0x96cbe4, 0x96cbe4, 0x96cbe4, 0x96cbe4, 0xfce5f1,
	0xfce5f1, 0xfce5f1, 0xfce5f1, 0x8be628, 0x8be628, 0x8be628, 0x8be628, 0xcd246f,
	0xcd246f, 0xcd246f, 0x82665e, 0x82665e, 0x82665e, 0xa562ae, 0xa562ae, 0xa562ae,
	0xf3b47b, 0xa332e9, 0xa332e9, 0xa332e9, 0x847661, 0x93d4a5, 0x93d4a5, 0x8ffd14,
	0xdbd32f, 0xffd274, 0xa3e87f, 0xa3e87f, 0xa3e87f, 0xa3e87f, 0xa3e87f, 0xa3e87f,
	0xb146a6, 0xb146a6, 0xb146a6, 0xb146a6, 0xb146a6, 0xf87577, 0xf87577, 0xf87577,
	0xb82989, 0xb82989, 0xdc36c9, 0xee3d69, 0xf740b9, 0xfbc261, 0xfe0335, 0xff239f,
	0xffb3d4, 0x87bcd0, 0x87bcd0, 0x87bcd0, 0x87bcd0, 0x87bcd0, 0x87bcd0, 0x87bcd0,
	0xe4112c, 0xe4112c, 0xab0ce1, 0xfc556b, 0xd3b126, 0xd3b126, 0xec1b4a, 0xec1b4a,
	0xe600c1, 0xae0733, 0xae0733, 0xae0733, 0x898498, 0x898498, 0x898498, 0x898498,
	0x898498, 0x898498, 0x898498, 0xc6e3bb, 0xc6e3bb, 0x9976f1, 0x9976f1, 0x9976f1,
	0x9976f1, 0xd5da58, 0xd5da58, 0xa063c2, 0x85a877, 0x85a877, 0x85a877, 0xf9be45,
	0xf9be45, 0xf9be45, 0xf9be45, 0xf9be45, 0xf9be45, 0xbfa09a, 0xbfa09a, 0xbfa09a,
	0xe61c18, 0xd2de59, 0xd2de59, 0xefa1dc, 0x949471, 0xd07ce8, 0xa426eb, 0xd84625,
	0xd84625, 0xd84625, 0xa8b883, 0xc07f54, 0xc07f54, 0x905f7f, 0xfccbab, 0x9675c0,
	0x9675c0, 0xec3305, 0xff01bd, 0xff01bd, 0xff01bd, 0xff01bd, 0xbdcda0, 0xbdcda0,
}

// hard are binary32 numbers m·2^e whose sine or cosine lies nearest to a tie between two such numbers, in the sources of CORE-MATH (sinf.c, cosf.c).
var hard = [...]struct {
	m uint32
	e int
}{
	{0x133333, 13 - 20},
	{0x175b8a2, -1 - 24},
	{0x14f0654, 0 - 24},
	{0x12d97c8, 3 - 24},
	{0x12d97c8, 2 - 24},
	{0x14555, 51 - 16},
	{0x148a858, 54 - 24},
	{0x13170f, 63 - 20},
	{0x12b9622, 67 - 24},
}

// tied are binary32 numbers m·2^e whose exponential, of -m·2^e, or logarithm, and last whose hyperbolic tangent lies within 2^-28 ulp of a tie between two
// such numbers, tanh within 2^-26, found by trying all that have a result other than 0, 1, an infinity or the number itself.
var tied = [...]struct {
	m uint32
	e int
}{
	{0x1d2259a, 3 - 24},
	{0x1917748, -100 - 24},
	{0x1390ff, -93 - 20},
	{0x122d57, -65 - 20},
	{0x198496e, -39 - 24},
	{0x1b97c7, -14 - 20},
	{0x1f0dde, -8 - 20},
	{0x1827a74, -7 - 24},
	{0x12f1fd6, 3 - 24},
	{0x1cb534c, 13 - 24},
	{0x1bacb4a, 25 - 24},
	{0x1c09d7c, 27 - 24},
	{0x1d1309c, 62 - 24},
	{0x1b121a6, 76 - 24},
	{0x15190c, 78 - 20},
	{0x16351d8, 95 - 24},
	{0x1cfd86e, 116 - 24},
	{0x186fbc4, -10 - 24},
}

// quarter is π/4 in units of 2^-64.
const quarter = 0xc90fdaa22168c234

func fillQuadrants(g *Generator) {
	for i := range g.x {
		r := g.Rng.Next()
		neg, step := r>>63, r>>60&3
		switch way := r & 7; {
		case way < 3: // nearest to multiples
			e := g.Rng.Below(min(len(nearest), g.Emax+1))
			g.x[i] = g.Num(neg, uint64(nearest[e]), e-23)
		case way == 3:
			h := hard[g.Rng.Below(len(hard))]
			g.x[i] = g.Num(neg, uint64(h.m), h.e)
		case way == 4: // any number, of any exponent
			g.x[i] = g.Enc(neg, g.Emin+g.Rng.Below(g.Emax-g.Emin+1), g.Rng.Next())
			step = 0
		default: // multiples of π/4
			k := 1 + g.Rng.Next()>>(44+g.Rng.Next()%20)
			hi, lo := bits.Mul64(quarter, k)
			z := bits.LeadingZeros64(hi) // 64 where k is 1: lo alone is left
			g.x[i] = g.Num(neg, hi<<z|lo>>(64-z), -z)
		}
		if b := g.x[i] &^ g.Sign; step == 1 && b < g.Top { // a neighbour
			g.x[i]++
		}
	}
}

func fillQuarters(g *Generator) {
	for i := range g.x {
		r := g.Rng.Next()
		g.x[i] = g.Num(r>>63, 1+g.Rng.Next()>>(40+r%24), -2)
		if b := g.x[i] &^ g.Sign; r>>60&3 == 1 && b < g.Top { // a neighbour
			g.x[i]++
		} else if r>>60&3 == 2 && b > 0 {
			g.x[i]--
		}
	}
}

func fillHardest(g *Generator) {
	for i := range g.x {
		r := g.Rng.Next()
		if k := g.Rng.Below(len(hard) + len(tied)); k < len(hard) {
			g.x[i] = g.Num(r>>63, uint64(hard[k].m), hard[k].e)
		} else {
			g.x[i] = g.Num(r>>63, uint64(tied[k-len(hard)].m), tied[k-len(hard)].e)
		}
	}
}
