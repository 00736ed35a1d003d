package mutants

import (
	"fmt"
	"math/bits"
	"slices"

	"gamma/model"
	"gamma/model/modular"
)

// NTT is a number-theoretic transform with one fault. Its claim is that of a sound transform of its kind.
type NTT struct {
	Name  string
	Fault string // what is wrong, in a few words
	Claim modular.TransformClaim
	Plan  func(t modular.Transform) (modular.Transforms, error)
	Kills model.LawID // a law that must find it
	// Survives lists laws that it passes by construction, on every input: they show what Kills adds. The list need not be complete.
	Survives []model.LawID
}

// nttFault is a fault of the plain transform below.
type nttFault uint8

const (
	nttSound nttFault = iota
	carryDropped
	carryTest
	partialProducts
	squareOfHalf
	noSubtraction
	addGreater
	subGreater
	noReversal
	cyclicRoot
	cubedRoot
	naturalTwiddles
	wrongTwiddle
	wrongTwiddleForward
	lastStageMissing
	noScale
	identity
	stagesReversed
	tileBoundary
	factorLeft
	sourceChanged
	inPlaceOnly
	evenAccepted
	largeAccepted
	rootAccepted
	sizeAccepted
	longAccepted
	compositeAccepted
	productCyclic
	lazyUnreduced
	lazyClaim
	resultKept
	zerosEnd
)

// maxNTTModulus is the greatest modulus of the plain transform: sums of two reduced words fit a word.
const maxNTTModulus = 1<<63 - 1

// nttClaim is what the plain transform claims.
func nttClaim() modular.TransformClaim {
	side := modular.Side{Range: 1}
	return modular.TransformClaim{
		Bits: 64, Negacyclic: true, Forward: modular.Direction{In: side, Out: side}, Inverse: modular.Direction{In: side, Out: side},
		Moduli: modular.Moduli{Min: 3, Max: maxNTTModulus}, MaxN: 1 << 10, Names: true,
	}
}

