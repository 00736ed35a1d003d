package ntt

import "math/bits"

// The layers of a shoupTable's transforms in Go. The assembly for x86-64 does the same steps on the same words.

// shoupReduce returns v - m if v >= m, and v otherwise.
//
// Range: v in [0, 2m) gives [0, m).
func shoupReduce(v, m uint64) uint64 {
	if v >= m {
		v -= m
	}
	return v
}

// shoupTimes is shoupFactor.times.
func shoupTimes(x, w, s, q uint64) uint64 {
	h, _ := bits.Mul64(x, s)
	return x*w - h*q
}

// shoupForward is the Cooley-Tukey butterfly, (x + w·y, x - w·y).
//
// Range: x in [0, 4q), y any word; results in [0, 4q).
func shoupForward(x, y, w, s, q uint64) (uint64, uint64) {
	h, _ := bits.Mul64(y, s)
	y = y*w - h*q // [0, 2q)
	if x >= 2*q { // [0, 2q)
		x -= 2 * q
	}
	return x + y, x - y + 2*q
}

// shoupInverse is the Gentleman-Sande butterfly, (x + y, (x - y)·w).
//
// Range: x and y in [0, 2q); results in [0, 2q).
func shoupInverse(x, y, w, s, q uint64) (uint64, uint64) {
	d := x - y + 2*q // [0, 4q)
	x += y           // [0, 4q)
	if x >= 2*q {
		x -= 2 * q
	}
	h, _ := bits.Mul64(d, s)
	return x, d*w - h*q
}

// shoupForwardLayer runs a layer of forward on the nodes that are adjacent in x; w and s hold a factor for each.
func shoupForwardLayer(x, w, s []uint64, q uint64) {
	if len(w) == 0 {
		return
	}
	length := len(x) / len(w)
	for i, w := range w {
		s := s[i]
		a := x[i*length : (i+1)*length]
		a, b := a[:length/2], a[length/2:]
		for len(a) >= 8 && len(b) >= 8 {
			a8, b8 := (*[8]uint64)(a), (*[8]uint64)(b)
			a8[0], b8[0] = shoupForward(a8[0], b8[0], w, s, q)
			a8[1], b8[1] = shoupForward(a8[1], b8[1], w, s, q)
			a8[2], b8[2] = shoupForward(a8[2], b8[2], w, s, q)
			a8[3], b8[3] = shoupForward(a8[3], b8[3], w, s, q)
			a8[4], b8[4] = shoupForward(a8[4], b8[4], w, s, q)
			a8[5], b8[5] = shoupForward(a8[5], b8[5], w, s, q)
			a8[6], b8[6] = shoupForward(a8[6], b8[6], w, s, q)
			a8[7], b8[7] = shoupForward(a8[7], b8[7], w, s, q)
			a, b = a[8:], b[8:]
		}
		for j := range a {
			a[j], b[j] = shoupForward(a[j], b[j], w, s, q)
		}
	}
}

// shoupInverseLayer runs a layer of inverse, as shoupForwardLayer does for forward.
func shoupInverseLayer(x, w, s []uint64, q uint64) {
	if len(w) == 0 {
		return
	}
	length := len(x) / len(w)
	for i, w := range w {
		s := s[i]
		a := x[i*length : (i+1)*length]
		a, b := a[:length/2], a[length/2:]
		for len(a) >= 8 && len(b) >= 8 {
			a8, b8 := (*[8]uint64)(a), (*[8]uint64)(b)
			a8[0], b8[0] = shoupInverse(a8[0], b8[0], w, s, q)
			a8[1], b8[1] = shoupInverse(a8[1], b8[1], w, s, q)
			a8[2], b8[2] = shoupInverse(a8[2], b8[2], w, s, q)
			a8[3], b8[3] = shoupInverse(a8[3], b8[3], w, s, q)
			a8[4], b8[4] = shoupInverse(a8[4], b8[4], w, s, q)
			a8[5], b8[5] = shoupInverse(a8[5], b8[5], w, s, q)
			a8[6], b8[6] = shoupInverse(a8[6], b8[6], w, s, q)
			a8[7], b8[7] = shoupInverse(a8[7], b8[7], w, s, q)
			a, b = a[8:], b[8:]
		}
		for j := range a {
			a[j], b[j] = shoupInverse(a[j], b[j], w, s, q)
		}
	}
}

// shoupScaleLayer runs the last layer of inverse, that of node 1, with the scaling: (x, y) becomes ((x + y)·scale, (x - y)·last).
//
// Range: words in [0, 2q); results in [0, 2q), and in [0, q) if reduce.
func shoupScaleLayer(x []uint64, scale, last shoupFactor, q uint64, reduce bool) {
	a, b := x[:len(x)/2], x[len(x)/2:]
	b = b[:len(a)]
	limit := 2 * q // a word in [0, 2q) is never above
	if reduce {
		limit = q
	}
	for i, v := range a {
		d := v - b[i] + 2*q // [0, 4q)
		a[i] = shoupReduce(scale.times(v+b[i], q), limit)
		b[i] = shoupReduce(last.times(d, q), limit)
	}
}

