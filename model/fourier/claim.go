package fourier

import (
	"cmp"
	"fmt"

	"gamma/model"
)

// Number says how numbers are stored, or computed with: each is the unevaluated sum of one or two words of a format.
type Number struct {
	Format model.Format
	Words  int // 2 for double words; 0 is 1
}

// IsZero reports whether nothing is said.
func (n Number) IsZero() bool { return n.Format.IsZero() }

// Double reports whether numbers are double words.
func (n Number) Double() bool { return n.Words == 2 }

// U returns u of the format, or u² of double words.
func (n Number) U() float64 {
	if n.Double() {
		return float64(n.Format.U() * n.Format.U())
	}
	return n.Format.U()
}

// String returns "binary32", or "double words of binary32".
func (n Number) String() string {
	if n.Double() {
		return "double words of " + n.Format.String()
	}
	return n.Format.String()
}

// Rounded bounds |w̃ - w| in units of u for a factor whose parts are each rounded to nearest: they err by u/2 each, √½·u together.
const Rounded = 0.7072

// Claim is what a kernel promises of its transforms. The zero value: the forward transform of complex numbers, unscaled, of lengths that are
// powers of two, by passes over the data in the format of the result, with twiddle factors within u.
type Claim struct {
	// In, Out and Inside are the numbers of the input, of the result, and those that the kernel computes with. What is not set is
	// In for Out, and Out for Inside.
	In, Out, Inside Number
	// Method is how sums are computed, and Radix the greatest prime factor of a length that a pass handles: lengths with a greater one go by
	// Bluestein's algorithm as a whole. 0: any, by which nothing is said of typical errors but those of powers of two (see Typical).
	Method Method
	Radix  int
	// Compensated: sums by the definition are Kahan's.
	Compensated bool
	// Twiddle bounds |w̃ - w| for each twiddle factor, in units of Inside.U(). 0 is
	// [Rounded]: parts that are each rounded to nearest.
	Twiddle float64
	// Fused: products of complex numbers are sums of two products with one rounding less, by a fused multiply-add.
	Fused bool
	// Contracted: each part of a product may be fused or not, as a compiler likes that may contract; Fused says that all are.
	Contracted bool
	// Sum and Product are of double words: a sum errs by Sum·u²·(|x|+|y|), and a·b + c·d by Product·u²·(|a·b|+|c·d|), at most. 0: 3/(1-4u) relative to x+y, as the accurate
	// sum has, and what that makes of products with 5.
	Sum, Product float64
	// Stages returns how many stages of radix 2 a transform of n points costs, in place of what its factors say.
	Stages func(n int) int
	// Own returns a bound of the kernel's own for n points, in place of the one that is derived: ‖error‖₂ <= Own(n)·s·√N·‖x‖₂. Source says where it is from.
	Own    func(n int) float64
	Source string

	// Real: the forward transform takes real numbers, and the inverse one gives such.
	Real bool
	// OneWay: the transform of sign Sign is offered, and not the other.
	OneWay bool
	Sign   Sign
	Norm   Norm
	Layout Layout
	Order  Order

	// Lengths, MinN and MaxN say which lengths are claimed. MinN 0 is 1, and MaxN 0 is no limit.
	Lengths    Lengths
	MinN, MaxN int

	// InPlace: dst may be src, of transforms whose input and result are equally long.
	InPlace bool
	// Batched: one call transforms any number of rows.
	Batched bool
	// Symmetric: the transform of real numbers by a complex one has X_(N-k) = conj X_k to the bit.
	Symmetric bool
	// Repeats: the same input gives the same bits, wherever it lies and whatever lies beside it.
	Repeats bool
	// Finite: nothing is promised where the input has an infinity or a NaN.
	Finite bool
	// Inexact: not even transforms of a constant, of alternating numbers, and of an impulse at 0 are exact.
	Inexact bool
	// WorstCase: the proven bound alone is promised, and not that errors are as small as independent roundings make them.
	WorstCase bool
	// Unchecked: it is left to the caller to ask for claimed lengths alone.
	Unchecked bool
	// Flush says which subnormal numbers may be flushed to zero.
	Flush model.Flush
}

