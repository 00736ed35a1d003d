package mutants

import (
	"fmt"
	"math/bits"

	"gamma/model"
	"gamma/model/modular"
)

// Modular is an operation on residues with one fault. Its claim is that of a sound operation of its kind.
type Modular struct {
	Name  string
	Fault string // what is wrong, in a few words
	Claim modular.Claim
	Run   func(q uint64, dst, src []uint64) error
	Kills model.LawID // the law that must find it
}

// Modulars returns every mutant of operations on residues.
func Modulars() []Modular {
	var all []Modular
	for _, family := range [][]Modular{montgomeryProducts(), plainProducts(), residueSums(), constants(), inverses(), butterflies(), acceptances(), calls()} {
		all = append(all, family...)
	}
	return all
}

// FindModular returns the mutant called name, and ok = false if there is none.
func FindModular(name string) (m Modular, ok bool) {
	for _, m := range Modulars() {
		if m.Name == name {
			return m, true
		}
	}
	return Modular{}, false
}

// ring holds what a mutant precomputes for a modulus.
type ring struct {
	b             int
	q, mask       uint64
	neg, one, two uint64 // -1/q modulo R, R mod q, R² mod q
}

func newRing(b int, q uint64) *ring {
	r := &ring{b: b, q: q, mask: ^uint64(0) >> (64 - b)}
	x := q
	for range 5 {
		x *= 2 - q*x
	}
	r.neg = -x & r.mask
	r.one = (r.mask%q + 1) % q
	r.two = r.times(r.one, r.one)
	return r
}

// times returns a·b mod q.
func (r *ring) times(a, b uint64) uint64 {
	h, l := bits.Mul64(a, b)
	_, rem := bits.Div64(h%r.q, l, r.q)
	return rem
}

// wide returns a·b in two words of b bits.
func (r *ring) wide(a, b uint64) (h, l uint64) {
	h, l = bits.Mul64(a, b)
	if r.b < 64 {
		h, l = l>>r.b, l&r.mask
	}
	return h, l
}

// sum returns a+b+c modulo R, and the carry.
func (r *ring) sum(a, b, c uint64) (s, carry uint64) {
	s, carry = bits.Add64(a, b, c)
	if r.b < 64 {
		s, carry = s&r.mask, s>>r.b
	}
	return s, carry
}

// redc is Montgomery's reduction of h·R+l, up to the last subtraction: the result is carry·R+s.
func (r *ring) redc(h, l uint64) (s, carry uint64) {
	mh, _ := r.wide(l*r.neg&r.mask, r.q)
	c := uint64(0)
	if l != 0 {
		c = 1
	}
	return r.sum(h, mh, c)
}

// once is a last subtraction.
func (r *ring) once(s, carry uint64) uint64 {
	if carry != 0 || s >= r.q {
		s -= r.q
	}
	return s & r.mask
}

// mont is Montgomery's product.
func (r *ring) mont(a, b uint64) uint64 {
	h, l := r.wide(a, b)
	return r.once(r.redc(h, l))
}

// add and sub are modulo q.
func (r *ring) add(a, b uint64) uint64 {
	s, carry := r.sum(a, b, 0)
	return r.once(s, carry)
}

func (r *ring) sub(a, b uint64) uint64 {
	if a < b {
		a += r.q
	}
	return (a - b) & r.mask
}

// checked makes a batch of an operation on rows, which rejects moduli that are not claimed.
func checked(c *modular.Claim, step func(r *ring, z, x []uint64)) func(q uint64, dst, src []uint64) error {
	accepts := admits(c)
	return func(q uint64, dst, src []uint64) error {
		if err := accepts(q); err != nil {
			return err
		}
		unchecked(c, q, dst, src, step)
		return nil
	}
}

// unchecked runs rows for any modulus.
func unchecked(c *modular.Claim, q uint64, dst, src []uint64, step func(r *ring, z, x []uint64)) {
	r := newRing(c.Bits, q)
	n, m := len(c.In), len(c.Out)
	for i := range len(dst) / m {
		step(r, dst[i*m:(i+1)*m], src[i*n:(i+1)*n])
	}
}

