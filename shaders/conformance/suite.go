// Package conformance is a suite of tests for devices: it runs shaders on a device and on a reference, on drawn numbers, and compares
// the bits.
//
// Start here: Suite, whose methods a device's package calls in its tests. Laws say whether results are right; this says whether two
// devices, one of them the simulator, give the same results, which is more where a kernel's order is fixed.
package conformance

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gamma/model"
	"gamma/model/modular"
	"gamma/shaders"
	"gamma/sumtree"
)

// Suite compares a device under test with a reference.
type Suite struct {
	Device, Reference *shaders.Runner
	// Sizes are numbers of leaves and rows.
	Sizes []int
	// Launches is the largest number of launches that a size is run with, chosen evenly from those that fit; 0 means all.
	Launches int
	// Filter reports whether a shader is run; nil runs all.
	Filter func(name string) bool
	// Unsupported returns the reason why an error means that the device does not support a shader, which is then skipped, or "" if the
	// error is a fault. With nil every error is a fault.
	Unsupported func(error) string
	// Count, if not nil, is called with the number of a shader's results that have the reference's bits, and of those that differ and may.
	Count func(name string, same, open int)
}

// count calls Count.
func (s Suite) count(name string, same, open int) {
	if s.Count != nil {
		s.Count(name, same, open)
	}
}

// run runs f as a subtest, if Filter selects the shader.
func (s Suite) run(t *testing.T, name string, f func(t *testing.T)) {
	if s.Filter == nil || s.Filter(name) {
		t.Run(name, f)
	}
}

// launches returns at most s.Launches elements of a list, chosen evenly.
func (s Suite) launches(list []model.Launch) []model.Launch {
	n := s.Launches
	if n == 0 || len(list) <= n {
		return list
	}
	var few []model.Launch
	for i := range n {
		few = append(few, list[i*len(list)/n])
	}
	return few
}

// try stops the test if err says that the device failed, and skips it if the device does not support the shader.
func (s Suite) try(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if s.Unsupported != nil {
		if why := s.Unsupported(err); why != "" {
			t.Skip(why)
		}
	}
	t.Fatal(err)
}

// floats draws n numbers from many binades, with zeros and subnormals among them.
func floats(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Ldexp(float64(rng.Float64()*2)-1, rng.IntN(60)-30))
		switch rng.IntN(64) {
		case 0:
			x[i] = float32(math.Copysign(0, -1))
		case 1:
			x[i] = math.Float32frombits(rng.Uint32() & 0x807fffff)
		}
	}
	return x
}

// equal reports whether two results have the same bits, or are both NaN.
func equal(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }

// text returns the bits of a float and its decimal value.
func text(x float32) string { return fmt.Sprintf("%x (%g)", math.Float32bits(x), x) }

// sum runs k through whichever of its functions is set.
func sum(r *shaders.Runner, k shaders.Kernel, l model.Launch, x, y []float32) ([]float32, error) {
	var v float32
	var err error
	switch {
	case k.Sum32 != nil:
		v, err = k.Sum32(r, l, x)
	case k.SumTree != nil:
		v, err = k.SumTree(r, sumtree.Pairwise(1).Tree(len(x)), x)
	case k.SumBits != nil:
		h := make([]uint16, len(x))
		for i := range h {
			h[i] = uint16(math.Float32bits(x[i])>>16)&0xbfff | uint16(i)&0xf
		}
		var bits uint64
		bits, err = k.SumBits(r, l, h)
		v = math.Float32frombits(uint32(bits))
	case k.Rows32 != nil:
		dst := make([]float32, 2)
		err = k.Rows32(r, l, dst, append(append([]float32(nil), x...), y...), len(x))
		return dst, err
	default:
		v, err = k.Dot32(r, l, x, y)
	}
	return []float32{v}, err
}

// Kernels compares every sum and dot product, and returns how many results have the same bits, and how many differ of kernels that do
// not claim to repeat.
func (s Suite) Kernels(t *testing.T) (same, open int) {
	for _, k := range shaders.All() {
		s.run(t, k.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			tried := 0
			for _, n := range s.Sizes {
				if k.MaxN > 0 && n > k.MaxN {
					continue
				}
				launches := []model.Launch{{}}
				if k.Launches != nil {
					launches = s.launches(k.Launches(n))
				}
				for _, l := range launches {
					if k.Fits != nil && k.Fits(n, l) != nil {
						continue
					}
					x, y := floats(rng, n), floats(rng, n)
					want, err := sum(s.Reference, k, l, x, y)
					if err != nil {
						t.Fatal(err)
					}
					got, err := sum(s.Device, k, l, x, y)
					s.try(t, err)
					tried++
					for i := range want {
						switch {
						case equal(got[i], want[i]):
							same++
							s.count(k.Name, 1, 0)
						case !k.Claim.Repeats:
							open++
							s.count(k.Name, 0, 1)
							t.Logf("n=%d %v: %s, reference %s; it does not claim to repeat", n, l, text(got[i]), text(want[i]))
						default:
							t.Errorf("n=%d %v: result %d is %s, reference %s", n, l, i, text(got[i]), text(want[i]))
						}
					}
				}
			}
			if tried == 0 {
				t.Error("no size and launch fit the kernel")
			}
		})
	}
	t.Logf("%d results have the reference's bits, %d of kernels that do not claim to repeat differ", same, open)
	return same, open
}