// Method is how a kernel computes its sums.
type Method uint8

const (
	Passes Method = iota // one pass over the data for each prime factor of the length, or for a product of some
	Direct               // by the definition, in any order
)

// String returns "passes" or "the definition".
func (m Method) String() string { return [...]string{"passes", "the definition"}[m] }

// Layout is how numbers lie in memory. The words of a double word stand side by side.
type Layout uint8

const (
	// Interleaved: re 0, im 0, re 1, im 1, …; of a conjugate-even spectrum (CCE) the values 0 … ⌊N/2⌋.
	Interleaved Layout = iota
	// Split: all real parts, then all imaginary ones.
	Split
	// HalfComplex: of a conjugate-even spectrum, N numbers: re 0 … re ⌊N/2⌋, im ⌈N/2⌉-1 … im 1, as FFTW's r2hc.
	HalfComplex
)

// String returns "interleaved", "split" or "half-complex".
func (l Layout) String() string { return [...]string{"interleaved", "split", "half-complex"}[l] }

// Order is where X_k stands among the results of a complex transform, forward, or among the inputs of an inverse one.
type Order uint8

const (
	// Natural: at k.
	Natural Order = iota
	// BitReversed: at the reverse of k's bits, for powers of two.
	BitReversed
	// OwnOrder: anywhere, the same for all inputs, and where the inverse transform expects it if there is one.
	OwnOrder
)

// String returns "natural order", "bit-reversed order" or "an order of its own".
func (o Order) String() string {
	return [...]string{"natural order", "bit-reversed order", "an order of its own"}[o]
}

// Lengths are the lengths that a kernel claims.
type Lengths uint8

const (
	PowersOfTwo Lengths = iota
	Smooth              // those whose prime factors are at most Radix
	AnyLength
)

// String returns "powers of two", "smooth" or "any".
func (l Lengths) String() string { return [...]string{"powers of two", "smooth", "any"}[l] }

// WithDefaults returns c with what is not set.
func (c Claim) WithDefaults() Claim {
	if c.In.IsZero() {
		c.In.Format = model.Binary32
	}
	if c.Out.IsZero() {
		c.Out = c.In
	}
	if c.Inside.IsZero() {
		c.Inside = c.Out
	}
	for _, n := range []*Number{&c.In, &c.Out, &c.Inside} {
		n.Words = max(1, n.Words)
	}
	if c.Twiddle == 0 {
		c.Twiddle = Rounded
	}
	c.MinN = max(1, c.MinN)
	return c
}

// Has reports whether transforms of n points are claimed.
func (c Claim) Has(n int) bool {
	switch {
	case n < max(1, c.MinN) || c.MaxN > 0 && n > c.MaxN:
		return false
	case c.Lengths == PowersOfTwo:
		return n&(n-1) == 0
	case c.Lengths == Smooth:
		return greatestPrime(n) <= c.Radix
	}
	return true
}

// Offers reports whether the transform of a sign is offered.
func (c Claim) Offers(s Sign) bool { return !c.OneWay || c.Sign == s }

// Transform returns the transform of n points and a sign.
func (c Claim) Transform(n int, s Sign) Transform {
	t := Transform{N: n, Sign: s, Scale: c.Norm.Scale(s)}
	switch {
	case c.Real && s == Forward:
		t.Data = RealInput
	case c.Real:
		t.Data = RealOutput
	}
	return t
}

