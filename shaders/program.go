package shaders

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"gamma/metal"
	"gamma/model"
)

// Program is a function of a source, and how the source is compiled.
type Program struct {
	Name     string // the source's path and the function, "shaders/sum.metal#tree"
	Source   string
	Function string // its name in the source
	Options  metal.CompileOptions
}

// Sum adds x with a shader that takes the arguments of sum_tree: x, out and n in buffers 0 to 2, and 4 bytes of threadgroup
// memory a thread at index 0. Each threadgroup leaves its sum in out; those of several are added by one more dispatch of one
// threadgroup.
func (p Program) Sum(r *Runner, l model.Launch, x []float32) (float32, error) {
	return p.sum(r, l, floatBytes(x), len(x), 4*l.Threads.X)
}

// SumBits is Sum over the encodings of a 16-bit format; the result is the encoding of a float.
func (p Program) SumBits(r *Runner, l model.Launch, x []uint16) (uint64, error) {
	v, err := p.sum(r, l, halfBytes(x), len(x), 4*l.Threads.X)
	return uint64(math.Float32bits(v)), err
}

// sum is Sum over the bytes of n leaves, with shared bytes of threadgroup memory.
func (p Program) sum(r *Runner, l model.Launch, x []byte, n, shared int) (float32, error) {
	if n == 0 {
		return 0, nil
	}
	if err := p.counts(n); err != nil {
		return 0, err
	}
	groups := max(l.Groups.X, 1)
	in, out := Input("x", x), Output("out", 4*groups)
	passes := []Dispatch{{Launch: l, Args: []Arg{{Data: in}, {Data: out}, Uint(n)}, Shared: []int{shared}}}
	if groups > 1 {
		one := l
		one.Groups = model.Size3{X: 1, Y: 1, Z: 1}
		total := Output("total", 4)
		passes = append(passes, Dispatch{Launch: one, Args: []Arg{{Data: out}, {Data: total}, Uint(groups)}, Shared: []int{shared}})
		out = total
	}
	err := r.Run(p, passes...)
	return out.float(err)
}

// Accumulate adds x with a shader that takes the arguments of sum_atomic: x, out and n in buffers 0 to 2. It sets out to -0
// before its one dispatch.
func (p Program) Accumulate(r *Runner, l model.Launch, x []float32) (float32, error) {
	if len(x) == 0 {
		return 0, nil
	}
	if err := p.counts(len(x)); err != nil {
		return 0, err
	}
	out := Input("out", floatBytes([]float32{float32(math.Copysign(0, -1))}))
	out.Read = true
	err := r.Run(p, Dispatch{Launch: l, Args: []Arg{{Data: Input("x", floatBytes(x))}, {Data: out}, Uint(len(x))}, Shared: []int{4 * l.Threads.X}})
	return out.float(err)
}

// Rows adds len(dst) rows of n leaves each with a shader that takes the arguments of sum_rows: x, out, n and the number of rows
// in buffers 0 to 3, and 4 bytes of threadgroup memory a thread at index 0. If it fails, dst is unchanged.
func (p Program) Rows(r *Runner, l model.Launch, dst, x []float32, n int) error {
	rows := len(dst)
	if n < 0 || len(x) != rows*n {
		return fmt.Errorf("%s: %d rows of %d leaves are not the %d leaves of x", p.Name, rows, n, len(x))
	}
	if len(x) == 0 {
		clear(dst)
		return nil
	}
	if err := p.counts(len(x)); err != nil {
		return err
	}
	out := Output("out", 4*rows)
	err := r.Run(p, Dispatch{
		Launch: l, Args: []Arg{{Data: Input("x", floatBytes(x))}, {Data: out}, Uint(n), Uint(rows)}, Shared: []int{4 * l.Threads.X},
	})
	if Completed(err) {
		for i := range dst {
			dst[i] = math.Float32frombits(uint32At(out.Bytes, i))
		}
	}
	return err
}

// Dot returns the dot product of x and y with a shader that takes the arguments of dot_tree: x, y, out and n in buffers 0 to
// 3, and 4 bytes of threadgroup memory a thread at index 0.
func (p Program) Dot(r *Runner, l model.Launch, x, y []float32) (float32, error) {
	if len(x) != len(y) {
		return 0, fmt.Errorf("%s: x has %d elements and y %d; give as many of each", p.Name, len(x), len(y))
	}
	if len(x) == 0 {
		return 0, nil
	}
	if err := p.counts(len(x)); err != nil {
		return 0, err
	}
	out := Output("out", 4)
	err := r.Run(p, Dispatch{
		Launch: l, Args: []Arg{{Data: Input("x", floatBytes(x))}, {Data: Input("y", floatBytes(y))}, {Data: out}, Uint(len(x))},
		Shared: []int{4 * l.Threads.X},
	})
	return out.float(err)
}

// maxLeaves keeps the indices of all kernels below 2^32, stride included.
const maxLeaves = 1 << 31

func (p Program) counts(n int) error {
	if n > maxLeaves {
		return fmt.Errorf("%s: %d leaves; it counts to %d: add parts of them", p.Name, n, maxLeaves)
	}
	return nil
}

// uint32At and putWord are the i-th 32-bit word of b.
func uint32At(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

func putWord(b []byte, i, v int) { binary.LittleEndian.PutUint32(b[4*i:], uint32(v)) }

// floatBytes returns x as a device stores it.
func floatBytes(x []float32) []byte {
	b := make([]byte, 4*len(x))
	for i, v := range x {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
	return b
}

func halfBytes(x []uint16) []byte {
	b := make([]byte, 2*len(x))
	for i, v := range x {
		binary.LittleEndian.PutUint16(b[2*i:], v)
	}
	return b
}

// file returns the source's part of the name.
func (p Program) file() string {
	file, _, _ := strings.Cut(p.Name, "#")
	return file
}
