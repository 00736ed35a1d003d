package msl_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/rewrite"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

const matrixHead = "#include <metal_stdlib>\n#include <metal_simdgroup_matrix>\nusing namespace metal;\n"

// layouts are behaviours under which the adversarial engine draws layouts and orders of products.
func layouts() []string {
	var list []string
	for seed := range 24 {
		list = append(list, fmt.Sprintf("rne ftz=off contract=%s order=%s seed=%d", []string{"off", "fast"}[seed%2], []string{"stages", "accesses", "reverse"}[seed%3], seed))
	}
	return list
}

// TestSimdgroupMatrices multiplies whole numbers, of which no sum is rounded, of each type, from and to places of several kinds.
func TestSimdgroupMatrices(t *testing.T) {
	const source = matrixHead + `
kernel void k(device const %[1]s *a, device const %[2]s *b, device const float *c, device float *o, device %[1]s *p, uint lane [[thread_index_in_simdgroup]]) {
  threadgroup %[2]s shared[8 * 11 + 5];
  for (uint i = lane; i < 8 * 11 + 5; i += 32) shared[i] = b[i];
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_matrix<%[1]s, 8, 8> x, xt;
  simdgroup_matrix<%[2]s, 8, 8> y, yt;
  simdgroup_float8x8 z, w;
  simdgroup_load(x, a, 10, ulong2(2, 1));
  simdgroup_load(xt, a, 10, ulong2(2, 1), true);
  simdgroup_load(y, shared + 3, 11);
  simdgroup_load(yt, shared, 11, ulong2(3, 0), true);
  simdgroup_load(z, c);
  simdgroup_multiply_accumulate(z, x, y, z);
  simdgroup_store(z, o, 9);
  simdgroup_multiply(w, xt, y);
  simdgroup_store(w, o, 9, ulong2(0, 8));
  simdgroup_multiply_accumulate(w, x, yt, simdgroup_float8x8(3));
  simdgroup_store(w, o, 9, ulong2(0, 16), true);
  w = z * make_filled_simdgroup_matrix<float, 8, 8>(2);
  w.thread_elements() += 1;
  w.thread_elements()[1] -= 1;
  w.thread_elements().y += 1;
  simdgroup_store(w, o + 9 * 24, 9);
  simdgroup_multiply(x, x, x);
  simdgroup_store(x, p);
}
`
	types := []string{"float", "half", "bfloat"}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, left := range types {
		for _, right := range types {
			t.Run(left+"/"+right, func(t *testing.T) {
				list := func(n int) []float32 {
					l := make([]float32, n)
					for i := range l {
						l[i] = float32(rng.IntN(7) - 3)
					}
					return l
				}
				a, b, c := list(90), list(8*11+5), list(64)
				x := newGrid(8, 8, func(c, r int) float32 { return a[10*(r+1)+c+2] })
				y := newGrid(8, 8, func(c, r int) float32 { return b[11*r+c+3] })
				z := newGrid(8, 8, func(j, r int) float32 { return c[8*r+j] + x.times(y)[j][r] })
				want := make([]float32, 9*32)
				put := func(at int, g grid) {
					for c := range g {
						for r := range g[c] {
							want[9*(at+r)+c] = g[c][r]
						}
					}
				}
				put(0, z)
				put(8, x.transposed().times(y))
				w := x.times(y.transposed())
				for i := range 8 {
					w[i][i] += 3
				}
				put(16, w.transposed())
				put(24, newGrid(8, 8, func(c, r int) float32 {
					sum := float32(1)
					for k := range z {
						sum += 2 * z[k][r]
					}
					return sum
				}))
				lib, err := msl.Compile(fmt.Sprintf(source, left, right), msl.Options{})
				require.NoError(t, err)
				r := &runLine{
					file: "matrices", name: "k", groups: model.Size3{X: 1, Y: 1, Z: 1}, threads: model.Size3{X: 32, Y: 1, Z: 1},
					in:   map[int][]byte{0: packed(left, a), 1: packed(right, b), 2: floats(c...), 3: make([]byte, 4*len(want)), 4: make([]byte, 4*64)[:len(packed(left, c))]},
					want: map[int][]byte{3: floats(want...), 4: packed(left, x.times(x).transposed().flat())},
				}
				r.everywhere(t, lib, layouts()...)
			})
		}
	}
}

