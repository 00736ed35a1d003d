package props

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props/judge"
)

// stridedSoftmax is softmax of rows that lie c.Stride apart, by a function of the arrays, the sizes and the strides of x and dst.
func stridedSoftmax(name string, run func(dst, x []float32, rows, n, ldd, ldx int)) Kernel {
	return Kernel{
		Name: name, Formula: softmaxOfRows, Claim: formula.Claim{Finite: true}, Strided: map[string]string{"x": "row", "dst": "row"}, Min: map[string]int{"n": 1},
		Call: func(c *KernelCall) error {
			run(c.Float32("dst"), c.Float32("x"), c.Size("row"), c.Size("n"), c.Stride("dst", "row"), c.Stride("x", "row"))
			return nil
		},
	}
}

// byRows computes row i of length n at i*ldd of dst from i*ldx of x.
func byRows(dst, x []float32, rows, n, ldd, ldx int) {
	for i := range rows {
		softmaxRow(dst[i*ldd:i*ldd+n], x[i*ldx:i*ldx+n])
	}
}

// dotOf is a dot product of elements that lie incx and incy apart.
func dotOf(name string, run func(n int, x []float32, incx int, y []float32, incy int) float32) Kernel {
	return Kernel{
		Name: name, Formula: formula.Sum(formula.Mul(formula.Vector("x"), formula.Vector("y"))), Strided: map[string]string{"x": "n", "y": "n"},
		Call: func(c *KernelCall) error {
			c.Float32("dst")[0] = run(c.Size("n"), c.Float32("x"), c.Stride("x", "n"), c.Float32("y"), c.Stride("y", "n"))
			return nil
		},
	}
}

func dotStrided[T float32 | float64](n int, x []T, incx int, y []T, incy int) (s T) {
	for i := range n {
		s += T(x[i*incx] * y[i*incy])
	}
	return s
}

// TestStrides: kernels that take the distance of rows, or of elements, are judged with memory between them. What takes a stride for a size, reads
// between rows or writes there is found, and right kernels are not.
func TestStrides(t *testing.T) {
	const dense = "takes for theirs"
	for _, c := range []struct {
		k    Kernel
		want []string
	}{
		{stridedSoftmax("stride.Right", byRows), nil},
		{dotOf("stride.Dot", dotStrided[float32]), nil},
		{stridedSoftmax("stride.SizeForX", func(dst, x []float32, rows, n, ldd, _ int) { byRows(dst, x, rows, n, ldd, n) }), []string{"strides", "x along row", dense}},
		{stridedSoftmax("stride.OneForBoth", func(dst, x []float32, rows, n, ldd, ldx int) {
			byRows(dst, x, rows, n, ldd, min(ldd, ldx))
		}), []string{"strides", dense}},
		{stridedSoftmax("stride.WholePitch", func(dst, x []float32, rows, n, ldd, ldx int) { // lanes past n read what lies there
			for i := range rows {
				row := x[i*ldx : i*ldx+n]
				m := row[0]
				for _, v := range x[i*ldx : min(i*ldx+ldx, len(x))] {
					m = max(m, v)
				}
				s := float32(0)
				for k, v := range row {
					dst[i*ldd+k] = float32(math.Exp(float64(v - m)))
					s += dst[i*ldd+k]
				}
				for k := range row {
					dst[i*ldd+k] /= s
				}
			}
		}), []string{"x along row", dense}},
		{stridedSoftmax("stride.ClearsFirst", func(dst, x []float32, rows, n, ldd, ldx int) {
			clear(dst)
			byRows(dst, x, rows, n, ldd, ldx)
		}), []string{"wrote to place", "which lies between its elements"}},
		{stridedSoftmax("stride.LastRow", func(dst, x []float32, rows, n, ldd, ldx int) {
			for i := range rows {
				softmaxRow(dst[i*ldd:i*ldd+n], x[i*ldx : (i+1)*ldx][:n])
			}
		}), []string{"panicked: runtime error: slice bounds out of range"}},
		{dotOf("stride.IncForBoth", func(n int, x []float32, incx int, y []float32, _ int) float32 {
			return dotStrided(n, x, incx, y, min(incx, (len(y)-1)/max(n-1, 1)))
		}), []string{"along n", dense}},
	} {
		t.Run(c.k.Name, func(t *testing.T) {
			text := ""
			for i := range judge.FormulaLaws() {
				l, k := judge.FormulaLaws()[i], judge.Kernel(c.k)
				if l.Applies != nil && l.Applies(&k) != "" || l.OnDevice || l.Hardware || l.Found != nil {
					continue
				}
				f, _, err := judge.Find(l, c.k, 200)
				require.NoError(t, err)
				if f != nil {
					text = f.Text()
					break
				}
			}
			if c.want == nil {
				require.Empty(t, text)
			}
			for _, want := range c.want {
				require.Contains(t, strings.Join(strings.Fields(text), " "), want)
			}
		})
	}
}

