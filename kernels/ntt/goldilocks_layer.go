package ntt

// This file holds the layers for 2^64 - 2^32 + 1, as word31_layer.go does for words of 32 bits. All words are in [0, q), before and after
// each butterfly.

// goldilocksForward is a butterfly of forward: (x + w·y, x - w·y).
func goldilocksForward(x, y, w uint64) (uint64, uint64) {
	y = goldilocksTimes(y, w)
	return goldilocksAdd(x, y), goldilocksSub(x, y)
}

// goldilocksInverse is a butterfly of inverse: (x + y, (x - y)·w).
func goldilocksInverse(x, y, w uint64) (uint64, uint64) {
	return goldilocksAdd(x, y), goldilocksTimes(goldilocksSub(x, y), w)
}

// goldilocksDownLayer runs the layer of forward with m nodes.
func goldilocksDownLayer(x, w []uint64, m int) {
	half := len(x) / m / 2
	for b, w := range w[m : 2*m] {
		block := x[2*b*half : (2*b+2)*half]
		lower, upper := block[:half], block[half:]
		upper = upper[:len(lower)]
		for i := range lower {
			lower[i], upper[i] = goldilocksForward(lower[i], upper[i], w)
		}
	}
}

// goldilocksUpLayer runs the layer of inverse with m nodes.
func goldilocksUpLayer(x, w []uint64, m int) {
	half := len(x) / m / 2
	for b, w := range w[m : 2*m] {
		block := x[2*b*half : (2*b+2)*half]
		lower, upper := block[:half], block[half:]
		upper = upper[:len(lower)]
		for i := range lower {
			lower[i], upper[i] = goldilocksInverse(lower[i], upper[i], w)
		}
	}
}

// goldilocksDownGo runs all layers of forward.
func goldilocksDownGo(x, w []uint64) {
	n, m := len(x), 1
	if word31Odd(n) {
		goldilocksDownLayer(x, w, 1)
		m = 2
	}
	for ; m < n/4; m *= 4 {
		goldilocksDownPass(x, w, m)
	}
	if n < 4 {
		return
	}
	// The last pass, whose blocks are four words.
	w1, w2 := w[m:2*m], w[2*m:4*m]
	for b, w := range w1 {
		v := (*[4]uint64)(x[4*b:])
		x0, x2 := goldilocksForward(v[0], v[2], w)
		x1, x3 := goldilocksForward(v[1], v[3], w)
		v[0], v[1] = goldilocksForward(x0, x1, w2[2*b])
		v[2], v[3] = goldilocksForward(x2, x3, w2[2*b+1])
	}
}

// goldilocksDownPass runs the layers of forward with m and 2m nodes.
func goldilocksDownPass(x, w []uint64, m int) {
	quarter := len(x) / m / 4
	for b := range m {
		w1, w2, w3 := w[m+b], w[2*m+2*b], w[2*m+2*b+1]
		v0, v1, v2, v3 := goldilocksQuarters(x[4*b*quarter:], quarter)
		for i := range v0 {
			x0, x2 := goldilocksForward(v0[i], v2[i], w1)
			x1, x3 := goldilocksForward(v1[i], v3[i], w1)
			v0[i], v1[i] = goldilocksForward(x0, x1, w2)
			v2[i], v3[i] = goldilocksForward(x2, x3, w3)
		}
	}
}

// goldilocksUpGo runs all layers of inverse.
func goldilocksUpGo(x, w []uint64) {
	n := len(x)
	if n >= 4 {
		// The first pass, whose blocks are four words.
		m := n / 4
		w1, w2 := w[m:2*m], w[2*m:4*m]
		for b, w := range w1 {
			v := (*[4]uint64)(x[4*b:])
			x0, x1 := goldilocksInverse(v[0], v[1], w2[2*b])
			x2, x3 := goldilocksInverse(v[2], v[3], w2[2*b+1])
			v[0], v[2] = goldilocksInverse(x0, x2, w)
			v[1], v[3] = goldilocksInverse(x1, x3, w)
		}
	}
	for m := n / 16; m > 0; m /= 4 {
		goldilocksUpPass(x, w, m)
	}
	if word31Odd(n) {
		goldilocksUpLayer(x, w, 1)
	}
}

// goldilocksUpPass runs the layers of inverse with 2m and m nodes.
func goldilocksUpPass(x, w []uint64, m int) {
	quarter := len(x) / m / 4
	for b := range m {
		w1, w2, w3 := w[m+b], w[2*m+2*b], w[2*m+2*b+1]
		v0, v1, v2, v3 := goldilocksQuarters(x[4*b*quarter:], quarter)
		for i := range v0 {
			x0, x1 := goldilocksInverse(v0[i], v1[i], w2)
			x2, x3 := goldilocksInverse(v2[i], v3[i], w3)
			v0[i], v2[i] = goldilocksInverse(x0, x2, w1)
			v1[i], v3[i] = goldilocksInverse(x1, x3, w1)
		}
	}
}

// goldilocksScaleGo multiplies each word by w.
//
// Range:  any words; results in [0, q).
func goldilocksScaleGo(x []uint64, w uint64) {
	for i, v := range x {
		x[i] = goldilocksTimes(v, w)
	}
}

// goldilocksQuarters cuts the first four quarters off x.
func goldilocksQuarters(x []uint64, quarter int) (v0, v1, v2, v3 []uint64) {
	v0, v1, v2, v3 = x[:quarter], x[quarter:2*quarter], x[2*quarter:3*quarter], x[3*quarter:4*quarter]
	return v0, v1[:len(v0)], v2[:len(v0)], v3[:len(v0)]
}