// Operations compares every operation on words, and returns the number of rows.
func (s Suite) Operations(t *testing.T) (rows int) {
	for _, o := range shaders.Operations() {
		s.run(t, o.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			tried := 0
			for _, n := range s.Sizes {
				for _, l := range s.launches(o.Launches(n)) {
					src := floats(rng, n*o.Claim.Op.In())
					want, got := make([]float32, n*o.Claim.Op.Out()), make([]float32, n*o.Claim.Op.Out())
					if err := o.Run(s.Reference, l, want, src); err != nil {
						t.Fatal(err)
					}
					s.try(t, o.Run(s.Device, l, got, src))
					for i := range want {
						if !equal(got[i], want[i]) {
							t.Fatalf("n=%d %v: word %d is %s, reference %s", n, l, i, text(got[i]), text(want[i]))
						}
					}
					rows += n
					tried++
					s.count(o.Name, len(want), 0)
				}
			}
			if tried == 0 {
				t.Error("no launch fits")
			}
		})
	}
	t.Logf("%d rows have the reference's bits", rows)
	return rows
}

// Modulars compares every operation on residues at several moduli, and returns the number of words.
func (s Suite) Modulars(t *testing.T) (words int) {
	for _, m := range shaders.Modulars() {
		s.run(t, m.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			tried := 0
			for _, q := range []uint64{3, 12289, 998244353, 1152921504606748673, m.Claim.Moduli.MaxModulus(m.Claim.Bits)} {
				for _, n := range s.Sizes {
					for _, l := range s.launches(m.Launches(n)) {
						src := residues(rng, m, q, n)
						want, got := make([]uint64, n*len(m.Claim.Out)), make([]uint64, n*len(m.Claim.Out))
						if err := m.Run(s.Reference, l, q, want, src); err != nil {
							if m.Run(s.Device, l, q, got, src) == nil {
								t.Fatalf("q=%d n=%d %v: the device reports no error, and the reference %v", q, n, l, err)
							}
							continue
						}
						tried++
						s.try(t, m.Run(s.Device, l, q, got, src))
						alike(t, fmt.Sprintf("q=%d n=%d %v", q, n, l), got, want)
						words += len(want)
						s.count(m.Name, len(want), 0)
					}
				}
			}
			if tried == 0 {
				t.Error("the reference accepts none of the moduli")
			}
		})
	}
	t.Logf("%d words are equal", words)
	return words
}

// residues draws n rows of operands of m, with the quotients that Shoup's product is given.
func residues(rng *rand.Rand, m shaders.Modular, q uint64, n int) []uint64 {
	src := make([]uint64, n*len(m.Claim.In))
	for i := range src {
		src[i] = rng.Uint64() % q
	}
	for i, in := range m.Claim.In {
		if !in.Shoup || i == 0 {
			continue
		}
		for r := i; r < len(src); r += len(m.Claim.In) {
			v := new(big.Int).SetUint64(src[r-1])
			v.Lsh(v, uint(m.Claim.Bits)).Div(v, new(big.Int).SetUint64(q))
			src[r] = v.Uint64()
		}
	}
	return src
}

// alike stops the test at the first word that differs.
func alike(t *testing.T, where string, got, want []uint64) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: word %d is %d, reference %d", where, i, got[i], want[i])
		}
	}
}

// NTTs compares every transform, and returns the number of points.
func (s Suite) NTTs(t *testing.T) (points int) {
	const q = 998244353 // 119·2^23+1; 3 generates
	for _, k := range shaders.NTTs() {
		s.run(t, k.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 8))
			tried := 0
			for _, n := range []int{1, 2, 64, 1024, 4096} {
				tr := modular.Transform{Modulus: q, N: n, Negacyclic: k.Claim.Negacyclic}
				tr.Root = new(big.Int).Exp(big.NewInt(3), new(big.Int).SetUint64((q-1)/tr.RootOrder()), big.NewInt(q)).Uint64()
				for _, l := range s.launches(k.Launches(n)) {
					r, err := k.Plan(s.Reference, l, tr)
					if err != nil {
						continue
					}
					d, err := k.Plan(s.Device, l, tr)
					s.try(t, err)
					for _, f := range []struct {
						name              string
						reference, device func(dst, src []uint64) error
					}{{"forward", r.Forward, d.Forward}, {"inverse", r.Inverse, d.Inverse}} {
						if f.reference == nil {
							continue
						}
						src := make([]uint64, 2*n)
						if !k.Claim.Batched {
							src = src[:n]
						}
						for i := range src {
							src[i] = rng.Uint64N(q)
						}
						want, got := make([]uint64, len(src)), make([]uint64, len(src))
						if err := f.reference(want, src); err != nil {
							t.Fatal(err)
						}
						s.try(t, f.device(got, src))
						alike(t, fmt.Sprintf("%s n=%d %v", f.name, n, l), got, want)
						points += len(src)
						s.count(k.Name, len(src), 0)
						tried++
					}
				}
			}
			if tried == 0 {
				t.Error("no launch fits")
			}
		})
	}
	t.Logf("%d points are equal", points)
	return points
}
