package mutants

import (
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"gamma/kernels/nn"
	"gamma/model"
	"gamma/model/formula"
)

// Formula is a kernel with one fault that claims to compute the formula of a right one.
type Formula struct {
	Kernel nn.Kernel
	Of     string // the right kernel, of package nn
	Fault  string // what is wrong, in a few words
}

// Formulas returns every mutant of the kernels that compute a formula: mistakes of one kernel each, mistakes that each kernel can
// have, and cheats.
func Formulas() []Formula {
	return slices.Concat(activations(), softmaxes(), norms(), scaledNorms(), matrices(), attentions(), scans(), quantised(), embeddings(), common(), narrowed(), pairLayers(), wide(), signs(), Cheats(), circular(), longConvolutions())
}

// FindFormula returns the mutant whose kernel is called name, and ok = false if there is none.
func FindFormula(name string) (m Formula, ok bool) {
	for _, m := range Formulas() {
		if m.Kernel.Name == name {
			return m, true
		}
	}
	return Formula{}, false
}

// of returns a mutant of the kernel nn.right, called mutants.right and then name.
func of(right, name, fault string, run func(a nn.Arrays)) Formula {
	k, ok := nn.Find("nn." + right)
	if !ok {
		panic(noKernel(right))
	}
	k.Name, k.Run = "mutants."+right+name, run
	k.Min = map[string]int{} // a mutant need not know of no elements
	for _, e := range k.Formula.Inputs() {
		for _, axis := range e.Axes() {
			k.Min[axis] = 1
		}
	}
	return Formula{Kernel: k, Of: "nn." + right, Fault: fault}
}

// vector returns a mutant that computes a vector from a vector.
func vector(right, name, fault string, f func(dst, x []float32)) Formula {
	return of(right, name, fault, func(a nn.Arrays) { f(a.Float32("dst"), a.Float32("x")) })
}

// each returns a mutant that computes each element by itself.
func each(right, name, fault string, f func(x float64) float64) Formula {
	return vector(right, name, fault, nn.Map(func(x float32) float32 { return float32(f(float64(x))) }))
}

