package battery

import (
	"cmp"
	"math/bits"

	"gamma/model"
)

// sweep is a source of all operands of a law in the order of their encodings, in the place of drawn ones: of all pairs of words of 16 bits, for instance.
type sweep struct {
	*scalarSource
	r     *scalarRun
	quick func(x, y uint64) bool // or nil
	total uint64                 // of operands
	block uint64
	held  int
}

// mostSwept is the logarithm of how many operands are tried one by one. They come in blocks of 1 << inBlock, but for formats of so few bits that there are
// fewer than fewBlocks of these. A shard that is killed loses what it has done of one block.
const (
	mostSwept = 32
	inBlock   = 20
	fewBlocks = 256
)

// swept returns the sweep for a law where it is asked for and the operands have so few bits together; otherwise nil.
func (r *scalarRun) swept(l *ScalarLaw, s *scalarSource) *sweep {
	n := r.b.Format.Bits() * l.Operands
	if !r.Set.Sweep || n > mostSwept {
		return nil
	}
	w := &sweep{scalarSource: s, r: r, total: 1 << n}
	if l.Operands == 2 && r.b.narrow != nil && r.ask == nil {
		w.quick = r.b.narrow(l.ID)
	}
	return w
}

func (s *sweep) Blocks() int { return int(max(s.total>>inBlock, min(s.total, fewBlocks))) }

func (s *sweep) Block(k int) { s.block, s.held = uint64(k), 0 }

// Round returns 0: there is nothing beyond all operands.
func (s *sweep) Round() int { return 0 }

// Held returns how many operands of the block were judged and hold without having been tried.
func (s *sweep) Held() int { return s.held }

// Search tries the operands of a block. It takes the time that it needs.
func (s *sweep) Search(try func(x []uint64) bool, _ func() bool) string {
	of, width := uint64(s.Blocks()), s.b.Format.Bits()
	row := uint64(1) << width
	for i, to := s.total/of*s.block, s.total/of*(s.block+1); i < to; {
		x := make([]uint64, s.l.Operands)
		for j := range x {
			x[j] = i >> (width * (len(x) - 1 - j)) & (row - 1)
		}
		if try(x) {
			break
		}
		if i++; s.quick == nil {
			continue
		}
		for end := min(to, (i|(row-1))+1); i < end; { // the rest of the row: hangs are reported of its first operands
			done := s.along(x[0], i&(row-1), i&(row-1)+end-i)
			if s.held += int(done); i+done == end {
				i = end
				break
			}
			i += done
			if try([]uint64{x[0], i & (row - 1)}) {
				return ""
			}
			i++
		}
	}
	return ""
}

// along judges pairs with one first operand, the second from y on and below end, until one is not known at once to hold, panics, or leaves the thread
// changed; it returns how many hold.
func (s *sweep) along(x, y, end uint64) (done uint64) {
	var err error
	defer func() {
		if recover() == nil && err != nil {
			done = 0 // which of them has done so, trials say
		}
	}()
	defer s.r.Guard.End(s.r.Guard.Begin(), &err)
	for ; y < end && s.quick(x, y); y++ {
		done++
	}
	return done
}

// narrow judges the sums, products and quotients of a format of at most 16 bits, rounded to nearest even, by integers of 64 bits. It looks at the middles
// between a result and its neighbours, as roundsTo does, and shares nothing with it but the definition; what it does not know it leaves to that.
type narrow struct {
	f model.Format
	m []uint64 // by finite encoding without sign: the significand
	e []int    // the exponent of its last place
}