// packed are the bytes of whole numbers of a type.
func packed(kind string, list []float32) []byte {
	var b []byte
	for _, x := range list {
		switch bits := math.Float32bits(x); kind {
		case "half":
			b = binary.LittleEndian.AppendUint16(b, halfBits(x))
		case "bfloat":
			b = binary.LittleEndian.AppendUint16(b, uint16(bits>>16))
		default:
			b = binary.LittleEndian.AppendUint32(b, bits)
		}
	}
	return b
}

// matrixRun runs kernel k of a source with one threadgroup on the adversarial engine, or on the fast one if there is no behaviour. The first
// buffer is what it writes.
func matrixRun(t *testing.T, source, behaviour string, threads, words int, in ...[]byte) ([]float32, []model.Finding, error) {
	t.Helper()
	lib, err := msl.Compile(matrixHead+source, msl.Options{FileName: "m.metal"})
	require.NoError(t, err)
	k, err := lib.Kernel("k", nil)
	require.NoError(t, err)
	out := make([]byte, 4*words)
	size := model.Size3{X: threads, Y: 1, Z: 1}
	d := &engine.Dispatch{Kernel: k, Grid: size, Group: size, Args: []engine.Arg{{Mem: &engine.Memory{Bytes: out}}}}
	for _, b := range in {
		d.Args = append(d.Args, engine.Arg{Mem: &engine.Memory{Bytes: b}})
	}
	e, o := compiled(t, k, behaviour)
	res, err := e.Run(d, o)
	return unpacked(out), res.Findings, err
}

