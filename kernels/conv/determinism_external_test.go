package conv_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/conv"
	"gamma/kernels/trig"
	"gamma/oracle"
)

// TestSameBits holds kernels of a fixed order to the same bits in each run, with any number of threads, whatever rows are computed at a time, in any
// order, and at once.
func TestSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const batch, width, n = 3, 4, 50
	o := layer(batch, width, n, 8)
	sums := o.X[:599]
	for _, name := range conv.Profiles() {
		p := load(t, name)
		want := make([]float32, len(o.X))
		require.NoError(t, p.Run(want, o))
		total := kernels.SumParallel(sums)
		for _, threads := range []int{1, 2, 7} {
			runtime.GOMAXPROCS(threads)
			got := make([]float32, len(o.X))
			var wg sync.WaitGroup
			for row := range batch * width { // each by itself, the last first
				row = batch*width - 1 - row
				c := row % width
				wg.Go(func() {
					one := conv.Operands{
						Batch: 1, Width: 1, N: n, X: o.X[row*n:][:n], Filter: o.Filter[c*n:][:n], Reverse: o.Reverse[c*n:][:n], Bias: o.Bias[c:][:1],
					}
					if err := p.Run(got[row*n:][:n], one); err != nil {
						panic(err)
					}
				})
			}
			wg.Wait()
			require.Equal(t, want, got, "%s, %d threads", name, threads)
			for range 20 {
				require.Equal(t, total, kernels.SumParallel(sums))
			}
		}
	}
}

// orders are ways to add the same terms.
var orders = []struct {
	name string
	at   func(i, n int) int // which term comes at place i, if that is all
	lane int                // or how many lanes there are, whose sums a tree adds up
}{
	{"from left to right", func(i, _ int) int { return i }, 0},
	{"from right to left", func(i, n int) int { return n - 1 - i }, 0},
	{"32 lanes, then a tree", nil, 32},
	{"256 lanes, then a tree", nil, 256},
}

// sum adds terms in an order, each sum rounded by the type.
func sum[T float32 | float64](order int, x []T) T {
	return sumBy(order, x, func(a, b T) T { return a + b })
}

// sumBy is sum with an addition of its own.
func sumBy[T float32 | float64](order int, x []T, add func(a, b T) T) (s T) {
	o := orders[order]
	if o.at != nil {
		for i := range x {
			s = add(s, x[o.at(i, len(x))])
		}
		return s
	}
	part := make([]T, o.lane)
	for i, v := range x {
		part[i%o.lane] = add(part[i%o.lane], v)
	}
	for k := o.lane / 2; k > 0; k /= 2 {
		for i := range k {
			part[i] = add(part[i], part[i+k])
		}
	}
	return part[0]
}

// bell returns n numbers of a bell-shaped distribution with variance 1.
func bell(seed, n int) []float32 {
	d, x := draw(uint64(seed)), make([]float32, n)
	for i := range x {
		x[i] = float32(d.next() + d.next() + d.next())
	}
	return x
}

// transforms compares the real parts of DFTs by definition in two orders, of n points and at some frequencies.
func transforms(b *bytes.Buffer, n, frequencies int) {
	x, terms, wide, cosine := bell(n, n), make([]float32, n), make([]float64, n), make([]float64, n)
	for k := range cosine {
		cosine[k] = real(trig.Twiddle64(k, n))
	}
	var differ, wideDiffer int
	var worst, at, largest float64
	for f := range frequencies {
		f = f * n / frequencies
		for j, v := range x {
			w := cosine[j*f%n]
			terms[j] = v * float32(w)
			wide[j] = float64(v) * w
		}
		first := sum(0, terms)
		largest = max(largest, math.Abs(float64(first)))
		d := 0.0
		for order := range orders {
			d = max(d, math.Abs(float64(sum(order, terms))-float64(first)))
			if order > 0 && float32(sum(order, wide)) != float32(sum(0, wide)) {
				wideDiffer++
			}
		}
		if d > 0 {
			differ++
		}
		if d > worst {
			worst, at = d, math.Abs(float64(first))
		}
	}
	fmt.Fprintf(b, "| %d | %d of %d | %.3g, %.3g·u of the largest value | %.4g | %d of %d |\n", n, differ, frequencies, worst, worst/largest*(1<<24), at, wideDiffer, frequencies*(len(orders)-1))
}

