package residues

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
	"gamma/props/internal/words"
)

// ModularFamily is a way to draw rows modulo q.
type ModularFamily = families.RowsOf[*ModularGenerator]

// AllFamilies are the families, in the order in which laws draw from them.
var AllFamilies = []ModularFamily{
	{Name: "random", Text: "any words of their ranges", Draw: (*ModularGenerator).random},
	{Name: "edges", Text: "0, 1, q/2, q-1, R mod q, the ends of the ranges, and their neighbours", Draw: (*ModularGenerator).edges},
	{Name: "limits", Text: "the last words of their ranges", Draw: (*ModularGenerator).limits},
	{Name: "mirror", Text: "a and q-a, a and a, and neighbours", Draw: (*ModularGenerator).mirror},
	{Name: "carries", Text: "products whose low word is 0, all ones, or makes a carry", Draw: (*ModularGenerator).Carries},
	{Name: "sparse", Text: "few bits, or long runs of ones and zeros", Draw: (*ModularGenerator).sparse},
	{Name: "neutral", Text: "an operand that stands for 0, 1 or -1, another one any", Draw: (*ModularGenerator).neutral},
}

// ModularFamilies returns the families of rows.
func ModularFamilies() []ModularFamily { return slices.Clone(AllFamilies) }

var (
	modularFamilyByName = families.ByName(AllFamilies)
	allModularFamilies  = families.NamesOf(AllFamilies, true)
)

// knownPrimes are primes that number-theoretic libraries use, and composites that look like them.
var knownPrimes = []uint64{
	257, 3329, 7681, 12289, 40961, 65537, 786433, 8380417, 167772161, 469762049, 754974721, 998244353, 2013265921, 2130706433, 2147483647,
	0xffffee001, 0x7fffffffe90001, 0xfffffffff00001, 0xfffffffff840001, 0xffffffffffc0001, 0xfffffffffe8001, 0xffffffffffe8001,
	0x1fffffffffc80001, 0x1fffffffffe00001, 0xffffffff00000001,
}

// likePrimes are composites: Carmichael numbers, squares of primes, strong pseudoprimes to several bases, and two that were taken for
// primes of the form that transforms want.
var likePrimes = []uint64{
	9, 15, 25, 121, 169, 561, 1105, 2047, 6601, 62745, 65535, 1373653, 25326001, 3215031751, 4294967297, 2152302898747, 3474749660383,
	341550071728321, 1<<32 - 1<<25 + 1, 0x0800000000004401, 3825123056546413051, 65521 * 65521, 4294967291 * 4294967291,
}

// moduli are those that a claim is judged by, and those that it must refuse.
type moduli struct {
	claim   *modular.Claim
	Edges   []uint64 // ascending: those at which something changes
	Refused []uint64 // of the same, and others, that are not claimed
}

// NewModuli lists the moduli of a claim: neighbours of powers of two, the primes next to them, Proth primes, the ends of the claim's
// own range, and patterns of bits.
func NewModuli(c *modular.Claim) *moduli {
	key := fmt.Sprint(c.Bits, c.Moduli)
	known, ok := moduliOf.Load(key)
	if !ok {
		known, _ = moduliOf.LoadOrStore(key, listModuli(c))
	}
	own := *known.(*moduli)
	own.claim = c
	return &own
}

// moduliOf holds the moduli of claims by what they follow from: many operations claim the same, and to look for primes takes time.
var moduliOf sync.Map