// NTTs returns every mutant of the transforms.
func NTTs() []NTT {
	const (
		exact, roundtrip, shift, impulse = "ntt.exact", "ntt.roundtrip", "ntt.shift", "ntt.impulse"
		eval, linear, convolution        = "ntt.eval", "ntt.linear", "ntt.convolution"
		inRange, butterfly, factor       = "ntt.range", "ntt.butterfly", "ntt.factor"
		refuses, pure, independent       = "ntt.refuses", "ntt.pure", "ntt.independent"
	)
	mutant := func(name, fault string, f nttFault, kills model.LawID, survives ...model.LawID) NTT {
		c := nttClaim()
		switch f {
		case productCyclic:
			c.Product, c.MaxN = true, 256
		case compositeAccepted:
			c.Moduli.Prime = true
		case lazyUnreduced, lazyClaim:
			c = lazyNTTClaim(f)
		case zerosEnd:
			c.Batched = true
		}
		return NTT{
			Name: "mutants." + name, Fault: fault, Claim: c, Kills: kills, Survives: survives,
			Plan: func(t modular.Transform) (modular.Transforms, error) { return planNTT(t, &c, f) },
		}
	}
	return []NTT{
		mutant("NTTCarryDropped", "Montgomery's carry is dropped", carryDropped, roundtrip, refuses),
		mutant("NTTCarryTest", "the carry test compares with the low word, not with its complement", carryTest, roundtrip, refuses),
		mutant("NTTPartialProducts", "% on partial products, whose product wraps", partialProducts, roundtrip, refuses),
		mutant("NTTSquareOfHalf", "2^64 mod q as (2^32 mod q)^2, which wraps", squareOfHalf, roundtrip, refuses),
		mutant("NTTNoSubtraction", "no final subtraction in Montgomery's product", noSubtraction, inRange, refuses),
		mutant("NTTAddGreater", "> for >= in the modular sum", addGreater, butterfly, exact, roundtrip, shift, impulse, eval, linear, convolution, factor, refuses),
		mutant("NTTSubGreater", "> for >= in the modular difference", subGreater, butterfly, exact, roundtrip, shift, impulse, eval, linear, convolution, factor, refuses),
		mutant("NTTNoReversal", "no bit reversal on both sides", noReversal, shift, roundtrip, linear, convolution, inRange, factor, refuses),
		mutant("NTTCyclicRoot", "the cyclic root for the negacyclic one, on both sides", cyclicRoot, convolution, roundtrip, linear, inRange, factor, refuses),
		mutant("NTTCubedRoot", "ψ^3 for ψ, on both sides", cubedRoot, shift, roundtrip, linear, convolution, inRange, factor, refuses),
		mutant("NTTNaturalTwiddles", "twiddles in natural order, on both sides", naturalTwiddles, convolution, roundtrip, linear, inRange, factor, refuses),
		mutant("NTTWrongTwiddle", "one wrong twiddle, and its inverse", wrongTwiddle, shift, roundtrip, linear, inRange, factor, refuses),
		mutant("NTTWrongTwiddleForward", "one wrong twiddle, forward only", wrongTwiddleForward, roundtrip, linear, inRange, factor, refuses),
		mutant("NTTLastStageMissing", "the last stage is missing on both sides", lastStageMissing, impulse, roundtrip, linear, inRange, refuses),
		mutant("NTTNoScale", "1/N is missing", noScale, factor, linear, shift, inRange, refuses),
		mutant("NTTIdentity", "the identity on both sides", identity, impulse, roundtrip, linear, inRange, refuses),
		mutant("NTTStagesReversed", "the stages run in reverse order, on both sides", stagesReversed, eval, roundtrip, linear, inRange, refuses),
		mutant("NTTTileBoundary", "the last butterfly of each tile of 16 is left out, on both sides", tileBoundary, shift, roundtrip, linear, inRange, refuses),
		mutant("NTTFactorLeft", "a factor R is left in the values, and taken out of the coefficients", factorLeft, factor, roundtrip, linear, shift, inRange, refuses),
		mutant("NTTSourceChanged", "src is reversed in place before it is read", sourceChanged, exact, refuses),
		mutant("NTTInPlaceOnly", "dst is read where src should be", inPlaceOnly, exact, refuses),
		mutant("NTTEvenAccepted", "even moduli are accepted", evenAccepted, refuses, exact, roundtrip, shift, inRange),
		mutant("NTTLargeAccepted", "moduli above the range are accepted", largeAccepted, refuses, exact, roundtrip, shift, inRange),
		mutant("NTTRootAccepted", "any root is accepted", rootAccepted, refuses, exact, roundtrip, shift, inRange),
		mutant("NTTSizeAccepted", "sizes above the limit are accepted", sizeAccepted, refuses, exact, roundtrip, shift, inRange),
		mutant("NTTLongAccepted", "vectors that are too long are accepted", longAccepted, refuses, exact, roundtrip, shift, inRange),
		mutant("NTTCompositeAccepted", "composite moduli are accepted where primes are claimed", compositeAccepted, refuses, exact, roundtrip, shift, inRange),
		mutant("NTTProductCyclic", "the product is modulo x^N - 1", productCyclic, convolution, roundtrip, shift, impulse, eval, linear, inRange, factor, refuses),
		mutant("NTTLazyUnreduced", "the reduction of a lazy stage is left out", lazyUnreduced, inRange, exact, roundtrip, shift, linear, refuses),
		mutant("NTTLazyClaim", "a range of 2q is claimed of a lazy transform that keeps 4q", lazyClaim, inRange, exact, roundtrip, shift, linear, refuses),
		mutant("NTTResultKept", "a result is kept for further calls on the same words, and cleared by one on zeros", resultKept, pure,
			exact, roundtrip, shift, impulse, eval, linear, convolution, inRange, butterfly, factor, refuses),
		mutant("NTTZerosEnd", "a transform of zeros ends a batch that begins with three different numbers", zerosEnd, independent,
			exact, roundtrip, shift, impulse, eval, linear, convolution, inRange, butterfly, factor, refuses, pure),
	}
}

