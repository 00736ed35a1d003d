package device_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props"
	"gamma/props/device"
	"gamma/props/judge"
	"gamma/shaders"
)

const softmaxSource = `#include <metal_stdlib>
using namespace metal;

kernel void softmax(device const float* x, device float* dst, constant uint& n, threadgroup float* part,
                    uint j [[thread_position_in_threadgroup]], uint count [[threads_per_threadgroup]])
{
    float m = -INFINITY;
    for (uint i = 0; i < n; i++) { m = fmax(m, x[i]); }
    float s = 0.0f;
    for (uint i = j; i < n; i += count) { s += precise::exp(x[i] - m); }
    part[j] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s = 0.0f;
    for (uint t = 0; t < count; t++) { s += part[t]; }
    for (uint i = j; i < n; i += count) { dst[i] = precise::exp(x[i] - m) / s; }
}
`

// softmax returns the shader with part of its text replaced.
func softmax(old, text string) device.Kernel {
	return device.Kernel{
		Name: "mine.metal#softmax", Source: strings.Replace(softmaxSource, old, text, 1), Function: "softmax",
		Formula: formula.Softmax(formula.Vector("x")), Claim: formula.Claim{Finite: true},
	}
}

// findFormula returns the report of a law's violation by a kernel, or "". A hundred cases find all that these tests plant.
func findFormula(t *testing.T, k device.Kernel, law string) string {
	t.Helper()
	p, err := device.Props(k)
	require.NoError(t, err)
	return findBy(t, judge.FormulaLaws(), p, law, 100)
}

// TestKernel: a shader of a formula is bound by the names of its parameters.
func TestKernel(t *testing.T) { softmax("", "").Check(t) }

// pointed returns the shader with its arrays and n in a structure, and a part of its text replaced.
func pointed(old, text string) device.Kernel {
	k := softmax(old, text)
	k.Source = strings.NewReplacer("kernel void", "struct Args { device const float* x; device float* dst; uint n; };\nkernel void",
		"device const float* x, device float* dst, constant uint& n,", "constant Args& a [[buffer(3)]],",
		"{\n    float m =", "{\n    device const float* x = a.x; device float* dst = a.dst; uint n = a.n;\n    float m =").Replace(k.Source)
	return k
}

// TestKernelArgumentBuffer: the members of a structure with pointers are bound by their names as parameters are, and what they lead to is checked as these are.
func TestKernelArgumentBuffer(t *testing.T) {
	pointed("", "").Check(t)
	for _, c := range []struct{ old, text, law, want string }{
		{"exp(x[i] - m) / s", "exp(x[i]) / s", "formula.enclosure", "violates formula.enclosure"},
		{"    threadgroup_barrier(mem_flags::mem_threadgroup);\n", "", "kernel.race", "mine.metal:"},
		{"for (uint i = j; i < n; i += count) { dst[i]", "for (uint i = 0; i < n; i++) { dst[i] = float(j); dst[i]", "kernel.race", "of device dst"},
		{"uint i = 0; i < n; i++", "uint i = 0; i <= n; i++", "kernel.bounds", "of device x, which has"},
		{"i = j; i < n; i += count) { dst", "i = j; i + 1 < n; i += count) { dst", "kernel.init", "uninitialised in host code"},
	} {
		require.Contains(t, findFormula(t, pointed(c.old, c.text), c.law), c.want, c.text)
	}
	for want, source := range map[string]string{
		"parameter a of type Args&: its member x points at structures with pointers": "struct Two { device float* y; }; struct Args { device Two* x; };\nkernel void k(constant Args& a, device float* dst) {}",
		"an array of structures with pointers is bound by Host":                      "struct Args { device float* x; };\nkernel void k(constant Args* a, device float* dst) {}",
	} {
		_, err := device.Props(device.Kernel{Name: "mine.metal#k", Function: "k", Source: source, Formula: formula.Vector("x")})
		require.ErrorContains(t, err, want)
	}
}