// unpacked are the numbers of bytes.
func unpacked(b []byte) []float32 {
	list := make([]float32, len(b)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return list
}

// compiled returns a kernel on the adversarial engine under a behaviour, or on the fast one if there is none, with checks.
func compiled(t testing.TB, k *ir.Kernel, behaviour string) (runner, engine.Options) {
	t.Helper()
	o := engine.Options{Checks: true}
	if behaviour == "" {
		e, err := fast.Compile(k)
		require.NoError(t, err)
		return e, o
	}
	var err error
	o.Behaviour, err = model.ParseBehaviour(behaviour)
	require.NoError(t, err)
	k, err = rewrite.Apply(k, o.Behaviour)
	require.NoError(t, err)
	e, err := adversary.Compile(k)
	require.NoError(t, err)
	return e, o
}

// TestSimdgroupLayout: a kernel that takes the elements of lanes for those of one machine gives other results on another one, one that does not is
// right on all.
func TestSimdgroupLayout(t *testing.T) {
	list := make([]float32, 64)
	for i := range list {
		list[i] = float32(i)
	}
	in := floats(list...)
	const relies = `kernel void k(device float *o, device const float *a, uint lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 m;
  simdgroup_load(m, a);
  const uint row = (lane / 4 & 4) + lane / 2 % 4, column = (lane / 4 & 2) * 2 + lane % 2 * 2; // as on Apple's GPUs
  o[8 * row + column] = m.thread_elements()[0];
  o[8 * row + column + 1] = m.thread_elements()[1];
}`
	const portable = `kernel void k(device float *o, device const float *a) {
  simdgroup_float8x8 m, at;
  simdgroup_load(m, a);
  simdgroup_load(at, a); // the numbers of the elements
  o[uint(at.thread_elements()[0])] = m.thread_elements()[0];
  o[uint(at.thread_elements()[1])] = m.thread_elements()[1];
}`
	for name, source := range map[string]string{"relies": relies, "portable": portable} {
		got, findings, err := matrixRun(t, source, "", 32, 64, in)
		require.NoError(t, err)
		require.Empty(t, findings)
		require.Equal(t, list, got, name)
		layouts, transposed := map[string]bool{}, 0
		for seed := range 200 {
			got, findings, err = matrixRun(t, source, fmt.Sprintf("rne ftz=off contract=off order=stages seed=%d", seed), 32, 64, in)
			require.NoError(t, err)
			require.Empty(t, findings)
			layouts[fmt.Sprint(got)] = true
			if got[1] == got[0]+8 {
				transposed++
			}
		}
		if name == "portable" {
			require.Len(t, layouts, 1, "it is right in each layout")
			require.Equal(t, list, got)
			continue
		}
		require.Greater(t, len(layouts), 150, "the layouts drawn")
		require.Greater(t, transposed, 60, "in some of them lanes hold elements of a column")
		require.Less(t, transposed, 140, "and in some of a row")
	}
}

// TestMatrixLayout: lanes hold each pair of elements once, and the word says how.
func TestMatrixLayout(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 200 {
		var l ir.MatrixLayout
		if i > 0 {
			l = ir.DrawMatrixLayout(rng.IntN)
		}
		seen := map[int]bool{}
		for lane := range 32 {
			place := l.Place(lane)
			require.True(t, place >= 0 && place < 32 && !seen[place])
			seen[place] = true
			for bit := range 5 {
				require.Equal(t, place^1<<bit, l.Place(lane^int(l.Word()>>(5*bit)&31)))
			}
		}
	}
}

// TestSimdgroupProducts: the sums that machines give are those of the orders and roundings that are modelled. Each order is given with all
// products rounded, and others where some are not.
func TestSimdgroupProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	a, b := make([]float32, 8), make([]float32, 8)
	for i := range a {
		a[i], b[i] = rng.Float32()-0.5, rng.Float32()-0.5
	}
	const c = 0x1.abcdefp-4
	rounded, modelled := map[float32]bool{}, map[float32]bool{}
	for way := range 16 << 8 {
		first, late, fuse := way&7, way&8 != 0, way>>4
		sum := float32(c)
		if late {
			sum = 0
		}
		for k := range 8 {
			x, y := a[k^first], b[k^first]
			if fuse>>k&1 != 0 {
				sum = fused(x, y, sum)
			} else {
				sum += float32(x * y)
			}
		}
		if late {
			sum += c
		}
		modelled[sum] = true
		if fuse == 0 {
			rounded[sum] = true
		}
	}
	require.Greater(t, len(rounded), 5, "the orders tell themselves apart")
	rows, columns := make([]float32, 64), make([]float32, 64)
	for k := range 8 {
		rows[8*5+k], columns[8*k+2] = a[k], b[k]
	}
	const source = `kernel void k(device float *o, device const float *a, device const float *b) {
  simdgroup_float8x8 x, y, z = make_filled_simdgroup_matrix<float, 8, 8>(0x1.abcdefp-4f);
  simdgroup_load(x, a);
  simdgroup_load(y, b);
  simdgroup_multiply_accumulate(z, x, y, z);
  simdgroup_store(z, o);
}`
	got := map[string]map[float32]bool{"off": {}, "fast": {}}
	for seed := range 400 {
		contract := []string{"off", "fast"}[seed%2]
		o, findings, err := matrixRun(t, source, fmt.Sprintf("rne ftz=off contract=%s order=stages seed=%d", contract, seed), 32, 64, floats(rows...), floats(columns...))
		require.NoError(t, err)
		require.Empty(t, findings)
		got[contract][o[8*5+2]] = true
		require.Contains(t, modelled, o[8*5+2])
	}
	require.Equal(t, rounded, got["off"])
	require.Greater(t, len(got["fast"]), len(rounded))
}

// fused is x·y + z, rounded once.
func fused(x, y, z float32) float32 {
	r := new(big.Float).SetPrec(400)
	r.Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
	f, _ := new(big.Float).SetPrec(400).Add(r, big.NewFloat(float64(z))).Float32()
	return f
}

