package device

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/judge"
	"gamma/sumtree"
)

var updateReports = flag.Bool("update", false, "rewrite the reports in testdata/reports")

// pragmas forbid what a strict claim excludes.
const pragmas = "#pragma METAL fp math_mode(safe)\n#pragma METAL fp contract(off)\n"

// source is a sum by halving in one threadgroup; tests plant faults in it.
const source = `#include <metal_stdlib>
using namespace metal;

kernel void sum(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]],
                threadgroup float* part [[threadgroup(0)]],
                uint i [[thread_index_in_threadgroup]], uint width [[threads_per_threadgroup]])
{
    float s = -0.0f;
    for (uint k = i; k < n; k += width) {
        s += x[k];
    }
    part[i] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint h = width / 2; h > 0; h /= 2) {
        if (i < h) {
            part[i] += part[i + h];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (i == 0) {
        out[0] = part[0];
    }
}

kernel void dot(device const float* x, device const float* y, device float* out, constant uint& n, uint i [[thread_position_in_grid]])
{
    if (i == 0) {
        float s = -0.0f;
        for (uint k = 0; k < n; k++) {
            s += x[k] * y[k];
        }
        out[0] = s;
    }
}

kernel void halves(device const half* x, device float* out, constant uint& n, uint i [[thread_position_in_grid]])
{
    if (i == 0) {
        float s = 0;
        for (uint k = 0; k < n; k++) {
            s += float(x[k]);
        }
        out[0] = s;
    }
}
`

func down(_ int, l model.Launch) string { return fmt.Sprintf("down/%d", l.Threads.X) }

func downTree(n int, l model.Launch) *sumtree.Tree {
	if l.Threads.X == 1 {
		return sumtree.Left().Tree(n)
	}
	s, err := sumtree.ParseShape(down(n, l))
	if err != nil {
		panic(err)
	}
	return s.Tree(n)
}

// search lets every law look at a subject, and returns the first failure of each that finds one.
func search(t *testing.T, s props.Subject) map[model.LawID]props.Report {
	t.Helper()
	t.Setenv("GAMMA_DIR", t.TempDir())
	found := map[model.LawID]props.Report{}
	for _, l := range judge.Laws() {
		c, _, _, err := judge.Search(l, s, 60)
		require.NoError(t, err)
		if c != nil {
			f, err := judge.Examine(l, s, c)
			require.NoError(t, err)
			found[l.ID] = f
		}
	}
	return found
}

// TestSoundShaders: shaders of a user's own hold every law under everything that Metal allows a device, arguments bound by type.
func TestSoundShaders(t *testing.T) {
	sum, err := Props(Reduction{
		Name: "my.metal#sum", Source: pragmas + source, Function: "sum", Strict: true, Schedule: downTree, Claim: model.Claim{Repeats: true, SignedZero: true, MinN: 1},
		Launches: func(int) []model.Launch {
			return []model.Launch{model.Launch1D(1, 1), model.Launch1D(1, 8), model.Launch1D(1, 64)}
		},
	})

	require.NoError(t, err)
	for _, f := range search(t, sum) {
		t.Error("\n" + f.Text())
	}
	dot, err := Props(Dot{Name: "my.metal#dot", Source: source, Function: "dot", Claim: model.Claim{Tree: "left"}, Options: metal.CompileOptions{MathMode: metal.MathFast}})
	require.NoError(t, err)
	for _, f := range search(t, dot) {
		t.Error("\n" + f.Text())
	}
	// A claim of a tree that is not Strict: contraction leaves a sum as it is.
	open, err := Props(Reduction{
		Name: "my.metal#sum", Source: source, Function: "sum", Schedule: downTree, Claim: model.Claim{MinN: 1},
		Launches: func(int) []model.Launch { return []model.Launch{model.Launch1D(1, 1), model.Launch1D(1, 8)} },
	})

	require.NoError(t, err)
	for _, f := range search(t, open) {
		t.Error("\n" + f.Text())
	}
	halves, err := Props(Reduction{Name: "my.metal#halves", Source: source, Function: "halves", Claim: model.Claim{In: model.Binary16, Acc: model.Binary32, Out: model.Binary32}})
	require.NoError(t, err)
	for _, f := range search(t, halves) {
		t.Error("\n" + f.Text())
	}
}