// admits returns the check of a claim's moduli.
func admits(c *modular.Claim) func(q uint64) error {
	moduli, b := c.Moduli, c.Bits
	return func(q uint64) error {
		if err := moduli.Admits(q, b); err != nil {
			return err
		}
		if moduli.Prime && !prime(q) {
			return fmt.Errorf("modulus %d is not prime", q)
		}
		return nil
	}
}

// prime is the Miller-Rabin test with bases that suffice below 2^64.
func prime(q uint64) bool {
	if q < 2 || q%2 == 0 {
		return q == 2
	}
	r := ring{q: q}
	d, k := q-1, 0
	for ; d%2 == 0; k++ {
		d /= 2
	}
next:
	for _, base := range []uint64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37} {
		x := r.power(base%q, d)
		if base%q == 0 || x == 1 || x == q-1 {
			continue
		}
		for range k - 1 {
			if x = r.times(x, x); x == q-1 {
				continue next
			}
		}
		return false
	}
	return true
}

// power returns a^e mod q.
func (r *ring) power(a, e uint64) uint64 {
	z := 1 % r.q
	for ; e > 0; e >>= 1 {
		if e&1 != 0 {
			z = r.times(z, a)
		}
		a = r.times(a, a)
	}
	return z
}

func residue(name string, power int, f uint64) modular.Word {
	return modular.Word{Name: name, Power: power, Range: f}
}

// claimed returns the claim of a function.
func claimed(f modular.Function, b int, of modular.Moduli, in, out []modular.Word) modular.Claim {
	return modular.Claim{Function: f, Bits: b, In: in, Out: out, Moduli: of}
}

func wordsOf(w ...modular.Word) []modular.Word { return w }

func modularMutant(name, fault string, kills model.LawID, c modular.Claim, step func(r *ring, z, x []uint64)) Modular {
	return Modular{Name: "mutants." + name, Fault: fault, Kills: kills, Claim: c, Run: checked(&c, step)}
}

// odd returns all odd moduli of words.
func odd() modular.Moduli { return modular.Moduli{Min: 3} }

// below returns the odd moduli of less than the given number of bits.
func below(k int) modular.Moduli { return modular.Moduli{Min: 3, Max: 1<<k - 1} }