// TestKernelFaults: what is wrong with a shader of a formula, or of none, is found by the law that says so.
func TestKernelFaults(t *testing.T) {
	free := func(k device.Kernel) device.Kernel {
		k.Formula, k.Claim = nil, formula.Claim{}
		return k
	}
	for _, c := range []struct {
		k         device.Kernel
		law, want string
	}{
		{softmax("", ""), "formula.enclosure", ""},
		{softmax("exp(x[i] - m) / s", "exp(x[i]) / s"), "formula.enclosure", "violates formula.enclosure"},
		{softmax("    threadgroup_barrier(mem_flags::mem_threadgroup);\n", ""), "kernel.race", "mine.metal:"},
		{softmax("t < count", "t <= count"), "kernel.bounds", "out-of-bounds at mine.metal:"},
		{softmax("part[j] = s;", "if (j > 0) { part[j] = s; }"), "kernel.init", "uninitialised at mine.metal:15"},
		{softmax("i = j; i < n; i += count) { dst", "i = j; i + 1 < n; i += count) { dst"), "kernel.init", "uninitialised in host code"},
		{free(softmax("", "")), "kernel.schedule", ""},
		{free(softmax("", "")), "kernel.init", ""},
		{free(softmax("", "")), "formula.pure", ""},
		{free(softmax("    threadgroup_barrier(mem_flags::mem_threadgroup);\n", "")), "kernel.race", "mine.metal:"},
		{free(softmax("i = j; i < n; i += count) { dst", "i = j; i + 1 < n; i += count) { dst")), "kernel.init", "uninitialised in host code"},
		{
			free(device.Kernel{
				Name: "mine.metal#total", Function: "total", Threads: []model.Size3{{X: 8, Y: 1, Z: 1}}, Grid: "n/8", Bind: "dst=1",
				Source: `#include <metal_stdlib>
using namespace metal;
kernel void total(device const float* x, device atomic_float* dst, constant uint& n, uint i [[thread_position_in_grid]])
{
    if (i == 0) { atomic_store_explicit(dst, 0.0f, memory_order_relaxed); }
    if (i < n) { atomic_fetch_add_explicit(dst, x[i], memory_order_relaxed); }
}
`,
			}), "kernel.schedule", "other bits than in program order",
		},
	} {
		text := findFormula(t, c.k, c.law)
		if c.want == "" {
			require.Empty(t, text, c.law)
		}
		require.Contains(t, text, c.want, c.law)
	}
}

const gemmSource = `#include <metal_stdlib>
using namespace metal;

kernel void products(device const float* left, device const float* b, device float* c, device float* halves, constant uint& m, constant uint& n,
                     constant uint& depth, constant float& scale, uint2 at [[thread_position_in_grid]])
{
    if (at.x < n && at.y < m) {
        float s = 0.0f;
        for (uint l = 0; l < depth; l++) { s += left[at.y * depth + l] * b[l * n + at.x]; }
        c[at.y * n + at.x] = s;
        halves[at.y * n + at.x] = s * scale;
    }
}
`

// TestKernelResults: several results have a formula each, and parameters of other names are bound by Bind.
func TestKernelResults(t *testing.T) {
	product := formula.MatMul(formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), "k")
	k := device.Kernel{
		Name: "mine.metal#products", Source: gemmSource, Function: "products", Bind: "left=a depth=k scale=0.5", Grid: "n/4 m/2", Threads: []model.Size3{{X: 4, Y: 2, Z: 1}},
		Formulas: map[string]*formula.Expr{"c": product, "halves": formula.Mul(product, formula.Const(0.5))},
	}
	k.Check(t)

	k.Formulas = nil
	k.Bind = "left=m*k b=k*n c=m*n halves=m*n depth=k scale=0.5"
	require.Empty(t, findFormula(t, k, "kernel.schedule"))
	k.Source = strings.Replace(gemmSource, "at.x < n && ", "", 1)
	require.Contains(t, findFormula(t, k, "kernel.bounds"), "mine.metal:")
	k.Source = strings.Replace(gemmSource, "halves[at.y * n", "halves[0 * n", 1)
	require.NotEmpty(t, findFormula(t, k, "kernel.init"))
}

// TestKernelBinding: what cannot be bound is an error that says why.
func TestKernelBinding(t *testing.T) {
	for _, c := range []struct {
		change func(k *device.Kernel)
		want   string
	}{
		{func(*device.Kernel) {}, ""},
		{func(k *device.Kernel) { k.Bind = "x" }, `Bind has "x", which is not parameter=purpose`},
		{func(k *device.Kernel) { k.Bind = "y=x" }, `Bind has "y=x"`},
		{func(k *device.Kernel) { k.Bind = "n=rows" }, `"rows" is neither an axis of the inputs, which have [n]`},
		{func(k *device.Kernel) { k.Bind = "part=" }, "a size is empty"},
		{func(k *device.Kernel) { k.Bind = "dst=n" }, "it has no array for the result"},
		{func(k *device.Kernel) { k.Grid = "1 1 1 1" }, "more than three dimensions"},
		{func(k *device.Kernel) { k.Grid = "m" }, `Grid: "m" is neither`},
		{func(k *device.Kernel) { k.Formula = formula.Softmax(formula.Vector("y")) }, "parameter x of type const device float*: no input is called so"},
		{func(k *device.Kernel) {
			k.Formula = formula.Softmax(formula.Input("x", formula.Float(model.Binary64), "n"))
		}, "its elements have 32 bits, and those of input x, of binary64, 64"},
		{func(k *device.Kernel) { k.Formula = formula.Softmax(formula.Vector("x"), "k") }, "k"},
		{func(k *device.Kernel) { k.Source = strings.Replace(k.Source, "uint& n", "float& n", 1) }, "it is no integer"},
		{func(k *device.Kernel) {
			k.Source, k.Formula = strings.NewReplacer("device float* dst", "device const float* dst", "dst[i] = ", "").Replace(k.Source), nil
		}, "writes no array"},
	} {
		k := softmax("", "")
		c.change(&k)
		_, err := device.Props(k)
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
		}
	}
}

