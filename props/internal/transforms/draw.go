package transforms

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
)

// NTTRecipe is the few small draws that expand, by a local generator, into the inputs of a transform. The same recipe gives the
// same numbers for one transform on every machine.
type NTTRecipe struct {
	Family string // one of NTTFamilies
	A, B   uint8  // parameters, with a meaning of its own in each family
	Seed   uint64
	Batch  int // transforms in one call
}

// String returns the recipe as reports write it: "boundary/3/200/7", and "x4" after it for a batch of four; "" of none.
func (r NTTRecipe) String() string {
	if r.Family == "" {
		return ""
	}
	s := fmt.Sprintf("%s/%d/%d/%d", r.Family, r.A, r.B, r.Seed)
	if r.Batch > 1 {
		s += "/x" + strconv.Itoa(r.Batch)
	}
	return s
}

// ParseNTTRecipe is the inverse of String.
func ParseNTTRecipe(s string) (r NTTRecipe, err error) {
	parts := strings.Split(s, "/")
	bad := fmt.Errorf("props: %q is no recipe of a transform's inputs, such as boundary/3/200/7 or random/0/0/1/x4", s)
	if len(parts) != 4 && len(parts) != 5 || nttFamilyByName[parts[0]] == nil {
		return r, bad
	}
	a, err1 := strconv.ParseUint(parts[1], 10, 8)
	b, err2 := strconv.ParseUint(parts[2], 10, 8)
	seed, err3 := strconv.ParseUint(parts[3], 10, 64)
	r = NTTRecipe{Family: parts[0], A: uint8(a), B: uint8(b), Seed: seed, Batch: 1}
	if err1 != nil || err2 != nil || err3 != nil {
		return r, bad
	}
	if len(parts) == 5 {
		n, err := strconv.Atoi(strings.TrimPrefix(parts[4], "x"))
		if err != nil || parts[4][:min(len(parts[4]), 1)] != "x" || n < 2 || n > maxBatch {
			return r, bad
		}
		r.Batch = n
	}
	return r, nil
}

// maxBatch is the most transforms that a recipe may ask for: hostile text must not exhaust memory.
const maxBatch = 1 << 18

// NTTFamily is a way to draw the inputs of transforms.
type NTTFamily = families.RowsOf[*nttGenerator]

var nttFamilies = []NTTFamily{
	{Name: "random", Text: "any residues", Draw: func(g *nttGenerator, x []uint64) { g.each(x, g.residue) }},
	{Name: "top", Text: "q-1 everywhere, and numbers next to it", Draw: (*nttGenerator).top},
	{Name: "zero", Text: "0 everywhere", Draw: func(_ *nttGenerator, x []uint64) { clear(x) }},
	{Name: "constant", Text: "one number everywhere", Draw: (*nttGenerator).constant},
	{Name: "impulse", Text: "one number that is not 0", Draw: (*nttGenerator).impulse},
	{Name: "sparse", Text: "a few numbers that are not 0", Draw: (*nttGenerator).sparse},
	{Name: "alternating", Text: "two numbers in turn, by runs of a power of two", Draw: (*nttGenerator).alternating},
	{Name: "edges", Text: "0, 1, q-1, (q±1)/2, R and their like", Draw: func(g *nttGenerator, x []uint64) { g.each(x, g.edge) }},
	{Name: "lazy", Text: "multiples of q added, up to the range", Draw: (*nttGenerator).lazy},
	{Name: "boundary", Text: "a chosen stage adds a to q-a and takes a from a", Draw: (*nttGenerator).boundary},
	{Name: "outside", Text: "transforms that are not claimed, and those that are", Draw: func(_ *nttGenerator, x []uint64) { clear(x) }},
}

// NTTFamilies returns the families of inputs.
func NTTFamilies() []NTTFamily { return slices.Clone(nttFamilies) }

var nttFamilyByName = families.ByName(nttFamilies)

// generalFamilies are what laws draw from that name no families; random inputs more often, since they have most bits.
var generalFamilies = []string{"random", "top", "constant", "random", "impulse", "sparse", "alternating", "edges", "lazy", "boundary", "random", "zero"}

// nttGenerator makes the inputs of one recipe.
type nttGenerator struct {
	rng   draw.Splitmix
	t     modular.Transform
	claim *modular.TransformClaim
	q     uint64
	a, b  int
	lift  uint64 // the most multiples of q that a side admits above the residue
	trial *nttTrial
}