func montgomeryProducts() []Modular {
	claim := func(b int) modular.Claim {
		return claimed(modular.Product, b, odd(), wordsOf(residue("a", 1, 1), residue("b", 1, 1)), wordsOf(residue("z", 1, 1)))
	}
	mutant := func(name, fault string, kills model.LawID, b int, f func(r *ring, h, l uint64) uint64) Modular {
		return modularMutant(name, fault, kills, claim(b), func(r *ring, z, x []uint64) {
			h, l := r.wide(x[0], x[1])
			z[0] = f(r, h, l)
		})
	}
	// general is a reduction whose carry and factor may be wrong.
	general := func(r *ring, h, l, neg uint64, carry func(l, ml uint64) uint64) (s, c uint64) {
		mh, ml := r.wide(l*neg&r.mask, r.q)
		return r.sum(h, mh, carry(l, ml))
	}
	return []Modular{
		mutant("MontgomeryCarryDropped", "the carry out of the low words is dropped", "mont.value", 64, func(r *ring, h, l uint64) uint64 {
			return r.once(general(r, h, l, r.neg, func(_, _ uint64) uint64 { return 0 }))
		}),
		mutant("MontgomeryCarryDropped32", "the carry out of the low words is dropped", "mont.distributes", 32, func(r *ring, h, l uint64) uint64 {
			return r.once(general(r, h, l, r.neg, func(_, _ uint64) uint64 { return 0 }))
		}),
		mutant("MontgomeryCarryGreater", "the carry is tested as lo > mq_lo", "mont.value", 64, func(r *ring, h, l uint64) uint64 {
			return r.once(general(r, h, l, r.neg, func(l, ml uint64) uint64 { return flag(l > ml) }))
		}),
		mutant("MontgomeryCarryAlways", "the carry is 1 unless the product is 0; it is 0 where the product's low word is", "mont.value", 64, func(r *ring, h, l uint64) uint64 {
			return r.once(general(r, h, l, r.neg, func(l, _ uint64) uint64 { return flag(h|l != 0) }))
		}),
		mutant("MontgomeryHighCarryLost", "the carry out of the high words is lost, from q = 2^63 on", "mont.value", 64, func(r *ring, h, l uint64) uint64 {
			s, _ := r.redc(h, l)
			return r.once(s, 0)
		}),
		mutant("MontgomeryHighCarryLost8", "the carry out of the high words is lost, from q = 128 on", "mont.value", 8, func(r *ring, h, l uint64) uint64 {
			s, _ := r.redc(h, l)
			return r.once(s, 0)
		}),
		mutant("MontgomeryUnreduced", "there is no last subtraction, unless the sum has a carry", "mont.range", 64, func(r *ring, h, l uint64) uint64 {
			s, c := r.redc(h, l)
			if c != 0 {
				s -= r.q
			}
			return s
		}),
		mutant("MontgomeryGreater", "the last subtraction tests > q for >= q, and gives q for 0", "mont.range", 64, func(r *ring, h, l uint64) uint64 {
			s, c := r.redc(h, l)
			if c != 0 || s > r.q {
				s -= r.q
			}
			return s
		}),
		mutant("MontgomerySign", "q' is 1/q where -1/q is needed", "mont.value", 64, func(r *ring, h, l uint64) uint64 {
			return r.once(general(r, h, l, -r.neg&r.mask, func(l, _ uint64) uint64 { return flag(l != 0) }))
		}),
		mutant("MontgomeryNewton", "q' is right in 32 bits of 64: a step of Newton's method is missing", "mont.value", 64, func(r *ring, h, l uint64) uint64 {
			x := r.q
			for range 3 { // 3, 6, 12, 24 bits
				x *= 2 - r.q*x
			}
			return r.once(general(r, h, l, -x&r.mask, func(l, _ uint64) uint64 { return flag(l != 0) }))
		}),
		mutant("MontgomeryTwice", "the result is reduced once more, and leaves the domain", "mont.identity", 64, func(r *ring, h, l uint64) uint64 {
			return r.once(r.redc(0, r.once(r.redc(h, l))))
		}),
		modularMutant("LazyProductAsReduced", "operands of [q, 2q) are taken for reduced: the sum of the high words is cut to a word", "mont.closure",
			claimed(modular.Product, 64, modular.Moduli{Min: 3, Max: 1<<63 - 1}, wordsOf(residue("a", 1, 2), residue("b", 1, 2)), wordsOf(residue("z", 1, 2))),
			func(r *ring, z, x []uint64) {
				h, l := r.wide(x[0], x[1])
				z[0], _ = r.redc(h, l)
			}),
		modularMutant("FromMontgomeryUnreduced", "there is no last subtraction where a word leaves the domain", "mont.range",
			claimed(modular.Identity, 64, odd(), wordsOf(residue("a", 1, 0)), wordsOf(residue("z", 0, 1))),
			func(r *ring, z, x []uint64) { z[0], _ = r.redc(0, x[0]) }),
		modularMutant("IntoMontgomeryByOne", "the factor into the domain is R mod q and not R² mod q", "mont.identity",
			claimed(modular.Identity, 64, odd(), wordsOf(residue("a", 0, 1)), wordsOf(residue("z", 1, 1))),
			func(r *ring, z, x []uint64) { z[0] = r.mont(x[0], r.one) }),
		modularMutant("PowerShort", "the highest bit of the exponent is left out", "mont.value",
			claimed(modular.Power, 64, odd(), wordsOf(residue("a", 1, 1), modular.Word{Name: "e", Integer: true}), wordsOf(residue("z", 1, 1))),
			func(r *ring, z, x []uint64) {
				a := r.mont(x[0], 1)
				z[0] = r.times(r.power(a, x[1]&(1<<63-1)), r.one)
			}),
		modularMutant("PowerZero", "0^0 is 0", "mont.identity",
			claimed(modular.Power, 32, odd(), wordsOf(residue("a", 1, 1), modular.Word{Name: "e", Integer: true}), wordsOf(residue("z", 1, 1))),
			func(r *ring, z, x []uint64) {
				if x[0] != 0 {
					z[0] = r.times(r.power(r.mont(x[0], 1), x[1]), r.one)
				} else {
					z[0] = 0
				}
			}),
	}
}

// flag returns 1 for true and 0 for false.
func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// goldilocks is 2^64-2^32+1.
const goldilocks = 0xffffffff00000001