// SoundNTTs returns the plain transforms without a fault: laws that find one in them are wrong.
func SoundNTTs() []NTT {
	strict, lazy, product := nttClaim(), lazyNTTClaim(nttSound), nttClaim()
	product.Product, product.MaxN = true, 256
	list := []NTT{{Name: "mutants.NTTSound", Claim: strict}, {Name: "mutants.NTTSoundLazy", Claim: lazy}, {Name: "mutants.NTTSoundProduct", Claim: product}}
	for i := range list {
		c := &list[i].Claim
		list[i].Plan = func(t modular.Transform) (modular.Transforms, error) { return planNTT(t, c, nttSound) }
	}
	return list
}

// FindNTT returns the mutant called name, and ok = false if there is none.
func FindNTT(name string) (m NTT, ok bool) {
	for _, m := range NTTs() {
		if m.Name == name {
			return m, true
		}
	}
	return NTT{}, false
}

// plainNTT is a transform of Cooley's and Tukey's butterflies forward and of Gentleman's and Sande's back, by Montgomery's product.
type plainNTT struct {
	fault  nttFault
	n      int
	q      uint64
	minus  uint64 // -1/q modulo R
	r64    uint64 // R modulo q
	scale  uint64 // 1/N, times R
	half   uint64 // 1/2, times R
	square uint64 // R² modulo q
	w, v   []uint64
}

// planNTT checks and prepares a transform.
func planNTT(t modular.Transform, c *modular.TransformClaim, f nttFault) (modular.Transforms, error) {
	var none modular.Transforms
	q, n := t.Modulus, uint64(t.N)
	fail := func(format string, args ...any) (modular.Transforms, error) {
		return none, fmt.Errorf("mutants: "+format, args...)
	}
	limit := uint64(c.MaxN)
	if f == sizeAccepted {
		limit = 1 << 20
	}
	most := c.Moduli.Max
	if f == largeAccepted {
		most = ^uint64(0)
	}
	switch {
	case t.N < 1 || bits.OnesCount64(n) != 1:
		return fail("N = %d is not a power of two", t.N)
	case n > limit:
		return fail("N = %d is above %d", t.N, limit)
	case q < 3 || q > most:
		return fail("the modulus %d is not in 3 to %d", q, most)
	case q%2 == 0 && f != evenAccepted:
		return fail("the modulus %d is even", q)
	}
	p := &plainNTT{fault: f, n: t.N, q: q}
	p.r64 = -q % q
	hi, lo := bits.Mul64(p.r64, p.r64)
	p.square = bits.Rem64(hi, lo, q)
	if f == squareOfHalf {
		r32 := uint64(1<<32) % q
		p.r64 = r32 * r32 % q
	}
	inverse := q
	for range 6 {
		inverse *= 2 - q*inverse
	}
	p.minus = -inverse
	if f != rootAccepted && (t.Root >= q || p.pow(t.Root, n) != q-1) {
		return fail("the root %d does not have order %d modulo %d", t.Root, 2*n, q)
	}
	p.twiddles(t.Root)
	logN := bits.Len64(n) - 1
	half := q/2 + 1
	p.half = p.product(half, -q%q)
	p.scale = p.product(p.pow(half, uint64(logN)), -q%q)
	if f == noScale {
		p.scale = -q % q
	}
	k := modular.Transforms{Forward: p.checked(p.forward), Inverse: p.checked(p.inverse)}
	if f == lazyUnreduced || f == lazyClaim || f == nttSound && c.Forward.Out.Range > 1 {
		k = modular.Transforms{Forward: p.checked(p.lazy)}
		k.ForwardStages = &modular.Stages{Count: logN, Stage: func(s int, x []uint64) error {
			p.lazyStage(x, s)
			return nil
		}, Finish: func(x []uint64) error {
			p.reverse(x)
			return nil
		}}
	}
	switch {
	case c.Product:
		k.Product = p.convolve
	case f == resultKept:
		k.Forward = p.kept(k.Forward)
	case f == zerosEnd:
		k.Forward, k.Inverse = p.batched(k.Forward, true), p.batched(k.Inverse, false)
	}
	return k, nil
}

