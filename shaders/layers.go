package shaders

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"

	"gamma/model"
	"gamma/model/word"
)

//go:embed layers.metal
var layersSource string

// layer returns the program of a function of layers.metal.
func layer(function, name string) Program {
	return operation("layers.metal", layersSource, function, name, word.Claim{}).Program
}

// convolutions returns the operations on words in layers.metal.
func convolutions() []Operation {
	o := operation("layers.metal", layersSource, "depthwise3_extended", "depthwise3_extended", word.Claim{Op: word.Dot3Round})
	o.Host = o.Program.Taps
	return []Operation{o}
}

// accumulations returns the sums in layers.metal. No bound is proved where subnormal numbers are flushed.
func accumulations() []Kernel {
	mean := accumulation("mean")
	mean.Claim.Mean = true
	return []Kernel{accumulation("sum"), mean, accumulation("dot")}
}

func accumulation(name string) Kernel {
	c := model.Claim{In: model.Binary32, Repeats: true, Compensation: model.DoubleWord}
	p := layer("layer_"+name, name)
	k := Kernel{Program: p, Claim: c, Launches: layerLaunches, Fits: anyThreads, Admits: anything(), Widths: widths, Strict: true}
	k.Admits.Flush, k.MaxN = model.Flush{}, 150
	if name == "dot" {
		k.Dot32 = func(r *Runner, l model.Launch, x, y []float32) (float32, error) {
			if err := p.fits(line(l)); err != nil {
				return 0, err
			}
			return p.Dot(r, l, x, y)
		}
		return k
	}
	k.Sum32 = func(r *Runner, l model.Launch, x []float32) (float32, error) {
		if err := p.fits(line(l)); err != nil {
			return 0, err
		}
		var dst [1]float32
		err := p.Rows(r, l, dst[:], x, len(x))
		return dst[0], err
	}
	return k
}

func layerLaunches(int) []model.Launch {
	return []model.Launch{model.Launch1D(1, 1), model.Launch1D(1, 8), model.Launch1D(2, 4), model.Launch1D(1, 32)}
}

// anyThreads is the Fits of kernels that accept any launch in one dimension.
func anyThreads(_ int, l model.Launch) error { return line(l) }

// Sums writes the sum of each of len(dst) rows of n numbers.
func Sums(r *Runner, l model.Launch, dst, x []float32, n int) error {
	return layer("layer_sum", "sum").perRow(r, l, dst, x, n, len(dst), len(dst))
}

// Means writes the mean of each of len(dst) rows of n numbers.
func Means(r *Runner, l model.Launch, dst, x []float32, n int) error {
	return layer("layer_mean", "mean").perRow(r, l, dst, x, n, len(dst), len(dst))
}

// Variance writes the mean squared distance from its mean of each of len(dst) rows of n numbers.
func Variance(r *Runner, l model.Launch, dst, x []float32, n int) error {
	return layer("layer_variance", "variance").perRow(r, l, dst, x, n, len(dst), len(dst))
}

// Softmax writes the softmax of each row of n numbers. len(dst) = len(x).
func Softmax(r *Runner, l model.Launch, dst, x []float32, n int) error {
	return layer("layer_softmax", "softmax").perRow(r, l, dst, x, n, rowsOf(x, n), len(x))
}

// LayerNorm writes (x-mean)/√(variance+epsilon)·gain + bias of each row of n numbers. len(dst) = len(x); gain and bias have n.
func LayerNorm(r *Runner, l model.Launch, dst, x, gain, bias []float32, n int, epsilon float32) error {
	p := layer("layer_norm", "norm")
	if len(gain) != n || len(bias) != n {
		return fmt.Errorf("%s: %d gains and %d biases for rows of %d numbers; give as many of each", p.Name, len(gain), len(bias), n)
	}
	return p.perRow(r, l, dst, x, n, rowsOf(x, n), len(x), floats("gain", gain), floats("bias", bias),
		Arg{Value: binary.LittleEndian.AppendUint32(nil, math.Float32bits(epsilon))})
}