// TestHost runs host code of the user's own, of several dispatches and buffers.
func TestHost(t *testing.T) {
	host := func(r *Run, x []float32) (float32, error) {
		in, err := r.Buffer("leaves", Floats(x))
		if err != nil {
			return 0, err
		}
		out, err := r.Empty("sums", 8)
		if err != nil {
			return 0, err
		}
		one := model.Launch1D(1, r.Threads())
		if err := r.Dispatch("sum", one, in, out, uint32(len(x)), Threadgroup(4*r.Threads())); err != nil {
			return 0, err
		}
		return r.Float(out, 0)
	}
	r := Reduction{Name: "my.metal#sum", Source: source, Host: host}
	sum, err := Props(r)
	require.NoError(t, err)
	for _, f := range search(t, sum) {
		t.Error("\n" + f.Text())
	}
	r.Host = func(r *Run, x []float32) (float32, error) {
		return 0, r.Dispatch("sum", r.Launch(), struct{}{})
	}
	sum, err = Props(r)
	require.NoError(t, err)
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	v, err := judge.Judge(l, sum, &corpus.Case{X: corpus.Float32s([]float32{1}), Launch: model.Launch1D(1, 1)})
	require.NoError(t, err)
	require.Equal(t, props.Broken, v.Outcome)
	require.Contains(t, v.Reason, "argument 0 of sum is a struct {}")
}

// TestRead reads a buffer as numbers of several sizes, and names what it cannot read into.
func TestRead(t *testing.T) {
	read := false
	sum, err := Props(Reduction{Name: "my.metal#sum", Source: source, Host: func(r *Run, _ []float32) (float32, error) {
		b, err := r.Buffer("numbers", []uint64{1, 1<<63 | 0x3f80<<16})
		require.NoError(t, err)
		raw, halves, words, longs, floats := make([]byte, 9), make([]uint16, 3), make([]uint32, 3), make([]uint64, 2), make(Floats, 3)
		for _, dst := range []any{raw, halves, words, longs, floats} {
			require.NoError(t, r.Read(b, dst))
		}
		require.Equal(t, []byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, raw)
		require.Equal(t, []uint16{1, 0, 0}, halves)
		require.Equal(t, []uint32{1, 0, 0x3f800000}, words)
		require.Equal(t, []uint64{1, 1<<63 | 0x3f800000}, longs)
		require.Equal(t, Floats{0x1p-149, 0, 1}, floats)
		require.ErrorContains(t, r.Read(b, []int{0}), "cannot be read into a []int")
		require.Error(t, r.Read(b, make([]uint64, 3)), "past the end")
		read = true
		return 0, nil
	}})
	require.NoError(t, err)
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	_, err = judge.Judge(l, sum, &corpus.Case{X: corpus.Float32s([]float32{0}), Launch: model.Launch1D(1, 1)})
	require.NoError(t, err)
	require.True(t, read)
}

// TestPlantedFaults plants faults in a user's shader: the law of each finds it, and reports both threads where there are two. The
// reports are on file; -update writes them anew.
func TestPlantedFaults(t *testing.T) {
	barrier := "    threadgroup_barrier(mem_flags::mem_threadgroup);\n    for"
	for _, tc := range []struct {
		name, old, new string
		law            model.LawID
		want           []string
	}{
		{"race", barrier, "    for", model.KernelRace, []string{"threads ", " and ", "memory      part[1]"}},
		{"flags", "mem_flags::mem_threadgroup);\n    for", "mem_flags::mem_device);\n    for", model.KernelRace, []string{"threads "}},
		{"bounds", "k < n; k += width", "k <= n; k += width", model.KernelBounds, []string{"memory      x["}},
		{"init", "    part[i] = s;\n", "    if (i > 0) { part[i] = s; }\n", model.KernelInit, []string{"memory      part[0]"}},
		{"barrier", "            part[i] += part[i + h];\n        }\n        threadgroup_barrier(mem_flags::mem_threadgroup);\n", "            part[i] += part[i + h];\n            threadgroup_barrier(mem_flags::mem_threadgroup);\n        }\n", model.KernelBarrier, nil},
		{"integers", "uint h = width / 2;", "uint h = width / (n - n) + width / 2;", model.KernelIntegers, []string{"division"}},
		{"assert", "    float s = -0.0f;\n", "    assert(n % width == 0);\n    float s = -0.0f;\n", model.KernelAssert, []string{"does not hold"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("GAMMA_DIR", t.TempDir())
			text := strings.Replace(source, tc.old, tc.new, 1)
			require.NotEqual(t, source, text)
			s, err := Props(Reduction{
				Name: "my.metal#sum", Source: text, Function: "sum", Options: metal.CompileOptions{FileName: "my.metal"},
				Device: sim.New(sim.Options{Workers: 1, Steps: 1 << 18}),
			})

			require.NoError(t, err)
			l, err := judge.LawByID(judge.Laws(), tc.law)
			require.NoError(t, err)
			c, _, _, err := judge.Search(l, s, 200)
			require.NoError(t, err)
			require.NotNil(t, c, "the fault is not found")
			f, err := judge.Examine(l, s, c)
			require.NoError(t, err)
			require.LessOrEqual(t, f.(*props.Failure).Case.N(), 1)
			text, _, _ = strings.Cut(f.Text(), "\nreproduce")
			for _, want := range append(tc.want, "my.metal:", " in sum") {
				require.Contains(t, text, want)
			}
			name := "testdata/reports/" + tc.name + ".txt"
			if *updateReports {
				require.NoError(t, os.MkdirAll("testdata/reports", 0o755))
				require.NoError(t, corpus.WriteFile(name, []byte(text+"\n")))
			}
			want, err := FromTree(t, name)
			require.NoError(t, err, "go test ./props/device -run TestPlantedFaults -update writes it")
			require.Equal(t, string(want), text+"\n")
		})
	}
}