func plainProducts() []Modular {
	claim := func(of modular.Moduli) modular.Claim {
		return claimed(modular.Product, 64, of, wordsOf(residue("a", 0, 1), residue("b", 0, 1)), wordsOf(residue("z", 0, 1)))
	}
	any63 := modular.Moduli{Max: 1<<63 - 1, Even: true}
	shoup := claimed(modular.Product, 64, modular.Moduli{Max: 1<<63 - 1, Even: true},
		wordsOf(residue("a", 0, 0), residue("w", 0, 1), modular.Word{Name: "w'", Shoup: true}), wordsOf(residue("z", 0, 1)))
	// split is a product whose two words are reduced separately, with r for 2^64 mod q.
	split := func(r func(q uint64) uint64) func(r *ring, z, x []uint64) {
		return func(g *ring, z, x []uint64) {
			h, l := bits.Mul64(x[0], x[1])
			z[0] = (h%g.q*r(g.q)%g.q + l%g.q) % g.q
		}
	}
	return []Modular{
		modularMutant("PartialProducts", "% is used on partial products, whose product does not fit into a word", "mont.value", claim(any63),
			split(func(q uint64) uint64 { return (^uint64(0)%q + 1) % q })),
		modularMutant("SquaredRadix", "2^64 mod q is computed as (2^32 mod q)², in one word", "mont.value", claim(any63),
			split(func(q uint64) uint64 {
				h := uint64(1<<32) % q
				return h * h % q
			})),
		modularMutant("HighWordLeftOut", "the high word of the product is left out", "mont.distributes", claim(any63),
			split(func(uint64) uint64 { return 0 })),
		modularMutant("LimbCarryLost", "the sum of the two middle products of 32-bit halves loses its carry", "mont.distributes", claim(modular.Moduli{Even: true}),
			func(r *ring, z, x []uint64) {
				ah, al, bh, bl := x[0]>>32, x[0]&0xffffffff, x[1]>>32, x[1]&0xffffffff
				middle := ah*bl + al*bh
				l, c := bits.Add64(al*bl, middle<<32, 0)
				h := ah*bh + middle>>32 + c
				_, z[0] = bits.Div64(h%r.q, l, r.q)
			}),
		modularMutant("ShoupQuotientUp", "Shoup's factor is one too large", "mont.value", shoup,
			func(r *ring, z, x []uint64) {
				k, _ := bits.Mul64(x[0], x[2]+1)
				z[0] = r.once(x[0]*x[1]-k*r.q, 0)
			}),
		modularMutant("ShoupUnreduced", "there is no last subtraction", "mont.range", shoup,
			func(r *ring, z, x []uint64) {
				k, _ := bits.Mul64(x[0], x[2])
				z[0] = x[0]*x[1] - k*r.q
			}),
		modularMutant("ShoupGreater", "the last subtraction tests > q for >= q, and gives q for 0", "mont.range", shoup,
			func(r *ring, z, x []uint64) {
				k, _ := bits.Mul64(x[0], x[2])
				if z[0] = x[0]*x[1] - k*r.q; z[0] > r.q {
					z[0] -= r.q
				}
			}),
		modularMutant("BarrettOneCorrection", "one correction, where two may be needed", "mont.range",
			claimed(modular.Product, 32, modular.Moduli{Min: 3, Max: 1<<31 - 1, Even: true}, wordsOf(residue("a", 0, 1), residue("b", 0, 1)), wordsOf(residue("z", 0, 1))),
			func(r *ring, z, x []uint64) {
				k := bits.Len64(r.q)
				mu := uint64(1<<(2*k)) / r.q
				t := x[0] * x[1]
				s := t - t>>(k-1)*mu>>(k+1)*r.q
				z[0] = r.once(s, 0)
			}),
		modularMutant("BarrettUncorrected", "no correction, where two may be needed", "mont.range",
			claimed(modular.Product, 32, modular.Moduli{Min: 3, Max: 1<<30 - 1, Even: true}, wordsOf(residue("a", 0, 1), residue("b", 0, 1)), wordsOf(residue("z", 0, 1))),
			func(r *ring, z, x []uint64) {
				k := bits.Len64(r.q)
				mu := uint64(1<<(2*k)) / r.q
				t := x[0] * x[1]
				z[0] = t - t>>(k-1)*mu>>(k+1)*r.q
			}),
		modularMutant("GoldilocksCarryLost", "the carry of the last sum is lost", "mont.value",
			claimed(modular.Product, 64, modular.Moduli{Only: []uint64{goldilocks}}, wordsOf(residue("a", 0, 1), residue("b", 0, 1)), wordsOf(residue("z", 0, 1))),
			func(r *ring, z, x []uint64) {
				h, l := bits.Mul64(x[0], x[1])
				s, borrow := bits.Sub64(l, h>>32, 0)
				s -= borrow * 0xffffffff
				s += h&0xffffffff<<32 - h&0xffffffff // a carry here stands for 2^64 ≡ 2^32-1
				z[0] = r.once(s, 0)
			}),
		modularMutant("MersenneUnfolded", "q is left where 0 is meant: the last fold tests > q", "mont.range",
			claimed(modular.Product, 32, modular.Moduli{Only: []uint64{1<<31 - 1}}, wordsOf(residue("a", 0, 2), residue("b", 0, 2)), wordsOf(residue("z", 0, 1))),
			func(r *ring, z, x []uint64) {
				t := x[0] * x[1]
				t = t&r.q + t>>31
				t = t&r.q + t>>31
				if t > r.q {
					t -= r.q
				}
				z[0] = t
			}),
		modularMutant("WideHighUnreduced", "the high word is taken modulo q before it is shifted, in one word", "mont.value",
			claimed(modular.Wide, 32, modular.Moduli{Min: 3}, wordsOf(residue("h", 0, 0), modular.Word{Name: "l", Integer: true}), wordsOf(residue("z", 0, 1))),
			func(r *ring, z, x []uint64) { z[0] = (x[0]%r.q<<32&r.mask | x[1]) % r.q }),
	}
}

