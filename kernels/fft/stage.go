package fft

import (
	"sync"

	"gamma/kernels/dd"
)

// runner transforms n numbers. dst is src, or does not overlap it.
type runner[C any] interface{ run(dst, src []C) }

// stages is a transform by Stockham's passes: each combines r rows of a matrix and turns its index by one digit, so that the last leaves values in
// order.
type stages[C number[C]] struct {
	n       int
	passes  []pass[C]
	factor  C // what each value is multiplied by, if scaled
	scaled  bool
	scratch sync.Pool
}

// pass is one pass: y[q + s·(r·p + k)] = w^(k·p)·Σ_j x[q + s·(p + m·j)]·exp(∓2πi·j·k/r), where w = exp(∓2πi/(r·m)).
type pass[C number[C]] struct {
	r, m, s int
	inverse bool
	w       []C // w^(k·p) at (r-1)·p + k-1
	small   []C // cos and sin of 2πj/r in real parts, at 2j and 2j+1, for odd r; the cosine of an eighth turn for r = 8
}

// newStages returns the transform of n points by the radices, whose product is n.
func newStages[C number[C]](n int, radices []int, inverse bool, from func(re, im dd.DD64) C) *stages[C] {
	t := &stages[C]{n: n}
	table := roots(n, inverse, from)
	length, s := n, 1
	for _, r := range radices {
		p := pass[C]{r: r, m: length / r, s: s, inverse: inverse, small: smallRoots(r, from)}
		for i := range p.m {
			for k := 1; k < r; k++ {
				p.w = append(p.w, table[s*i*k])
			}
		}
		t.passes = append(t.passes, p)
		length, s = p.m, s*r
	}
	t.scratch.New = func() any { return &[2][]C{make([]C, n), make([]C, n)} }
	return t
}

// smallRoots returns the constants of the butterfly of r points.
func smallRoots[C any](r int, from func(re, im dd.DD64) C) []C {
	var list []C
	switch {
	case r == 8:
		list = append(list, part(from, 1, 8, 0))
	case r%2 == 1:
		for j := range r {
			list = append(list, part(from, j, r, 0), part(from, j, r, 1))
		}
	}
	return list
}

// run makes the passes from src through two buffers to dst.
func (t *stages[C]) run(dst, src []C) {
	if len(t.passes) == 0 {
		copy(dst, src)
	}
	buffers := t.scratch.Get().(*[2][]C)
	from := src
	for i := range t.passes {
		to := dst
		if i < len(t.passes)-1 {
			to = buffers[i%2]
		}
		t.passes[i].run(to, from)
		from = to
	}
	t.scratch.Put(buffers)
	if t.scaled {
		for i, x := range dst {
			dst[i] = x.scaled(t.factor)
		}
	}
}

// maxRadix is the greatest radix of a pass.
const maxRadix = 8

func (p *pass[C]) run(dst, src []C) {
	if quickly(p, dst, src) {
		return
	}
	var v [maxRadix]C
	r, m, s := p.r, p.m, p.s
	for i := range m {
		w := p.w[(r-1)*i : (r-1)*(i+1)]
		for q := range s {
			for j := range r {
				v[j] = src[q+s*(i+m*j)]
			}
			p.butterfly(&v)
			out := q + s*r*i
			dst[out] = v[0]
			for k := 1; k < r; k++ {
				value := v[k]
				if p.inverse { // exp(+2πi·j·k/r) = exp(-2πi·j·(r-k)/r)
					value = v[r-k]
				}
				if i > 0 {
					value = value.times(w[k-1])
				}
				dst[out+s*k] = value
			}
		}
	}
}

// butterfly replaces the first r numbers by their forward transform.
func (p *pass[C]) butterfly(v *[maxRadix]C) {
	switch p.r {
	case 2:
		v[0], v[1] = v[0].plus(v[1]), v[0].minus(v[1])
	case 4:
		v[0], v[1], v[2], v[3] = four(v[0], v[1], v[2], v[3])
	case 8:
		eight(v, p.small[0])
	default:
		odd(v[:p.r], p.small)
	}
}

// four returns the forward transform of four numbers.
func four[C number[C]](a, b, c, d C) (w, x, y, z C) {
	ac, ca := a.plus(c), a.minus(c)
	bd, db := b.plus(d), b.minus(d).turned()
	return ac.plus(bd), ca.plus(db), ac.minus(bd), ca.minus(db)
}

// eight replaces eight numbers by their forward transform; half is √2/2.
func eight[C number[C]](v *[maxRadix]C, half C) {
	d0, d1, d2, d3 := v[0].minus(v[4]), v[1].minus(v[5]), v[2].minus(v[6]).turned(), v[3].minus(v[7]).turned()
	// The product with exp(-2πi/8) is that with 1-i, and a scaling.
	d1, d3 = d1.plus(d1.turned()).scaled(half), d3.plus(d3.turned()).scaled(half)
	v[0], v[2], v[4], v[6] = four(v[0].plus(v[4]), v[1].plus(v[5]), v[2].plus(v[6]), v[3].plus(v[7]))
	v[1], v[3], v[5], v[7] = four(d0, d1, d2, d3)
}

// odd replaces an odd number of numbers by their forward transform, by definition, with x_j and x_(r-j) taken together.
func odd[C number[C]](v []C, small []C) {
	r := len(v)
	var sums, differences, even, uneven [maxRadix]C
	all := v[0]
	for j := 1; 2*j < r; j++ {
		sums[j], differences[j] = v[j].plus(v[r-j]), v[j].minus(v[r-j]).turned()
		all = all.plus(sums[j])
	}
	for k := 1; 2*k < r; k++ {
		even[k] = v[0]
		for j := 1; 2*j < r; j++ {
			even[k] = even[k].plus(sums[j].scaled(small[2*(j*k%r)]))
			term := differences[j].scaled(small[2*(j*k%r)+1])
			if j == 1 {
				uneven[k] = term
			} else {
				uneven[k] = uneven[k].plus(term)
			}
		}
	}
	v[0] = all
	for k := 1; 2*k < r; k++ {
		v[k], v[r-k] = even[k].plus(uneven[k]), even[k].minus(uneven[k])
	}
}

// factors returns radices whose product is n, or nil if n has a prime factor above 7. Eights come first, since they save passes.
func factors(n int) []int {
	var list []int
	for _, r := range []int{7, 5, 3} {
		for ; n%r == 0; n /= r {
			list = append(list, r)
		}
	}
	for ; n%8 == 0 && n != 16; n /= 8 {
		list = append(list, 8)
	}
	for ; n%4 == 0; n /= 4 {
		list = append(list, 4)
	}
	for ; n%2 == 0; n /= 2 {
		list = append(list, 2)
	}
	if n != 1 {
		return nil
	}
	return list
}
