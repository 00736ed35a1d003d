package vectors

import (
	"encoding/binary"

	"gamma/corpus"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
)

// Decode makes a case: an odd first byte stands for a recipe, whose draws follow, and an even one for
// values that are listed, each in as many bytes as the format has.
func (r *Run) Decode(d *engine.Decoder, l *Law) *corpus.Case {
	if d.Byte()&1 == 1 {
		return r.decodeRecipe(d, l)
	}
	in := r.Sub.Claim.In
	width := (in.Bits() + 7) / 8
	c := &corpus.Case{Law: l.ID, Kernel: r.Sub.Name, Seed: uint64(d.Byte())}
	shape := int(d.Word(2))
	rows := 1
	if r.Sub.Rows {
		rows = 1 + int(d.Byte()&3)
	}
	vectors := 1
	if r.Sub.Op == engine.OpDot && !r.Sub.Squares {
		vectors = 2
	}
	sizes := r.Sub.lengthsFor(l, draw.MaxFuzzN)
	n := sizes.Fit(len(*d) / (width * vectors * rows))
	c.X = corpus.NewValues(in, n*rows)
	read := func(v corpus.Values) {
		for i := range v.Len() {
			v.Set(i, d.Word(width)&(in.SignBit()<<1-1))
		}
	}
	read(c.X)
	if vectors == 2 {
		c.Y = corpus.NewValues(in, n*rows)
		read(c.Y)
		if r.Sub.shared {
			shareRows(c.Y, n)
		}
	}
	if rows > 1 {
		c.Rows = rows
	}
	if r.Sub.Follows {
		c.Tree = drawTree(shape, draw.Mix(uint64(shape)), n)
	}
	at := r.Sub.Device.DrawSetting(n, draw.Mix(uint64(shape)+1))
	c.Behaviour, c.Launch = at.Behaviour, at.Launch
	return c
}

// decodeRecipe makes a case as the drawer does, from bytes in place of rapid's draws.
func (r *Run) decodeRecipe(d *engine.Decoder, l *Law) *corpus.Case {
	dr := NewDrawer(r, l)
	rec := families.Recipe{Family: dr.families[int(d.Byte())%len(dr.families)], A: d.Byte(), B: d.Byte()}
	place, shape := int(d.Word(2)), int(d.Word(2))
	rec.Seed = d.Word(8)
	return NewTrial(r.Sub).Kept(dr.expand(rec, place, shape))
}

// FuzzSeeds returns inputs that lead Go's fuzzer into both halves of the decoder.
func FuzzSeeds() [][]byte {
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