func residueSums() []Modular {
	two := func(f modular.Function, of modular.Moduli, b int) modular.Claim {
		return claimed(f, b, of, wordsOf(residue("a", 1, 1), residue("b", 1, 1)), wordsOf(residue("z", 1, 1)))
	}
	lazy := claimed(modular.Sum, 64, below(62), wordsOf(residue("a", 1, 2), residue("b", 1, 2)), wordsOf(residue("z", 1, 2)))
	one := claimed(modular.Negative, 64, odd(), wordsOf(residue("a", 1, 1)), wordsOf(residue("z", 1, 1)))
	return []Modular{
		modularMutant("AddGreater", "> for >=: a and q-a give q", "mont.range", two(modular.Sum, below(63), 64), func(r *ring, z, x []uint64) {
			if z[0] = x[0] + x[1]; z[0] > r.q {
				z[0] -= r.q
			}
		}),
		modularMutant("AddUnreduced", "there is no last subtraction", "mont.range", two(modular.Sum, below(63), 64), func(_ *ring, z, x []uint64) {
			z[0] = x[0] + x[1]
		}),
		modularMutant("AddCarryLost", "the sum's carry is lost, from q = 2^63 on", "mont.value", two(modular.Sum, odd(), 64), func(r *ring, z, x []uint64) {
			z[0] = r.once(x[0]+x[1], 0)
		}),
		modularMutant("SubGreater", "> for >=: a and a give q", "mont.range", two(modular.Difference, odd(), 64), func(r *ring, z, x []uint64) {
			if z[0] = x[0] - x[1]; x[0] <= x[1] {
				z[0] += r.q
			}
		}),
		modularMutant("SubUnfolded", "q is not added to a negative difference", "mont.value", two(modular.Difference, odd(), 32), func(r *ring, z, x []uint64) {
			z[0] = (x[0] - x[1]) & r.mask
		}),
		modularMutant("SubBorrowOfHigh", "a borrow is seen by the highest bit, which is one of the difference from q = 2^63 on", "mont.value", two(modular.Difference, odd(), 64), func(r *ring, z, x []uint64) {
			if z[0] = x[0] - x[1]; z[0]>>63 != 0 {
				z[0] += r.q
			}
		}),
		modularMutant("NegZero", "the negative of 0 is q", "mont.range", one, func(r *ring, z, x []uint64) { z[0] = r.q - x[0] }),
		modularMutant("NegNot", "the negative is the complement of bits, modulo q", "mont.identity", one, func(r *ring, z, x []uint64) {
			z[0] = (^x[0] & r.mask) % r.q
		}),
		modularMutant("AddLazyOnce", "q and not 2q is subtracted of a lazy sum", "mont.range", lazy, func(r *ring, z, x []uint64) {
			if z[0] = x[0] + x[1]; z[0] >= 2*r.q {
				z[0] -= r.q
			}
		}),
		modularMutant("AddLazyDrifts", "a lazy sum is not reduced, and overflows once it has been an operand", "mont.closure", lazy, func(_ *ring, z, x []uint64) {
			z[0] = x[0] + x[1]
		}),
		remembering("ResultTakenForReduced", "results that come back as operands are taken for reduced, and are lazy", lazy),
		modularMutant("AddSticky", "a sum of 0 becomes q-1 in the word", "mont.identity", two(modular.Sum, odd(), 16), func(r *ring, z, x []uint64) {
			if z[0] = r.add(x[0], x[1]); z[0] == 0 && x[0] != 0 {
				z[0] = r.q - 1
			}
		}),
	}
}

