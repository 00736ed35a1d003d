package shaders_test

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/shaders"
	"gamma/sumtree"
)

func find(t *testing.T, name string) shaders.Kernel {
	t.Helper()
	k, ok := shaders.Find(name)
	require.True(t, ok, name)
	return k
}

// TestKernels: names are unique and found, one way of calling is set, the launches fit, and each kernel compiles in every math
// mode and in the versions of the language before and after the fp pragmas.
func TestKernels(t *testing.T) {
	d := sim.New(sim.Options{})
	seen := map[string]bool{}
	for _, k := range shaders.All() {
		require.False(t, seen[k.Name], k.Name)
		seen[k.Name] = true
		require.Equal(t, k.Function, find(t, k.Name).Function)
		ways := 0
		for _, set := range []bool{k.Sum32 != nil, k.SumBits != nil, k.SumTree != nil, k.Rows32 != nil, k.Dot32 != nil} {
			if set {
				ways++
			}
		}
		require.Equal(t, 1, ways, k.Name)
		require.Equal(t, k.SumTree == nil, k.Fits != nil, k.Name)
		require.Equal(t, k.SumTree == nil, k.Launches != nil, k.Name)
		if k.Launches != nil {
			for n := range 600 {
				list := k.Launches(n)
				require.NotEmpty(t, list)
				for _, l := range list {
					require.NoError(t, k.Fits(n, l), k.Name)
					if k.Schedule != nil && n < 40 {
						require.Equal(t, n, k.Schedule(n, l).LeafCount())
						require.NoError(t, k.Schedule(n, l).Check())
					}
				}
			}
			for _, l := range []model.Launch{{}, model.Launch1D(0, 1), model.Launch1D(1, 0), model.Launch1D(-1, 32), model.Launch1D(1, 2048), model.Launch1D(1<<40, 32), {Groups: model.Size3{X: 1, Y: 2, Z: 1}, Threads: model.Size3{X: 1, Y: 1, Z: 1}}} {
				require.Error(t, k.Fits(5, l), "%s %s", k.Name, l)
			}
		}
		for _, mode := range []metal.MathMode{metal.MathSafe, metal.MathRelaxed, metal.MathFast} {
			for _, functions := range []metal.MathFunctions{metal.FunctionsPrecise, metal.FunctionsFast} {
				for _, version := range []metal.LanguageVersion{0, metal.Version31, metal.Version32, metal.Version40} {
					r := shaders.NewRunnerWith(d, metal.CompileOptions{MathMode: mode, MathFunctions: functions, LanguageVersion: version})
					_, err := r.Pipeline(k.Program)
					require.NoError(t, err, k.Name)
					r.Release()
				}
			}
		}
	}
	_, ok := shaders.Find("shaders/sum.metal#none")
	require.False(t, ok)
}

// TestFits: launches for which the claim does not hold are refused, with the fix, before anything runs.
func TestFits(t *testing.T) {
	r := shaders.NewRunner(sim.New(sim.Options{}))
	x := make([]float32, 5)
	for _, c := range []struct {
		kernel string
		l      model.Launch
		want   string
	}{
		{"shaders/sum.metal#serial", model.Launch1D(1, 2), "for one thread; use groups=1 threads=1"},
		{"shaders/sum.metal#tree", model.Launch1D(1, 3), "use a power of two"},
		{"shaders/sum.metal#tree", model.Launch1D(1, 2048), "at most 1024 threads"},
		{"shaders/sum.metal#float4", model.Launch1D(2, 4), "for one threadgroup; use groups=1 threads=4"},
		{"shaders/sum.metal#simd", model.Launch1D(2, 4), "for one threadgroup"},
		{"shaders/sum.metal#atomic", model.Launch1D(1, 4), "4 threads are too few, one a leaf is needed; use 2 threadgroups"},
		{"shaders/dot.metal#fma", model.Launch1D(1, 4), "5 products are fewer than two a thread; use at most 2 threads"},
	} {
		k := find(t, c.kernel)
		var err error
		if k.IsDot() {
			_, err = k.Dot32(r, c.l, x, x)
		} else {
			_, err = k.Sum32(r, c.l, x)
		}
		require.ErrorContains(t, err, c.kernel+": launch "+c.l.String())
		require.ErrorContains(t, err, c.want)
	}
	small := shaders.NewRunner(sim.New(sim.Options{MaxTotalThreads: 64}))
	_, err := find(t, "shaders/sum.metal#tree").Sum32(small, model.Launch1D(1, 128), x)
	require.ErrorContains(t, err, "shaders/sum.metal#tree: encoding dispatch 0: ")
}

// TestEmpty: no leaves give +0 without a dispatch, on a device that has none.
func TestEmpty(t *testing.T) {
	r := shaders.NewRunner(nil)
	for _, k := range shaders.All() {
		var bits uint32
		var err error
		l := model.Launch1D(1, 1)
		if k.Launches != nil {
			l = k.Launches(0)[0]
		}
		if k.Rows32 != nil {
			dst := []float32{7, 8}
			require.NoError(t, k.Rows32(r, l, dst, nil, 0))
			require.Equal(t, []float32{0, 0}, dst)
			require.NoError(t, k.Rows32(r, l, nil, nil, 4))
			continue
		}
		bits, err = result(r, k, l, sumtree.Left().Tree(0), nil, nil)
		require.NoError(t, err, k.Name)
		require.Zero(t, bits, k.Name)
	}
}