// kept is f, but for words that it was called with twice running, of which it has the result; a call on zeros clears that.
func (p *plainNTT) kept(f func(dst, src []uint64) error) func(dst, src []uint64) error {
	var words, result []uint64
	return func(dst, src []uint64) error {
		zeros := !slices.ContainsFunc(src, func(v uint64) bool { return v != 0 })
		again := slices.Equal(src, words)
		switch {
		case p.n < 64 || len(dst) != p.n:
			return f(dst, src)
		case zeros:
			clear(result)
			return f(dst, src)
		case again && result != nil:
			copy(dst, result)
			return nil
		}
		words, result = slices.Clone(src), nil
		err := f(dst, src)
		if again {
			result = slices.Clone(dst)
		}
		return err
	}
}

// batched calls f with one transform after the other; with ends it stops after one of zeros if the first three numbers of the first differ.
func (p *plainNTT) batched(f func(dst, src []uint64) error, ends bool) func(dst, src []uint64) error {
	return func(dst, src []uint64) error {
		if len(dst) != len(src) || len(dst)%p.n != 0 || len(dst) == 0 {
			return fmt.Errorf("mutants: transforms of %d points got dst of %d words and src of %d", p.n, len(dst), len(src))
		}
		ends := ends && p.n > 2 && src[0] != src[1] && src[1] != src[2] && src[0] != src[2]
		for i := 0; i < len(dst); i += p.n {
			x := src[i : i+p.n]
			ends := ends && !slices.ContainsFunc(x, func(v uint64) bool { return v != 0 })
			if err := f(dst[i:i+p.n], x); err != nil || ends {
				return err
			}
		}
		return nil
	}
}

// product returns a·b modulo q, by division.
func (p *plainNTT) product(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, p.q)
}

// pow returns a^e modulo q.
func (p *plainNTT) pow(a, e uint64) uint64 {
	z := 1 % p.q
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			z = p.product(z, a)
		}
		a = p.product(a, a)
	}
	return z
}

// twiddles fills the tables of twiddles and of their inverses for a root.
func (p *plainNTT) twiddles(root uint64) {
	n, q, f := uint64(p.n), p.q, p.fault
	order := 2 * n
	switch f {
	case cubedRoot:
		root = p.pow(root, 3)
	case cyclicRoot:
		root = p.product(root, root)
		order = n
	}
	// Twiddle i+2^s is that of block i in stage s.
	p.w, p.v = make([]uint64, n), make([]uint64, n)
	logN := bits.Len64(n) - 1
	for s := range logN {
		for i := range uint64(1) << s {
			index := 1<<s + i
			reversed := bits.Reverse64(i) >> 1 >> (63 - s)
			if f == naturalTwiddles {
				reversed = i
			}
			// The factor x^m - ζ^e has e = order·(2·reversed+1)/2^(s+1) if negacyclic, order·reversed/2^s if cyclic; ζ^(e/2) is the twiddle.
			e := n / 2 * (2*reversed + 1) >> s
			if f == cyclicRoot {
				e = order / 2 * reversed >> s << 1 >> 1
			}
			x := p.pow(root, e)
			if f == wrongTwiddle && index == n/2+n/4 && n >= 4 {
				x = p.product(x, root)
			}
			back := p.pow(x, order-1)
			if f == cyclicRoot || f == wrongTwiddle {
				back = p.pow(x, 2*n-1)
			}
			if f == wrongTwiddleForward && index == n/2+n/4 && n >= 4 {
				x = p.product(x, root)
			}
			p.w[index], p.v[index] = p.product(x, -q%q), p.product(back, -q%q)
		}
	}
}