// Expand returns the inputs of a recipe for a transform that is claimed.
func (tr *nttTrial) Expand(r NTTRecipe, t modular.Transform, pair bool) (x, y []uint64) {
	seed := draw.Mix(r.Seed) ^ draw.Mix(uint64(r.A)<<8|uint64(r.B))
	for i := range len(r.Family) {
		seed = draw.Mix(seed ^ uint64(r.Family[i]))
	}
	c := &tr.s.Claim
	g := nttGenerator{rng: draw.Splitmix(seed), t: t, claim: c, q: t.Modulus, a: int(r.A), b: int(r.B), trial: tr}
	g.lift = max(c.Forward.In.Range, c.Inverse.In.Range, 1) - 1
	draw := nttFamilyByName[r.Family].Draw
	n := t.N
	x = make([]uint64, n*max(r.Batch, 1))
	for i := 0; i < len(x); i += n {
		draw(&g, x[i:i+n])
		if g.lift > 0 && r.Family != "lazy" {
			g.lifted(x[i : i+n])
		}
	}
	if pair || c.Product {
		// The second vector is of any family; sparse where the first is long and dense, so that the schoolbook can multiply them.
		y = make([]uint64, len(x))
		second := nttFamilyByName[generalFamilies[g.rng.Below(len(generalFamilies))]].Draw
		if n > 1<<9 && g.rng.Below(2) == 0 {
			second = nttFamilyByName["sparse"].Draw
		}
		for i := 0; i < len(y); i += n {
			second(&g, y[i:i+n])
			for j := i; j < i+n; j++ {
				y[j] %= g.q
			}
		}
	}
	return x, y
}

func (g *nttGenerator) each(x []uint64, f func() uint64) {
	for i := range x {
		x[i] = f()
	}
}

// residue returns any residue.
func (g *nttGenerator) residue() uint64 {
	hi, _ := bits.Mul64(g.rng.Next(), g.q)
	return hi
}

// edge returns a residue at which something changes.
func (g *nttGenerator) edge() uint64 {
	q := g.q
	switch g.rng.Below(12) {
	case 0, 1:
		return 0
	case 2:
		return 1 % q
	case 3, 4:
		return q - 1
	case 5:
		return q / 2
	case 6:
		return (q/2 + 1) % q
	case 7:
		return (q - 1 - g.rng.Next()%min(q, 4)) % q
	case 8:
		return oracle.PowMod(2, uint64(g.claim.Bits), q)
	case 9:
		return 1 << g.rng.Below(64) % q
	case 10:
		return (1<<g.rng.Below(64) - 1) % q
	}
	return g.residue()
}

func (g *nttGenerator) top(x []uint64) {
	v := g.q - 1 - uint64(g.a&1)*min(uint64(g.b>>4), g.q-1)
	for i := range x {
		x[i] = v
	}
}

func (g *nttGenerator) constant(x []uint64) {
	v := g.edge()
	if g.a&1 == 1 {
		v = g.residue()
	}
	for i := range x {
		x[i] = v
	}
}

func (g *nttGenerator) impulse(x []uint64) {
	clear(x)
	v := g.edge()
	if v == 0 || g.a&3 == 0 {
		v = 1 % g.q
	} else if g.a&3 == 1 {
		v = g.residue()
	}
	x[g.rng.Below(len(x))] = v
}

func (g *nttGenerator) sparse(x []uint64) {
	clear(x)
	for range 1 + g.a&7 {
		x[g.rng.Below(len(x))] = g.edge()
	}
}

func (g *nttGenerator) alternating(x []uint64) {
	u, v := g.q-1, g.edge()
	if g.a&1 == 1 {
		u, v = g.edge(), g.edge()
	}
	run := g.b % bits.Len(uint(len(x)))
	for i := range x {
		if x[i] = u; i>>run&1 == 1 {
			x[i] = v
		}
	}
}

// most returns the greatest number for a residue within the ranges.
func (g *nttGenerator) most(r uint64) uint64 {
	return liftedNumber(r, g.lift, g.q, g.claim.Bits)
}

// liftedNumber returns r and so many times q, or as many as a word of so many bits has room for.
func liftedNumber(r, times, q uint64, bits int) uint64 {
	return r + min(times, (^uint64(0)>>(64-bits)-r)/q)*q
}