// TestArguments that do not go together.
func TestArguments(t *testing.T) {
	r := shaders.NewRunner(sim.New(sim.Options{}))
	one := model.Launch1D(1, 1)
	_, err := find(t, "shaders/dot.metal#tree").Dot32(r, one, make([]float32, 2), make([]float32, 3))
	require.ErrorContains(t, err, "x has 2 elements and y 3")
	err = find(t, "shaders/sum.metal#rows").Rows32(r, one, make([]float32, 2), make([]float32, 3), 2)
	require.ErrorContains(t, err, "2 rows of 2 leaves are not the 3 leaves of x")
	follow := find(t, "shaders/sum.metal#follow")
	_, err = follow.SumTree(r, sumtree.Left().Tree(3), make([]float32, 2))
	require.ErrorContains(t, err, "the tree has 3 leaves and x 2")
	_, err = follow.SumTree(r, sumtree.Left().DotTree(1), make([]float32, 2))
	require.ErrorContains(t, err, "nodes that are not additions")
	x := []float32{3}
	v, err := follow.SumTree(r, sumtree.Left().Tree(1), x)
	require.NoError(t, err)
	require.Equal(t, x[0], v)
}

// TestSteps: each error names the kernel and the step that failed.
func TestSteps(t *testing.T) {
	d := sim.New(sim.Options{MaxBuffer: 1 << 10})
	r := shaders.NewRunner(d)
	tree := find(t, "shaders/sum.metal#tree")
	one := model.Launch1D(1, 1)
	_, err := tree.Sum32(r, one, make([]float32, 1000))
	require.ErrorContains(t, err, "shaders/sum.metal#tree: making buffer x: ")
	for source, want := range map[string]string{
		"kernel":                               "mine: compiling: mine:1:",
		"kernel void g(device float* out) { }": "mine: taking function f: ",
		"kernel void f(device float* y [[buffer(7)]]) { y[0] = 1; }": "mine: encoding dispatch 0: ",
	} {
		_, err := shaders.Program{Name: "mine", Source: source, Function: "f"}.Sum(r, one, []float32{1})
		require.ErrorContains(t, err, want)
		require.False(t, shaders.Completed(err))
	}
	r.Release()
	_, err = tree.Sum32(r, one, []float32{1})
	require.ErrorContains(t, err, "the runner was released; make another by NewRunner")
	r = shaders.NewRunner(d)
	d.Release()
	_, err = tree.Sum32(r, one, []float32{1})
	require.ErrorContains(t, err, "shaders/sum.metal#tree: ")
	r.Release()
}

// TestFindings: what a device finds comes with the value.
func TestFindings(t *testing.T) {
	const source = `
kernel void late(device const float* x, device float* out, constant uint& n, uint i [[thread_position_in_grid]]) {
	out[0] = x[n];
	out[0] = x[0] + 1;
}`
	r := shaders.NewRunner(sim.New(sim.Options{}))
	v, err := shaders.Program{Name: "mine", Source: source, Function: "late"}.Sum(r, model.Launch1D(1, 1), []float32{41})
	require.Equal(t, float32(42), v)
	require.True(t, shaders.Completed(err))
	var found model.Findings
	require.True(t, errors.As(err, &found))
	require.Len(t, found, 1)
	require.Equal(t, model.FindingOutOfBounds, found[0].Kind)
	require.Equal(t, 3, found[0].Pos.Line)
	require.ErrorContains(t, err, "mine: running: mine:3:")
}

// TestGoroutines uses one runner from many goroutines.
func TestGoroutines(t *testing.T) {
	d := sim.New(sim.Options{Workers: 1})
	r := shaders.NewRunner(d)
	var wait sync.WaitGroup
	for i := range 8 {
		for _, k := range shaders.All() {
			if k.Sum32 == nil {
				continue
			}
			wait.Add(1)
			go func() {
				defer wait.Done()
				x := make([]float32, 40+i)
				for j := range x {
					x[j] = float32(j)
				}
				n := len(x)
				want := float32(n*(n-1)) / 2
				if k.Claim.Mean {
					want /= float32(n)
				}
				for _, l := range k.Launches(n)[:1] {
					v, err := k.Sum32(r, l, x)
					if err != nil || v != want {
						t.Errorf("%s: %v, %v", k.Name, v, err)
					}
				}
			}()
		}
	}
	wait.Wait()
	r.Release()
	require.Empty(t, d.Findings())
}

// TestFollowShapes runs trees of many shapes on the device, the highest and the lowest among them.
func TestFollowShapes(t *testing.T) {
	r := shaders.NewRunner(sim.New(sim.Options{}))
	k := find(t, "shaders/sum.metal#follow")
	for _, name := range []string{"left", "right", "pairwise", "numpy", "halving", "lanes/32", "kary/5", "random/splits/7", "random/shapes/8@perm/9", "random/nary/6/3"} {
		shape, err := sumtree.ParseShape(name)
		require.NoError(t, err)
		for _, n := range []int{2, 3, 33, 150} {
			tree := shape.Tree(n)
			got, err := symbols{}.tree(k, n, model.Launch{}, tree)
			require.NoError(t, err)
			require.True(t, tree.Equal(got), "%s/%d: the shader follows %s", name, n, got)
			x := make([]float32, n)
			for i := range x {
				x[i] = 1 / float32(i+1)
			}
			v, err := k.SumTree(r, tree, x)
			require.NoError(t, err)
			want, err := replayed(k, tree, model.Behaviour{}, x, nil)
			require.NoError(t, err)
			require.Equal(t, want, math.Float32bits(v))
		}
	}
}
