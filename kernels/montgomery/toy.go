package montgomery

// Toys are the 64-bit types of this package on words of 8 and 16 bits: the same code with a smaller word, so that every modulus and
// every operand can be tried. Their comments are those of Modulus64, Short64 and Lazy64.

import "math/bits"

// ToyWord is the word of a toy.
type ToyWord interface {
	uint8 | uint16
}

// mulToy, addToy and subToy stand for bits.Mul64, bits.Add64 and bits.Sub64.

func mulToy[W ToyWord](a, b W) (h, l W) {
	t := uint32(a) * uint32(b)
	return W(t >> bitsOf[W]()), W(t)
}

func addToy[W ToyWord](a, b, carry W) (s, carryOut W) {
	t := uint32(a) + uint32(b) + uint32(carry)
	return W(t), W(t >> bitsOf[W]())
}

func subToy[W ToyWord](a, b, borrow W) (d, borrowOut W) {
	t := uint32(a) - uint32(b) - uint32(borrow)
	return W(t), W(t>>bitsOf[W]()) & 1
}

// Toy is an odd modulus q from 3 to R-1 with what Montgomery's arithmetic needs. It is made
// by NewToy and then read only; its zero value is not usable.
//
// Words are reduced, in [0, q), in and out, unless a method says otherwise. The operands of Add and Sub are both plain or both
// in the domain, and so are the results.
type Toy[W ToyWord] struct {
	q        W
	inverse  W // 1/q modulo R
	negative W // -1/q modulo R
	one      W // R mod q
	square   W // R² mod q
	cube     W // R³ mod q
}

// NewToy returns the modulus q.
func NewToy[W ToyWord](q W) (*Toy[W], error) {
	if err := checkOdd("Toy", uint64(q)); err != nil {
		return nil, err
	}
	inverse := InverseNewton(q)
	m := &Toy[W]{q: q, inverse: inverse, negative: -inverse, one: -q % q}
	// R² mod q is R in the domain: 2, squared log2 b times.
	m.square = m.Add(m.one, m.one)
	for range bits.Len(uint(bitsOf[W]())) - 1 {
		m.square = m.Square(m.square)
	}
	m.cube = m.Square(m.square)
	return m, nil
}

// Q returns q.
func (m *Toy[W]) Q() W { return m.q }

// WordInverse returns 1/q modulo R.
func (m *Toy[W]) WordInverse() W { return m.inverse }

// NegativeInverse returns -1/q modulo R.
func (m *Toy[W]) NegativeInverse() W { return m.negative }

// One returns R mod q: 1 in the domain.
func (m *Toy[W]) One() W { return m.one }

// RSquared returns R² mod q: the factor that moves a word into the domain.
func (m *Toy[W]) RSquared() W { return m.square }

// Add returns a+b.
func (m *Toy[W]) Add(a, b W) W {
	s, borrow := subToy(a, m.q-b, 0)
	return s + m.q&-borrow
}

// Sub returns a-b.
func (m *Toy[W]) Sub(a, b W) W {
	d, borrow := subToy(a, b, 0)
	return d + m.q&-borrow
}

// Neg returns -a.
func (m *Toy[W]) Neg(a W) W {
	if a == 0 {
		return 0
	}
	return m.q - a
}

// Redc returns (h·R+l)/R modulo q of a double word: Montgomery's reduction.
func (m *Toy[W]) Redc(h, l W) W {
	k, _ := mulToy(l*m.inverse, m.q)
	r, borrow := subToy(h, k, 0)
	return r + m.q&-borrow
}

// Mul returns a·b/R modulo q: the product of words in the domain.
func (m *Toy[W]) Mul(a, b W) W {
	h, l := mulToy(a, b)
	k, _ := mulToy(l*m.inverse, m.q)
	r, borrow := subToy(h, k, 0)
	return r + m.q&-borrow
}

// MulCarry returns what Mul returns, by Montgomery's own sum: (a·b+k·q)/R with k = -a·b/q modulo R, less q if it is q or more.
func (m *Toy[W]) MulCarry(a, b W) W {
	h, l := mulToy(a, b)
	kh, kl := mulToy(l*m.negative, m.q)
	_, c := addToy(l, kl, 0)
	s, c := addToy(h, kh, c)
	d, borrow := subToy(s, m.q, 0)
	if c < borrow {
		return s
	}
	return d
}

