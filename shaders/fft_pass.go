package shaders

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"gamma/metal"
	"gamma/model"
	"gamma/model/fourier"
)

//go:embed fft_pass.metal
var fftPassSource string

// The greatest numbers of points of one pass, whose threads have 32 numbers each, and of two.
const (
	greatestPass = 1 << 10
	greatestTwo  = greatestPass * greatestPass
)

// fftPasses returns the kernels whose passes over memory are one or two.
func fftPasses() []FFT {
	var list []FFT
	for _, k := range []struct {
		name         string
		passes, most int
	}{
		{"one_pass", 1, greatestPass},
		{"two_passes", 2, greatestTwo},
	} {
		f := FFT{
			Claim: fourier.Claim{
				Twiddle: fourier.Rounded, Fused: true, MaxN: k.most, InPlace: true, Batched: true, Repeats: true,
			},
			Admits: anything(), Strict: true, Widths: widths, Twiddles: twiddles, passes: k.passes,
		}
		f.Launches = func(n int) (list []model.Launch) {
			for _, c := range []int{1, 2, 8} {
				list = append(list, model.Launch1D(1, c*f.lines(n)))
			}
			return list
		}
		f.Fits = func(n int, l model.Launch) error {
			if err := line(l); err != nil {
				return err
			}
			if lines := f.lines(n); l.Threads.X < lines {
				return fmt.Errorf("launch %s: a pass of a transform of %d points takes %d threads", l, n, lines)
			}
			return nil
		}
		f.Admits.Rounding = model.NearestEven
		list = append(list, f.Of(Program{
			Name: "shaders/fft_pass.metal#" + k.name, Source: fftPassSource, Function: "fft_pass_2_2_3", Options: metal.CompileOptions{Headers: Headers()},
		}))
	}
	return list
}

// split returns the logarithms of the lengths of the passes' transforms.
func (f *FFT) split(n int) []int {
	log := bits.Len(uint(n)) - 1
	if f.passes == 1 || log < 2 {
		return []int{log}
	}
	return []int{log / 2, log - log/2}
}

// lines returns how many threads the longest of the passes' transforms takes.
func (f *FFT) lines(n int) int {
	most := 1
	for _, log := range f.split(n) {
		most = max(most, 1<<(log/2))
	}
	return most
}

// passDispatches returns the dispatches of a transform in one pass or two.
func (f *FFT) passDispatches(l model.Launch, t fourier.Transform, x, y *Data, size int) []Dispatch {
	logs, n := f.split(t.N), t.N
	rows := size / n
	var list []Dispatch
	add := func(log, count, y int, src, dst, between *Data, first, last bool, place [4]int, lines [2]bool) {
		columns := 0 // the logarithm of how many transforms a threadgroup does
		for columns < 3 && count>>columns&1 == 0 && 2<<columns<<(log/2) <= l.Threads.X {
			columns++
		}
		b := make([]byte, 0, 44)
		for _, v := range []int{n, place[0], place[1], place[2], place[3]} {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		inverse := t.Sign == fourier.Inverse
		for _, v := range []bool{lines[0], lines[1], !first, first && inverse, last && inverse} {
			flag := uint32(0)
			if v {
				flag = 1
			}
			b = binary.LittleEndian.AppendUint32(b, flag)
		}
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scaleOf(t)))
		list = append(list, Dispatch{
			Function: fmt.Sprintf("fft_pass_%d_%d_%d", log-log/2, log/2, columns),
			Launch:   model.Launch{Groups: model.Size3{X: count >> columns, Y: y, Z: 1}, Threads: model.Size3{X: 1 << (columns + log/2), Y: 1, Z: 1}},
			Args:     []Arg{{Data: src}, {Data: dst}, {Data: Input("inside", floatBytes(insideFactors(log)))}, {Data: between}, {Value: b}},
			Shared:   []int{4 << (log + columns)},
		})
	}
	if len(logs) == 1 {
		add(logs[0], rows, 1, x, y, x, true, true, [4]int{n, 1, n, 1}, [2]bool{true, true})
		return list
	}
	work := &Data{Name: "work", Length: 8 * size}
	above, below := 1<<logs[0], 1<<logs[1] // of a column, and of a row
	between := Input("between", floatBytes(betweenFactors(above, below)))
	add(logs[0], below, rows, x, work, x, true, false, [4]int{1, below, 1, below}, [2]bool{})
	add(logs[1], above, rows, work, y, between, false, true, [4]int{below, 1, 1, above}, [2]bool{true, false})
	return list
}

// insideFactors returns the parts of exp(-2πi·p·q/2^log) at q·B + p, B being 2^⌊log/2⌋.
func insideFactors(log int) []float32 {
	n, b := 1<<log, 1<<(log/2)
	w := make([]float32, 0, 2*n)
	for k := range n {
		z := turn(k/b*(k%b), n)
		w = append(w, float32(real(z)), float32(imag(z)))
	}
	return w
}

// betweenFactors returns the parts of exp(-2πi·row·column/n) for rows of so many numbers.
func betweenFactors(rows, columns int) []float32 {
	n := rows * columns
	w := make([]float32, 0, 2*n)
	for k := range n {
		z := turn(k/columns*(k%columns), n)
		w = append(w, float32(real(z)), float32(imag(z)))
	}
	return w
}
