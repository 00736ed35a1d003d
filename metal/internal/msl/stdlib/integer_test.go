package stdlib

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"

	"github.com/stretchr/testify/require"
)

// number is the value of a register of an integer kind.
func number(k ir.Type, v uint64) *big.Int {
	n := new(big.Int).SetUint64(v)
	if b := bitsOf(k); isSigned(k) && v>>(b-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(b)))
	}
	return n
}

// register is n modulo 2^width.
func register(k ir.Type, n *big.Int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(bitsOf(k)))
	return new(big.Int).Mod(n, m).Uint64()
}

// saturated is the value of the kind that is nearest to n.
func saturated(k ir.Type, n *big.Int) uint64 {
	low, high := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(bitsOf(k)))
	if isSigned(k) {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	switch {
	case n.Cmp(low) < 0:
		return register(k, low)
	case n.Cmp(high) > 0:
		return register(k, high)
	}
	return register(k, n)
}

// TestIntegers holds the integer functions against big integers, for every type and width.
func TestIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	one := big.NewInt(1)
	for _, k := range integers {
		mask := k.Mask()
		b := uint(bitsOf(k))
		draw := func() uint64 {
			switch rng.IntN(4) {
			case 0:
				return []uint64{0, 1, mask, mask >> 1, mask>>1 + 1, 2, mask - 1}[rng.IntN(7)] & mask
			case 1:
				return rng.Uint64() >> rng.IntN(64) & mask
			}
			return rng.Uint64() & mask
		}
		for i := range 300 {
			n := i%4 + 1
			x, y, z := make(value, n), make(value, n), make(value, n)
			for j := range n {
				x[j], y[j], z[j] = draw(), draw(), draw()
			}
			typ := wide(k, n)
			a := func(v value) Arg { return arg(typ.String(), v...) }
			check := func(name string, want func(x, y, z *big.Int) uint64, args ...Arg) {
				t.Helper()
				e, err := Resolve(name, nil, args, typed.Pos{}, 0)
				require.NoError(t, err)
				got := evaluate(t, e)
				for j := range n {
					w := want(number(k, x[j]), number(k, y[j]), number(k, z[j]))
					require.Equal(t, w, got[j], "%s of %s: %x %x %x", name, typ, x[j], y[j], z[j])
				}
			}
			sum := func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
			mul := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
			check("madsat", func(x, y, z *big.Int) uint64 { return saturated(k, sum(mul(x, y), z)) }, a(x), a(y), a(z))
			check("madhi", func(x, y, z *big.Int) uint64 {
				return register(k, sum(new(big.Int).Rsh(mul(x, y), b), z))
			}, a(x), a(y), a(z))
			check("mulhi", func(x, y, _ *big.Int) uint64 { return register(k, new(big.Int).Rsh(mul(x, y), b)) }, a(x), a(y))
			check("addsat", func(x, y, _ *big.Int) uint64 { return saturated(k, sum(x, y)) }, a(x), a(y))
			check("subsat", func(x, y, _ *big.Int) uint64 { return saturated(k, new(big.Int).Sub(x, y)) }, a(x), a(y))
			check("hadd", func(x, y, _ *big.Int) uint64 { return register(k, new(big.Int).Rsh(sum(x, y), 1)) }, a(x), a(y))
			check("rhadd", func(x, y, _ *big.Int) uint64 {
				return register(k, new(big.Int).Rsh(sum(sum(x, y), one), 1))
			}, a(x), a(y))
			check("absdiff", func(x, y, _ *big.Int) uint64 {
				return register(k, new(big.Int).Abs(new(big.Int).Sub(x, y)))
			}, a(x), a(y))
			check("abs", func(x, _, _ *big.Int) uint64 { return register(k, new(big.Int).Abs(x)) }, a(x))
			least := func(x, y *big.Int) *big.Int {
				if x.Cmp(y) < 0 {
					return x
				}
				return y
			}
			most := func(x, y *big.Int) *big.Int {
				if x.Cmp(y) > 0 {
					return x
				}
				return y
			}
			check("min", func(x, y, _ *big.Int) uint64 { return register(k, least(x, y)) }, a(x), a(y))
			check("max3", func(x, y, z *big.Int) uint64 { return register(k, most(most(x, y), z)) }, a(x), a(y), a(z))
			check("clamp", func(x, y, z *big.Int) uint64 { return register(k, least(most(x, y), z)) }, a(x), a(y), a(z))
			check("median3", func(x, y, z *big.Int) uint64 {
				return register(k, most(least(x, y), least(most(x, y), z)))
			}, a(x), a(y), a(z))
			check("popcount", func(x, _, _ *big.Int) uint64 { return uint64(bits.OnesCount64(register(k, x))) }, a(x))
			check("clz", func(x, _, _ *big.Int) uint64 { return uint64(bits.LeadingZeros64(register(k, x))) - (64 - uint64(b)) }, a(x))
			check("ctz", func(x, _, _ *big.Int) uint64 { return min(uint64(bits.TrailingZeros64(register(k, x))), uint64(b)) }, a(x))
			check("reverse_bits", func(x, _, _ *big.Int) uint64 { return bits.Reverse64(register(k, x)) >> (64 - b) }, a(x))
			off := uint(rng.IntN(int(b)))
			count := uint(rng.IntN(int(b-off))) + 1
			o, c := arg("uint", uint64(off)), arg("uint", uint64(count))
			field := new(big.Int).Lsh(one, count)
			check("extract_bits", func(x, _, _ *big.Int) uint64 {
				f := new(big.Int).Mod(new(big.Int).Rsh(x, off), field)
				if isSigned(k) && f.Bit(int(count)-1) == 1 {
					f.Sub(f, field)
				}
				return register(k, f)
			}, a(x), o, c)
			check("insert_bits", func(x, y, _ *big.Int) uint64 {
				hole := new(big.Int).Lsh(new(big.Int).Sub(field, one), off)
				low := new(big.Int).Lsh(new(big.Int).Mod(y, field), off)
				return register(k, low.Or(low, new(big.Int).AndNot(x, hole)))
			}, a(x), a(y), o, c)
			if bitsOf(k) != 32 {
				continue
			}
			low24 := func(x *big.Int) *big.Int {
				f := new(big.Int).Mod(x, big.NewInt(1<<24))
				if isSigned(k) && f.Bit(23) == 1 {
					f.Sub(f, big.NewInt(1<<24))
				}
				return f
			}
			check("mul24", func(x, y, _ *big.Int) uint64 { return register(k, mul(low24(x), low24(y))) }, a(x), a(y))
			check("mad24", func(x, y, z *big.Int) uint64 {
				return register(k, sum(mul(low24(x), low24(y)), z))
			}, a(x), a(y), a(z))
		}
	}
}

// TestRotate: to the left, by the amount of each element.
func TestRotate(t *testing.T) {
	x, err := Resolve("rotate", nil, []Arg{arg("uchar2", 0x81, 0x0f), arg("uchar2", 1, 4)}, typed.Pos{}, 0)
	require.NoError(t, err)
	require.Equal(t, value{0x03, 0xf0}, evaluate(t, x))
}