// Square returns a·a/R modulo q.
func (m *Toy[W]) Square(a W) W { return m.Mul(a, a) }

// ToMontgomery returns a·R modulo q: a, moved into the domain.
func (m *Toy[W]) ToMontgomery(a W) W { return m.Mul(a, m.square) }

// FromMontgomery returns a/R modulo q: a, taken out of the domain.
func (m *Toy[W]) FromMontgomery(a W) W { return m.Redc(0, a) }

// Reduce returns h·R+l modulo q, without a domain: Redc, and a product with R² that cancels its 1/R.
func (m *Toy[W]) Reduce(h, l W) W { return m.Mul(m.Redc(h, l), m.square) }

// Pow returns a^e in the domain, by squares and products; a^0 is One, also for a = 0.
func (m *Toy[W]) Pow(a W, e uint64) W {
	r := m.one
	for i := bits.Len64(e) - 1; i >= 0; i-- {
		r = m.Square(r)
		if e>>i&1 == 1 {
			r = m.Mul(r, a)
		}
	}
	return r
}

// Inverse returns 1/a in the domain by Euclid's extended algorithm, for prime and composite q alike. An a that has a factor in
// common with q has no inverse: then it returns 0 and ok = false.
func (m *Toy[W]) Inverse(a W) (x W, ok bool) {
	y, g := euclid(uint64(a), uint64(m.q))
	if g != 1 {
		return 0, false
	}
	return m.Mul(W(y), m.cube), true // a = y·R, x = 1/(y·R), and x·R³/R = R/y
}

// BatchInverse sets every dst[i] to 1/src[i] in the domain, at three products a word and one inverse in all. Zeros and other words
// without an inverse give 0; units counts the words that have one. See batchInverse for the method.
func (m *Toy[W]) BatchInverse(dst, src []W) (units int, err error) {
	return batchInverse(m, dst, src)
}

// ShoupQuotient returns ⌊w·R/q⌋, Shoup's factor of w, without a division: with r = w·R mod q, which is w in the domain, w·R-r is a
// multiple of q, and the quotient (w·R-r)/q ≡ -r/q (mod R).
func (m *Toy[W]) ShoupQuotient(w W) W { return m.ToMontgomery(w) * m.negative }

// Short returns m with the methods that need q < R/2, or an error if q is not below that.
func (m *Toy[W]) Short() (*ShortToy[W], error) {
	if err := checkLimit("ShortToy", uint64(m.q), limitShort(bitsOf[W]()), "use Toy's methods, which take every odd modulus"); err != nil {
		return nil, err
	}
	return &ShortToy[W]{*m}, nil
}

// Lazy returns m with the methods that need q < R/4, or an error if q is not below that.
func (m *Toy[W]) Lazy() (*LazyToy[W], error) {
	if err := checkLimit("LazyToy", uint64(m.q), limitLazy(bitsOf[W]()), "use ShortToy or Toy, whose results are reduced"); err != nil {
		return nil, err
	}
	return &LazyToy[W]{ShortToy[W]{*m}}, nil
}

// NewShortToy returns the modulus q for sums without a carry.
func NewShortToy[W ToyWord](q W) (*ShortToy[W], error) {
	m, err := NewToy(q)
	if err != nil {
		return nil, err
	}
	return m.Short()
}

// ShortToy is an odd modulus below R/2: a sum of two reduced words is a word, and Montgomery's sum has no carry. Words are reduced,
// in and out, unless a method says otherwise.
type ShortToy[W ToyWord] struct{ Toy[W] }

// Add returns a+b.
func (m *ShortToy[W]) Add(a, b W) W {
	s := a + b
	d, borrow := subToy(s, m.q, 0)
	return d + m.q&-borrow
}

// MulSum returns a·b/R modulo q by Montgomery's sum (a·b+k·q)/R with k = -a·b/q modulo R, less q if it is q or more.
func (m *ShortToy[W]) MulSum(a, b W) W {
	h, l := mulToy(a, b)
	k, _ := mulToy(l*m.negative, m.q)
	_, c := subToy(0, l, 0)
	s := h + k + c
	d, borrow := subToy(s, m.q, 0)
	return d + m.q&-borrow
}