// TestSimdgroupRounding: sums of halves are rounded to half, each one or the last alone.
func TestSimdgroupRounding(t *testing.T) {
	// 2048 + 1 is 2048 in half, and 2048 + 2 is not.
	row, column := make([]float32, 64), make([]float32, 64)
	for k := range 8 {
		row[k], column[8*k] = 1, 1
	}
	row[0] = 2048
	const source = `kernel void k(device float *o, device const half *a, device const half *b) {
  simdgroup_half8x8 x, y, z(0);
  simdgroup_load(x, a);
  simdgroup_load(y, b);
  simdgroup_multiply_accumulate(z, x, y, z);
  if (simd_is_first()) o[0] = 0;
  simdgroup_barrier(mem_flags::mem_device);
  simdgroup_float8x8 at;
  at.thread_elements() = float2(z.thread_elements());
  simdgroup_store(at, o);
}`
	got := map[float32]bool{}
	for seed := range 60 {
		o, findings, err := matrixRun(t, source, fmt.Sprintf("rne ftz=off contract=off order=stages seed=%d", seed), 32, 64, packed("half", row), packed("half", column))
		require.NoError(t, err)
		require.Empty(t, findings)
		got[o[0]] = true
	}
	want := map[float32]bool{2056: true} // all in float: 2055 becomes 2056
	for first := range 8 {
		sum := float32(first) // before the large one
		sum += 2048
		if first == 0 {
			want[2048] = true
			continue
		}
		// Half rounds ties to even: the ones after the large one are lost or count.
		half := func(x float32) float32 { return float32(math.RoundToEven(float64(x)/2) * 2) }
		sum = half(sum)
		for range 7 - first {
			sum = half(sum + 1)
		}
		want[sum] = true
	}
	require.Equal(t, want, got)
}

// TestSimdgroupMatrixFindings: what is undefined about simdgroup matrices is found where the source says it, on both engines.
func TestSimdgroupMatrixFindings(t *testing.T) {
	const head = "kernel void k(device float *o, device const float *a, uint lane [[thread_index_in_simdgroup]], uint id [[thread_position_in_grid]]) {\n  simdgroup_float8x8 x, y(1), z(0);\n"
	in := floats(make([]float32, 64)...)
	for _, c := range []struct {
		name, body string
		threads    int
		kind       model.FindingKind
	}{
		{"right", "simdgroup_load(x, a); simdgroup_multiply_accumulate(z, x, y, z);\nsimdgroup_store(z, o);", 64, ""},
		{"load in a branch", "if (lane < 16)\nsimdgroup_load(x, a);", 32, model.FindingInactiveLane},
		{"store in a branch", "if (lane != 7)\nsimdgroup_store(y, o);", 32, model.FindingInactiveLane},
		{"product in a branch", "simdgroup_load(x, a); if (lane > 3)\nsimdgroup_multiply(z, x, y); simdgroup_store(z, o);", 32, model.FindingInactiveLane},
		{"few threads", "\nsimdgroup_store(y, o);", 48, model.FindingInactiveLane},
		{"load beyond", "\nsimdgroup_load(x, a, 8, ulong2(1, 0));", 32, model.FindingOutOfBounds},
		{"store beyond", "\nsimdgroup_store(y, o, 9);", 32, model.FindingOutOfBounds},
		{"store before", "\nsimdgroup_store(y, o - 1);", 32, model.FindingOutOfBounds},
		{"no elements", "\nsimdgroup_store(x, o);", 32, model.FindingUninitialised},
		{"two simdgroups", "simdgroup_load(x, a); x.thread_elements() += id;\nsimdgroup_store(x, o);", 64, model.FindingRace},
	} {
		for _, behaviour := range []string{"", "rne ftz=off contract=off", "rne ftz=off contract=off order=stages seed=3"} {
			if c.kind == model.FindingRace && behaviour != "" {
				continue // the adversarial engine shows races by other results
			}
			t.Run(c.name+"/"+behaviour, func(t *testing.T) {
				_, findings, err := matrixRun(t, head+c.body+"\n}", behaviour, c.threads, 64, in)
				require.NoError(t, err)
				if c.kind == "" {
					require.Empty(t, findings)
					return
				}
				require.NotEmpty(t, findings)
				for _, f := range findings {
					require.Equal(t, "m.metal", f.Pos.File, "%s", f)
				}
				found := findings[0]
				for _, f := range findings {
					if f.Kind == c.kind {
						found = f
						break
					}
				}
				require.Equal(t, c.kind, found.Kind, "%s", found)
				require.Equal(t, 7, found.Pos.Line, "%s", found)
			})
		}
	}
	for _, behaviour := range []string{"rne ftz=off contract=off simd=16", "rne ftz=off contract=off simd=64"} {
		got, findings, err := matrixRun(t, head+"simdgroup_store(y, o); }", behaviour, 64, 64, in)
		require.NoError(t, err)
		require.Empty(t, findings, "simdgroups of such a kernel have 32 lanes")
		require.Equal(t, newGrid(8, 8, func(c, r int) float32 { return float32(max(0, 1-(c-r)*(c-r))) }).flat(), got)
	}
}

