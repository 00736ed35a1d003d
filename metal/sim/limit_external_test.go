package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

// refusals are kernels and launches that no device can run, by what is said of them.
var refusals = []struct{ name, source, want string }{
	{"recursion", `int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); } kernel void k(device int *x) { x[0] = f(3); }`, "recursion"},
	{"endless recursion of templates", `template <int N> struct S { static constexpr constant int v = S<N + 1>::v; };
		kernel void k(device int *x) { x[0] = S<0>::v; }`, "error:"},
	{"huge variable", `kernel void k(device int *x) { int a[1 << 28]; x[0] = a[x[1]]; }`, ""},
	{"huge threadgroup variable", `kernel void k(device int *x) { threadgroup int a[1 << 20]; a[0] = 1; x[0] = a[0]; }`, "threadgroup memory"},
	{"too many calls", `#define A(f, g) int f(int x) { return g(x) + g(x + 1) + g(x + 2) + g(x + 3); }
		int a(int x) { return x * x; }
		A(b, a) A(c, b) A(d, c) A(e, d) A(f, e) A(g, f) A(h, g) A(i, h) A(j, i) A(l, j) A(m, l) A(n, m) A(o, n)
		kernel void k(device int *x) { x[0] = o(x[1]); }`, "error"},
	{"index 31", `kernel void k(device int *x [[buffer(31)]]) { x[0] = 1; }`, "31"},
	{"two at one index", `kernel void k(device int *x [[buffer(0)]], device int *y [[buffer(0)]]) { x[0] = y[0]; }`, "error:"},
}

// TestRefusals: what cannot run is refused somewhere on its way, with a word about it, and the device goes on.
func TestRefusals(t *testing.T) {
	d := sim.New(fuzzOptions(model.Behaviour{}))
	for _, r := range refusals {
		err := func() error {
			l, err := d.NewLibrary(r.source, metal.CompileOptions{FileName: "refused.metal"})
			if err != nil {
				return err
			}
			f, err := l.NewFunction("k", nil)
			if err != nil {
				return err
			}
			p, err := d.NewComputePipelineState(f)
			if err != nil {
				return err
			}
			e, c := encoder(t, d)
			require.NoError(t, e.SetComputePipelineState(p))
			for i := range metal.MaxBufferIndex + 1 {
				require.NoError(t, e.SetBuffer(buffer(t, d, words(0, 0)), 0, i))
			}
			if err := e.DispatchThreads(line(2), line(1)); err != nil {
				return err
			}
			return finish(t, e, c)
		}()
		sane(t, err)
		require.Error(t, err, r.name)
		require.ErrorContains(t, err, r.want, r.name)
		s := newStand(t, sim.Options{})
		_, err = s.dispatch(s.d, "small", 4, line(4), line(2))
		require.NoError(t, err)
	}
}