// MulShoup returns a·w modulo q for a factor w whose Shoup quotient is quotient; see the function MulShoupToy.
func (m *ShortToy[W]) MulShoup(a, w, quotient W) W { return MulShoupToy(a, w, quotient, m.q) }

// MulShoupLazy returns a word in [0, 2q) that is ≡ a·w (mod q); see the function MulShoupLazyToy.
func (m *ShortToy[W]) MulShoupLazy(a, w, quotient W) W {
	return MulShoupLazyToy(a, w, quotient, m.q)
}

// Forward returns (x+w·y, x-w·y) for a w in the domain; x and y are both plain or both in the domain, and so are the results.
func (m *ShortToy[W]) Forward(x, y, w W) (s, d W) {
	t := m.MulSum(y, w)
	return m.Add(x, t), m.Sub(x, t)
}

// Backward returns (x+y, (x-y)·w) for a w in the domain; x and y are both plain or both in the domain, and so are the results.
func (m *ShortToy[W]) Backward(x, y, w W) (s, d W) {
	return m.Add(x, y), m.MulSum(m.Sub(x, y), w)
}

// NewLazyToy returns the modulus q for lazy products and butterflies.
func NewLazyToy[W ToyWord](q W) (*LazyToy[W], error) {
	m, err := NewToy(q)
	if err != nil {
		return nil, err
	}
	return m.Lazy()
}

// LazyToy is an odd modulus below R/4: four times it fits a word. Methods whose names end in Lazy take and return words that are not
// reduced; each gives their range.
type LazyToy[W ToyWord] struct{ ShortToy[W] }

// MulLazy returns a word ≡ a·b/R (mod q): Montgomery's sum without the last subtraction.
func (m *LazyToy[W]) MulLazy(a, b W) W {
	h, l := mulToy(a, b)
	k, _ := mulToy(l*m.negative, m.q)
	_, c := subToy(0, l, 0)
	return h + k + c
}

// AddLazy returns a word ≡ a+b (mod q).
func (m *LazyToy[W]) AddLazy(a, b W) W {
	s := a + b
	d, borrow := subToy(s, 2*m.q, 0)
	return d + (2*m.q)&-borrow
}

// SubLazy returns a word ≡ a-b (mod q).
func (m *LazyToy[W]) SubLazy(a, b W) W {
	d, borrow := subToy(a, b, 0)
	return d + (2*m.q)&-borrow
}

// ReduceTwice returns a modulo q for a in [0, 2q): range 2, reduced to range 1.
func (m *LazyToy[W]) ReduceTwice(a W) W {
	d, borrow := subToy(a, m.q, 0)
	return d + m.q&-borrow
}

// ReduceFour returns a modulo q for a in [0, 4q): range 4, reduced to range 1.
func (m *LazyToy[W]) ReduceFour(a W) W {
	d, borrow := subToy(a, 2*m.q, 0)
	return m.ReduceTwice(d + (2*m.q)&-borrow)
}

// ForwardLazy returns words ≡ (x+w·y, x-w·y) (mod q) for a w in the domain; x and y are both plain or both in the domain.
func (m *LazyToy[W]) ForwardLazy(x, y, w W) (s, d W) {
	x, borrow := subToy(x, 2*m.q, 0)
	x += (2 * m.q) & -borrow
	t := m.MulLazy(y, w)
	return x + t, x + 2*m.q - t
}

// BackwardLazy returns words ≡ (x+y, (x-y)·w) (mod q) for a w in the domain; x and y are both plain or both in the domain.
func (m *LazyToy[W]) BackwardLazy(x, y, w W) (s, d W) {
	return m.AddLazy(x, y), m.MulLazy(x+2*m.q-y, w)
}

