package ntt

import "math/bits"

// field is arithmetic modulo an odd q below 2^64, with R = 2^64.
type field struct {
	q   uint64
	inv uint64 // 1/q modulo R
	neg uint64 // -1/q modulo R
	r   uint64 // R mod q: 1 in Montgomery's domain
	r2  uint64 // R² mod q: moves a residue into the domain
}

// newField returns the field of an odd q, at least 3. Newton's step doubles the bits of q·q = 1 modulo 8 that are right: 3, 6,
// 12, 24, 48, 96.
func newField(q uint64) field {
	inv := q
	for range 5 {
		inv *= 2 - q*inv
	}
	r := bits.Rem64(1, 0, q)
	hi, lo := bits.Mul64(r, r)
	return field{q: q, inv: inv, neg: -inv, r: r, r2: bits.Rem64(hi, lo, q)}
}

// mul returns a·b/R mod q, Montgomery's product.
//
// Domain:  a·b < q·R, so any word times a reduced one; any odd q below 2^64.
// Range:   [0, q).
// Source:  [Montgomery 1985]. a·b and m·q have the same lower word, so that the difference of the upper words is the quotient,
// above -q and below q, and no carry arises that a word could not hold.
func (f *field) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	mq, _ := bits.Mul64(lo*f.inv, f.q)
	d, borrow := bits.Sub64(hi, mq, 0)
	return d + f.q&-borrow
}

// pow returns a^e in Montgomery's domain, for a in the domain.
func (f *field) pow(a, e uint64) uint64 {
	p := f.r
	for ; e > 0; e >>= 1 {
		if e&1 != 0 {
			p = f.mul(p, a)
		}
		a = f.mul(a, a)
	}
	return p
}

// invert returns 1/a in Montgomery's domain, for a nonzero a in the domain; q is prime.
func (f *field) invert(a uint64) uint64 { return f.pow(a, f.q-2) }

// enter moves a residue into Montgomery's domain, and leave out of it.
func (f *field) enter(a uint64) uint64 { return f.mul(a, f.r2) }
func (f *field) leave(a uint64) uint64 { return f.mul(a, 1) }

// add returns a+b mod q of reduced residues.
func (f *field) add(a, b uint64) uint64 {
	s, borrow := bits.Sub64(a, f.q-b, 0)
	return s + f.q&-borrow
}
