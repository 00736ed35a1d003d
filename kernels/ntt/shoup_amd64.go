package ntt

// The assembly of shoup256_amd64.s and shoup512_amd64.s. Factors w and s of a layer are those of its first node; of leaves, those of node 0.

//go:noescape
func shoupForwardLayer256(x, w, s *uint64, nodes, half int, q uint64)

//go:noescape
func shoupForwardLeaves256(x, w, s *uint64, node, leaves int, q uint64, reduce bool)

//go:noescape
func shoupInverseLayer256(x, w, s *uint64, nodes, half int, q uint64)

//go:noescape
func shoupInverseLeaves256(x, w, s *uint64, node, leaves int, q uint64)

//go:noescape
func shoupScaleLayer256(x *uint64, half int, scale, last *shoupFactor, q, limit uint64)

//go:noescape
func shoupForwardLayer512(x, w, s *uint64, nodes, half int, q uint64)

//go:noescape
func shoupForwardLeaves512(x, w, s *uint64, node, leaves int, q uint64, reduce bool)

//go:noescape
func shoupInverseLayer512(x, w, s *uint64, nodes, half int, q uint64)

//go:noescape
func shoupInverseLeaves512(x, w, s *uint64, node, leaves int, q uint64)

//go:noescape
func shoupScaleLayer512(x *uint64, half int, scale, last *shoupFactor, q, limit uint64)

// shoupVectorLeast is the least length of vectors that the paths in assembly transform: four leaves of 16.
const shoupVectorLeast = 64

// shoupFastest returns the path that newShoupTable takes.
func shoupFastest() shoupPath {
	switch {
	case cpu.AVX512 && cpu.IFMA:
		return shoupAVX512
	case cpu.AVX2:
		return shoupAVX2
	}
	return shoupGo
}

// vectorLeaf returns the length of the pieces whose last layers run in one pass.
func (p shoupPath) vectorLeaf() int {
	if p == shoupAVX512 {
		return 16
	}
	return 8
}

// transformVector runs forward on a path in assembly, and reports whether there is one.
func (s *shoupTable) transformVector(x []uint64, reduce bool) bool {
	if s.path == shoupGo || s.n < shoupVectorLeast {
		return false
	}
	s.descendVector(x[:s.n], 1, reduce)
	return true
}

// untransformVector runs inverse on a path in assembly, and reports whether there is one.
func (s *shoupTable) untransformVector(x []uint64, reduce bool) bool {
	if s.path == shoupGo || s.n < shoupVectorLeast {
		return false
	}
	x = x[:s.n]
	s.ascendVector(x, 1)
	limit := 2 * s.q
	if reduce {
		limit = s.q
	}
	if s.path == shoupAVX512 {
		shoupScaleLayer512(&x[0], len(x)/2, &s.scale, &s.scaleLast, s.q, limit)
	} else {
		shoupScaleLayer256(&x[0], len(x)/2, &s.scale, &s.scaleLast, s.q, limit)
	}
	return true
}

// descendVector is descend with the layers in assembly.
func (s *shoupTable) descendVector(x []uint64, node int, reduce bool) {
	nodes, length := 1, len(x)
	for ; length > s.path.vectorLeaf(); nodes, length = 2*nodes, length/2 {
		b := node * nodes
		if s.path == shoupAVX512 {
			shoupForwardLayer512(&x[0], &s.forwardW[b], &s.forwardS[b], nodes, length/2, s.q)
		} else {
			shoupForwardLayer256(&x[0], &s.forwardW[b], &s.forwardS[b], nodes, length/2, s.q)
		}
		if length > shoupCached {
			s.descendVector(x[:length/2], 2*node, reduce)
			s.descendVector(x[length/2:], 2*node+1, reduce)
			return
		}
	}
	if s.path == shoupAVX512 {
		shoupForwardLeaves512(&x[0], &s.forwardW[0], &s.forwardS[0], node*nodes, nodes, s.q, reduce)
	} else {
		shoupForwardLeaves256(&x[0], &s.forwardW[0], &s.forwardS[0], node*nodes, nodes, s.q, reduce)
	}
}

// ascendVector is ascend with the layers in assembly.
func (s *shoupTable) ascendVector(x []uint64, node int) {
	length := s.path.vectorLeaf()
	switch leaves := len(x) / length; {
	case len(x) > shoupCached:
		length = len(x) / 2
		s.ascendVector(x[:length], 2*node)
		s.ascendVector(x[length:], 2*node+1)
	case s.path == shoupAVX512:
		shoupInverseLeaves512(&x[0], &s.inverseW[0], &s.inverseS[0], node*leaves, leaves, s.q)
	default:
		shoupInverseLeaves256(&x[0], &s.inverseW[0], &s.inverseS[0], node*leaves, leaves, s.q)
	}
	for length < len(x) {
		length *= 2
		nodes := len(x) / length
		switch b := node * nodes; {
		case b == 1: // the layer of node 1 is shoupScaleLayer's
		case s.path == shoupAVX512:
			shoupInverseLayer512(&x[0], &s.inverseW[b], &s.inverseS[b], nodes, length/2, s.q)
		default:
			shoupInverseLayer256(&x[0], &s.inverseW[b], &s.inverseS[b], nodes, length/2, s.q)
		}
	}
}