// Check returns an error that names the field that is wrong, or nil.
func (c Claim) Check() error {
	for _, n := range []struct {
		field string
		Number
	}{{"In", c.In}, {"Out", c.Out}, {"Inside", c.Inside}} {
		if f := n.Format; !n.IsZero() && f != model.Binary32 && f != model.Binary64 || n.Words < 0 || n.Words > 2 {
			return fmt.Errorf("field Claim.%s is %d words of %s; numbers are one word or two of binary32 or binary64", n.field, cmp.Or(n.Words, 1), f)
		}
	}
	switch {
	case c.Method > Direct:
		return fmt.Errorf("Claim.Method is %d; want Passes or Direct", c.Method)
	case c.Compensated && (c.Method != Direct || c.Inside.Double()):
		return fmt.Errorf("Claim.Compensated is for sums by the definition, in one word; set Method to Direct")
	case c.Radix < 0 || c.Radix == 1:
		return fmt.Errorf("Claim.Radix is %d; it is 0 for any, or at least 2", c.Radix)
	case !(c.Twiddle >= 0):
		return fmt.Errorf("Claim.Twiddle is %g; want a positive number of units, or 0 for 1", c.Twiddle)
	case !(c.Sum >= 0) || !(c.Product >= 0):
		return fmt.Errorf("Claim.Sum and Product are %g and %g; want positive numbers of units, or 0 for what accurate double words have", c.Sum, c.Product)
	case c.Sign > Inverse || c.Norm > NormNone || c.Layout > HalfComplex || c.Order > OwnOrder || c.Lengths > AnyLength:
		return fmt.Errorf("one of Claim.Sign, Norm, Layout, Order and Lengths is not one of its constants")
	case c.Lengths == Smooth && c.Radix == 0:
		return fmt.Errorf("Claim.Lengths is Smooth, and Claim.Radix does not say how smooth; set it")
	case c.MinN < 0 || c.MaxN < 0 || c.MaxN > 0 && c.MaxN < c.MinN:
		return fmt.Errorf("Claim.MinN and MaxN are %d and %d; neither is negative, and MaxN is 0 or at least MinN", c.MinN, c.MaxN)
	case c.Layout == HalfComplex && !c.Real:
		return fmt.Errorf("Claim.Layout is HalfComplex, which is for Real transforms; set Real")
	case c.Order != Natural && c.Real:
		return fmt.Errorf("Claim.Order is for complex transforms; a Real one has natural order")
	case c.Order == BitReversed && c.Lengths != PowersOfTwo:
		return fmt.Errorf("Claim.Order is BitReversed, which is for powers of two")
	case c.Own != nil && c.Source == "":
		return fmt.Errorf("Claim.Own is set, and Claim.Source does not say where the bound is from; set it")
	case c.MaxN > 0 && !c.hasAny():
		return fmt.Errorf("Claim.Lengths are %s, and there is none from MinN to MaxN, which are %d and %d; set Lengths, to AnyLength for instance", c.Lengths, c.MinN, c.MaxN)
	}
	return nil
}

// hasAny reports whether a length up to MaxN is claimed.
func (c Claim) hasAny() bool {
	for n := max(1, c.MinN); n <= c.MaxN; n++ {
		if c.Has(n) {
			return true
		}
	}
	return false
}

// String says in words what is promised.
func (c Claim) String() string {
	c = c.WithDefaults()
	text := fmt.Sprintf("%s in, %s out, %s inside by %s; twiddle factors within %.4g units", c.In, c.Out, c.Inside, c.Method, c.Twiddle)
	for _, p := range []struct {
		set  bool
		text string
	}{
		{c.Fused, "; fused products"},
		{c.Contracted && !c.Fused, "; products that may be contracted"},
		{c.Real, "; real data"},
		{c.Layout != Interleaved, "; " + c.Layout.String()},
		{c.Order != Natural, "; " + c.Order.String()},
		{c.Norm != NormBackward, "; norm " + c.Norm.String()},
		{c.Flush != model.Flush{}, "; subnormals may be flushed"},
		{c.Finite, "; finite inputs"},
	} {
		if p.set {
			text += p.text
		}
	}
	return text
}

// greatestPrime returns the greatest prime factor of n, 1 for 1.
func greatestPrime(n int) int {
	p := 1
	factors(n, func(r int) { p = max(p, r) })
	return p
}

// factors calls f with the prime factors of n, in ascending order.
func factors(n int, f func(r int)) {
	for r := 2; r*r <= n; r++ {
		for ; n%r == 0; n /= r {
			f(r)
		}
	}
	if n > 1 {
		f(n)
	}
}
