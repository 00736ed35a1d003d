package fft

import "gamma/kernels"

// This file has what stage.go and real.go do, for numbers of words: there methods of a type parameter are called, which Go does not inline, and which cost more
// than the arithmetic. Results are the same, bit for bit.

// quickly makes a pass or a joining pass of words, and reports whether it has code for it.
func quickly[C any](step any, dst, src []C) bool {
	switch s := step.(type) {
	case *pass[single[float32]]:
		return passOf(s, view[single[float32]](dst), view[single[float32]](src))
	case *pass[single[float64]]:
		return passOf(s, view[single[float64]](dst), view[single[float64]](src))
	case *joint[single[float32]]:
		return jointOf(s, view[single[float32]](dst), view[single[float32]](src))
	case *joint[single[float64]]:
		return jointOf(s, view[single[float64]](dst), view[single[float64]](src))
	}
	return false
}

// passOf makes a pass of radix 2, 4 or 8.
func passOf[F kernels.Float](p *pass[single[F]], dst, src []single[F]) bool {
	switch p.r {
	case 2:
		passOf2(p, dst, src)
	case 4:
		passOf4(p, dst, src)
	case 8:
		passOf8(p, dst, src)
	default:
		return false
	}
	return true
}

func passOf2[F kernels.Float](p *pass[single[F]], dst, src []single[F]) {
	s := p.s
	half := s * p.m
	for i := range p.m {
		w := p.w[i]
		a, b := src[s*i:s*(i+1)], src[half+s*i:half+s*(i+1)]
		y, z := dst[2*s*i:s*(2*i+1)], dst[s*(2*i+1):s*(2*i+2)]
		b, y, z = b[:len(a)], y[:len(a)], z[:len(a)]
		for q, v := range a {
			sum, difference := v.plus(b[q]), v.minus(b[q])
			if i > 0 {
				difference = difference.times(w)
			}
			y[q], z[q] = sum, difference
		}
	}
}

// fourOf is four.
func fourOf[F kernels.Float](a, b, c, d single[F]) (w, x, y, z single[F]) {
	ac, ca := a.plus(c), a.minus(c)
	bd, db := b.plus(d), b.minus(d).turned()
	return ac.plus(bd), ca.plus(db), ac.minus(bd), ca.minus(db)
}

func passOf4[F kernels.Float](p *pass[single[F]], dst, src []single[F]) {
	s := p.s
	leg := s * p.m
	for i := range p.m {
		w := p.w[3*i : 3*i+3]
		in := src[s*i:]
		a, b, c, d := in[:s], in[leg:leg+s], in[2*leg:2*leg+s], in[3*leg:3*leg+s]
		out := dst[4*s*i : 4*s*(i+1)]
		y0, y1, y2, y3 := out[:s], out[s:2*s], out[2*s:3*s], out[3*s:]
		w1, w2, w3 := w[0], w[1], w[2]
		if p.inverse {
			y1, y3, w1, w3 = y3, y1, w3, w1
		}
		b, c, d, y0, y1, y2, y3 = b[:len(a)], c[:len(a)], d[:len(a)], y0[:len(a)], y1[:len(a)], y2[:len(a)], y3[:len(a)]
		if i == 0 {
			for q := range a {
				y0[q], y1[q], y2[q], y3[q] = fourOf(a[q], b[q], c[q], d[q])
			}
			continue
		}
		for q := range a {
			v0, v1, v2, v3 := fourOf(a[q], b[q], c[q], d[q])
			y0[q], y1[q], y2[q], y3[q] = v0, v1.times(w1), v2.times(w2), v3.times(w3)
		}
	}
}

func passOf8[F kernels.Float](p *pass[single[F]], dst, src []single[F]) {
	s, half := p.s, p.small[0]
	leg := s * p.m
	for i := range p.m {
		w := (*[7]single[F])(p.w[7*i:])
		for q := range s {
			x, y := src[s*i+q:], dst[8*s*i+q:]
			a0, a1, a2, a3, b0, b1, b2, b3 := x[0], x[leg], x[2*leg], x[3*leg], x[4*leg], x[5*leg], x[6*leg], x[7*leg]
			d0, d1, d2, d3 := a0.minus(b0), a1.minus(b1), a2.minus(b2).turned(), a3.minus(b3).turned()
			d1, d3 = d1.plus(d1.turned()).scaled(half), d3.plus(d3.turned()).scaled(half)
			v0, v2, v4, v6 := fourOf(a0.plus(b0), a1.plus(b1), a2.plus(b2), a3.plus(b3))
			v1, v3, v5, v7 := fourOf(d0, d1, d2, d3)
			if p.inverse {
				v1, v2, v3, v5, v6, v7 = v7, v6, v5, v3, v2, v1
			}
			if i > 0 {
				v1, v2, v3, v4 = v1.times(w[0]), v2.times(w[1]), v3.times(w[2]), v4.times(w[3])
				v5, v6, v7 = v5.times(w[4]), v6.times(w[5]), v7.times(w[6])
			}
			y[0], y[s], y[2*s], y[3*s], y[4*s], y[5*s], y[6*s], y[7*s] = v0, v1, v2, v3, v4, v5, v6, v7
		}
	}
}

// jointOf is joint.forward of dst where src is nil, and otherwise joint.back of both.
func jointOf[F kernels.Float](t *joint[single[F]], dst, src []single[F]) bool {
	m := t.m
	if src == nil {
		for k := 1; 2*k <= m; k++ {
			z, other := dst[k], dst[m-k].conj()
			sum, difference := z.plus(other).scaled(t.half), z.minus(other).turned().scaled(t.half).times(t.w[k])
			dst[m-k] = sum.minus(difference).conj()
			dst[k] = sum.plus(difference)
		}
		return true
	}
	for k := 1; 2*k <= m; k++ {
		z, other := src[k], src[m-k].conj()
		sum, difference := z.plus(other), z.minus(other).times(t.w[k]).turned()
		dst[m-k] = sum.plus(difference).conj()
		dst[k] = sum.minus(difference)
	}
	return true
}
