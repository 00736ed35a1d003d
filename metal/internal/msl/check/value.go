package check

import (
	"errors"
	"fmt"
	"math/big"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// Scalars known when compiling are bits, as a register holds them.

// signed returns the value of an integer's bits.
func signed(k ir.Type, bits uint64) int64 {
	n := 64 - 8*typed.SizeOf(k)
	if isSignedKind(k) {
		return int64(bits<<n) >> n
	}
	return int64(bits)
}

// trim keeps the low bits that a register of kind k holds.
func trim(k ir.Type, bits uint64) uint64 {
	if k == ir.Bool {
		if bits != 0 {
			return 1
		}
		return 0
	}
	if n := 8 * typed.SizeOf(k); n < 64 {
		bits &= 1<<n - 1
	}
	return bits
}

// format is a binary format: p bits of significand, exponents of the largest and smallest normal numbers.
type format struct{ p, emax, bits int }

var formats = map[ir.Type]format{ir.F16: {11, 15, 16}, ir.BF16: {8, 127, 16}, ir.F32: {24, 127, 32}}

// fromBig rounds a finite number to nearest even.
func fromBig(k ir.Type, x *big.Float, negZero bool) uint64 {
	f := formats[k]
	sign := uint64(0)
	if x.Signbit() || negZero {
		sign = 1 << (f.bits - 1)
	}
	if x.Sign() == 0 {
		return sign
	}
	infinity := uint64(2*f.emax+1) << (f.p - 1)
	exp := x.MantExp(nil) - 1 // |x| in [2^exp, 2^(exp+1))
	if exp > f.emax {
		return sign | infinity
	}
	// The unit in the last place, and how many of it x is.
	ulp := max(exp, 1-f.emax) - (f.p - 1)
	n := new(big.Float).SetMantExp(new(big.Float).Abs(x), -ulp)
	i, _ := n.Int(nil)
	rest := new(big.Float).SetPrec(n.Prec()+uint(f.p)+8).Sub(n, new(big.Float).SetInt(i))
	m := i.Uint64()
	if c := rest.Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && m&1 == 1 {
		m++
	}
	// m counts units from zero in the subnormal binade; in each next one the exponent field carries.
	bits := m
	if e := max(exp, 1-f.emax) + f.emax; m>>(f.p-1) != 0 {
		bits = m + uint64(e-1)<<(f.p-1)
	}
	return sign | min(bits, infinity)
}

// toFloat returns the value of a float's bits; every format's values are float64s.
func toFloat(k ir.Type, bits uint64) float64 { return ir.Widen(k, bits) }

// fromFloat rounds x to kind k.
func fromFloat(k ir.Type, x float64) uint64 { return ir.Arith{}.Narrow(k, x) }

// evaluated are the operations that constant expressions may have.
var evaluated = map[ir.Op]bool{
	ir.Convert: true, ir.Select: true, ir.Fma: true, ir.Eq: true, ir.Ne: true, ir.Lt: true, ir.Le: true, ir.Min: true, ir.Max: true,
	ir.Add: true, ir.Sub: true, ir.Mul: true, ir.Div: true, ir.Rem: true, ir.And: true, ir.Or: true, ir.Xor: true, ir.Shl: true, ir.Shr: true,
	ir.Neg: true, ir.Not: true, ir.Abs: true, ir.Sqrt: true, ir.Floor: true, ir.Ceil: true, ir.Trunc: true, ir.IsNaN: true, ir.IsInf: true,
	ir.Popcount: true, ir.Clz: true, ir.Ctz: true,
}

// evalBits returns an operation on scalars of kind k, as ir.Eval has it, or what the language gives no meaning to. from is the kind that Convert
// converts from.
func evalBits(op ir.Op, k, from ir.Type, args ...uint64) (uint64, error) {
	info := &ir.Ops[op]
	if !evaluated[op] || !info.Types.Has(k) || info.From != 0 && !info.From.Has(from) {
		return 0, errors.New("an operation that is not evaluated when compiling")
	}
	var v [4]uint64
	copy(v[:], args)
	r, fault := ir.Eval(op, k, from, 0, ir.Arith{}, v[0], v[1], v[2], v[3])
	switch fault {
	case ir.NoFault:
		return r, nil
	case ir.FaultConvert:
		return 0, fmt.Errorf("%v does not fit in %d bits", toFloat(from, v[0]), k.Bits())
	}
	return 0, errors.New(fault.String())
}

// convertBits converts a scalar.
func convertBits(from, to ir.Type, bits uint64) (uint64, error) {
	return evalBits(ir.Convert, to, from, bits)
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