// lazy fills the range of words to its end.
func (g *nttGenerator) lazy(x []uint64) {
	for i := range x {
		switch g.a % 4 {
		case 0:
			x[i] = g.most(g.q - 1)
		case 1:
			x[i] = g.most(g.edge())
		case 2:
			x[i] = g.most(g.residue())
		default:
			if x[i] = g.q - 1; g.rng.Below(2) == 0 {
				x[i] = g.most(0)
			}
		}
	}
}

// lifted adds multiples of q where sides are lazy: none, any, or the most.
func (g *nttGenerator) lifted(x []uint64) {
	for i, r := range x {
		switch g.b % 4 {
		case 0:
			x[i] = liftedNumber(r, g.rng.Next()%(g.lift+1), g.q, g.claim.Bits)
		case 1:
			x[i] = g.most(r)
		}
	}
}

// boundary chooses a state after some stage and runs the stages before it backwards. Where inverses are offered, half of the
// inputs are the values of such a polynomial.
func (g *nttGenerator) boundary(x []uint64) {
	level := (g.a >> 1) % (Levels(g.t) + 1)
	for i := range x {
		switch k := g.rng.Below(8); {
		case g.b&3 == 0 && k < 4, g.b&3 == 1 && k < 1, g.b&3 == 3 && k < 3:
			x[i] = 0
		case g.b&3 == 3 && k < 6:
			x[i] = g.q - 1
		case g.b&3 == 3, k == 4:
			// In a butterfly with 0 these, halved by no factor, give 1, q-1 and what they add up to.
			x[i] = [...]uint64{1, 2, g.q - 2, g.q - 1}[g.rng.Below(4)] % g.q
		default:
			x[i] = g.residue()
		}
	}
	if g.b&3 == 2 {
		x[g.rng.Below(len(x))] = 0
	}
	if g.a&1 == 0 {
		FromFrequency(g.t, x, level)
	} else {
		copy(x, g.trial.FromTime(g.t, x, level))
	}
	if g.claim.Inverse.Offered() && (!g.claim.Forward.Offered() || g.b>>2&1 == 1) {
		o, err := g.trial.transform(g.t)
		if err != nil {
			panic(err.Error()) // the pool has transforms that are claimed
		}
		o.Forward(x, x)
	}
}

// NttDrawer draws cases for one law and one subject.
type NttDrawer struct {
	law      *NTTLaw
	trial    *nttTrial
	pool     *nttPool
	families []string
	Seed     uint64
	First    func() []int // the sizes of the first cases, or nil; asked once, when one is drawn
	first    []int        // those that are left of them
	set      engine.Settings
}

// NewNTTDrawer returns the source of cases for one law, from the law's families or the general ones.
func NewNTTDrawer(tr *nttTrial, pool *nttPool, l *NTTLaw, seed uint64) *NttDrawer {
	d := &NttDrawer{law: l, trial: tr, pool: pool, families: l.Families, Seed: seed}
	if d.families == nil {
		d.families = generalFamilies
	}
	return d
}

// Expand turns draws of any engine into a case; nil if the claim admits no transform of the sizes asked for.
func (d *NttDrawer) Expand(place int, a, b uint8, seed uint64) *NttInput {
	h := draw.Mix(seed ^ d.Seed ^ uint64(place)<<40 ^ uint64(a)<<16 ^ uint64(b))
	rng := draw.Splitmix(h)
	// Engines prefer small numbers: the size is drawn from all of them.
	t, ok := d.pool.pick(int(draw.Mix(h)&0xffff), rng.Next())
	if !ok {
		return nil
	}
	if d.First != nil {
		d.first, d.First = d.First(), nil
	}
	if len(d.first) > 0 {
		t, d.first = d.pool.of(d.first[0], rng.Next()), d.first[1:]
	}
	in := &NttInput{T: t, Seed: rng.Next()}
	in.recipe = NTTRecipe{Family: d.families[rng.Below(len(d.families))], A: a, B: b, Seed: h >> 24, Batch: 1}
	if d.law.Refuses {
		in.T = d.outside(t, &rng)
	}
	in.at = d.trial.s.Device.Draw(max(in.T.N, 1), &rng)
	if d.law.Refuses {
		return in
	}
	if c := &d.trial.s.Claim; c.Batched && rng.Below(3) == 0 {
		in.recipe.Batch = batches[rng.Below(len(batches))]
		for in.recipe.Batch > 2 && t.N*in.recipe.Batch > 1<<12 {
			in.recipe.Batch = (in.recipe.Batch + 1) / 2
		}
	}
	in.X, in.Y = d.trial.Expand(in.recipe, t, d.law.Pair)
	return in
}

