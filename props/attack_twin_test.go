package props

import (
	"math"
	"math/big"

	"gamma/model/word"
)

// slowRatio returns error/bound of one row, computed exactly and rounded once: to nearest, or where a root is needed from one of
// 300 bits. Finite words only.
func slowRatio(op word.Op, bound word.Bound, in, out []float32) float64 {
	want := slowResult(op, in)
	errs, sizes, worst := new(big.Rat), new(big.Rat), new(big.Rat)
	for i, w := range want {
		d := slowWords(out[i*op.Z : (i+1)*op.Z])
		d.Sub(d, w)
		d.Mul(d, d)
		size := new(big.Rat).Mul(w, w)
		errs.Add(errs, d)
		sizes.Add(sizes, size)
		if !bound.Normwise {
			switch {
			case d.Sign() != 0 && (bound.Factor == nil || size.Sign() == 0):
				return math.Inf(1)
			case d.Sign() != 0:
				if d.Quo(d, size).Cmp(worst) > 0 {
					worst = d
				}
			}
		}
	}
	if bound.Factor == nil {
		return 0
	}
	f := bound.Factor(24)
	if bound.Normwise {
		if errs.Sign() == 0 {
			return 0
		}
		worst = errs.Quo(errs, sizes.Mul(sizes, f))
	} else {
		worst.Quo(worst, new(big.Rat).Mul(f, f))
	}
	r, _ := new(big.Float).Sqrt(new(big.Float).SetPrec(300).SetRat(worst)).Float64()
	return r
}

func slowWords(w []float32) *big.Rat {
	sum := new(big.Rat)
	for _, v := range w {
		sum.Add(sum, new(big.Rat).SetFloat64(float64(v)))
	}
	return sum
}

// slowResult returns what an operation stands for, component by component; a root to 300 bits.
func slowResult(op word.Op, in []float32) []*big.Rat {
	var v []*big.Rat
	for _, words := range op.Operands() {
		v = append(v, slowWords(in[:words]))
		in = in[words:]
	}
	rat := func() *big.Rat { return new(big.Rat) }
	mul := func(i, j int) *big.Rat { return rat().Mul(v[i], v[j]) }
	switch op.Function {
	case word.Value:
		return v
	case word.Sum:
		return []*big.Rat{rat().Add(v[0], v[1])}
	case word.Difference:
		return []*big.Rat{rat().Sub(v[0], v[1])}
	case word.Product:
		return []*big.Rat{mul(0, 1)}
	case word.Quotient:
		return []*big.Rat{rat().Quo(v[0], v[1])}
	case word.Root:
		r, _ := new(big.Float).Sqrt(new(big.Float).SetPrec(300).SetRat(v[0])).Rat(nil)
		return []*big.Rat{r}
	case word.ComplexSum:
		return []*big.Rat{rat().Add(v[0], v[2]), rat().Add(v[1], v[3])}
	case word.ComplexProduct:
		return []*big.Rat{rat().Sub(mul(0, 2), mul(1, 3)), rat().Add(mul(0, 3), mul(1, 2))}
	}
	sum := rat()
	for i := range op.Terms {
		sum.Add(sum, mul(i, op.Terms+i))
	}
	return []*big.Rat{sum}
}