// remembering returns a lazy sum that does not reduce where the first operands are the results of the call before.
func remembering(name, fault string, c modular.Claim) Modular {
	accepts := admits(&c)
	var last []uint64
	return Modular{Name: "mutants." + name, Fault: fault, Kills: "mont.closure", Claim: c, Run: func(q uint64, dst, src []uint64) error {
		if err := accepts(q); err != nil {
			return err
		}
		back := len(last) == len(dst)
		for i := 0; back && i < len(last); i++ {
			back = last[i] == src[2*i]
		}
		for i := range dst {
			if dst[i] = src[2*i] + src[2*i+1]; dst[i] >= 2*q && !back {
				dst[i] -= 2 * q
			}
		}
		last = append(last[:0], dst...)
		return nil
	}}
}

func constants() []Modular {
	none := func(f modular.Function, b int, out modular.Word) modular.Claim {
		return claimed(f, b, odd(), nil, wordsOf(out))
	}
	integer := modular.Word{Name: "z", Integer: true}
	return []Modular{
		modularMutant("RadixUnreduced", "R mod q is computed as R-q, which is reduced only from q = R/2 on", "mont.constants", none(modular.One, 64, residue("R mod q", 1, 1)),
			func(r *ring, z, _ []uint64) { z[0] = -r.q & r.mask }),
		modularMutant("RadixSquaredInWord", "R² mod q is computed as (R mod q)² in one word", "mont.constants", none(modular.One, 64, residue("R² mod q", 2, 1)),
			func(r *ring, z, _ []uint64) { z[0] = r.one * r.one % r.q }),
		modularMutant("RadixSquaredShort", "R² mod q is doubled a time too few", "mont.constants", none(modular.One, 32, residue("R² mod q", 2, 1)),
			func(r *ring, z, _ []uint64) {
				z[0] = r.one
				for range 31 {
					z[0] = r.add(z[0], z[0])
				}
			}),
		modularMutant("NewtonShort", "a step of Newton's method is missing", "mont.constants", none(modular.WordInverse, 64, integer),
			func(r *ring, z, _ []uint64) {
				x := 3*r.q ^ 2
				for range 3 { // 5, 10, 20, 40 bits
					x *= 2 - r.q*x
				}
				z[0] = x
			}),
		modularMutant("NegativeInverseSign", "1/q in the place of -1/q", "mont.constants", none(modular.NegativeInverse, 64, integer),
			func(r *ring, z, _ []uint64) { z[0] = -r.neg & r.mask }),
		modularMutant("ShoupRoundedUp", "Shoup's factor is rounded up", "mont.constants",
			claimed(modular.ShoupQuotient, 64, odd(), wordsOf(residue("w", 0, 1)), wordsOf(integer)),
			func(r *ring, z, x []uint64) {
				k, rem := bits.Div64(x[0], 0, r.q)
				z[0] = k + flag(rem != 0)
			}),
		modularMutant("ShoupByRadix", "Shoup's factor is w·⌊R/q⌋", "mont.constants",
			claimed(modular.ShoupQuotient, 64, odd(), wordsOf(residue("w", 0, 1)), wordsOf(integer)),
			func(r *ring, z, x []uint64) { z[0] = x[0] * (^uint64(0) / r.q) }),
	}
}

