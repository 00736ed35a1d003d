package cuda_test

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/cuda"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props"
	"gamma/props/device"
	"gamma/props/judge"
)

//go:embed testdata/user.cu
var userSource string

// userKernels are the kernels of testdata/user.cu that a formula describes.
func userKernels() map[string]device.Kernel {
	x := formula.Matrix("x", "rows", "n")
	list := map[string]device.Kernel{
		"softmax":       {Formula: formula.Softmax(x)},
		"softmax_naive": {Formula: formula.Softmax(x)},
		"fast_exp":      {Formula: formula.Exp(formula.Vector("x"))},
		"matmul": {
			Formula: formula.Dot(formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), "k"), Bind: "c=dst",
			Grid: "n/16 m/16", Threads: []model.Size3{{X: 16, Y: 16, Z: 1}},
		},
		"count":     {Bind: "bins=16", Grid: "1"},
		"unwritten": {Bind: "bins=16", Grid: "1"},
		"wild":      {Formula: formula.Exp(formula.Vector("x")), Grid: "1"},
	}
	for name, k := range list {
		k.Name, k.Source, k.Function = "testdata/user.cu#"+name, userSource, name
		list[name] = k
	}
	return list
}

// onGPU judges a subject by each law, and returns the laws that judged something and the first report of one that fails.
func onGPU[J, C any](t *testing.T, laws []judge.LawOf[J, C], s judge.Subject, n int) (judged []string, cases int, report string) {
	t.Helper()
	for _, l := range laws {
		f, seen, err := judge.Find(l, s, n)
		if err != nil {
			require.Contains(t, err.Error(), "says nothing about", l.ID)
			continue
		}
		if cases += seen; seen > 0 {
			judged = append(judged, string(l.ID))
		}
		if f != nil {
			return judged, cases, strings.Join(strings.Fields(f.Text()), " ")
		}
	}
	return judged, cases, ""
}

// TestCUDASource judges kernels of a .cu file as it is, on the GPU: right ones hold, wrong ones are found, and one that faults costs its own run alone.
func TestCUDASource(t *testing.T) {
	dev := open(t, cuda.Options{Isolate: true})
	t.Log(dev.Properties().Name, dev.Properties().Detail)
	subject := func(name string) props.Kernel {
		k := userKernels()[name]
		require.NotEmpty(t, k.Source, name)
		k.Device = dev
		p, err := device.Props(k)
		require.NoError(t, err)
		return p
	}
	passes := func(name string, judged []string, cases int, report string) {
		t.Helper()
		require.Empty(t, report, name)
		require.NotEmpty(t, judged, name)
		t.Logf("%s: %d cases by %s", name, cases, strings.Join(judged, ", "))
	}
	fails := func(name, want string, report string) {
		t.Helper()
		require.Contains(t, report, want, name)
		t.Logf("%s: %.300s", name, report)
	}
	sum := func(name string) props.Reduction {
		p, err := device.Props(device.Reduction{Name: "testdata/user.cu#" + name, Source: userSource, Function: name, Device: dev})
		require.NoError(t, err)
		return p
	}
	judged, cases, report := onGPU(t, judge.Laws(), sum("sum"), 60)
	passes("sum", judged, cases, report)
	_, _, report = onGPU(t, judge.Laws(), sum("sum_drops"), 200)
	fails("sum_drops", "testdata/user.cu#sum_drops violates", report)

	dot, err := device.Props(device.Dot{Name: "testdata/user.cu#dot", Source: userSource, Function: "dot", Device: dev})
	require.NoError(t, err)
	judged, cases, report = onGPU(t, judge.Laws(), dot, 60)
	passes("dot", judged, cases, report)

	for _, name := range []string{"softmax", "matmul", "count"} {
		judged, cases, report := onGPU(t, judge.FormulaLaws(), subject(name), 60)
		passes(name, judged, cases, report)
	}
	for name, want := range map[string]string{
		"softmax_naive": "is NaN", "fast_exp": "formula.enclosure", "unwritten": "violates formula.pure", "wild": "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered; a kernel faulted and took its process's context along; compute-sanitizer tells the place",
	} {
		_, _, report := onGPU(t, judge.FormulaLaws(), subject(name), 300)
		fails(name, want, report)
	}
	judged, cases, report = onGPU(t, judge.FormulaLaws(), subject("softmax"), 20)
	passes("softmax after a fault", judged, cases, report)

	// In math mode fast the intrinsic is what the claim allows.
	k := userKernels()["fast_exp"]
	k.Options.MathMode, k.Device = metal.MathFast, dev
	p, err := device.Props(k)
	require.NoError(t, err)
	judged, cases, report = onGPU(t, judge.FormulaLaws(), p, 60)
	passes("fast_exp in math mode fast", judged, cases, report)

	// What NVRTC does not take is an error with file and line.
	_, err = device.Props(device.Reduction{
		Name: "wrong.cu#sum", Function: "sum", Device: dev,
		Source: "extern \"C\" __global__ void sum(const float *x, float *out, int n)\n{\n    *out = nosuch;\n}\n",
	})
	require.ErrorContains(t, err, "wrong.cu(3)")
}

// TestCUDASourceHeader: a header beside a .cu file is found, and one that has changed is compiled again.
func TestCUDASourceHeader(t *testing.T) {
	dev := open(t, cuda.Options{})
	file := filepath.Join(t.TempDir(), "my.cu")
	for _, first := range []string{"0", "1"} {
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "first.cuh"), []byte("#define FIRST "+first+"\n"), 0o644))
		p, err := device.Props(device.Reduction{
			Name: file + "#sum", Function: "sum", Device: dev, Source: `#include "first.cuh"
extern "C" __global__ void sum(const float *x, float *out, int n)
{
    float s = 0;
    for (int i = FIRST; i < n; i++) s += x[i];
    if (threadIdx.x == 0) *out = s;
}`,
		})
		require.NoError(t, err)
		_, _, report := onGPU(t, judge.Laws(), p, 100)
		require.Equal(t, first == "1", report != "", report)
	}
}