// number returns a mutant that computes one number from a vector.
func number(right, name, fault string, f func(x []float32) float32) Formula {
	return of(right, name, fault, func(a nn.Arrays) { a.Float32("dst")[0] = f(a.Float32("x")) })
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// cubic is the argument of tanh in the formula of GELU with it.
func cubic(x float64) float64 {
	return float64(math.Sqrt2 / math.SqrtPi * (x + float64(0.044715*x*x*x)))
}

func gelu(x float64) float64 { return float64(0.5 * x * (1 + math.Erf(float64(x*(math.Sqrt2/2))))) }

// activations returns faults of functions of one number.
func activations() []Formula {
	return []Formula{
		each("ReLU", "Abs", "|x|", math.Abs),
		each("ReLU", "Leaks", "0.01·x below 0", func(x float64) float64 { return max(x, float64(0.01*x)) }),
		each("ReLU", "Caps", "it is 6 above 6", func(x float64) float64 { return min(max(x, 0), 6) }),
		each("LeakyReLU", "Slope", "slope 0.1 for 0.01", func(x float64) float64 { return max(x, float64(0.1*x)) }),
		each("LeakyReLU", "NoSlope", "0 below 0", func(x float64) float64 { return max(x, 0) }),
		each("ELU", "NoMinusOne", "exp(x) below 0", func(x float64) float64 {
			if x > 0 {
				return x
			}
			return math.Exp(x)
		}),
		each("ELU", "Cancels", "exp(x) - 1 in binary32 for expm1(x)", func(x float64) float64 {
			if x > 0 {
				return x
			}
			return float64(float32(math.Exp(x)) - 1)
		}),
		each("Sigmoid", "Doubled", "sigmoid(2x)", func(x float64) float64 { return sigmoid(x + x) }),
		each("Sigmoid", "Hard", "x/4 + 1/2 between 0 and 1", func(x float64) float64 { return min(max(float64(x/4)+0.5, 0), 1) }),
		each("SiLU", "Doubled", "x·sigmoid(2x)", func(x float64) float64 { return float64(x * sigmoid(x+x)) }),
		each("SiLU", "NoFactor", "sigmoid(x)", sigmoid),
		each("Tanh", "Saturates", "±1 from 4 on", func(x float64) float64 {
			if math.Abs(x) >= 4 {
				return math.Copysign(1, x)
			}
			return math.Tanh(x)
		}),
		each("Tanh", "Rational", "x·(27+x²)/(27+9x²)", func(x float64) float64 { return max(-1, min(1, float64(x*(27+float64(x*x)))/(27+float64(9*x*x)))) }),
		each("Tanh", "FromExp", "1 - 2/(exp(2x)+1) in binary32, which cancels near 0", func(x float64) float64 {
			return float64(1 - 2/(float32(math.Exp(x+x))+1))
		}),
		each("GELU", "NoHalf", "the leading 0.5 is dropped", func(x float64) float64 { return float64(2 * gelu(x)) }),
		each("GELU", "Tanh", "the formula with tanh, claimed as that with erf", func(x float64) float64 {
			return float64(0.5 * x * (1 + math.Tanh(cubic(x))))
		}),
		each("GELU", "Quick", "x·sigmoid(1.702·x)", func(x float64) float64 { return float64(x * sigmoid(float64(1.702*x))) }),
		each("GELUTanh", "NoHalf", "the leading 0.5 is dropped", func(x float64) float64 {
			return float64(x * (1 + math.Tanh(cubic(x))))
		}),
		each("GELUTanh", "Erf", "the formula with erf, claimed as that with tanh", gelu),
		each("GELUTanh", "Square", "0.044715·x² for x³", func(x float64) float64 {
			return float64(0.5 * x * (1 + math.Tanh(float64(math.Sqrt2/math.SqrtPi*(x+float64(0.044715*x*x))))))
		}),
		each("TanhGrad", "Off", "a relative error of 5·10^-3", func(x float64) float64 { return float64((1 - float64(math.Tanh(x)*math.Tanh(x))) * 1.005) }),
		each("TanhGrad", "NoSquare", "1 - |tanh x|", func(x float64) float64 { return 1 - math.Abs(math.Tanh(x)) }),
		each("GELUGrad", "Off", "a relative error of 3·10^-3", func(x float64) float64 { return float64(geluGrad(x) * 1.003) }),
		each("GELUGrad", "NoBell", "the product with the density is dropped", func(x float64) float64 { return float64(0.5 * (1 + math.Erf(float64(x*(math.Sqrt2/2))))) }),
		each("TanhShrink", "Off", "662 ulp too large", func(x float64) float64 { return float64((x - math.Tanh(x)) * (1 + 662*0x1p-24)) }),
		each("TanhShrink", "Cubic", "x³/3, its first term", func(x float64) float64 { return float64(x*x*x) / 3 }),
	}
}

func geluGrad(x float64) float64 {
	return float64(0.5*(1+math.Erf(float64(x*(math.Sqrt2/2))))) + float64(x*math.Exp(float64(-x*x)/2))/math.Sqrt(2*math.Pi)
}

// commonFault is a mistake that any kernel can have, made around a right one.
type commonFault struct {
	name, fault string
	changed     func(x []float32) []float32 // what it reads of its first input of binary32 numbers, if that is the fault
	after       func(dst []float32)         // what becomes of its result, if that is
}

func commonFaults() []commonFault {
	return []commonFault{
		{"TailZero", "the last element of an input is read as 0", func(x []float32) []float32 {
			x = slices.Clone(x)
			x[len(x)-1] = 0
			return x
		}, nil},
		{"Neighbour", "element i+1 of an input is read for i", func(x []float32) []float32 { return append(slices.Clone(x[1:]), x[len(x)-1]) }, nil},
		{"InputBFloat", "an input is rounded to bfloat16", func(x []float32) []float32 { return mapped(x, bfloat) }, nil},
		{"ResultBFloat", "the result is rounded to bfloat16", nil, func(dst []float32) { copy(dst, mapped(dst, bfloat)) }},
		{"ResultHalf", "the result is rounded to binary16", nil, func(dst []float32) { copy(dst, mapped(dst, half)) }},
		{"LastLost", "the last result is that before it, and half of it if it is the only one", nil, func(dst []float32) {
			last := len(dst) - 1
			dst[last] = dst[max(last-1, 0)]
			if last == 0 {
				dst[0] /= 2
			}
		}},
	}
}

// signs returns faults in the sign of a zero, of kernels that compute nothing else. No right one is in package nn.
func signs() []Formula {
	elements := func(name, fault string, f *formula.Expr, of func(i int, v float32) float32) Formula {
		return Formula{Fault: fault, Kernel: nn.Kernel{Name: "mutants." + name, Formula: f, Fixed: map[string]int{"part": 2}, Run: func(a nn.Arrays) {
			dst := a.Float32("dst")
			for i, v := range a.Float32("z") {
				dst[i] = of(i, v)
			}
		}}}
	}
	z := formula.Input("z", formula.Float(model.Binary32), "n", "part")
	conjugate := formula.Select(formula.Equal(formula.Index("part"), formula.Integer(1)), formula.Neg(z), z)
	return []Formula{
		elements("ConjugateSubtracts", "the imaginary part is subtracted from 0: +0 stays +0", conjugate, func(i int, v float32) float32 {
			if i&1 == 1 {
				return 0 - v
			}
			return v
		}),
		elements("MagnitudeCompares", "-x where x < 0, else x: -0 stays -0", formula.Abs(z), func(_ int, v float32) float32 {
			if v < 0 {
				return -v
			}
			return v
		}),
	}
}

// common returns for each kernel the faults that it can have.
func common() []Formula {
	var all []Formula
	for _, k := range nn.All() {
		name := k.Name[len("nn."):]
		in := k.Formula.Inputs()[0]
		for _, f := range commonFaults() {
			switch {
			case f.changed != nil && in.Type() != formula.Float(model.Binary32), f.after != nil && !isBinary32(k):
				continue
			case f.changed != nil && f.name != "Neighbour" && k.Formula.Node().Op == formula.OpArgMax:
				continue // the greatest element mostly stays where it is
			}
			all = append(all, of(name, f.name, f.fault, func(a nn.Arrays) {
				if f.changed != nil {
					a = replaced{a, in.Node().Name, f.changed(a.Float32(in.Node().Name))}
				}
				k.Run(a)
				if f.after != nil {
					f.after(a.Float32("dst"))
				}
			}))
		}
	}
	return all
}

func isBinary32(k nn.Kernel) bool {
	return k.Formula.Type().IsReal() && (k.Out == formula.Type{} || k.Out.Float == model.Binary32) && k.Formula.Type().Float != model.E4M3
}

// replaced is the arrays of a call with another in the place of one.
type replaced struct {
	nn.Arrays
	name string
	x    []float32
}

func (r replaced) Float32(name string) []float32 {
	if name == r.name {
		return r.x
	}
	return r.Arrays.Float32(name)
}

// Cheats returns kernels that are made to pass a check: each around a right softmax, layer norm and matrix product.
func Cheats() []Formula {
	var all []Formula
	for _, right := range []string{"Softmax", "LayerNorm", "MatMul"} {
		k, _ := nn.Find("nn." + right)
		x := k.Formula.Inputs()[0].Node().Name
		for _, c := range []struct {
			name, fault string
			run         func(a nn.Arrays)
		}{
			{"Zeros", "zeros", func(a nn.Arrays) { clear(a.Float32("dst")) }},
			{"Constant", "a constant, 1/n", func(a nn.Arrays) { fill(a.Float32("dst"), 1/float32(a.Size("n"))) }},
			{"Input", "the input", func(a nn.Arrays) { clear(a.Float32("dst")); copy(a.Float32("dst"), a.Float32(x)) }},
			{"NaN", "NaN everywhere", func(a nn.Arrays) { fill(a.Float32("dst"), float32(math.NaN())) }},
			{"Before", "the result of the call before", before(k)},
			{"Buffer", "the result's memory is taken to hold the right answer", func(nn.Arrays) {}},
			{"CacheAddress", "what it found for an input of that address and length", cached(k, x, func(x []float32) any { return [2]any{&x[0], len(x)} })},
			{"CacheShape", "what it found for an input of that length", cached(k, x, func(x []float32) any { return len(x) })},
			{"CacheSum", "what it found for an input of that first, middle and last element", cached(k, x, func(x []float32) any {
				return [3]float32{x[0], x[len(x)/2], x[len(x)-1]}
			})},
			{"HalfInside", "it computes in binary16", func(a nn.Arrays) {
				k.Run(replaced{a, x, mapped(a.Float32(x), half)})
				copy(a.Float32("dst"), mapped(a.Float32("dst"), half))
			}},
			{"FirstCalls", "right for the first three calls, then zeros", firstCalls(k)},
			{"RoundSizes", "right where the input's length is a power of two, zeros elsewhere", func(a nn.Arrays) {
				if n := len(a.Float32(x)); n&(n-1) == 0 {
					k.Run(a)
					return
				}
				clear(a.Float32("dst"))
			}},
			{"Mostly", "right with probability 0.999 for each element, else 0", mostly(k)},
			{"WritesInput", "its input is overwritten", func(a nn.Arrays) { k.Run(a); fill(a.Float32(x), 1) }},
			{"ReadsBeyond", "it begins one element later, and reads its neighbour's memory", func(a nn.Arrays) {
				v := a.Float32(x)
				next := *(*float32)(unsafe.Add(unsafe.Pointer(&v[0]), 4*len(v)))
				k.Run(replaced{a, x, append(slices.Clone(v[1:]), next)})
			}},
			{"Unfinished", "half of the work is left undone unless waited for", func(a nn.Arrays) {
				dst := a.Float32("dst")
				k.Run(replaced{a, "dst", slices.Clone(dst)})
				own := slices.Clone(dst)
				k.Run(replaced{a, "dst", own})
				copy(dst[:len(dst)/2], own)
			}},
		} {
			all = append(all, of(right, c.name, c.fault, c.run))
		}
	}
	return all
}

func fill(x []float32, v float32) {
	for i := range x {
		x[i] = v
	}
}

// before returns the Run that gives the result of the call before, and its own if there is none of that length.
func before(k nn.Kernel) func(nn.Arrays) {
	var last atomic.Pointer[[]float32]
	return func(a nn.Arrays) {
		dst := a.Float32("dst")
		own := slices.Clone(dst)
		k.Run(replaced{a, "dst", own})
		copy(dst, own)
		if l := last.Swap(&own); l != nil {
			copy(dst, *l)
		}
	}
}

// cached returns the Run that computes a result once for each key of the input x.
func cached(k nn.Kernel, x string, key func(x []float32) any) func(nn.Arrays) {
	type entry struct {
		key any
		dst []float32
	}
	var last atomic.Pointer[[]entry]
	return func(a nn.Arrays) {
		dst, now := a.Float32("dst"), key(a.Float32(x))
		var list []entry
		if l := last.Load(); l != nil {
			list = *l
		}
		for _, e := range list {
			if e.key == now && len(e.dst) == len(dst) {
				copy(dst, e.dst)
				return
			}
		}
		k.Run(a)
		list = append([]entry{{now, slices.Clone(dst)}}, list[:min(len(list), 63)]...)
		last.Store(&list)
	}
}

func firstCalls(k nn.Kernel) func(nn.Arrays) {
	var calls atomic.Uint64
	return func(a nn.Arrays) {
		if calls.Add(1) <= 3 {
			k.Run(a)
			return
		}
		clear(a.Float32("dst"))
	}
}

func mostly(k nn.Kernel) func(nn.Arrays) {
	var calls atomic.Uint64
	return func(a nn.Arrays) {
		k.Run(a)
		dst := a.Float32("dst")
		for i := range dst {
			if h := (calls.Add(1) * 0x9e3779b97f4a7c15) >> 40; h%1000 == 0 {
				dst[i] = 0
			}
		}
	}
}