func inverses() []Modular {
	claim := func(of modular.Moduli) modular.Claim {
		return claimed(modular.Inverse, 64, of, wordsOf(residue("a", 0, 1)), wordsOf(residue("z", 0, 1)))
	}
	return []Modular{
		modularMutant("InverseUnfolded", "a negative coefficient of Euclid's algorithm is not brought back by adding q", "mont.inverse", claim(odd()),
			func(r *ring, z, x []uint64) {
				r0, r1, t0, t1 := r.q, x[0], uint64(0), uint64(1)
				for r1 != 0 {
					k := r0 / r1
					r0, r1 = r1, r0-k*r1
					t0, t1 = t1, t0-k*t1
				}
				z[0] = t0
			}),
		modularMutant("InverseExponent", "the exponent is q-3 and not q-2", "mont.inverse", claim(modular.Moduli{Min: 3, Prime: true}),
			func(r *ring, z, x []uint64) { z[0] = r.power(x[0], r.q-3) }),
		modularMutant("InverseOfComposite", "Fermat's exponent, where the modulus need not be prime", "mont.inverse", claim(odd()),
			func(r *ring, z, x []uint64) { z[0] = r.power(x[0], r.q-2) }),
	}
}

func butterflies() []Modular {
	forward := func(of modular.Moduli, f uint64) modular.Claim {
		return claimed(modular.ForwardButterfly, 64, of, wordsOf(residue("x", 0, f), residue("y", 0, f), residue("w", 1, 1)),
			wordsOf(residue("x+w·y", 0, f), residue("x-w·y", 0, f)))
	}
	inverse := claimed(modular.InverseButterfly, 64, odd(), wordsOf(residue("x", 0, 1), residue("y", 0, 1), residue("w", 1, 1)),
		wordsOf(residue("x+y", 0, 1), residue("(x-y)·w", 0, 1)))
	return []Modular{
		modularMutant("ButterflySigns", "the second result is w·y-x", "mont.identity", forward(odd(), 1), func(r *ring, z, x []uint64) {
			t := r.mont(x[1], x[2])
			z[0], z[1] = r.add(x[0], t), r.sub(t, x[0])
		}),
		modularMutant("ButterflyAddGreater", "> for >= in the sum", "mont.range", forward(below(63), 1), func(r *ring, z, x []uint64) {
			t := r.mont(x[1], x[2])
			if z[0] = x[0] + t; z[0] > r.q {
				z[0] -= r.q
			}
			z[1] = r.sub(x[0], t)
		}),
		modularMutant("ButterflySubGreater", "> for >= in the difference", "mont.range", forward(odd(), 1), func(r *ring, z, x []uint64) {
			t := r.mont(x[1], x[2])
			z[0] = r.add(x[0], t)
			if z[1] = x[0] - t; x[0] <= t {
				z[1] += r.q
			}
		}),
		modularMutant("ButterflyUnreduced", "x is not brought below 2q first: results reach 6q", "mont.range", forward(below(61), 4), func(r *ring, z, x []uint64) {
			h, l := r.wide(x[1], x[2])
			t, _ := r.redc(h, l)
			z[0], z[1] = x[0]+t, x[0]+2*r.q-t
		}),
		modularMutant("ButterflyOverflows", "x is not brought below 2q first, and 6q does not fit into a word", "mont.value", forward(below(62), 4), func(r *ring, z, x []uint64) {
			h, l := r.wide(x[1], x[2])
			t, _ := r.redc(h, l)
			z[0], z[1] = x[0]+t, x[0]+2*r.q-t
		}),
		modularMutant("InverseButterflyOrder", "y-x is multiplied", "mont.identity", inverse, func(r *ring, z, x []uint64) {
			z[0], z[1] = r.add(x[0], x[1]), r.mont(r.sub(x[1], x[0]), x[2])
		}),
		modularMutant("InverseButterflyUnfolded", "x-y wraps before it is multiplied", "mont.value", inverse, func(r *ring, z, x []uint64) {
			z[0], z[1] = r.add(x[0], x[1]), r.mont(x[0]-x[1], x[2])
		}),
	}
}