// TestKernelOfShaders: the shaders of package shaders are bound by their names alone, whatever host code they have; a second result is judged by its own
// formula.
func TestKernelOfShaders(t *testing.T) {
	for _, f := range shaders.Formulas() {
		if f.Fixed != nil {
			continue // a Kernel's axes have any size: these need their host code
		}
		k := device.Kernel{Name: "mine@" + f.Name, Source: f.Source, Function: f.Function, Options: f.Options, Formula: f.Formula, Claim: f.Claim, Out: f.Out, Min: f.Min}
		if f.Launches(1)[0].Threads.Y > 1 {
			k.Grid, k.Threads = "n/8 m/8", []model.Size3{f.Launches(1)[0].Threads}
		}
		switch {
		case strings.HasPrefix(f.Function, "product_simdgroup"):
			k.Grid, k.Threads = "n/16 m/16", []model.Size3{f.Launches(1)[0].Threads}
		case f.Function == "softmax_block": // a thread has four numbers of a row
			k.Threads, k.Max = []model.Size3{{X: 64, Y: 1, Z: 1}}, map[string]int{"n": 256}
		case f.Function == "cumsum_block":
			k.Bind = "part=2*threads"
		case f.Function == "sort_digit":
			k.Bind = "counts=16*threads"
		}
		if strings.HasPrefix(f.Function, "attention") && !strings.Contains(f.Function, "online") {
			k.Bind = "scores=s"
		}
		if f.Function == "bias_gate" {
			k.Bind = "count=b*c*n channels=c"
		}
		if f.Function == "rms_norm" {
			h := formula.Add(formula.Matrix("x", "r", "n"), formula.Matrix("residual", "r", "n"))
			k.Formula, k.Formulas = nil, map[string]*formula.Expr{"dst": f.Formula, "stream": h}
			k.Check(t)
			k.Bind, k.Formula, k.Formulas = "stream=r*n dst=dst", f.Formula, nil
		}
		p, err := device.Props(k)
		require.NoError(t, err)
		require.Empty(t, findBy(t, judge.FormulaLaws(), p, "formula.enclosure", 25), f.Name) // what is bound wrongly shows in each case
	}
}

// TestKernelHost: without a formula, host code of one's own says what is drawn and how many bytes it returns; exactly as many threads as it asks for run,
// and a library serves several kernels.
func TestKernelHost(t *testing.T) {
	const source = `#include <metal_stdlib>
using namespace metal;
kernel void doubled(device const float* x, device float* dst, uint i [[thread_position_in_grid]]) { dst[i] = 2.0f * x[i]; }
`
	dev := sim.New(sim.Options{Workers: 1})
	library, err := dev.NewLibrary(source, metal.CompileOptions{})
	require.NoError(t, err)
	extra := 0
	k := device.Kernel{
		Name: "mine.metal#doubled", Source: "not looked at, since Library is set", Function: "doubled", Device: dev, Library: library,
		Inputs: []*formula.Expr{formula.Vector("x")}, Bytes: func(size func(string) int) int { return 4 * size("n") },
		Host: func(r *device.Run, c *props.KernelCall) error {
			x, err := r.Buffer("x", c.Float32("x"))
			if err != nil {
				return err
			}
			to := c.Uint8("dst")
			dst, err := r.Empty("dst", max(len(to), 4))
			if err != nil || len(to) == 0 {
				return err
			}
			if err := r.DispatchThreads("doubled", model.Size3{X: max(c.Size("n")+extra, 0), Y: 1, Z: 1}, model.Size3{X: 32, Y: 1, Z: 1}, x, dst); err != nil {
				return err
			}
			return r.Read(dst, to)
		},
	}
	for _, law := range []string{"kernel.bounds", "kernel.init", "kernel.schedule", "formula.pure"} {
		require.Empty(t, findFormula(t, k, law), law)
	}
	extra = 1
	require.Contains(t, findFormula(t, k, "kernel.bounds"), "out-of-bounds")
	if extra = -1; findFormula(t, k, "kernel.init") == "" {
		t.Error("a thread is missing, and what it does not write is not found")
	}
}
