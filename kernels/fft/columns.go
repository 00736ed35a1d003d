package fft

import (
	"math"
	"math/bits"
	"sync"
	"unsafe"

	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/internal/cpu"
)

// machine decides which code plans take when they are made. Tests take fields away.
var machine = cpu.Detect()

// columns is a transform of a power of two, n = rows·cols, in vector instructions. The numbers are a matrix, row after row; its columns are transformed, some
// at a time side by side, so that every load and store is a whole register; each value is multiplied by w^(row·column), where w = exp(∓2πi/n), and by
// the factor of the transform; the matrix is transposed; and the columns of what results are transformed. So values come out in order.
//
// Source: [Gentleman-Sande 1966], [Bailey 1990].
type columns[F kernels.Float] struct {
	rows, cols  int
	down, along []step[F] // the passes of rows points, and of cols
	first, then int       // how many columns are done at a time, before and after the transposition
	table       []single[F]
	code        *code[F]
	scratch     sync.Pool
}

// step is one of Stockham's passes over columns: see pass, whose s is t here, times the columns.
type step[F kernels.Float] struct {
	r, m, t int
	inverse bool
	w       []single[F]
}

// sweep is what a pass in assembly does: for each of outer rows, inner times a register's numbers from each of r legs. Distances are in
// bytes; skips lead from the end of a row to the start of the next. Leg 0 of dst is at dst, and leg k at dstFirst + (k-1)·dstLeg.
type sweep[F kernels.Float] struct {
	dst, src, w                                              unsafe.Pointer
	outer, inner, srcSkip, dstSkip, srcLeg, dstLeg, dstFirst int
	constants                                                [3]F // 1, √2/2 and -√2/2
}

// code is the assembly for one format and one width of registers. turn multiplies by a table of factors and transposes, a square of lanes at a time.
type code[F kernels.Float] struct {
	lanes                                            int
	column4, column4Last, column8, column8Last, turn func(s *sweep[F])
}

// columnBuffers is what a run needs.
type columnBuffers[F kernels.Float] struct {
	sweep        sweep[F]
	matrix, a, b []single[F]
}

// leastColumns is the length of the shortest transform by columns.
const leastColumns = 64

// tile is how many bytes of columns are transformed at a time: what a first-level cache holds.
var tile = 1 << 15

// shape returns rows and columns for n points of so many bytes. Eight columns are one pass; where the whole does not fit the second cache, both
// sides are alike, so that each number comes from memory twice.
func shape(n, size int) (rows, cols int) {
	if n*size <= 1<<17 {
		return n / 8, 8
	}
	rows = 1 << (bits.Len(uint(n)) / 2)
	return rows, n / rows
}

func newColumns[F kernels.Float](n int, inverse bool, scale dd.DD64, from func(re, im dd.DD64) single[F], c *code[F]) *columns[F] {
	size := int(unsafe.Sizeof(single[F]{}))
	rows, cols := shape(n, size)
	t := &columns[F]{rows: rows, cols: cols, code: c, table: make([]single[F], n)}
	all := roots(n, inverse, scaledFrom(scale, from))
	for i := range rows {
		for j := range cols {
			t.table[i*cols+j] = all[i*j%n]
		}
	}
	t.down, t.along = newSteps(rows, inverse, from), newSteps(cols, inverse, from)
	wide := func(length, most int) int { return min(most, max(64/size, c.lanes, tile/(length*size))) }
	t.first, t.then = wide(rows, cols), wide(cols, rows)
	room := max(t.first*rows, t.then*cols)
	t.scratch.New = func() any {
		b := &columnBuffers[F]{matrix: make([]single[F], n), a: make([]single[F], room), b: make([]single[F], room)}
		b.sweep.constants = [3]F{1, F(math.Sqrt2 / 2), F(-math.Sqrt2 / 2)}
		return b
	}
	return t
}

// newSteps returns passes of radix 8 and 4 for n points, n at least 4.
func newSteps[F kernels.Float](n int, inverse bool, from func(re, im dd.DD64) single[F]) []step[F] {
	var list []step[F]
	table := roots(n, inverse, from)
	for t := 1; t < n; {
		left := n / t
		r := 8
		if left == 4 || left == 16 {
			r = 4
		}
		s := step[F]{r: r, m: left / r, t: t, inverse: inverse}
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

func (t *columns[F]) radices() []int {
	var list []int
	for _, steps := range [2][]step[F]{t.down, t.along} {
		for _, s := range steps {
			list = append(list, s.r)
		}
	}
	return list
}

func (t *columns[F]) run(dst, src []single[F]) {
	b := t.scratch.Get().(*columnBuffers[F])
	rows, cols := t.rows, t.cols
	for c := 0; c < cols; c += t.first {
		t.transform(b, t.down, b.matrix[c:], cols, src[c:], cols, t.first)
	}
	size := int(unsafe.Sizeof(single[F]{}))
	lanes := t.code.lanes
	for r := 0; r < rows; r += t.then {
		s := &b.sweep
		s.src, s.w, s.dst = unsafe.Pointer(&b.matrix[r*cols]), unsafe.Pointer(&t.table[r*cols]), unsafe.Pointer(&b.a[0])
		s.outer, s.inner = t.then/lanes, cols/lanes
		s.srcLeg, s.dstLeg, s.dstFirst = cols*size, t.then*size, t.then*size
		s.srcSkip, s.dstSkip = (lanes-1)*cols*size, (lanes-cols*t.then)*size
		t.code.turn(s)
		t.transform(b, t.along, dst[r:], rows, b.a, t.then, t.then)
	}
	t.scratch.Put(b)
}

// transform transforms so many columns side by side, whose rows are from apart in src and to apart in dst.
func (t *columns[F]) transform(b *columnBuffers[F], steps []step[F], dst []single[F], to int, src []single[F], from, width int) {
	lanes, size := t.code.lanes, int(unsafe.Sizeof(single[F]{}))
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
		switch {
		case p.r == 4 && last:
			t.code.column4Last(s)
		case p.r == 4:
			t.code.column4(s)
		case last:
			t.code.column8Last(s)
		default:
			t.code.column8(s)
		}
		src, from = out, width
	}
}
