package conv_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/conv"
	"gamma/oracle"
	"gamma/oracle/dft"
)

// profile is the one that TestSeedTable adds.
var profile = conv.Flag(flag.CommandLine, "profile")

// draw is a small generator, the same on every machine.
type draw uint64

// next returns a number between -1 and 1.
func (d *draw) next() float64 {
	*d = *d*6364136223846793005 + 1442695040888963407
	return float64(int64(*d)>>11) / (1 << 52)
}

// layer returns operands as the seed's test has them: inputs of a bell-shaped distribution, and filters made of so many sines for each channel, as its
// implicit filter has so many features, which decay along the row.
func layer(batch, width, n, order int) conv.Operands {
	d := draw(uint64(n))
	o := conv.Operands{Batch: batch, Width: width, N: n, Bias: make([]float32, width)}
	for range batch * width * n {
		s := 0.0
		for range 6 {
			s += d.next()
		}
		o.X = append(o.X, float32(s))
	}
	for _, filter := range []*[]float32{&o.Filter, &o.Reverse} {
		for range width {
			amplitude, phase := make([]float64, order), make([]float64, order)
			for i := range order {
				amplitude[i], phase[i] = d.next()/math.Sqrt(float64(order)), math.Pi*d.next()
			}
			for j := range n {
				s, t := 0.0, float64(j)/float64(n)
				for i, a := range amplitude {
					s += float64(a * math.Sin(float64(2*math.Pi*float64(i+1)*t)+phase[i]))
				}
				*filter = append(*filter, float32(s*math.Exp(-4*t)))
			}
		}
	}
	for c := range o.Bias {
		o.Bias[c] = float32(d.next() / 8)
	}
	return o
}

// exact returns the results of operands without taps and gate, each an exact sum, rounded once to binary64.
func exact(o conv.Operands, average bool) []float64 {
	var list, products []float64
	for row := range o.Batch * o.Width {
		c := row % o.Width
		x, k, r := o.X[row*o.N:][:o.N], o.Filter[c*o.N:][:o.N], o.Reverse[c*o.N:][:o.N]
		for t := range x {
			scale := 1.0
			if average {
				scale = 0.5
			}
			products = append(products[:0], float64(o.Bias[c]))
			for s, v := range x { // a product of binary32 numbers is a binary64 number
				if s <= t {
					products = append(products, float64(v)*float64(k[t-s])*scale)
				}
				if s >= t {
					products = append(products, float64(v)*float64(r[s-t])*scale)
				}
			}
			var sum oracle.Acc64
			sum.AddSlice(products)
			list = append(list, sum.Float64())
		}
	}
	return list
}

// measured are errors of results.
type measured struct{ mse, max, l2 float64 }

// off measures y against exact results, relative to the largest of these, and to their 2-norm.
func off[T float32 | float64](y []T, exact []float64) (e measured) {
	largest, squares, norm := 0.0, 0.0, 0.0
	for i, v := range exact {
		d := float64(y[i]) - v
		largest, e.max = max(largest, math.Abs(v)), max(e.max, math.Abs(d))
		squares, norm = squares+float64(d*d), norm+float64(v*v)
	}
	return measured{squares / float64(len(exact)), e.max / largest, math.Sqrt(squares / norm)}
}

// seeds are the rows of the seed's table "Test Configurations", which compares two pipelines of float32 with each other.
var seeds = []struct {
	batch, width, n, order int
	mse, relative          float64
}{
	{2, 64, 128, 16, 1.10e-14, 4.8e-7},
	{2, 128, 256, 32, 1.06e-13, 3.6e-7},
	{1, 192, 512, 32, 1.97e-13, 5.5e-7},
}

// TestSeedTable runs the seed's configurations and prints the table of errors, ours beside the seed's:
//
//	go test ./kernels/conv -run TestSeedTable -v -count=1 -profile extended
//
// Extended results are off by at most 6·10^-8 of the largest: by one rounding, as 2^-24 = 5.96·10^-8 of one of its magnitude.
func TestSeedTable(t *testing.T) {
	chosen, err := profile()
	require.NoError(t, err)
	other := conv.Profile{Name: "freq, backward", Freq: true}
	t.Logf("%-34s %-28s %10s %12s %12s", "configuration", "pipeline", "mse", "max/max|y|", "2-norm")
	for _, s := range seeds {
		o := layer(s.batch, s.width, s.n, s.order)
		want := exact(o, false)
		text := fmt.Sprintf("batch %d, width %d, length %d, order %d", s.batch, s.width, s.n, s.order)
		line := func(name string, e measured) {
			t.Logf("%-34s %-28s %10.2e %12.2e %12.2e", text, name, e.mse, e.max, e.l2)
			text = ""
		}
		results := map[string][]float32{}
		for _, p := range []conv.Profile{load(t, "torch_like"), other, load(t, "extended"), load(t, "double_double"), chosen} {
			if results[p.Name] != nil {
				continue
			}
			y := make([]float32, len(o.X))
			require.NoError(t, p.Run(y, o))
			results[p.Name] = y
			if p.Average {
				want = exact(o, true) // the chosen profile, which is the last
			}
			e := off(y, want)
			line(p.Name, e)
			switch {
			case p.FFT && p.Taps:
				require.LessOrEqual(t, e.max, 6e-8, p.Name)
				wrong := 0
				for i, v := range want {
					if y[i] != float32(v) {
						wrong++
					}
				}
				// Only where the exact value lies beside the middle of two binary32 numbers, nearer than the pipeline's error, may it be the other one.
				most := 3
				if p.Double {
					most = 0
				}
				require.LessOrEqual(t, wrong, most, p.Name)
			default:
				require.Less(t, e.l2, 1e-6, p.Name)
				require.Greater(t, e.max, 6e-8, "plain pipelines are not as accurate")
			}
		}
		difference := make([]float64, len(o.X))
		for i, v := range results[other.Name] {
			difference[i] = float64(v)
		}
		line("torch_like against that", off(results["torch_like"], difference))
		t.Logf("%-34s %-28s %10.2e %12.2e   (its y_rel; which norm is not stated)", "", "the seed, MLX and PyTorch", s.mse, s.relative)
	}
}

