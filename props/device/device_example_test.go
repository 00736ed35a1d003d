package device_test

import (
	"fmt"
	"math"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
	"gamma/model/modular"
	"gamma/model/word"
	"gamma/props"
	"gamma/props/device"
	"gamma/props/judge"
)

// A sum in one threadgroup that lacks its barrier. In a test, func TestPropSum(t *testing.T) { sum.Check(t) } does the rest.
func ExampleReduction() {
	sum := device.Reduction{Name: "mysum.metal#sum", Function: "sum", Source: `
#include <metal_stdlib>
using namespace metal;

kernel void sum(device const float* x, device float* out, constant uint& n, threadgroup float* part,
                uint i [[thread_index_in_threadgroup]], uint width [[threads_per_threadgroup]]) {
    part[i] = 0;
    for (uint k = i; k < n; k += width) part[i] += x[k];
    if (i == 0) {
        float total = part[0];
        for (uint k = 1; k < width; k++) total += part[k];
        out[0] = total;
    }
}`}
	subject, err := device.Props(sum)
	if err != nil {
		fmt.Println(err)
		return
	}
	law, err := judge.LawByID(judge.Laws(), model.KernelRace)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _, err := judge.Find(law, subject, 200)
	if err != nil || f == nil {
		fmt.Println("nothing was found:", err)
		return
	}
	fmt.Println(f.Common().Verdict.Reason)
	// Output:
	// race at mysum.metal:11:55: thread (0,0,0) reads 4 bytes at byte 4 of threadgroup part, where thread (1,0,0) writes 4 at mysum.metal:7:13: no barrier orders the two
}

// A dot product by one thread claims the order from the left. Contraction into fused multiply-adds, which Metal allows a device, changes its
// bits: law dot.tree says nothing under it, and holds where nothing is contracted.
func ExampleDot() {
	dot := device.Dot{Name: "mydot.metal#dot", Function: "dot_left", Claim: model.Claim{Tree: "left"}, Source: `
#include <metal_stdlib>
using namespace metal;

kernel void dot_left(device const float* x, device const float* y, device float* out, constant uint& n,
                     uint i [[thread_position_in_grid]]) {
    if (i > 0) return;
    float s = 0;
    for (uint k = 0; k < n; k++) s = k == 0 ? x[0] * y[0] : s + x[k] * y[k];
    out[0] = s;
}`}
	subject, err := device.Props(dot)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []model.LawID{model.DotTree, model.KernelBounds} {
		law, err := judge.LawByID(judge.Laws(), id)
		if err != nil {
			fmt.Println(err)
			return
		}
		_, _, v, err := judge.Search(law, subject, 100)
		fmt.Println(id, v.Outcome, err)
	}
	// Output:
	// dot.tree holds <nil>
	// kernel.bounds holds <nil>
}

// A sum of two numbers and its error, without a pragma against rewrites: in fast mode, Metal's default, a compiler may take it apart.
// Of each mode it prints whether anything was judged, and whether a violation was found.
func ExampleOperation() {
	law, err := judge.LawByID(judge.WordLaws(), model.EFTSum)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, mode := range []metal.MathMode{metal.MathSafe, metal.MathFast} {
		twoSum := device.Operation{
			Name: "myeft.metal#two_sum", Function: "two_sum", Options: metal.CompileOptions{MathMode: mode}, Strict: true,
			Claim: word.Claim{Op: word.TwoSum, Algorithm: "2Sum"}, Source: `
#include <metal_stdlib>
using namespace metal;

kernel void two_sum(device const float* x, device float* z, constant uint& rows, uint i [[thread_position_in_grid]]) {
    if (i >= rows) return;
    float a = x[2 * i], b = x[2 * i + 1];
    float s = a + b, t = s - b;
    z[2 * i] = s;
    z[2 * i + 1] = (a - t) + (b - (s - t));
}`,
		}
		subject, err := device.Props(twoSum)
		if err != nil {
			fmt.Println(err)
			return
		}
		c, judged, _, err := judge.Search(law, subject, 2000)
		fmt.Println(mode, judged > 0, c != nil, err)
	}
	// Output:
	// safe true false <nil>
	// fast true true <nil>
}

// A product modulo q < 2^31, right on every row that is drawn.
func ExampleModular() {
	operand := func(name string) modular.Word { return modular.Word{Name: name, Range: 1} }
	mul := device.Modular{
		Name: "mymod.metal#mul", Function: "mul",
		Claim: modular.Claim{
			Function: modular.Product, Bits: 32, Moduli: modular.Moduli{Min: 3, Max: 1<<31 - 1},
			In: []modular.Word{operand("a"), operand("b")}, Out: []modular.Word{operand("z")},
		},
		Source: `
#include <metal_stdlib>
using namespace metal;

kernel void mul(device const uint* x, device uint* z, constant uint& rows, constant uint& q, uint i [[thread_position_in_grid]]) {
    if (i >= rows) return;
    z[i] = uint(ulong(x[2 * i]) * x[2 * i + 1] % q);
}`,
	}
	subject, err := device.Props(mul)
	if err != nil {
		fmt.Println(err)
		return
	}
	law, err := judge.LawByID(judge.ModularLaws(), "mont.value")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, judged, v, err := judge.Search(law, subject, 500)
	fmt.Println(judged >= 500, v.Outcome, err)
	// Output:
	// true holds <nil>
}

