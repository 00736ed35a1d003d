package fft

import (
	"math/bits"
	"sync"
	"unsafe"

	"gamma/kernels/dd"
	"gamma/kernels/internal/cpu"
	"gamma/kernels/trig"
)

// machine decides which code plans take when they are made. Tests take fields away.
var machine = cpu.Detect()

// columns is a transform of a power of two, n = rows·cols, in vector instructions. The numbers are a matrix, row after row; its columns are transformed, some
// at a time side by side, so that every load and store is a whole register; each value is multiplied by w^(row·column), where w = exp(∓2πi/n), and by
// the factor of the transform; the matrix is transposed; and the columns of what results are transformed. So values come out in order.
//
// Source: [Gentleman-Sande 1966], [Bailey 1990].
type columns[C number[C]] struct {
	rows, cols  int
	down, along []step[C] // the passes of rows points, and of cols
	first, then int       // how many columns are done at a time, before and after the transposition
	table       []C
	code        *code
	scratch     sync.Pool
}

// step is one of Stockham's passes over columns: see pass, whose s is t here, times the columns.
type step[C any] struct {
	r, m, t int
	inverse bool
	w       []C
}

// sweep is what a pass in assembly does: for each of outer rows, inner times a register's numbers from each of r legs. Distances are in
// bytes; skips lead from the end of a row to the start of the next. Leg 0 of dst is at dst, and leg k at dstFirst + (k-1)·dstLeg.
type sweep struct {
	dst, src, w                                              unsafe.Pointer
	outer, inner, srcSkip, dstSkip, srcLeg, dstLeg, dstFirst int
	constants                                                unsafe.Pointer
}

// code is the assembly for one format and one width of registers.
type code struct {
	lanes  int               // numbers of a register, or of the registers that hold them
	column [9]func(s *sweep) // passes by radix, and those that are a transform's last, without twiddles
	last   [9]func(s *sweep)
	turn   func(s *sweep) // multiplies by a table of factors and transposes, a square of lanes at a time
	twist  func(s *sweep) // of double words alone: multiplies by the table, and turn transposes; numbers are packed, as by pack
}

// columnBuffers is what a run needs.
type columnBuffers[C any] struct {
	sweep                sweep
	matrix, a, b, packed []C
}

// leastColumns is the length of the shortest transform by columns.
const leastColumns = 64

// tile is how many bytes of columns are transformed at a time: a part of the second cache.
const tile = 1 << 17

func newColumns[C number[C]](n int, inverse bool, scale dd.DD64, from func(re, im dd.DD64) C, c *code) *columns[C] {
	var zero C
	size := int(unsafe.Sizeof(zero))
	rows := 1 << (bits.Len(uint(n)) / 2) // alike, so that each number comes from memory twice
	cols := n / rows
	t := &columns[C]{rows: rows, cols: cols, code: c, table: make([]C, n)}
	all := roots(n, inverse, scaledFrom(scale, from))
	for i := range rows {
		for j := range cols {
			t.table[i*cols+j] = all[i*j%n]
		}
	}
	if c.twist != nil {
		pack(t.table, t.table)
	}
	t.down, t.along = newSteps(rows, inverse, from, c), newSteps(cols, inverse, from, c)
	wide := func(length, most int) int { return min(most, max(64/size, c.lanes, tile/(length*size))) }
	t.first, t.then = wide(rows, cols), wide(cols, rows)
	room := max(t.first*rows, t.then*cols)
	half, _ := trig.Twiddle(1, 8)
	constants := [2]C{from(one, half), from(half.Neg(), half)} // 1, √2/2 and -√2/2 are the first three words
	t.scratch.New = func() any {
		b := &columnBuffers[C]{matrix: make([]C, n), a: make([]C, room), b: make([]C, room)}
		if c.twist != nil {
			b.packed = make([]C, n)
		}
		b.sweep.constants = unsafe.Pointer(&constants)
		return b
	}
	return t
}

// newSteps returns passes for n points, n at least 8: of radix 8 and 4, or of 4 after one of 2 where there is no code for 8.
func newSteps[C any](n int, inverse bool, from func(re, im dd.DD64) C, c *code) []step[C] {
	var list []step[C]
	table := roots(n, inverse, from)
	for t := 1; t < n; {
		left := n / t
		r := 8
		switch {
		case c.column[8] == nil && bits.TrailingZeros(uint(left))%2 == 1:
			r = 2
		case c.column[8] == nil || left == 4 || left == 16:
			r = 4
		}
		s := step[C]{r: r, m: left / r, t: t, inverse: inverse}
		for p := range s.m {
			for k := 1; k < r; k++ {
				leg := k
				if inverse { // values of the forward butterfly go to the legs in reverse
					leg = r - k
				}
				s.w = append(s.w, table[t*p*leg])
			}
		}
		list = append(list, s)
		t *= r
	}
	return list
}