// Linear writes w·x + bias for a matrix w of len(dst) rows.
func Linear(r *Runner, l model.Launch, dst, w, x, bias []float32) error {
	p := layer("layer_linear", "linear")
	if len(bias) != len(dst) {
		return fmt.Errorf("%s: %d biases for %d results; give as many", p.Name, len(bias), len(dst))
	}
	return p.perRow(r, l, dst, w, len(x), len(dst), len(dst), floats("x", x), floats("bias", bias))
}

// MatMul writes the product of a, of rows×n, and b, of n×columns, all row by row.
func MatMul(r *Runner, l model.Launch, dst, a, b []float32, rows, n, columns int) error {
	p := layer("layer_matmul", "matmul")
	if rows < 0 || n < 0 || columns < 0 || len(b) != n*columns {
		return fmt.Errorf("%s: a matrix of %d rows and %d columns does not have %d numbers", p.Name, n, columns, len(b))
	}
	return p.perRow(r, l, dst, a, n, rows, rows*columns, floats("b", b), Uint(columns))
}

// Depthwise3 convolves channels of n places each with three taps each, zeros beyond their ends. len(dst) = len(x); taps has
// three numbers for each channel.
func Depthwise3(r *Runner, l model.Launch, dst, x, taps []float32, n int) error {
	p := layer("depthwise3_extended", "depthwise3_extended")
	channels := rowsOf(x, n)
	if len(taps) != 3*channels {
		return fmt.Errorf("%s: %d taps for %d channels; give three for each channel", p.Name, len(taps), channels)
	}
	return p.perRow(r, l, dst, x, n, channels, len(x), floats("taps", taps))
}

// Taps runs rows of three operands and three taps with a shader that takes the arguments of depthwise3_extended: each row is a
// channel of five places, the last three of which are the operands, and the last but one the result. So a row may be at any of a thread's
// four places.
func (p Program) Taps(r *Runner, l model.Launch, dst, src []float32) error {
	const n = 5
	x, taps := make([]float32, 0, n*len(dst)), make([]float32, 0, len(src)/2)
	for row := src; len(row) > 0; row = row[6:] {
		x, taps = append(append(x, 0, 0), row[:3]...), append(taps, row[3:6]...)
	}
	places := make([]float32, len(x))
	err := p.perRow(r, l, places, x, n, len(dst), len(x), floats("taps", taps))
	if Completed(err) {
		for i := range dst {
			dst[i] = places[n*i+3]
		}
	}
	return err
}

// rowsOf returns the number of rows of n numbers in x.
func rowsOf(x []float32, n int) int {
	if n < 1 {
		return 0
	}
	return len(x) / n
}

// perRow runs a shader that takes the arguments of layer_sum, and more after them, for the rows of n numbers of x and the given number
// of results. If it fails, dst is unchanged.
func (p Program) perRow(r *Runner, l model.Launch, dst, x []float32, n, rows, results int, more ...Arg) error {
	if n < 1 || len(x) != rows*n || len(dst) != results {
		return fmt.Errorf("%s: %d numbers are not %d rows of %d, or %d results are not %d", p.Name, len(x), rows, n, len(dst), results)
	}
	if err := p.fits(line(l)); err != nil || results == 0 {
		return err
	}
	if err := p.counts(max(len(x), results)); err != nil {
		return err
	}
	out := Output("out", 4*results)
	err := r.Run(p, Dispatch{Launch: l, Args: append([]Arg{{Data: Input("x", floatBytes(x))}, {Data: out}, Uint(n), Uint(rows)}, more...)})
	if Completed(err) {
		readFloats(dst, out.Bytes)
	}
	return err
}

// floats returns an argument of floats.
func floats(name string, x []float32) Arg { return Arg{Data: Input(name, floatBytes(x))} }