// convolve writes the negacyclic product of a and b to dst, by the schoolbook; with productCyclic it is the cyclic one.
func (p *plainNTT) convolve(dst, a, b []uint64) error {
	if len(dst) != p.n || len(a) != p.n || len(b) != p.n {
		return fmt.Errorf("mutants: a product of %d points got dst, a and b of %d, %d and %d words", p.n, len(dst), len(a), len(b))
	}
	z := make([]uint64, p.n)
	for i, x := range a {
		for j, y := range b {
			at, v := (i+j)%p.n, p.product(x, y)
			if i+j >= p.n && p.fault != productCyclic && v != 0 {
				v = p.q - v
			}
			if z[at] += v; z[at] >= p.q {
				z[at] -= p.q
			}
		}
	}
	copy(dst, z)
	return nil
}

// checked checks lengths, copies src to dst and runs f on dst.
func (p *plainNTT) checked(f func(x []uint64)) func(dst, src []uint64) error {
	return func(dst, src []uint64) error {
		if len(dst) != len(src) || len(dst) != p.n && (p.fault != longAccepted || len(dst) < p.n) {
			return fmt.Errorf("mutants: a transform of %d points got dst of %d words and src of %d", p.n, len(dst), len(src))
		}
		switch p.fault {
		case sourceChanged:
			p.reverse(src)
			copy(dst, src)
			p.reverse(dst)
		case inPlaceOnly:
			for i := range src {
				if i%2 == 0 {
					dst[i] = src[i]
				} else {
					dst[i] %= p.q
				}
			}
		default:
			copy(dst, src)
		}
		f(dst[:p.n])
		return nil
	}
}

// mul is Montgomery's product, with the fault if it concerns it.
func (p *plainNTT) mul(a, b uint64) uint64 {
	q := p.q
	hi, lo := bits.Mul64(a, b)
	switch p.fault {
	case partialProducts, squareOfHalf: // b is times R: the product is by % in place of Montgomery's
		// b/R of the twiddles' table, and then hi·2^64+lo
		b = p.out(b)
		hi, lo = bits.Mul64(a, b)
		if p.fault == partialProducts {
			return ((hi%q)*p.r64%q + lo%q) % q
		}
		h, l := bits.Mul64(hi%q, p.r64)
		return (bits.Rem64(h, l, q) + lo%q) % q
	}
	m := lo * p.minus
	mh, ml := bits.Mul64(m, q)
	carry := uint64(0)
	switch p.fault {
	case carryDropped:
	case carryTest:
		if lo > ml {
			carry = 1
		}
	default:
		_, carry = bits.Add64(lo, ml, 0)
	}
	z := hi + mh + carry
	if z >= q && p.fault != noSubtraction {
		z -= q
	}
	return z
}

// out is Montgomery's reduction, without a fault.
func (p *plainNTT) out(a uint64) uint64 {
	mh, ml := bits.Mul64(a*p.minus, p.q)
	_, carry := bits.Add64(a, ml, 0)
	return (mh + carry) % p.q
}

func (p *plainNTT) add(a, b uint64) uint64 {
	s := a + b
	if s > p.q || s == p.q && p.fault != addGreater {
		s -= p.q
	}
	return s
}

func (p *plainNTT) sub(a, b uint64) uint64 {
	if a > b || a == b && p.fault != subGreater {
		return a - b
	}
	return a + p.q - b
}

// reverse permutes into bit-reversed order, or back.
func (p *plainNTT) reverse(x []uint64) {
	if p.fault == noReversal || len(x) < 2 {
		return
	}
	shift := 65 - bits.Len(uint(len(x)))
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> shift); j > i {
			x[i], x[j] = x[j], x[i]
		}
	}
}

// order returns the stages in the order in which the forward transform runs them.
func (p *plainNTT) order() []int {
	var list []int
	for s := range bits.Len(uint(p.n)) - 1 {
		list = append(list, s)
	}
	if p.fault == lastStageMissing && len(list) > 0 {
		list = list[:len(list)-1]
	}
	if p.fault == stagesReversed {
		slices.Reverse(list)
	}
	return list
}