func (t *columns[C]) radices() []int {
	var list []int
	for _, steps := range [2][]step[C]{t.down, t.along} {
		for _, s := range steps {
			list = append(list, s.r)
		}
	}
	return list
}

func (t *columns[C]) run(dst, src []C) {
	b := t.scratch.Get().(*columnBuffers[C])
	rows, cols := t.rows, t.cols
	if t.code.twist != nil {
		pack(b.packed, src)
		src = b.packed
	}
	for c := 0; c < cols; c += t.first {
		t.transform(b, t.down, b.matrix[c:], cols, src[c:], cols, t.first)
	}
	size := int(unsafe.Sizeof(b.matrix[0]))
	lanes := t.code.lanes
	for r := 0; r < rows; r += t.then {
		s := &b.sweep
		s.src, s.w, s.dst = unsafe.Pointer(&b.matrix[r*cols]), unsafe.Pointer(&t.table[r*cols]), unsafe.Pointer(&b.matrix[r*cols])
		if t.code.twist != nil {
			s.inner = t.then * cols / lanes
			t.code.twist(s)
		}
		s.dst = unsafe.Pointer(&b.a[0])
		s.outer, s.inner = t.then/lanes, cols/lanes
		s.srcLeg, s.dstLeg, s.dstFirst = cols*size, t.then*size, t.then*size
		s.srcSkip, s.dstSkip = (lanes-1)*cols*size, (lanes-cols*t.then)*size
		t.code.turn(s)
		t.transform(b, t.along, dst[r:], rows, b.a, t.then, t.then)
	}
	if t.code.twist != nil {
		unpack(dst)
	}
	b.sweep.dst, b.sweep.src = nil, nil // what the caller owns is not kept
	t.scratch.Put(b)
}

// transform transforms so many columns side by side, whose rows are from apart in src and to apart in dst.
func (t *columns[C]) transform(b *columnBuffers[C], steps []step[C], dst []C, to int, src []C, from, width int) {
	lanes, size := t.code.lanes, int(unsafe.Sizeof(b.matrix[0]))
	s := &b.sweep
	for i := range steps {
		p := &steps[i]
		last := i == len(steps)-1
		out, outRow := dst, to
		if !last {
			out, outRow = b.b, width
			if i%2 == 1 {
				out = b.a
			}
		}
		s.src, s.dst, s.w = unsafe.Pointer(&src[0]), unsafe.Pointer(&out[0]), unsafe.Pointer(&p.w[0])
		legOut := p.t * outRow
		var stepIn, stepOut int // from row to row of the sweep
		switch {
		case !last:
			s.outer, s.inner = p.m, p.t*width/lanes
			s.srcLeg, stepIn, stepOut = p.m*p.t*from, p.t*from, p.r*p.t*width
		case from == width && outRow == width:
			s.outer, s.inner, s.srcLeg = 1, p.t*width/lanes, p.t*width
		default:
			s.outer, s.inner = p.t, width/lanes
			s.srcLeg, stepIn, stepOut = p.t*from, from, outRow
		}
		s.srcLeg *= size
		s.srcSkip, s.dstSkip = (stepIn-s.inner*lanes)*size, (stepOut-s.inner*lanes)*size
		s.dstLeg, s.dstFirst = legOut*size, legOut*size
		if p.inverse {
			s.dstLeg, s.dstFirst = -legOut*size, (p.r-1)*legOut*size
		}
		if last {
			t.code.last[p.r](s)
		} else {
			t.code.column[p.r](s)
		}
		src, from = out, width
	}
}

// pack sets dst to the numbers of src, each eight of them as eight first words, eight second ones, and so on. dst may be src.
func pack[C any](dst, src []C) {
	y, x := view[float64](dst), view[float64](src)
	for ; len(x) > 0; x, y = x[32:], y[32:] {
		v := [32]float64(x)
		for i := range 32 {
			y[i%4*8+i/4] = v[i]
		}
	}
}

// unpack undoes pack in place.
func unpack[C any](x []C) {
	for y := view[float64](x); len(y) > 0; y = y[32:] {
		v := [32]float64(y)
		for i := range 32 {
			y[i] = v[i%4*8+i/4]
		}
	}
}
