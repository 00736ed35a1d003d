package oracle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"

	"gamma/model"
)

// Dyadic is an exact number m·2^e. The zero value is 0. Values are immutable and freely copied.
//
// Cost: that of math/big; this is the slow and obvious half of the oracle.
type Dyadic struct {
	m *big.Int // nil is 0; otherwise odd
	e int
}

// NewDyadic returns m·2^e. It keeps m.
func NewDyadic(m *big.Int, e int) Dyadic {
	if m.Sign() == 0 {
		return Dyadic{}
	}
	if z := m.TrailingZeroBits(); z > 0 {
		m = new(big.Int).Rsh(m, z)
		e += int(z)
	}
	return Dyadic{m, e}
}

// FromInt returns n.
func FromInt(n int64) Dyadic { return NewDyadic(big.NewInt(n), 0) }

// FromFloat32 returns x. It panics if x is not finite.
func FromFloat32(x float32) Dyadic { return FromFloat64(float64(x)) }

// FromFloat64 returns x. It panics if x is not finite.
func FromFloat64(x float64) Dyadic {
	if x-x != 0 {
		panic(notFiniteFloat)
	}
	return FromBits(model.Binary64, math.Float64bits(x))
}

// FromBits returns the finite number that b encodes in f. It panics if b is not finite.
func FromBits(f model.Format, b uint64) Dyadic {
	neg, m, e := f.Decode(b)
	n := new(big.Int).SetUint64(m)
	if neg {
		n.Neg(n)
	}
	return NewDyadic(n, e)
}

// int returns m, never nil.
func (d Dyadic) int() *big.Int {
	if d.m == nil {
		return new(big.Int)
	}
	return d.m
}

// Int returns m and e, m being odd or zero.
func (d Dyadic) Int() (m *big.Int, e int) { return new(big.Int).Set(d.int()), d.e }

// Add returns d+x.
func (d Dyadic) Add(x Dyadic) Dyadic {
	switch {
	case d.m == nil:
		return x
	case x.m == nil:
		return d
	case d.e < x.e:
		d, x = x, d
	}
	m := new(big.Int).Lsh(d.m, uint(d.e-x.e))
	return NewDyadic(m.Add(m, x.m), x.e)
}

// Sub returns d-x.
func (d Dyadic) Sub(x Dyadic) Dyadic { return d.Add(x.Neg()) }

// Neg returns -d.
func (d Dyadic) Neg() Dyadic {
	if d.m == nil {
		return d
	}
	return Dyadic{new(big.Int).Neg(d.m), d.e}
}

// Abs returns |d|.
func (d Dyadic) Abs() Dyadic {
	if d.Sign() < 0 {
		return d.Neg()
	}
	return d
}

// Mul returns d·x.
func (d Dyadic) Mul(x Dyadic) Dyadic {
	if d.m == nil || x.m == nil {
		return Dyadic{}
	}
	return Dyadic{new(big.Int).Mul(d.m, x.m), d.e + x.e}
}

// MulFloat64 returns d·x. It panics if x is not finite.
func (d Dyadic) MulFloat64(x float64) Dyadic { return d.Mul(FromFloat64(x)) }

// Scale returns d·2^k.
func (d Dyadic) Scale(k int) Dyadic {
	if d.m == nil {
		return d
	}
	return Dyadic{d.m, d.e + k}
}

// Sign returns -1, 0 or 1.
func (d Dyadic) Sign() int { return d.int().Sign() }

// IsZero reports whether d is 0.
func (d Dyadic) IsZero() bool { return d.m == nil }

// Cmp returns the sign of d-x.
func (d Dyadic) Cmp(x Dyadic) int { return d.Sub(x).Sign() }

// Exponent returns k with 2^k <= |d| < 2^(k+1), and ok = false for 0.
func (d Dyadic) Exponent() (k int, ok bool) {
	if d.m == nil {
		return 0, false
	}
	return d.e + d.m.BitLen() - 1, true
}

// leading returns the leading bits of d.
func (d Dyadic) leading() leading {
	if d.m == nil {
		return leading{}
	}
	n := d.m.BitLen()
	m := new(big.Int).Abs(d.m)
	cut := n - 64
	if cut < 0 {
		m.Lsh(m, uint(-cut))
	} else {
		m.Rsh(m, uint(cut))
	}
	return leading{
		m: m.Uint64(), e: d.e + cut, neg: d.m.Sign() < 0,
		sticky: cut > 0, // m is odd, so a one is cut off
	}
}

// Round returns the encoding in f of d, rounded once in direction r; 0 is +0.
func (d Dyadic) Round(f model.Format, r model.Rounding) uint64 {
	if d.m == nil {
		return 0
	}
	return d.leading().round(f, r)
}

// Float64 returns d rounded to nearest even.
func (d Dyadic) Float64() float64 {
	return math.Float64frombits(d.Round(model.Binary64, model.NearestEven))
}

// Float32 returns d rounded to nearest even.
func (d Dyadic) Float32() float32 {
	return math.Float32frombits(uint32(d.Round(model.Binary32, model.NearestEven)))
}

// Interval returns the binary64 numbers next to d, which coincide when d is one of them; beyond
// the largest finite number hi is +Inf, or lo is -Inf.
func (d Dyadic) Interval() (lo, hi float64) { return d.leading().interval() }

// Rat returns d as a rational.
func (d Dyadic) Rat() *big.Rat {
	r := new(big.Rat).SetInt(d.int())
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(d.e, -d.e))))
	if d.e < 0 {
		return r.Quo(r, p)
	}
	return r.Mul(r, p)
}

// Float returns d as a big.Float of as many bits as it needs.
func (d Dyadic) Float() *big.Float {
	f := new(big.Float).SetPrec(uint(max(d.int().BitLen(), 1))).SetInt(d.int())
	return f.SetMantExp(f, d.e)
}

// Hex returns d exactly, as "0x1.8p-3".
func (d Dyadic) Hex() string { return d.Float().Text('x', -1) }

// Decimal returns d rounded to digits significant decimal digits.
func (d Dyadic) Decimal(digits int) string { return d.Float().Text('g', digits) }

// String returns d in hex, exactly, and in decimal to six digits: "0x1.8p-03 (0.1875)".
func (d Dyadic) String() string { return fmt.Sprintf("%s (%s)", d.Hex(), d.Decimal(6)) }

// GobEncode and GobDecode let package encoding/gob pass d to another process.
func (d Dyadic) GobEncode() ([]byte, error) {
	m, err := d.m.GobEncode()
	return append(binary.AppendVarint(nil, int64(d.e)), m...), err
}

// GobDecode sets d to what GobEncode wrote.
func (d *Dyadic) GobDecode(b []byte) error {
	e, n := binary.Varint(b)
	if n <= 0 {
		return errors.New("oracle: no dyadic number was sent")
	}
	*d = Dyadic{e: int(e)}
	if b = b[n:]; len(b) > 0 {
		d.m = new(big.Int)
		return d.m.GobDecode(b)
	}
	return nil
}