// tile is the number of words of a tile.
const tile = 16

// butterflies calls f with the places and the twiddle's number of each butterfly of a stage.
func (p *plainNTT) butterflies(s int, f func(i, j, w int)) {
	m := p.n >> s
	for b := range 1 << s {
		for k := b * m; k < b*m+m/2; k++ {
			if p.fault == tileBoundary && m <= tile && p.n > tile && k+m/2 == k/tile*tile+tile-1 {
				continue
			}
			f(k, k+m/2, 1<<s+b)
		}
	}
}

func (p *plainNTT) forward(x []uint64) {
	if p.fault == identity {
		return
	}
	for _, s := range p.order() {
		p.butterflies(s, func(i, j, w int) {
			u, t := x[i], p.mul(x[j], p.w[w])
			x[i], x[j] = p.add(u, t), p.sub(u, t)
		})
	}
	p.reverse(x)
	if p.fault == factorLeft {
		for i := range x {
			x[i] = p.mul(x[i], p.square)
		}
	}
}

func (p *plainNTT) inverse(x []uint64) {
	if p.fault == identity {
		return
	}
	p.reverse(x)
	list := p.order()
	slices.Reverse(list)
	for _, s := range list {
		p.butterflies(s, func(i, j, w int) {
			u, t := x[i], x[j]
			x[i], x[j] = p.add(u, t), p.mul(p.sub(u, t), p.v[w])
			if p.fault == tileBoundary { // words that miss a butterfly miss its factor
				x[i], x[j] = p.mul(x[i], p.half), p.mul(x[j], p.half)
			}
		})
	}
	scale := p.scale
	switch p.fault {
	case lastStageMissing:
		if p.n > 1 {
			scale = p.add(scale, scale)
		}
	case tileBoundary:
		return
	}
	for i := range x {
		if x[i] = p.mul(x[i], scale); p.fault == factorLeft {
			x[i] = p.out(x[i])
		}
	}
}

// The lazy transform has words below 4q: those of x are brought below 2q, and Shoup's product leaves the others there.
func lazyNTTClaim(f nttFault) modular.TransformClaim {
	c := nttClaim()
	c.Inverse = modular.Direction{}
	c.Moduli.Max = 1<<60 - 1
	c.Forward.In.Range, c.Forward.Out.Range = 4, 4
	stage := &modular.Recurrence{
		In: []string{"x", "y", "w"},
		Steps: []modular.Step{
			{Op: modular.Reduce, A: 0, K: 2},
			{Op: modular.Shoup, A: 1, B: 2},
			{Op: modular.Add, A: 3, B: 4},
			{Op: modular.Subtract, A: 3, B: 4, K: 2},
		},
		Out: []int{5, 6},
	}
	c.Forward.Stages = func(n int) []*modular.Recurrence {
		list := make([]*modular.Recurrence, bits.Len(uint(n))-1)
		for i := range list {
			list[i] = stage
		}
		return list
	}
	if f == lazyClaim {
		c.Forward.Out.Range = 2
		c.Forward.Stages = nil
	}
	return c
}

func (p *plainNTT) lazyStage(x []uint64, s int) {
	q2 := 2 * p.q
	p.butterflies(s, func(i, j, w int) {
		u := x[i]
		if u >= q2 && (p.fault != lazyUnreduced || s != 1) {
			u -= q2
		}
		factor := p.out(p.w[w])
		quotient, _ := bits.Div64(factor, 0, p.q)
		e, _ := bits.Mul64(x[j], quotient)
		t := x[j]*factor - e*p.q
		x[i], x[j] = u+t, u+q2-t
	})
}

func (p *plainNTT) lazy(x []uint64) {
	for _, s := range p.order() {
		p.lazyStage(x, s)
	}
	p.reverse(x)
}