// ForwardShoupLazy returns words ≡ (x+w·y, x-w·y) (mod q) for a plain w whose Shoup quotient is quotient.
func (m *LazyToy[W]) ForwardShoupLazy(x, y, w, quotient W) (s, d W) {
	x, borrow := subToy(x, 2*m.q, 0)
	x += (2 * m.q) & -borrow
	t := MulShoupLazyToy(y, w, quotient, m.q)
	return x + t, x + 2*m.q - t
}

// BackwardShoupLazy returns words ≡ (x+y, (x-y)·w) (mod q) for a plain w whose Shoup quotient is quotient.
func (m *LazyToy[W]) BackwardShoupLazy(x, y, w, quotient W) (s, d W) {
	return m.AddLazy(x, y), MulShoupLazyToy(x+2*m.q-y, w, quotient, m.q)
}

// ShoupQuotientToy returns ⌊w·R/q⌋, Shoup's factor of w, by a division; Toy.ShoupQuotient does without.
func ShoupQuotientToy[W ToyWord](w, q W) (W, error) {
	if err := checkFactor(uint64(w), uint64(q)); err != nil {
		return 0, err
	}
	return W(uint32(w) << bitsOf[W]() / uint32(q)), nil
}

// MulShoupLazyToy returns a word ≡ a·w (mod q): a·w-⌊a·w'/R⌋·q, where w' = quotient = ⌊w·R/q⌋.
func MulShoupLazyToy[W ToyWord](a, w, quotient, q W) W {
	k, _ := mulToy(a, quotient)
	return a*w - k*q
}

// MulShoupToy returns a·w modulo q: MulShoupLazyToy and a last subtraction.
func MulShoupToy[W ToyWord](a, w, quotient, q W) W {
	k, _ := mulToy(a, quotient)
	r, borrow := subToy(a*w-k*q, q, 0)
	return r + q&-borrow
}

// BarrettToy is a modulus q from 2 to R/2, even or odd. All its methods take any words and return reduced ones.
type BarrettToy[W ToyWord] struct{ q, h, l W }

// NewBarrettToy returns the modulus q.
func NewBarrettToy[W ToyWord](q W) (*BarrettToy[W], error) {
	if err := checkBarrett("BarrettToy", uint64(q), limitShort(bitsOf[W]())+1); err != nil {
		return nil, err
	}
	mu := uint32(limitWord(2*bitsOf[W]())) / uint32(q)
	return &BarrettToy[W]{q: q, h: W(mu >> bitsOf[W]()), l: W(mu)}, nil
}

// Q returns q.
func (m *BarrettToy[W]) Q() W { return m.q }

// Reduce returns a modulo q, for any word a.
func (m *BarrettToy[W]) Reduce(a W) W {
	k, _ := mulToy(a, m.h)
	r, borrow := subToy(a-k*m.q, m.q, 0)
	return r + m.q&-borrow
}

// ReduceWide returns h·R+l modulo q, for any words h and l.
func (m *BarrettToy[W]) ReduceWide(h, l W) W {
	carry, _ := mulToy(l, m.l)
	ah, al := mulToy(l, m.h)
	bh, bl := mulToy(h, m.l)
	s, c := addToy(carry, al, 0)
	k, _ := addToy(h*m.h, ah, c)
	_, c = addToy(s, bl, 0)
	k, _ = addToy(k, bh, c)
	r, borrow := subToy(l-k*m.q, m.q, 0)
	return r + m.q&-borrow
}

// Mul returns a·b modulo q, for any words a and b.
func (m *BarrettToy[W]) Mul(a, b W) W { return m.ReduceWide(mulToy(a, b)) }

// FieldToy is an odd prime.
type FieldToy[W ToyWord] struct{ Toy[W] }

// NewFieldToy returns the prime q.
func NewFieldToy[W ToyWord](q W) (*FieldToy[W], error) {
	m, err := NewToy(q)
	if err != nil {
		return nil, err
	}
	if err := checkPrime("FieldToy", uint64(q)); err != nil {
		return nil, err
	}
	return &FieldToy[W]{*m}, nil
}

// InversePower returns 1/a in the domain, as a^(q-2); for 0, which has no inverse, it returns 0 and ok = false.
func (m *FieldToy[W]) InversePower(a W) (x W, ok bool) {
	x = m.Pow(a, uint64(m.q)-2)
	return x, x != 0
}