// TestStridesAsked: distances are multiples of what the sizes after them are, some are dense and some are not, and wrong claims are refused.
func TestStridesAsked(t *testing.T) {
	var seen []int
	k := stridedSoftmax("stride.Asked", func(dst, x []float32, rows, n, ldd, ldx int) {
		seen = append(seen, ldx/n)
		if rows > 0 {
			require.Len(t, x, (rows-1)*ldx+n)
			require.Len(t, dst, (rows-1)*ldd+n)
		}
		require.Zero(t, ldx%8)
		require.Zero(t, ldd%8)
		byRows(dst, x, rows, n, ldd, ldx)
	})
	k.Multiple = map[string]int{"n": 8}
	l := judge.FormulaLaws()[0]
	f, _, err := judge.Find(l, k, 200)
	require.NoError(t, err)
	require.Nil(t, f)
	require.Contains(t, seen, 1)
	require.Greater(t, slices.Max(seen), 1)

	for _, wrong := range []struct {
		array, axis, want string
	}{{"x", "m", `Strided says that x has an axis "m", and it has not`}, {"z", "n", `Strided says that z has an axis "n"`}} {
		k.Strided = map[string]string{wrong.array: wrong.axis}
		_, _, err := judge.Find(l, k, 1)
		require.ErrorContains(t, err, wrong.want)
	}
	k = Kernel{Name: "stride.Run", Formula: formula.Neg(formula.Vector("x")), Run: func(dst, x []float32) {}, Strided: map[string]string{"x": "n"}}
	_, _, err = judge.Find(l, k, 1)
	require.ErrorContains(t, err, "it sets Strided, which goes with Formula and Call or CallOn")
}

func sumStrided[T float32 | float64](n int, x []T, incx int) (s T) {
	for i := range n {
		s += x[i*incx]
	}
	return s
}

// TestVectorStrides: sums and dot products that take increments are judged with memory between their leaves, by all laws. A report of what takes
// an increment for another one says so.
func TestVectorStrides(t *testing.T) {
	const dense = "cause kernel: it is right where arrays are dense, and wrong where memory lies between their elements, which it takes for theirs"
	sum := func(name string, run func(n int, x []float32, incx int) float32) Subject {
		return Reduction{Name: "stride." + name, RunStrided: run}
	}
	dot := func(name string, run func(n int, x []float32, incx int, y []float32, incy int) float32) Subject {
		return Dot{Name: "stride." + name, RunStrided: run}
	}
	for _, c := range []struct {
		s    Subject
		want []string
	}{
		{sum("Sum", sumStrided[float32]), nil},
		{dot("Dot", dotStrided[float32]), nil},
		{sum("SumDense", func(n int, x []float32, _ int) float32 { return sumStrided(n, x, 1) }), []string{"strides x ", dense}},
		{sum("SumTail", func(n int, x []float32, incx int) (s float32) { // four at a time, and the tail as if they were dense
			for i := 0; i+4 <= n; i += 4 {
				s += sumStrided(4, x[i*incx:], incx)
			}
			return s + sumStrided(n%4, x[min(n&^3*incx, len(x)):], 1)
		}), []string{"strides x ", dense}},
		{dot("DotOneInc", func(n int, x []float32, incx int, y []float32, _ int) float32 {
			return dotStrided(n, x, incx, y, min(incx, (len(y)-1)/max(n-1, 1)))
		}), []string{"strides ", "y ", dense}},
		{sum("SumEnd", func(n int, x []float32, incx int) (s float32) { // whole strides, and the last ends with its leaf
			for i := range n {
				s += x[i*incx : (i+1)*incx][0]
			}
			return s
		}), []string{"panicked: runtime error: slice bounds out of range"}},
	} {
		k, err := vectorSubject(c.s)
		require.NoError(t, err)
		t.Run(k.Name, func(t *testing.T) {
			text := ""
			for _, l := range judge.Laws() {
				if k.Applies(&l) != "" {
					continue
				}
				f, _, err := judge.Find(l, c.s, 300)
				require.NoError(t, err)
				if f != nil {
					text = f.Text()
					line, err := f.JSON()
					require.NoError(t, err)
					if slices.Contains(c.want, dense) {
						require.Contains(t, string(line), `"strides":"`)
					}
					break
				}
			}
			if c.want == nil {
				require.Empty(t, text)
			}
			for _, want := range c.want {
				require.Contains(t, strings.Join(strings.Fields(text), " "), want)
			}
		})
	}
}

// TestVectorStridesAsked: increments of both vectors differ, 1 among them, and vectors end with their last element.
func TestVectorStridesAsked(t *testing.T) {
	seen := map[[2]int]bool{}
	d := Dot{Name: "stride.Asked", RunStrided: func(n int, x []float32, incx int, y []float32, incy int) float32 {
		require.Len(t, x, max(0, (n-1)*incx+1))
		require.Len(t, y, max(0, (n-1)*incy+1))
		require.Equal(t, len(x), cap(x))
		if n > 1 {
			seen[[2]int{min(incx, 2), min(incy, 2)}] = true
		}
		return dotStrided(n, x, incx, y, incy)
	}}
	l, err := judge.LawByID(judge.Laws(), model.DotEnclosure)
	require.NoError(t, err)
	f, _, err := judge.Find(l, d, 300)
	require.NoError(t, err)
	require.Nil(t, f)
	require.Len(t, seen, 4)
}

// TestVectorPlaces: a report of a sum that is wrong at some addresses says so, and that of one that is wrong at all does not.
func TestVectorPlaces(t *testing.T) {
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	const text = "It depends on where in memory the leaves lie"
	for _, c := range []struct {
		run  func(x []float32) float32
		want bool
	}{
		{func(x []float32) float32 { // a prologue up to 16 bytes, one short
			if len(x) > 8 && uintptr(unsafe.Pointer(&x[0]))%16 == 12 {
				x = x[1:]
			}
			return sumStrided(len(x), x, 1)
		}, true},
		{func(x []float32) float32 { return sumStrided(max(len(x)-1, 0), x, 1) }, false},
	} {
		f, _, err := judge.Find(l, Reduction{Name: "place.Sum", Run: c.run}, 300)
		require.NoError(t, err)
		require.NotNil(t, f)
		require.Equal(t, c.want, strings.Contains(strings.Join(strings.Fields(f.Text()), " "), text), f.Text())
	}
}