// product is a run of a kernel of testdata/products on two matrices, B by columns if turned.
func product(name, kind string, m, n, k int, a, b, c []float32, turned bool) *runLine {
	if turned {
		rows := b
		b = make([]float32, len(rows))
		for i := range b {
			b[i] = rows[i%k*n+i/k]
		}
	}
	size := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(m)), uint32(n))
	size = binary.LittleEndian.AppendUint64(size, uint64(k))
	r := &runLine{
		file: "gemm", name: name, groups: model.Size3{X: (n + 31) / 32, Y: (m + 31) / 32, Z: 1}, threads: model.Size3{X: 128, Y: 1, Z: 1},
		in: map[int][]byte{0: packed(kind, a), 1: packed(kind, b), 2: make([]byte, 4*m*n), 3: size}, want: map[int][]byte{2: floats(c...)},
	}
	if name == "fragments" {
		r.groups, r.threads = model.Size3{X: n / 16, Y: m / 16, Z: 1}, model.Size3{X: 32, Y: 1, Z: 1}
	}
	return r
}

// exactProduct returns A·B of rows, and the products of their absolute values, in numbers that hold both exactly.
func exactProduct(m, n, k int, a, b []float32) (c, size []*big.Float) {
	for i := range m * n {
		sum, abs := new(big.Float).SetPrec(200), new(big.Float).SetPrec(200)
		for p := range k {
			x := float64(a[i/n*k+p]) * float64(b[p*n+i%n])
			sum.Add(sum, big.NewFloat(x))
			abs.Add(abs, big.NewFloat(math.Abs(x)))
		}
		c, size = append(c, sum), append(size, abs)
	}
	return c, size
}