// batches are the numbers of transforms in a call.
var batches = [...]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33}

// outside spoils a transform in one of many ways, or leaves it.
func (d *NttDrawer) outside(t modular.Transform, rng *draw.Splitmix) modular.Transform {
	m := d.trial.s.Claim.Moduli
	q, n, order := t.Modulus, t.N, t.RootOrder()
	most, least := m.MaxModulus(d.trial.s.Claim.Bits), m.MinModulus()
	again := func(q uint64, ok bool) { // with a root of the order where there is one
		if !ok {
			return
		}
		t.Modulus = q
		if root, err := oracle.RootOfUnity(order, q); err == nil {
			t.Root = root
		} else {
			t.Root = 1 + rng.Next()%(max(q, 2)-1)
		}
	}
	switch rng.Below(24) {
	case 0:
		if q <= most/2 { // even, with a root that is -1 to the power of half its order
			t.Modulus = 2 * q
			t.Root += q * (1 - t.Root&1)
		} else {
			t.Modulus = q + 1
		}
	case 1:
		t.Modulus, t.Root = 1<<rng.Below(64), 1
	case 2:
		if p, root, ok := composite(order, most, rng); ok {
			t.Modulus, t.Root = p, root
		}
	case 3:
		again(oracle.SmallestPrime(most+1, order))
	case 4:
		again(most+2, most < ^uint64(0)-1)
	case 5:
		again(oracle.LargestPrime(least, order))
	case 6, 7: // no root of the order
		for range 20 {
			p, ok := oracle.LargestPrime(q-uint64(rng.Below(1000))*2, 2)
			if ok && p > 2 && (p-1)%order != 0 {
				t.Modulus, t.Root = p, 1+rng.Next()%(p-1)
				break
			}
		}
	case 8:
		t.Root = 1
	case 9:
		t.Root = q - 1
	case 10:
		t.Root = oracle.MulMod(t.Root, t.Root, q)
	case 11:
		t.Root = 0
	case 12:
		if q < ^uint64(0)-q {
			t.Root += q
		}
	case 13:
		t.Root = rng.Next() % q
	case 14:
		if root, err := oracle.RootOfUnity(2*order, q); err == nil {
			t.Root = root
		} else {
			t.Root = q
		}
	case 15:
		t.N = 3 * n
	case 16:
		t.N = n - 1
	case 17:
		t.N = n + 1
	case 18:
		t.N = -n
	case 19:
		t.N = 0
	case 20:
		if c := &d.trial.s.Claim; c.MaxN > 0 && c.MaxN < 1<<20 {
			t.N, order = 2*c.MaxN, 2*order*uint64(c.MaxN)/uint64(n)
			again(oracle.LargestPrime(most, order))
		} else if c.MinN > 1 {
			t.N, order = c.MinN/2, order*uint64(c.MinN)/uint64(2*n)
			again(q, true)
		}
	case 21:
		t.Modulus, t.Root = uint64(rng.Below(3)), 1
	}
	return t
}

// composite returns a product of two primes ≡ 1 (mod step) of at most most, and a root of order step modulo it, as good as modulo
// a prime.
func composite(step, most uint64, rng *draw.Splitmix) (q, root uint64, ok bool) {
	half := uint64(1) << (bits.Len64(most) / 2)
	p, ok1 := oracle.SmallestPrime(3, step)
	r, ok2 := oracle.LargestPrime(half-uint64(rng.Below(int(half/4)+1)), step)
	if !ok1 || !ok2 || p == r {
		return 0, 0, false
	}
	hi, q := bits.Mul64(p, r)
	u, err1 := oracle.RootOfUnity(step, p)
	v, err2 := oracle.RootOfUnity(step, r)
	if hi != 0 || q > most || err1 != nil || err2 != nil {
		return 0, 0, false
	}
	// u modulo p and v modulo r
	inverse, _ := oracle.InvMod(p%r, r)
	return q, u + p*oracle.MulMod(oracle.SubMod(v%r, u%r, r), inverse, r), true
}
