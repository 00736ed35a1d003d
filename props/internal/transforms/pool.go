package transforms

import (
	"math/bits"
	"slices"

	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
)

// knownModuli are primes that people use, and others next to where kernels change.
var knownModuli = []uint64{
	3329, 8380417, 12289, 7681, // Kyber, Dilithium, Falcon and its forerunner
	998244353, 469762049, 167772161, 754974721,
	2013265921, 2130706433, 2147483647, // BabyBear, KoalaBear, 2^31-1
	18446744069414584321,                   // Goldilocks
	1152921504606748673,                    // the seed's
	0x1fffffffffe00001, 0x1fffffffffc80001, // Lattigo's
	0xffffffffffc0001, 0xfffffffff840001, 0xfffffffff00001, 0x7fffffffe90001, 0xffffee001, // SEAL's
	3, 5, 17, 97, 193, 257, 65537, 786433,
}

// maxLogN is the logarithm of the largest transform that is drawn, where -gamma.maxn admits it: 2^16 points where nothing is said.
const maxLogN = 20

// nttPool holds the transforms that cases are drawn from, so that plans serve many cases.
type nttPool struct {
	claim *modular.TransformClaim
	seed  uint64
	maxN  int
	drawn bool  // sizes and large are made: they take time, and are not needed where nothing is drawn
	sized []int // weighted, in order
	large []int // drawn by the last of the sizes, which stands for them all
	lists map[int][]modular.Transform
	most  int // moduli of each size
}

// sizeWeights says how often sizes are drawn, by their logarithms; those of more points share one part among them.
var sizeWeights = [...]int{1, 3, 5, 7, 8, 8, 8, 6, 5, 4, 4}

// NewNTTPool returns the transforms that a subject is judged on, drawn from its claim.
func NewNTTPool(s *Subject, set *engine.Settings) *nttPool {
	p := &nttPool{claim: &s.Claim, seed: set.SeedFor("transforms", s.Name), lists: map[int][]modular.Transform{}, most: 12}
	if set.Thorough {
		p.most = 48
	}
	p.maxN = s.Device.Most(draw.Most(set.MaxN, s.Claim.MaxN))
	return p
}

// any reports whether there is a transform at all: the smallest ones say so soon.
func (p *nttPool) any() bool {
	for k := range maxLogN + 1 {
		if n := 1 << k; n >= p.claim.MinN && n <= p.maxN && len(p.list(n)) > 0 {
			return true
		}
	}
	return false
}

// sizes returns the sizes that are drawn, weighted and in order.
func (p *nttPool) sizes() []int {
	if p.drawn {
		return p.sized
	}
	p.drawn = true
	for k := range maxLogN + 1 {
		n := 1 << k
		if n < p.claim.MinN || n > p.maxN || len(p.list(n)) == 0 {
			continue
		}
		if k < len(sizeWeights) {
			for range sizeWeights[k] {
				p.sized = append(p.sized, n)
			}
		} else {
			p.large = append(p.large, n)
		}
	}
	if len(p.large) > 0 {
		p.sized = append(p.sized, p.large[0])
	}
	return p.sized
}

// Each lists every size that is drawn, the largest first: those of a search's first cases, so that none is left to chance. Sizes
// of more points than tables of weights hold are among them for the law that compares every number.
func (p *nttPool) Each(l *NTTLaw) []int {
	list := slices.Clone(p.sizes())
	if len(p.large) > 0 {
		list = list[:len(list)-1]
		if l.ID == model.NTTExact {
			list = append(list, p.large...)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	slices.Reverse(list)
	return list
}

// pick chooses a transform: its size by place, the rest by h. ok is false if the claim admits none.
func (p *nttPool) pick(place int, h uint64) (t modular.Transform, ok bool) {
	sizes := p.sizes()
	if len(sizes) == 0 {
		return t, false
	}
	n := sizes[place*len(sizes)>>16]
	if len(p.large) > 0 && n == p.large[0] {
		n = p.large[min(bits.TrailingZeros64(h>>40|1<<20), len(p.large)-1)] // each half as often as the one before
	}
	return p.of(n, h), true
}

// of chooses a transform of n points.
func (p *nttPool) of(n int, h uint64) modular.Transform {
	list := p.list(n)
	return list[int(h>>8&0xffff)%len(list)]
}

// list returns the transforms of n points.
func (p *nttPool) list(n int) []modular.Transform {
	if list, ok := p.lists[n]; ok {
		return list
	}
	most := p.most
	if n > 1<<(len(sizeWeights)-1) {
		most = max(2, most/6)
	}
	rng := draw.Splitmix(draw.Mix(p.seed ^ uint64(n)))
	var list []modular.Transform
	for i := 0; i < 4*most && len(list) < most; i++ {
		q, ok := p.modulus(i, n, &rng)
		if !ok {
			continue
		}
		t, ok := WithRoot(p.claim, q, n)
		if !ok || slices.ContainsFunc(list, func(o modular.Transform) bool { return o.Modulus == q }) {
			continue
		}
		if i%3 == 1 { // another root of the order
			t.Root = oracle.PowMod(t.Root, 2*(rng.Next()%t.RootOrder())+1, q)
		}
		list = append(list, t)
	}
	p.lists[n] = list
	return list
}

// WithRoot returns the transform with the least root there is.
func WithRoot(c *modular.TransformClaim, q uint64, n int) (t modular.Transform, ok bool) {
	t = modular.Transform{Modulus: q, N: n, Negacyclic: c.Negacyclic}
	root, err := oracle.RootOfUnity(t.RootOrder(), q)
	if err != nil {
		return t, false
	}
	t.Root = root
	why, _ := refusal(c, t)
	return t, why == ""
}

// modulus draws a prime of kind i with a root for n points.
func (p *nttPool) modulus(i, n int, rng *draw.Splitmix) (q uint64, ok bool) {
	m := p.claim.Moduli
	step := modular.Transform{N: n, Negacyclic: p.claim.Negacyclic}.RootOrder()
	least, most := m.MinModulus(), m.MaxModulus(p.claim.Bits)
	fits := func(q uint64) bool { return (q-1)%step == 0 && m.Admits(q, p.claim.Bits) == nil }
	known := knownModuli
	if len(m.Only) > 0 {
		known = m.Only
		i = 1
	}
	low := max(bits.Len64(least), bits.Len64(step))
	power := uint64(1) << min(low+rng.Below(max(1, bits.Len64(most)-low+1)), 63)
	switch i % 6 {
	case 0:
		if i > 0 { // the largest ones, from above
			return oracle.LargestPrime(most-uint64(rng.Below(1<<20)), step)
		}
		return oracle.LargestPrime(most+1, step)
	case 1:
		for range 40 {
			if q = known[rng.Below(len(known))]; fits(q) {
				return q, true
			}
		}
		return 0, false
	case 2:
		return oracle.LargestPrime(power, step)
	case 3:
		return oracle.SmallestPrime(power, step)
	case 4:
		return oracle.ProthPrime(power+rng.Next()%power, step)
	}
	if i == 5 {
		return oracle.SmallestPrime(max(least, 3), step)
	}
	return oracle.SmallestPrime(power+rng.Next()%power, step)
}