// TestBehaviourIsNamed: a claim that pragmas would have to keep, and do not, is broken by contraction, which the report names.
func TestBehaviourIsNamed(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	d := Dot{Name: "my.metal#dot", Source: source, Function: "dot", Claim: model.Claim{Tree: "left"}, Strict: true}
	s, err := Props(d)
	require.NoError(t, err)
	l, err := judge.LawByID(judge.Laws(), model.DotTree)
	require.NoError(t, err)
	c, _, _, err := judge.Search(l, s, 1000)
	require.NoError(t, err)
	require.NotNil(t, c)
	f, err := judge.Examine(l, s, c)
	require.NoError(t, err)
	b := f.(*props.Failure).Case.Behaviour
	require.NotEqual(t, model.ContractOff, b.Contract)
	require.Equal(t, model.Behaviour{Contract: b.Contract}, b)
	require.Contains(t, strings.Join(strings.Fields(f.Text()), " "), "and holds under the plain behaviour")
	d.Source = pragmas + source
	s, err = Props(d)
	require.NoError(t, err)
	c, _, _, err = judge.Search(l, s, 400)
	require.NoError(t, err)
	require.Nil(t, c)
}

// TestBadShaders: what is wrong with a literal or a source is an error that names the place and the fix.
func TestBadShaders(t *testing.T) {
	ok := Reduction{Name: "my.metal#sum", Source: source, Function: "sum", Options: metal.CompileOptions{FileName: "my.metal"}}
	for _, tc := range []struct {
		change func(r *Reduction)
		want   string
	}{
		{func(r *Reduction) { r.Name = "" }, `has no Name; give it one such as "mysum.metal#sum"`},
		{func(r *Reduction) { r.Source = "" }, "has no Source"},
		{func(r *Reduction) { r.Function = "" }, "has no Function; set it to the name of the kernel, or set Host"},
		{func(r *Reduction) { r.Function = "sun" }, `did you mean "sum"?`},
		{func(r *Reduction) { r.Source += "int x = ;" }, "my.metal:"},
		{func(r *Reduction) { r.Claim.In = model.Binary16 }, "reads const device float* from x, and Claim.In is binary16"},
		{func(r *Reduction) { r.Function = "dot" }, "whose purpose its type does not tell"},
		{func(r *Reduction) { r.Function = "halves" }, "and Claim.In is binary32"},
		{func(r *Reduction) {
			r.Host = func(*Run, []float32) (float32, error) { return 0, nil }
			r.HostBits = func(*Run, []uint16) (uint64, error) { return 0, nil }
		}, "more than one host function"},
		{func(r *Reduction) { r.Device = sim.New(sim.Options{SIMDWidth: -1}) }, "Options.SIMDWidth is -1"},
	} {
		r := ok
		tc.change(&r)
		_, err := Props(r)
		require.ErrorContains(t, err, tc.want)
		require.ErrorContains(t, err, "device: ")
	}
	_, err := Props(Dot{Name: "d", Source: source, Function: "sum"})
	require.ErrorContains(t, err, "has 1 read-only arrays of numbers, and a Dot needs 2; set Host, and bind it there")
	_, err = Props(ok)
	require.NoError(t, err)
	require.Equal(t, model.Behaviour{}.Rewrites, widestBehaviour(metal.MathSafe).Rewrites)
	require.True(t, widestBehaviour(metal.MathFast).Rewrites.NoNaNs)
	require.False(t, widestBehaviour(metal.MathRelaxed).Rewrites.NoNaNs)
}

// TestOtherDevice: a device that is no simulator has one behaviour, which package props makes of the claim what it leaves.
func TestOtherDevice(t *testing.T) {
	dev := faulty{sim.New(sim.Options{Workers: 1, Behaviour: model.Behaviour{Flush: model.Flush{Out: true}, Rounding: model.TowardZero}}), ""}
	s, err := Props(Reduction{Name: "my.metal#sum", Source: source, Function: "sum", Device: dev, Host: func(*Run, []float32) (float32, error) { return 0, nil }})
	require.NoError(t, err)
	require.True(t, s.Device.Hardware)
	require.False(t, s.Device.Checked)
	require.Equal(t, model.Behaviour{Flush: model.Flush{Out: true}, Rounding: model.TowardZero, SIMDWidth: 32}, s.Device.Admits)
}