func listModuli(c *modular.Claim) *moduli {
	m := &moduli{}
	var list []uint64
	add := func(qs ...uint64) { list = append(list, qs...) }
	add(c.Moduli.Only...)
	add(3, 5, 7, 9, 11, 13, 17, 19, 31, 33, 63, 65)
	add(knownPrimes...)
	add(likePrimes...)
	most := GreatestWord(c.Bits)
	lo, hi := c.Moduli.MinModulus(), c.Moduli.MaxModulus(c.Bits)
	add(lo, lo+1, lo+2, hi, hi-1, hi-2, hi-3, hi-4, hi/2, hi/2+1, hi/2+2)
	for k := 2; k <= c.Bits; k++ {
		p := uint64(1) << (k & 63)
		if k == 64 {
			p = 0
		}
		add(p-1, p-3, p-5, p+1, p+3, p-p>>1+p>>2, p-p>>(k/2)+1)
		if h := uint64(1) << (k / 2); k > 6 { // 2^k - 2^(k/2) + 1, k·2^(k/2)+1, and close to them
			add(p-h-1, p-h+1, p+h+1)
		}
		if k > 2 {
			if q, ok := oracle.LargestPrime(p, 2); ok {
				add(q)
			}
			if q, ok := oracle.SmallestPrime(p, 2); ok && p != 0 {
				add(q)
			}
			if step := uint64(1) << min(k/2, 20); k > 8 {
				if q, ok := oracle.LargestPrime(p, step); ok {
					add(q)
				}
			}
		}
	}
	if q, ok := oracle.LargestPrime(hi+1, 2); ok {
		add(q)
	}
	if c.Bits > 8 { // patterns: 1/q has long runs of ones, or the product of words any carries
		add(most/3, most/3*2+1, most/5, most/15*7, most/17, most-most>>(c.Bits/2), most>>1, most>>1+2, most/255*127, most/8*5, most-most>>2)
	}
	for i := range list {
		list[i] |= 1 &^ evenBit(c)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	for _, q := range list {
		if Admitted(c, q) == nil {
			m.Edges = append(m.Edges, q)
		}
	}
	for _, q := range list {
		for _, r := range []uint64{q, q - 1, q + 1, q + 2} {
			if mustRefuse(c, r) {
				m.Refused = append(m.Refused, r)
			}
		}
	}
	m.Refused = append(m.Refused, 0, 1, most+1, most+2, most+4)
	m.Refused = slices.DeleteFunc(m.Refused, func(q uint64) bool { return !mustRefuse(c, q) })
	slices.Sort(m.Refused)
	m.Refused = slices.Compact(m.Refused)
	return m
}

// evenBit is 1 if the claim admits even moduli.
func evenBit(c *modular.Claim) uint64 {
	if c.Moduli.Even {
		return 1
	}
	return 0
}

// Draw returns a modulus of the claim: one at which something changes, or any.
func (m *moduli) Draw(a uint8, rng *draw.Splitmix) uint64 {
	n := len(m.Edges)
	switch a >> 5 {
	case 0: // the largest
		return m.Edges[n-1-rng.Below(min(n, 16))]
	case 1: // the smallest
		return m.Edges[rng.Below(min(n, 16))]
	case 2, 3, 4:
		return m.Edges[rng.Below(n)]
	}
	if len(m.claim.Moduli.Only) > 0 {
		return m.claim.Moduli.Only[rng.Below(len(m.claim.Moduli.Only))]
	}
	b := m.claim.Bits
	lo, hi := m.claim.Moduli.MinModulus(), m.claim.Moduli.MaxModulus(b)
	least, top := bits.Len64(lo), bits.Len64(hi)
	k := top
	if a&1 == 0 {
		k = least + rng.Below(top-least+1)
	}
	for range 64 {
		q := rng.Next()>>(64-k) | 1<<(k-1) | 1&^evenBit(m.claim)
		if q > hi {
			q = lo + (q-lo)%(hi-lo+1) | 1&^evenBit(m.claim)
		}
		for range 200 {
			if err := m.claim.Moduli.Admits(q, b); err != nil {
				break
			}
			if !m.claim.Moduli.Prime || oracle.IsPrime(q) {
				return q
			}
			q += 2
		}
	}
	return m.Edges[rng.Below(n)]
}

// Refuse returns a modulus that the claim does not admit.
func (m *moduli) Refuse(a uint8, rng *draw.Splitmix) uint64 {
	switch n := len(m.Refused); a >> 6 {
	case 0: // the smallest
		return m.Refused[rng.Below(min(n, 8))]
	case 1, 2:
		return m.Refused[rng.Below(n)]
	}
	for range 64 {
		q := rng.Next() >> rng.Below(64)
		if a&1 == 0 {
			q &^= 1
		}
		if mustRefuse(m.claim, q) {
			return q
		}
	}
	return 0
}

// shoupFactor returns ⌊w·R/q⌋ of a word w < q.
func shoupFactor(w, q uint64, b int) uint64 {
	if w >= q {
		return 0
	}
	if b == 64 {
		f, _ := bits.Div64(w, 0, q)
		return f
	}
	return w << b / q
}

// inverseWord returns 1/a modulo 2^64 of an odd a.
func inverseWord(a uint64) uint64 {
	x := a // right in three bits
	for range 5 {
		x *= 2 - a*x
	}
	return x
}

// ModularGenerator makes the rows of one recipe.
type ModularGenerator struct {
	claim   *modular.Claim
	q, mask uint64
	B       int // the recipe's parameter
	Rng     draw.Splitmix
	limit   []uint64   // of each word, 0 for R
	Special [][]uint64 // of each word
	Unit    []uint64   // the word that stands for 1
	factors [2]int     // the words that the operation multiplies; -1: none
}

// Begin makes ready for a modulus.
func (g *ModularGenerator) Begin(c *modular.Claim, q uint64) {
	g.claim, g.q, g.mask = c, q, GreatestWord(c.Bits)
	r := (g.mask%q + 1) % q // R mod q
	g.limit, g.Special, g.Unit = g.limit[:0], g.Special[:0], g.Unit[:0]
	half := uint64(1) << (c.Bits / 2)
	g.factors = [2]int{-1, -1}
	var operands []int
	for i, w := range c.In {
		l := limitOf(&w, q, c.Bits)
		g.limit = append(g.limit, l)
		last := l - 1 // R-1 too, since l is then 0
		last &= g.mask
		list := []uint64{
			0, 1, 2, 3, q - 1, q - 2, q / 2, q/2 + 1, q, q + 1, 2*q - 1, 2 * q, 2*q + 1, 3 * q, last, last - 1, last - 2, last / 2, last/2 + 1,
			r, q - r, r - 1, r + 1, half, half - 1, half + 1, g.mask / 2, g.mask/2 + 1, g.mask - q + 1, g.mask - q,
			inverseWord(q|1) & g.mask, -inverseWord(q|1) & g.mask, q >> 1 &^ (half - 1), q - half,
		}
		if w.Integer && c.Function == modular.Power {
			list = append(list, 0, 1, 2, 3, 4, 5, 7, 8, q-3, 65537)
		}
		list = slices.DeleteFunc(list, func(v uint64) bool { return v > last })
		g.Special = append(g.Special, list)
		one := 1 % q
		if !w.Integer {
			for range w.Power {
				one = oracle.MulMod(one, r, q)
			}
		}
		g.Unit = append(g.Unit, one)
		if !w.Shoup {
			operands = append(operands, i)
		}
	}
	switch c.Function {
	case modular.Product:
		g.factors = [2]int{operands[0], operands[1]}
	case modular.ForwardButterfly:
		g.factors = [2]int{operands[1], operands[2]}
	case modular.InverseButterfly:
		g.factors = [2]int{operands[0], operands[2]}
	case modular.Wide:
		g.factors = [2]int{-1, operands[1]}
	case modular.Identity, modular.Power:
		g.factors = [2]int{-1, operands[0]}
	}
}

// below returns a word of the range of word i, from a random one.
func (g *ModularGenerator) below(i int, r uint64) uint64 {
	if l := g.limit[i]; l != 0 {
		hi, _ := bits.Mul64(r, l)
		return hi
	}
	return r & g.mask
}

// Fit returns v if word i may be it, and else what is left of it.
func (g *ModularGenerator) Fit(i int, v uint64) uint64 {
	v &= g.mask
	if l := g.limit[i]; l != 0 && v >= l {
		return v % l
	}
	return v
}

func (g *ModularGenerator) random(row []uint64) {
	for i := range row {
		row[i] = g.below(i, g.Rng.Next())
	}
	if g.claim.Function == modular.Power { // small exponents too
		row[len(row)-1] >>= g.Rng.Next() % uint64(g.claim.Bits)
	}
}

// edge returns a special word, or a neighbour of one.
func (g *ModularGenerator) edge(i int) uint64 {
	r := g.Rng.Next()
	v := g.Special[i][r%uint64(len(g.Special[i]))]
	switch r >> 60 {
	case 0:
		return g.Fit(i, v+r>>32&7)
	case 1:
		return g.Fit(i, v-r>>32&7)
	case 2:
		return g.below(i, draw.Mix(r))
	}
	return v
}

func (g *ModularGenerator) edges(row []uint64) {
	for i := range row {
		row[i] = g.edge(i)
	}
}

func (g *ModularGenerator) limits(row []uint64) {
	for i := range row {
		r := g.Rng.Next()
		last := (g.limit[i] - 1) & g.mask
		row[i] = last - min(last, r>>32&uint64(g.B>>4))
		if r&3 == 0 {
			row[i] = g.edge(i)
		}
	}
}

// mirror relates each word to the one before.
func (g *ModularGenerator) mirror(row []uint64) {
	g.random(row)
	for i := 1; i < len(row); i++ {
		r := g.Rng.Next()
		a := row[i-1]
		if r&15 == 0 {
			a = g.edge(i - 1)
			row[i-1] = a
		}
		v := a
		switch r >> 8 & 7 {
		case 0, 1, 2:
			v = g.q - a%g.q
		case 3:
			v = g.limit[i] - a
		case 4:
			v = g.mask + 1 - a
		case 5:
			v = a + g.q
		}
		switch r >> 16 & 7 {
		case 0:
			v++
		case 1:
			v--
		}
		row[i] = g.Fit(i, v)
	}
}

// Carries makes the low word of a product, or of what is reduced, 0, all ones, or such that m·q, which a reduction adds, is large.
func (g *ModularGenerator) Carries(row []uint64) {
	g.random(row)
	i, j := g.factors[0], g.factors[1]
	r := g.Rng.Next()
	m := [...]uint64{g.mask, g.mask - 1, g.mask / 2, g.mask/2 + 1, 1, 2, g.Rng.Next() & g.mask, g.mask - r>>50}[r>>61]
	low := [...]uint64{0, g.mask, 1, g.mask/2 + 1, g.Rng.Next() & 15, -m * g.q, -m * g.q, -m * g.q}[r>>8&7] & g.mask
	if j < 0 {
		g.edges(row)
		return
	}
	if i < 0 {
		if r&1 == 0 && len(row) > 0 && j != 0 {
			row[0] = g.edge(0)
		}
		row[j] = g.Fit(j, low)
		return
	}
	if low == 0 && r&1 == 0 { // powers of two
		k := g.Rng.Below(g.claim.Bits + 1)
		row[i] = g.Fit(i, g.Rng.Next()<<k)
		row[j] = g.Fit(j, g.Rng.Next()<<(g.claim.Bits-k))
		return
	}
	for range 8 {
		a := g.below(i, g.Rng.Next()) | 1
		if r>>16&3 == 0 {
			a = g.Fit(i, (g.limit[i]-1)&g.mask-g.Rng.Next()&0xff) | 1
		}
		b := low * inverseWord(a) & g.mask
		if (g.limit[j] == 0 || b < g.limit[j]) && (g.limit[i] == 0 || a < g.limit[i]) {
			row[i], row[j] = a, b
			break
		}
	}
	if g.claim.Function == modular.InverseButterfly && r>>20&1 == 0 {
		row[1] = 0
	}
}

func (g *ModularGenerator) sparse(row []uint64) {
	for i := range row {
		r := g.Rng.Next()
		n := g.claim.Bits
		x, y := int(r&63)%n, int(r>>8&63)%n
		v := uint64(1)<<x | uint64(1)<<y
		switch r >> 16 & 3 {
		case 0:
			v = uint64(1)<<max(x, y) - uint64(1)<<min(x, y)
		case 1:
			v = ^(uint64(1)<<max(x, y) - uint64(1)<<min(x, y))
		case 2:
			v = g.q ^ 1<<x
		}
		row[i] = g.Fit(i, v)
	}
}

// neutral makes one operand 0, 1 or -1, as the function wants, or two equal or opposite.
func (g *ModularGenerator) neutral(row []uint64) {
	g.random(row)
	if len(row) == 0 {
		return
	}
	r := g.Rng.Next()
	if r>>20&3 == 0 {
		g.edges(row)
	}
	i := int(r>>40) % len(row)
	kind := r >> 8 & 3
	sums := false
	switch g.claim.Function {
	case modular.Sum, modular.Difference:
		kind, sums = 0, true
	case modular.Inverse:
		kind |= 1
	case modular.ForwardButterfly: // y is 0, or w is 0 or 1
		if i = 1 + i&1; i == 1 {
			kind = 0
		} else {
			kind &= 1
		}
	case modular.InverseButterfly:
		i, sums = 2, true
		kind &= 1
	}
	w := &g.claim.In[i]
	v := [...]uint64{0, g.Unit[i], g.Unit[i], g.q - g.Unit[i]}[kind]
	if w.Integer {
		v = kind & 1
	}
	if !w.Integer && r>>12&1 == 1 && w.Range != 1 { // another word for the same residue
		if u := v + g.q*(r>>32&3); g.Fit(i, u) == u && u >= v {
			v = u
		}
	}
	if sums && r>>16&3 == 0 {
		row[1] = g.Fit(1, [...]uint64{row[0], g.q - row[0]%g.q}[r>>18&1])
		return
	}
	row[i] = g.Fit(i, v)
}

// Fix makes Shoup's factors those of their words, and what is inverted a number that has an inverse.
func (g *ModularGenerator) Fix(row []uint64) {
	for i := range row {
		if g.claim.In[i].Shoup {
			row[i] = shoupFactor(row[i-1], g.q, g.claim.Bits)
		}
	}
	if g.claim.Function == modular.Inverse {
		if _, ok := oracle.InvMod(row[0]%g.q, g.q); !ok {
			for k := uint64(1); ; k++ { // 1 has one
				v := g.Fit(0, row[0]+k)
				if k > 20 {
					v = 1
				}
				if _, ok := oracle.InvMod(v%g.q, g.q); ok {
					row[0] = v
					break
				}
			}
		}
	}
}

// ModularDrawer draws batches for one law and one operation.
type ModularDrawer struct {
	p        *Subject
	law      *ModularLaw
	families []string
	Seed     uint64
	g        ModularGenerator
	recipe   words.WordRecipe // A chooses the modulus, with Seed; B is a parameter with a meaning of its own in each family
	batch    ModularBatch
	out      ModularCase
	words    []uint64
	checks   int
}

// NewModularDrawer returns the source of rows for one law, from the law's families or all.
func NewModularDrawer(p *Subject, l *ModularLaw, set *engine.Settings) *ModularDrawer {
	d := &ModularDrawer{p: p, law: l, families: l.Families, Seed: set.SeedFor(string(l.ID), p.Name), checks: set.Checks}
	if d.families == nil {
		d.families = allModularFamilies
	}
	return d
}

// rowsPerModulus is how many rows run in one call.
const rowsPerModulus = 32

// Each returns how many batches a draw of an engine stands for: where a batch is one row, several.
func (d *ModularDrawer) Each() int {
	if d.single() {
		return 4
	}
	return 1
}

// single reports whether a batch is one row.
func (d *ModularDrawer) single() bool { return len(d.p.Claim.In) == 0 || d.law.Refuses }

// rowsOf returns the rows of a batch: of operations without operands, and of moduli that are refused, one.
func (d *ModularDrawer) rowsOf(seed uint64) int {
	if d.single() {
		return 1
	}
	return words.SizeOf(seed, rowsPerModulus)
}

// Expand turns draws of any engine into a batch, which is valid until the next.
func (d *ModularDrawer) Expand(place int, a, b uint8, seed uint64, rows int) *ModularCase {
	// Engines prefer small numbers: the family is drawn from all of them.
	d.recipe = words.DrawRecipe(d.families, int(draw.Mix(seed^d.Seed^uint64(place)<<40^uint64(a)<<16)&0xffff), a, b, seed, d.Seed, rows)
	r, dev := &d.recipe, d.p.Device
	r.Rows = dev.Most(r.Rows)
	r.Rows += draw.Missing(r.Rows, d.p.Claim.Multiple)
	rng := draw.Splitmix(draw.Mix(r.Seed) ^ draw.Mix(uint64(r.A)<<8|uint64(r.B)))
	var q uint64
	if d.law.Refuses {
		q = d.p.Moduli.Refuse(r.A, &rng)
	} else {
		q = d.p.Moduli.Draw(r.A, &rng)
	}
	n := len(d.p.Claim.In)
	d.words = draw.Grow(d.words, n*r.Rows)
	d.batch = ModularBatch{Q: q, In: d.words, Rows: r.Rows, seed: r.Seed}
	if d.law.Refuses {
		for i := range d.words {
			d.words[i] = 0
		}
	} else {
		d.g.Begin(&d.p.Claim, q)
		d.g.B, d.g.Rng = int(r.B), rng
		draw := modularFamilyByName[r.Family].Draw
		for i := range r.Rows {
			row := d.words[i*n : (i+1)*n]
			draw(&d.g, row)
			d.g.Fix(row)
		}
	}
	d.batch.At = dev.DrawSetting(r.Rows, draw.Mix(r.Seed))
	d.out = ModularCase{Batch: &d.batch, recipe: d.recipe}
	return &d.out
}