// narrow returns how a law judges two operands at once where it can; a false result says nothing.
func (a *Arithmetic) narrow(id model.LawID) func(x, y uint64) bool {
	if a.Format.Bits() > 16 || a.Rounding != model.NearestEven || a.Flush.Any() || a.Finite {
		return nil
	}
	for _, op := range []struct {
		id    model.LawID
		run   func(x, y uint64) uint64
		exact func(n *narrow, x, y uint64) (num, den uint64, e int, neg bool)
	}{
		{model.RoundAdd, a.Add, (*narrow).sum},
		{model.RoundSub, a.Sub, func(n *narrow, x, y uint64) (uint64, uint64, int, bool) { return n.sum(x, y^n.f.SignBit()) }},
		{model.RoundMul, a.Mul, (*narrow).product},
		{model.RoundDiv, a.Div, (*narrow).quotient},
	} {
		if op.id != id || op.run == nil {
			continue
		}
		n := newNarrow(a.Format)
		return func(x, y uint64) bool {
			if max(x&^n.f.SignBit(), y&^n.f.SignBit()) >= uint64(len(n.m)) {
				return false
			}
			num, den, e, neg := op.exact(n, x, y)
			return num != 0 && den != 0 && n.rounds(num, den, e, neg, op.run(x, y))
		}
	}
	return nil
}

func newNarrow(f model.Format) *narrow {
	n := &narrow{f: f}
	for b := range f.MaxBits() + 1 {
		m, field := b&(1<<(f.P-1)-1), int(b>>(f.P-1))
		if field > 0 {
			m |= 1 << (f.P - 1)
		}
		n.m, n.e = append(n.m, m), append(n.e, f.Emin-f.P+max(field, 1))
	}
	return n
}

// product returns |x·y| = num/den·2^e, and its sign.
func (n *narrow) product(x, y uint64) (num, den uint64, e int, neg bool) {
	s := n.f.SignBit()
	return n.m[x&^s] * n.m[y&^s], 1, n.e[x&^s] + n.e[y&^s], (x^y)&s != 0
}

// quotient returns |x/y| = num/den·2^e, and its sign; den = 0 if y is.
func (n *narrow) quotient(x, y uint64) (num, den uint64, e int, neg bool) {
	s := n.f.SignBit()
	return n.m[x&^s], n.m[y&^s], n.e[x&^s] - n.e[y&^s], (x^y)&s != 0
}

// sum returns |x+y| = num·2^e, and its sign; den = 0 if the exponents lie too far apart.
func (n *narrow) sum(x, y uint64) (num, den uint64, e int, neg bool) {
	s := n.f.SignBit()
	ex, ey := n.e[x&^s], n.e[y&^s]
	e = min(ex, ey)
	if max(ex, ey)-e > 48 {
		return 0, 0, 0, false
	}
	p, q := int64(n.m[x&^s]<<(ex-e)), int64(n.m[y&^s]<<(ey-e))
	if x&s != 0 {
		p = -p
	}
	if y&s != 0 {
		q = -q
	}
	if p += q; p < 0 {
		return uint64(-p), 1, e, true
	}
	return uint64(p), 1, e, false
}

// rounds reports whether got is num/den·2^e > 0, with that sign, rounded to nearest even.
func (n *narrow) rounds(num, den uint64, e int, neg bool, got uint64) bool {
	s := n.f.SignBit()
	if (got&s != 0) != neg || got&^s >= uint64(len(n.m)) {
		return false
	}
	got &^= s
	m, last, even := n.m[got], n.e[got], got&1 == 0
	if c := compare(num, e, (2*m+1)*den, last-1); c > 0 || c == 0 && !even { // above the middle to the next
		return false
	}
	if got == 0 {
		return true
	}
	below, at := 2*m-1, last-1
	if m == 1<<(n.f.P-1) && got>>(n.f.P-1) > 1 { // the numbers below lie twice as close
		below, at = 4*m-1, last-2
	}
	c := compare(num, e, below*den, at)
	return c > 0 || c == 0 && even
}

// compare returns the sign of x·2^d - y·2^e. Domain: x, y > 0.
func compare(x uint64, d int, y uint64, e int) int {
	if c := cmp.Compare(bits.Len64(x)+d, bits.Len64(y)+e); c != 0 {
		return c
	}
	if d > e {
		x <<= d - e
	} else {
		y <<= e - d
	}
	return cmp.Compare(x, y)
}