// TestTiledGEMM multiplies matrices by tiles: whole numbers, of which nothing is rounded, on all engines and in many layouts, and floats, whose
// error is at most γ_(k+1) times the sum of the absolute products, whatever the order. [Higham 2002] section 3.1
func TestTiledGEMM(t *testing.T) {
	text, err := os.ReadFile("testdata/products/gemm.metal")
	require.NoError(t, err)
	lib, err := msl.Compile(string(text), msl.Options{FileName: "gemm.metal"})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		name, kind string
		m, n, k    int
	}{
		{"tiled_float", "float", 32, 32, 16},
		{"tiled_float", "float", 33, 50, 19},
		{"tiled_half", "half", 7, 70, 40},
		{"tiled_turned", "bfloat", 40, 24, 33},
		{"fragments", "float", 32, 48, 24},
	} {
		t.Run(fmt.Sprintf("%s/%dx%dx%d", c.name, c.m, c.n, c.k), func(t *testing.T) {
			draw := func(n int, one func() float32) []float32 {
				list := make([]float32, n)
				for i := range list {
					list[i] = one()
				}
				return list
			}
			whole := func() float32 { return float32(rng.IntN(9) - 4) }
			a, b := draw(c.m*c.k, whole), draw(c.k*c.n, whole)
			exact, _ := exactProduct(c.m, c.n, c.k, a, b)
			var want []float32
			for _, x := range exact {
				f, _ := x.Float32()
				want = append(want, f)
			}
			r := product(c.name, c.kind, c.m, c.n, c.k, a, b, want, c.name == "tiled_turned")
			if c.name == "fragments" {
				r.everywhere(t, lib)
				wrong := 0
				for _, behaviour := range layouts() {
					if !slices.Equal(want, results(t, lib, r, behaviour)) {
						wrong++
					}
				}
				require.Greater(t, wrong, 20, "the adversarial engine shows what it relies on")
				return
			}
			r.everywhere(t, lib, layouts()[:3]...)
			if c.kind != "float" {
				return
			}
			a, b = draw(c.m*c.k, func() float32 { return rng.Float32() - 0.5 }), draw(c.k*c.n, func() float32 { return rng.Float32() - 0.5 })
			exact, size := exactProduct(c.m, c.n, c.k, a, b)
			r = product(c.name, c.kind, c.m, c.n, c.k, a, b, make([]float32, c.m*c.n), false)
			different := map[string]bool{}
			for _, behaviour := range append(layouts()[:3], "") {
				got := results(t, lib, r, behaviour)
				different[fmt.Sprint(got)] = true
				for i := range got {
					err := new(big.Float).Sub(exact[i], big.NewFloat(float64(got[i])))
					gamma := float64(c.k+1) * 0x1p-24 / (1 - float64(c.k+1)*0x1p-24)
					require.LessOrEqual(t, err.Abs(err).Cmp(new(big.Float).Mul(size[i], big.NewFloat(gamma))), 0, "%s: element %d", behaviour, i)
				}
			}
			require.Greater(t, len(different), 1, "machines add in several orders")
		})
	}
}

// results returns buffer 2 after a run on the adversarial engine, or on the fast one if there is no behaviour. Nothing may be found.
func results(t *testing.T, lib *msl.Library, r *runLine, behaviour string) []float32 {
	t.Helper()
	k, err := lib.Kernel(r.name, nil)
	require.NoError(t, err)
	e, o := compiled(t, k, behaviour)
	args := r.args(k)
	d := &engine.Dispatch{Kernel: k, Group: r.threads, Grid: model.Size3{X: r.groups.X * r.threads.X, Y: r.groups.Y * r.threads.Y, Z: r.groups.Z * r.threads.Z}}
	for _, b := range args {
		d.Args = append(d.Args, engine.Arg{Mem: &engine.Memory{Bytes: b}})
	}
	res, err := e.Run(d, o)
	require.NoError(t, err)
	require.Empty(t, res.Findings)
	return unpacked(args[2])
}

func BenchmarkTiledGEMM(b *testing.B) {
	text, err := os.ReadFile("testdata/products/gemm.metal")
	require.NoError(b, err)
	lib, err := msl.Compile(string(text), msl.Options{FileName: "gemm.metal"})
	require.NoError(b, err)
	const n = 64
	x := make([]float32, n*n)
	r := product("tiled_float", "float", n, n, n, x, x, x, false)
	for _, behaviour := range []string{"", "rne ftz=off contract=off", "rne ftz=off contract=off order=stages seed=1"} {
		b.Run(behaviour, func(b *testing.B) {
			k, err := lib.Kernel(r.name, nil)
			require.NoError(b, err)
			e, o := compiled(b, k, behaviour)
			for b.Loop() {
				d := &engine.Dispatch{Kernel: k, Group: r.threads, Grid: model.Size3{X: r.groups.X * r.threads.X, Y: r.groups.Y * r.threads.Y, Z: r.groups.Z * r.threads.Z}}
				for _, b := range r.args(k) {
					d.Args = append(d.Args, engine.Arg{Mem: &engine.Memory{Bytes: b}})
				}
				_, err := e.Run(d, o)
				require.NoError(b, err)
			}
		})
	}
}