// A transform by the definition, a thread for each number. Host code moves words and computes powers of the root.
func ExampleNTT() {
	plan := func(t modular.Transform) (device.HostTransforms, error) {
		q, n := t.Modulus, t.N
		if q < 3 || q >= 1<<31 || q%2 == 0 || n < 2 || n > 64 || n&(n-1) != 0 {
			return device.HostTransforms{}, fmt.Errorf("no transform of %d points modulo %d: odd moduli below 2^31, 2 to 64 points", n, q)
		}
		powers := []uint32{1}
		for len(powers) < n {
			powers = append(powers, uint32(uint64(powers[len(powers)-1])*(t.Root%q)%q))
		}
		if t.Root >= q || uint64(powers[n/2]) != q-1 {
			return device.HostTransforms{}, fmt.Errorf("root %d is not of order %d modulo %d", t.Root, n, q)
		}
		return device.HostTransforms{Forward: func(r *device.Run, dst, src []uint64) error {
			if len(dst) != n || len(src) != n {
				return fmt.Errorf("%d and %d words for %d points", len(dst), len(src), n)
			}
			words := make([]uint32, n)
			for i, w := range src {
				words[i] = uint32(w)
			}
			x, err := r.Buffer("x", words)
			if err != nil {
				return err
			}
			w, err := r.Buffer("w", powers)
			if err != nil {
				return err
			}
			out, err := r.Empty("out", 4*n)
			if err != nil {
				return err
			}
			if err := r.Dispatch("transform", r.Launch(), x, w, out, uint32(n), uint32(q)); err != nil {
				return err
			}
			if err := r.Read(out, words); err != nil {
				return err
			}
			for i, w := range words {
				dst[i] = uint64(w)
			}
			return nil
		}}, nil
	}
	reduced := modular.Side{Range: 1}
	transform := device.NTT{
		Name: "myntt.metal#transform", Plan: plan,
		Claim: modular.TransformClaim{
			Bits: 32, MinN: 2, MaxN: 64, Moduli: modular.Moduli{Min: 3, Max: 1<<31 - 1},
			Forward: modular.Direction{In: reduced, Out: reduced},
		},
		Launches: func(n int) []model.Launch { return []model.Launch{model.Launch1D((n+7)/8, 8), model.Launch1D(1, n)} },
		Source: `
#include <metal_stdlib>
using namespace metal;

kernel void transform(device const uint* x, device const uint* w, device uint* out, constant uint& n, constant uint& q,
                      uint k [[thread_position_in_grid]]) {
    if (k >= n) return;
    ulong s = 0;
    for (uint j = 0; j < n; j++) s = (s + ulong(x[j]) * w[j * k % n]) % q;
    out[k] = uint(s);
}`,
	}
	subject, err := device.Props(transform)
	if err != nil {
		fmt.Println(err)
		return
	}
	law, err := judge.LawByID(judge.NTTLaws(), model.NTTExact)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, judged, v, err := judge.Search(law, subject, 50)
	fmt.Println(judged, v.Outcome, err)
	// Output:
	// 50 holds <nil>
}

// A transform of two points, x_0+x_1 and x_0-x_1, whose inverse forgets the factor 1/2.
func ExampleFFT() {
	fft := device.FFT{
		Name:  "myfft.metal#two",
		Claim: fourier.Claim{MinN: 2, MaxN: 2},
		Host: func(r *device.Run, c *props.FFTCall) error {
			if c.N != 2 {
				return fmt.Errorf("%d points: 2 alone", c.N)
			}
			x, err := r.Buffer("x", c.Float32("src"))
			if err != nil {
				return err
			}
			out, err := r.Empty("out", 16)
			if err != nil {
				return err
			}
			if err := r.Dispatch("two", model.Launch1D(1, 1), x, out); err != nil {
				return err
			}
			return r.Read(out, c.Float32("dst"))
		},
		Launches: func(int) []model.Launch { return []model.Launch{model.Launch1D(1, 1)} },
		Source: `
#include <metal_stdlib>
using namespace metal;

kernel void two(device const float2* x, device float2* out) {
    out[0] = x[0] + x[1];
    out[1] = x[0] - x[1];
}`,
	}
	subject, err := device.Props(fft)
	if err != nil {
		fmt.Println(err)
		return
	}
	law, err := judge.LawByID(judge.FFTLaws(), model.FFTRoundtrip)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _, err := judge.Find(law, subject, 50)
	if err != nil || f == nil {
		fmt.Println("nothing was found:", err)
		return
	}
	fmt.Println(f.Common().Verdict.Reason)
	// Output:
	// forward DFT of 2 points, complex and back, times 1: number 1 is 2+0i, and was 1+0i; the error's 2-norm is 2.13e+06 times both bounds
}

// Arrays and numbers are bound by the names of parameters: x is the input, n the size of its axis, and y is dst because it is written.
func ExampleKernel() {
	x := formula.Vector("x")
	silu := device.Kernel{
		Name: "myact.metal#silu", Function: "silu", Formula: formula.Div(x, formula.Add(formula.Const(1), formula.Exp(formula.Neg(x)))), Source: `
#include <metal_stdlib>
using namespace metal;

kernel void silu(device const float* x, device float* y, constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i < n) y[i] = x[i] / (1 + precise::exp(-x[i]));
}`,
	}
	subject, err := device.Props(silu)
	if err != nil {
		fmt.Println(err)
		return
	}
	law, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, judged, v, err := judge.Search(law, subject, 100)
	fmt.Println(judged, v.Outcome, v.Ratio <= 1 && !math.IsNaN(v.Ratio), err)
	// Output:
	// 100 holds true <nil>
}

// A device itself is judged by calls in any order, legal and not: it never does anything but what Metal's rules say.
func ExampleProtocol() {
	p := device.Protocol{
		Name: "sim", New: func() (metal.Device, error) { return sim.New(sim.Options{Workers: 1}), nil },
		Sequences: 20,
	}
	// In a test: func TestPropDevice(t *testing.T) { p.Check(t) }
	f, err := p.Find()
	fmt.Println(f == nil, err)
	// Output:
	// true <nil>
}
