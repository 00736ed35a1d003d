package formulas

import (
	"fmt"
	"math"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
)

// sweep is a source of all inputs of a kernel of one number, chunk by chunk in the order of their encodings, in the place of drawn ones. Law
// formula.special takes NaNs and infinities, and the others of sweptLaws what is finite, or the part of it that says all.
type sweep struct {
	*drawer
	law    model.LawID
	size   int   // numbers in a chunk
	chunks []int // that the law takes
	block  int   // of them, that Search judges
}

// mostBlocks is how many blocks the chunks of a law are at most.
const mostBlocks = 256

// chunkSize returns how many inputs are judged at once: as many as have one sign and exponent, or a part of these, so that no chunk has both finite
// numbers and others. There are at most 2^16 chunks.
func (r *run) chunkSize() int {
	switch f := r.inputs[0].Type().Float; {
	case f.Bits() == 32:
		return 1 << 16
	case f.HasInf:
		return 1 << min(7, f.P-1)
	}
	return 1
}

// sweepable says why a kernel's inputs cannot be tried one by one, "" if they can.
func (r *run) sweepable() string {
	if r.k.Formula == nil {
		return "it has no formula"
	}
	if why := r.ofOneNumber(); why != "" {
		return why
	}
	switch {
	case r.inputs[0].Type().Float.Bits() > 32:
		return "its numbers have more than 32 bits"
	case !r.claimed(r.axes[0]).has(r.chunkSize()):
		return fmt.Sprintf("it does not claim axis %s of %d elements", r.axes[0], r.chunkSize())
	}
	return ""
}

// sweptLaws are the laws whose inputs a sweep tries one by one.
var sweptLaws = []model.LawID{model.FormulaEnclosure, model.FormulaSpecial, model.FormulaSymmetry, model.FormulaMonotone}

// swept returns the sweep for a law, or d where the law, the kernel or the part of all inputs has none.
func (r *run) swept(d *drawer, l *Law) (engine.Source[*corpus.Arrays], error) {
	if !r.Set.Sweep || !slices.Contains(sweptLaws, l.ID) || r.sweepable() != "" {
		return d, nil
	}
	s := &sweep{drawer: d, law: l.ID, size: r.chunkSize()}
	for k := range 1 << r.inputs[0].Type().Float.Bits() / s.size {
		if s.takes(k) {
			s.chunks = append(s.chunks, k)
		}
	}
	if len(s.chunks) == 0 {
		return d, nil
	}
	return s, nil
}

func (s *sweep) Blocks() int { return min(len(s.chunks), mostBlocks) }

func (s *sweep) Block(k int) { s.block = k }

// Search judges the chunks of a block. It takes the time that it needs.
func (s *sweep) Search(try func(*corpus.Arrays) bool, _ func() bool) string {
	n, of := len(s.chunks), s.Blocks()
	for _, k := range s.chunks[n*s.block/of : n*(s.block+1)/of] {
		if try(s.chunk(k)) {
			break
		}
	}
	return ""
}

// takes reports whether the law says something of chunk k: of symmetry, that of positive numbers says all.
func (s *sweep) takes(k int) bool {
	t := s.r.inputs[0].Type()
	first, last := value(t, uint64(k*s.size)), value(t, uint64((k+1)*s.size-1))
	meets := func(r formula.Range) bool { return r.From <= max(first, last) && r.To >= min(first, last) }
	switch special := s.special(k); s.law {
	case model.FormulaSpecial:
		return special
	case model.FormulaSymmetry:
		return !special && !math.Signbit(first)
	case model.FormulaMonotone:
		return !special && (slices.ContainsFunc(s.r.k.Claim.Rising, meets) || slices.ContainsFunc(s.r.k.Claim.Falling, meets))
	default:
		return !special
	}
}

// chunk returns the inputs of chunk k.
func (s *sweep) chunk(k int) *corpus.Arrays {
	s.c.Axes[0].Size = s.size
	s.recipe(0, families.Recipe{Family: families.Consecutive().Name, N: s.size, A: uint8(k >> 8), B: uint8(k)})
	return s.r.Seed(s.c, s.r.greatest(s.c), uint64(k))
}

// special reports whether chunk k has NaNs or infinities.
func (s *sweep) special(k int) bool {
	f := s.r.inputs[0].Type().Float
	return uint64(k*s.size)&^f.SignBit() > f.MaxBits()
}
