package props

import (
	"encoding/binary"
	"testing"

	"gamma/corpus"
)

// Fuzz judges the reduction on cases that Go's fuzzer makes: every byte string is a case.
func (r Reduction) Fuzz(f *testing.F) { f.Helper(); fuzzAll(f, r.judged) }

// Fuzz judges the dot product, as Reduction.Fuzz does.
func (d Dot) Fuzz(f *testing.F) { f.Helper(); fuzzAll(f, d.judged) }

// decoder reads a case from bytes; past the end it reads zeros, so that every string is a case.
type decoder []byte

func (d *decoder) byte() byte {
	if len(*d) == 0 {
		return 0
	}
	b := (*d)[0]
	*d = (*d)[1:]
	return b
}

func (d *decoder) word(bytes int) uint64 {
	var b [8]byte
	for i := range bytes {
		b[i] = d.byte()
	}
	return binary.LittleEndian.Uint64(b[:])
}

// maxFuzzN is the longest vector that the decoder makes.
const maxFuzzN = 1 << 12

// decode makes a case: an odd first byte stands for a recipe, whose draws follow, and an even one for
// values that are listed, each in as many bytes as the format has.
func (r *run) decode(d *decoder, l *Law) *corpus.Case {
	if d.byte()&1 == 1 {
		return r.decodeRecipe(d, l)
	}
	in := r.sub.claim.In
	width := (in.Bits() + 7) / 8
	c := &corpus.Case{Law: l.ID, Kernel: r.sub.name, Seed: uint64(d.byte())}
	shape := int(d.word(2))
	rows := 1
	if r.sub.rows {
		rows = 1 + int(d.byte()&3)
	}
	vectors := 1
	if r.sub.op == OpDot && !r.sub.squares {
		vectors = 2
	}
	limit := maxFuzzN
	if l.MaxN > 0 {
		limit = min(limit, l.MaxN)
	}
	if m := r.sub.claim.MaxN; m > 0 {
		limit = min(limit, m)
	}
	if d := r.sub.device; d != nil && d.MaxN > 0 {
		limit = min(limit, d.MaxN)
	}
	n := min(len(*d)/(width*vectors*rows), limit)
	c.X = corpus.NewValues(in, n*rows)
	read := func(v corpus.Values) {
		for i := range v.Len() {
			v.Set(i, d.word(width)&(in.SignBit()<<1-1))
		}
	}
	read(c.X)
	if vectors == 2 {
		c.Y = corpus.NewValues(in, n*rows)
		read(c.Y)
		if r.sub.shared {
			shareRows(c.Y, n)
		}
	}
	if rows > 1 {
		c.Rows = rows
	}
	if r.sub.follows {
		c.Tree = drawTree(shape, mix(uint64(shape)), n)
	}
	if r.sub.device != nil {
		rng := splitmix(mix(uint64(shape) + 1))
		r.sub.device.draw(c, n, &rng)
	}
	return c
}

// decodeRecipe makes a case as the drawer does, from bytes in place of rapid's draws.
func (r *run) decodeRecipe(d *decoder, l *Law) *corpus.Case {
	dr := newDrawer(r, l)
	rec := Recipe{Family: dr.families[int(d.byte())%len(dr.families)], A: d.byte(), B: d.byte()}
	place, shape := int(d.word(2)), int(d.word(2))
	rec.Seed = d.word(8)
	return newTrial(r.sub).kept(dr.expand(rec, place, shape))
}

// fuzzSeeds returns inputs that lead Go's fuzzer into both halves of the decoder.
func fuzzSeeds() [][]byte {
	var seeds [][]byte
	for i := range 8 {
		// a recipe: subject, law, odd, family, a, b, size, shape, seed
		seeds = append(seeds, []byte{byte(i), byte(i), 1, byte(3 * i), byte(40 * i), byte(30 * i), byte(50 * i), 90, 7, 7, byte(i), 1, 2, 3})
	}
	list := func(v ...uint32) []byte {
		b := []byte{0, 0, 0, 0, 0, 0}
		for _, w := range v {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	return append(seeds,
		list(),
		list(0x3f800000, 0x33800000, 0x33800000),             // 1, u, u
		list(0x7f7fffff, 0x7f7fffff, 0xff7fffff),             // overflow on the way
		list(0x7f800000, 0x40800000, 0xff800000),             // inf, 4, -inf
		list(0x80000000, 0x80000000),                         // -0, -0
		list(0x33400000, 0x3e800005, 0x3f7fffff, 0xb3800000), // the worst of Kahan's sum
	)
}