func load(t *testing.T, name string) conv.Profile {
	t.Helper()
	p, err := conv.Load(cmp.Or(name, "torch_like"))
	require.NoError(t, err)
	return p
}

// TestSpectrum holds the extended pipeline's product of spectra of 4096 points, before the inverse and any rounding, to that by definition: sums of
// binary64 with a correction, and angles of k·n modulo N.
func TestSpectrum(t *testing.T) {
	o := layer(1, 1, 2048, 32)
	p := load(t, "extended")
	got, err := conv.Spectrum(p, o)
	require.NoError(t, err)
	const n = 4096
	root := make([]complex128, n)
	for i := range root {
		// In the first octant math.Sin and math.Cos are as accurate as they can be.
		s, c := math.Sincos(2 * math.Pi * float64(i%(n/4)) / n)
		root[i] = complex(c, -s)
		for range i / (n / 4) {
			root[i] *= -1i
		}
	}
	by := func(x []float64, f int) complex128 {
		var re, im, lostRe, lostIm float64
		for j, v := range x {
			w := root[j*f%n]
			re, lostRe = add(re, lostRe, float64(v*real(w)))
			im, lostIm = add(im, lostIm, float64(v*imag(w)))
		}
		return complex(re+lostRe, im+lostIm)
	}
	x, h := make([]float64, n), make([]float64, n)
	for j, v := range o.X {
		x[j] = float64(v)
		h[j] += float64(o.Filter[j])
		h[(n-j)%n] += float64(o.Reverse[j])
	}
	squares, norm := 0.0, 0.0
	for f, v := range got {
		want := by(x, f) * by(h, f) / n
		squares, norm = squares+math.Pow(cmplx.Abs(v-want), 2), norm+math.Pow(cmplx.Abs(want), 2)
	}
	relative := math.Sqrt(squares / norm)
	t.Logf("relative error in the 2-norm: %.2e", relative)
	require.Greater(t, relative, 0.0)
	require.LessOrEqual(t, relative, 1e-12)
}

// TestSpectrumDouble does the same in double words, and in binary64 beside it: the exact values are those of the transform of the cyclic convolution, of which each
// element is an exact sum in two words.
func TestSpectrumDouble(t *testing.T) {
	o := layer(1, 1, 2048, 32)
	const n = 4096
	h := make([][]float32, n) // both filters meet in time at place 0
	for j, k := range o.Filter {
		h[j] = append(h[j], k)
		h[(n-j)%n] = append(h[(n-j)%n], o.Reverse[j])
	}
	hi, lo := make([]float64, n), make([]float64, n)
	var products []float64
	for at := range n {
		products = products[:0]
		for s, v := range o.X {
			for _, k := range h[(at-s+n)%n] {
				products = append(products, float64(v)*float64(k))
			}
		}
		var sum oracle.Acc64
		sum.AddSlice(products)
		hi[at] = sum.Float64()
		sum.AddSlice([]float64{-hi[at]})
		lo[at] = sum.Float64()
	}
	var truth dft.Spectrum
	dft.For(n).Transform(&truth, false, 1, hi, nil, lo, nil)
	relative := func(at func(f int) (hi, lo complex128)) float64 {
		squares, norm := 0.0, 0.0
		for f := range n/2 + 1 {
			hi, lo := at(f)
			x, y := truth.Off(f, real(hi), imag(hi), real(lo), imag(lo))
			re, im := truth.At(f)
			squares, norm = squares+float64(x*x)+float64(y*y), norm+float64(re*re)+float64(im*im)
		}
		return math.Sqrt(squares / norm)
	}
	double, err := conv.SpectrumDouble(load(t, "double_double"), o)
	require.NoError(t, err)
	wide, err := conv.Spectrum(load(t, "extended"), o)
	require.NoError(t, err)
	fine := relative(func(f int) (hi, lo complex128) {
		return complex(double[f].Re.Hi, double[f].Im.Hi), complex(double[f].Re.Lo, double[f].Im.Lo)
	})
	coarse := relative(func(f int) (hi, lo complex128) { return wide[f], 0 })
	t.Logf("relative error in the 2-norm: %.2e in double words, %.2e in binary64", fine, coarse)
	require.Greater(t, fine, 0.0)
	require.LessOrEqual(t, fine, 1e-30)
	require.LessOrEqual(t, coarse, 1e-12)
	require.Greater(t, coarse, 1e-17)
}

// add adds x to s and what is lost to lost.
func add(s, lost, x float64) (float64, float64) {
	sum := s + x
	b := sum - s
	return sum, lost + ((s - (sum - b)) + (x - b))
}