func acceptances() []Modular {
	product := claimed(modular.Product, 64, below(63), wordsOf(residue("a", 1, 1), residue("b", 1, 1)), wordsOf(residue("z", 1, 1)))
	// accepting checks less than the claim says.
	accepting := func(name, fault string, c modular.Claim, accepts func(q uint64) bool, step func(r *ring, z, x []uint64)) Modular {
		return Modular{Name: "mutants." + name, Fault: fault, Kills: "mont.refuses", Claim: c, Run: func(q uint64, dst, src []uint64) error {
			if !accepts(q) {
				return fmt.Errorf("modulus %d is not admitted", q)
			}
			unchecked(&c, q, dst, src, step)
			return nil
		}}
	}
	mont := func(r *ring, z, x []uint64) { z[0] = r.mont(x[0], x[1]) }
	return []Modular{
		accepting("AcceptsEven", "even moduli are accepted", product, func(q uint64) bool { return q >= 3 && q < 1<<63 }, mont),
		accepting("AcceptsLarge", "moduli from 2^63 on are accepted", product, func(q uint64) bool { return q >= 3 && q%2 == 1 }, mont),
		accepting("AcceptsOne", "the modulus 1 is accepted", product, func(q uint64) bool { return q%2 == 1 && q < 1<<63 }, mont),
		accepting("AcceptsWide", "moduli of more bits than a word are cut to a word",
			claimed(modular.Sum, 32, odd(), wordsOf(residue("a", 0, 1), residue("b", 0, 1)), wordsOf(residue("z", 0, 1))),
			func(q uint64) bool { return q&0xffffffff >= 3 && q%2 == 1 },
			func(r *ring, z, x []uint64) { z[0] = (x[0] + x[1]) % (r.q & r.mask) }),
		accepting("AcceptsComposite", "Fermat's test to base 2 in the place of a test for primes: pseudoprimes are accepted",
			claimed(modular.Inverse, 64, modular.Moduli{Min: 3, Prime: true}, wordsOf(residue("a", 0, 1)), wordsOf(residue("z", 0, 1))),
			func(q uint64) bool {
				r := ring{q: q}
				return q >= 3 && q%2 == 1 && r.power(2, q-1) == 1
			},
			func(r *ring, z, x []uint64) { z[0] = r.power(x[0], r.q-2) }),
	}
}

// calls are mutants whose results depend on more than a row's operands.
func calls() []Modular {
	inverse := claimed(modular.Inverse, 64, modular.Moduli{Min: 3, Prime: true}, wordsOf(residue("a", 0, 1)), wordsOf(residue("z", 0, 1)))
	accepts := admits(&inverse)
	sum := claimed(modular.Sum, 64, below(63), wordsOf(residue("a", 0, 1), residue("b", 0, 1)), wordsOf(residue("z", 0, 1)))
	var carry uint64 // never cleared
	apart := claimed(modular.ForwardButterfly, 64, below(63), wordsOf(residue("a", 0, 1), residue("b", 0, 1), residue("w", 0, 1)), wordsOf(residue("x", 0, 1), residue("y", 0, 1)))
	apart.InPlace = true
	return []Modular{
		modularMutant("ButterflyRereads", "the difference is of an operand where the sum is stored: in place it is another", "mont.pure", apart, func(r *ring, z, x []uint64) {
			b := r.times(x[1], x[2])
			z[0] = r.add(x[0], b)
			z[1] = r.sub(x[0], b)
		}),
		{
			Name: "mutants.InverseOfBatch", Fault: "a batch is inverted by one inversion: a zero in it makes all results 0", Kills: "mont.independent", Claim: inverse,
			Run: func(q uint64, dst, src []uint64) error {
				if err := accepts(q); err != nil {
					return err
				}
				r := newRing(64, q)
				p := uint64(1)
				for i, x := range src {
					dst[i], p = p, r.times(p, x)
				}
				v := r.power(p, q-2)
				for i := len(src) - 1; i >= 0; i-- {
					dst[i], v = r.times(dst[i], v), r.times(v, src[i])
				}
				return nil
			},
		},
		modularMutant("SumKeepsCarry", "whether the last sum of all was reduced is kept, and 1 is added to the next that follows a sum of zeros", "mont.pure", sum, func(r *ring, z, x []uint64) {
			z[0] = r.add(x[0], x[1])
			if x[0]|x[1] != 0 {
				z[0] = r.add(z[0], carry)
			}
			carry = 0
			if x[0]|x[1] == 0 {
				carry = 1
			}
		}),
	}
}