// product multiplies bfloat16 matrices of 128·256 and 256·512 numbers as the seed does, in two orders: sums in binary32, results in bfloat16.
func product(b *bytes.Buffer) {
	const rows, inner, columns = 128, 256, 512
	round := func(x float32) float32 { return kernels.BFloatToFloat32(kernels.BFloatFromFloat32(x)) }
	x, y := bell(1, rows*inner), bell(2, inner*columns)
	for _, m := range [][]float32{x, y} {
		for i, v := range m {
			m[i] = round(v)
		}
	}
	counts, terms, single, worst := map[float64]int{}, make([]float32, inner), 0, 0.0
	narrow, narrowWorst := 0, 0.0
	for i := range rows {
		for j := range columns {
			for l := range terms {
				terms[l] = x[i*inner+l] * y[l*columns+j] // exact: 16 bits
			}
			left, lanes := sum(0, terms), sum(2, terms)
			if left != lanes {
				single++
				worst = max(worst, math.Abs(float64(left)-float64(lanes)))
			}
			if d := math.Abs(float64(round(left)) - float64(round(lanes))); d > 0 {
				counts[math.Log2(d)]++
			}
			rounded := func(a, b float32) float32 { return round(a + b) }
			if d := math.Abs(float64(sumBy(0, terms, rounded)) - float64(sumBy(2, terms, rounded))); d > 0 {
				narrow++
				narrowWorst = max(narrowWorst, d)
			}
		}
	}
	different := 0
	for _, n := range counts {
		different += n
	}
	fmt.Fprintf(b, "of %d results %d differ in\nbinary32, by %.2g at most, and %d after they are rounded to bfloat16, by one of its ulps each:", rows*columns, single, worst, different)
	for k, e := range slices.Sorted(maps.Keys(counts)) {
		if k > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(b, " %d by 2^%g", counts[e], e)
	}
	fmt.Fprintf(b, ".\nWith sums in bfloat16 itself, %d differ, by %.3g at most.\n", narrow, narrowWorst)
}

// kahan adds binary64 numbers by Kahan's scheme, as the seed's kernel does.
func kahan(x []float64) float64 {
	s, c := 0.0, 0.0
	for _, v := range x {
		y := v - c
		t := s + y
		c = (t - s) - y
		s = t
	}
	return s
}

// near is an input whose sum is a little above the middle of 1 and its next binary32 number.
var near = []float32{1, 0x1p-24, 0x1p-54, 0x1p-54, 0x1p-54, 0x1p-54}

// cancels is an input on which Kahan's scheme loses terms or not.
var cancels = []float32{1, 0x1p100, 0x1p-24, -0x1p100}

// ties writes what binary64 sums of near make of orders, and Kahan's of cancels.
func ties(t *testing.T, b *bytes.Buffer) {
	t.Helper()
	widened := func(x []float32) (list []float64) {
		for _, v := range x {
			list = append(list, float64(v))
		}
		return list
	}
	fmt.Fprintf(b, "| terms, binary32 | sums in binary64, rounded once | from left to right | from right to left | exact, rounded once |\n|---|---|---|---|---|\n")
	for _, c := range []struct {
		terms, how string
		x          []float32
		sum        func([]float64) float64
	}{
		{"1, 2^-24, and four times 2^-54", "plain", near, func(x []float64) float64 { return sum(0, x) }},
		{"1, 2^100, 2^-24, -2^100", "Kahan's", cancels, kahan},
	} {
		left := widened(c.x)
		right := slices.Clone(left)
		slices.Reverse(right)
		var exact oracle.Acc64
		exact.AddSlice(left)
		x, y := float32(c.sum(left)), float32(c.sum(right))
		require.NotEqual(t, x, y, c.terms)
		fmt.Fprintf(b, "| %s | %s | %x | %x | %x |\n", c.terms, c.how, x, y, exact.Float32())
	}
}

// TestDeterminism writes the page about orders and drift, and holds it to what the kernels do.
func TestDeterminism(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(determinismHead)
	b.WriteString("## Orders\n\nTransforms by definition: binary32 products of a real input and cosines, added from left to right, from right to left, and in 32 and 256 lanes. The last column has the\n" +
		"same sums in binary64, each rounded once to binary32, against those from left to right.\n\n" +
		"| points | frequencies at which binary32 orders differ | largest difference | of a value of | binary64 differs in |\n|---|---|---|---|---|\n")
	transforms(&b, 64, 64)
	transforms(&b, 1024, 1024)
	transforms(&b, 1<<18, 64)
	b.WriteString("\nThe seed's matrix product, 128·256 by 256·512 numbers of bfloat16, sums in binary32 from left to right and in 32 lanes: ")
	product(&b)
	b.WriteString(nine)
	ties(t, &b)
	b.WriteString(tieText)
	curves := drift()
	b.WriteString("## Drift\n\n")
	b.WriteString(driftText)
	writeDrift(&b, curves)
	chaos(&b)
	b.WriteString(claims)
	same(t, "DETERMINISM.md", b.Bytes())
	same(t, "drift.svg", plot(curves))
}

// same holds a file to text.
func same(t *testing.T, file string, text []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, text, 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run with -update to write it")
	require.Equal(t, string(want), string(text), "%s has changed; look at it, then run with -update", file)
}