// descend runs the layers of forward below and at node, to which x belongs.
func (s *shoupTable) descend(x []uint64, node int, reduce bool) {
	nodes, length := 1, len(x)
	for ; length > shoupLeaf; nodes, length = 2*nodes, length/2 {
		if length > shoupCached {
			shoupForwardLayer(x, s.forwardW[node:node+1], s.forwardS[node:node+1], s.q)
			s.descend(x[:length/2], 2*node, reduce)
			s.descend(x[length/2:], 2*node+1, reduce)
			return
		}
		b := node * nodes
		shoupForwardLayer(x, s.forwardW[b:b+nodes], s.forwardS[b:b+nodes], s.q)
	}
	s.forwardLeaves(x, node*nodes, reduce)
}

// forwardLeaves runs the last three layers of forward on adjacent leaves, the first of which is node.
func (s *shoupTable) forwardLeaves(x []uint64, node int, reduce bool) {
	q := s.q
	leaves := len(x) / shoupLeaf
	w1, s1 := s.forwardW[node:], s.forwardS[node:]
	w2, s2 := s.forwardW[2*node:], s.forwardS[2*node:]
	w3, s3 := s.forwardW[4*node:], s.forwardS[4*node:]
	for i := range leaves {
		x := (*[8]uint64)(x[8*i:])
		w, s := w1[i], s1[i]
		x0, x4 := shoupForward(x[0], x[4], w, s, q)
		x1, x5 := shoupForward(x[1], x[5], w, s, q)
		x2, x6 := shoupForward(x[2], x[6], w, s, q)
		x3, x7 := shoupForward(x[3], x[7], w, s, q)
		v, r := (*[2]uint64)(w2[2*i:]), (*[2]uint64)(s2[2*i:])
		x0, x2 = shoupForward(x0, x2, v[0], r[0], q)
		x1, x3 = shoupForward(x1, x3, v[0], r[0], q)
		x4, x6 = shoupForward(x4, x6, v[1], r[1], q)
		x5, x7 = shoupForward(x5, x7, v[1], r[1], q)
		u, p := (*[4]uint64)(w3[4*i:]), (*[4]uint64)(s3[4*i:])
		x0, x1 = shoupForward(x0, x1, u[0], p[0], q)
		x2, x3 = shoupForward(x2, x3, u[1], p[1], q)
		x4, x5 = shoupForward(x4, x5, u[2], p[2], q)
		x6, x7 = shoupForward(x6, x7, u[3], p[3], q)
		if reduce {
			x0, x1 = shoupReduce(shoupReduce(x0, 2*q), q), shoupReduce(shoupReduce(x1, 2*q), q)
			x2, x3 = shoupReduce(shoupReduce(x2, 2*q), q), shoupReduce(shoupReduce(x3, 2*q), q)
			x4, x5 = shoupReduce(shoupReduce(x4, 2*q), q), shoupReduce(shoupReduce(x5, 2*q), q)
			x6, x7 = shoupReduce(shoupReduce(x6, 2*q), q), shoupReduce(shoupReduce(x7, 2*q), q)
		}
		x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7] = x0, x1, x2, x3, x4, x5, x6, x7
	}
}

// ascend runs the layers of inverse below and at node, to which x belongs, but not that of node 1.
func (s *shoupTable) ascend(x []uint64, node int) {
	length := shoupLeaf
	if len(x) > shoupCached {
		s.ascend(x[:len(x)/2], 2*node)
		s.ascend(x[len(x)/2:], 2*node+1)
		length = len(x) / 2
	} else {
		s.inverseLeaves(x, node*(len(x)/length))
	}
	for length < len(x) {
		length *= 2
		nodes := len(x) / length
		if b := node * nodes; b > 1 {
			shoupInverseLayer(x, s.inverseW[b:b+nodes], s.inverseS[b:b+nodes], s.q)
		}
	}
}

// inverseLeaves runs the first three layers of inverse, or the first two if the leaf is node 1.
func (s *shoupTable) inverseLeaves(x []uint64, node int) {
	q := s.q
	leaves := len(x) / shoupLeaf
	w1, s1 := s.inverseW[node:], s.inverseS[node:]
	w2, s2 := s.inverseW[2*node:], s.inverseS[2*node:]
	w3, s3 := s.inverseW[4*node:], s.inverseS[4*node:]
	for i := range leaves {
		x := (*[8]uint64)(x[8*i:])
		u, p := (*[4]uint64)(w3[4*i:]), (*[4]uint64)(s3[4*i:])
		x[0], x[1] = shoupInverse(x[0], x[1], u[0], p[0], q)
		x[2], x[3] = shoupInverse(x[2], x[3], u[1], p[1], q)
		x[4], x[5] = shoupInverse(x[4], x[5], u[2], p[2], q)
		x[6], x[7] = shoupInverse(x[6], x[7], u[3], p[3], q)
		v, r := (*[2]uint64)(w2[2*i:]), (*[2]uint64)(s2[2*i:])
		w, s := v[0], r[0]
		x[0], x[2] = shoupInverse(x[0], x[2], w, s, q)
		x[1], x[3] = shoupInverse(x[1], x[3], w, s, q)
		w, s = v[1], r[1]
		x[4], x[6] = shoupInverse(x[4], x[6], w, s, q)
		x[5], x[7] = shoupInverse(x[5], x[7], w, s, q)
		if node > 1 {
			w, s = w1[i], s1[i]
			x[0], x[4] = shoupInverse(x[0], x[4], w, s, q)
			x[1], x[5] = shoupInverse(x[1], x[5], w, s, q)
			x[2], x[6] = shoupInverse(x[2], x[6], w, s, q)
			x[3], x[7] = shoupInverse(x[3], x[7], w, s, q)
		}
	}
}
