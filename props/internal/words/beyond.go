package words

import (
	"gamma/corpus"
	"gamma/model"
	"gamma/model/word"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
)

// beyondFamilies are the families of rows that are drawn after all others, so that a seed draws what it always did.
var beyondFamilies = []WordFamily{
	{Name: "moved", Text: "rows of the families of numbers, their exponents moved anywhere in the range"},
}

func init() {
	beyondFamilies[0].Draw = (*wordGenerator).moved // which draws from the families
}

// moved draws a row of another family and moves it to any exponents: all operands of a sum together, those of products and quotients
// apart, most often so that the result is in range.
func (g *wordGenerator) moved(row []uint64) {
	wordFamilyByName[numberFamilies[g.Rng.Below(len(numberFamilies))]].Draw(g, row)
	n := max(g.op.Components(), g.op.Terms) * g.op.X
	sides := [][]uint64{row}
	switch g.op.Function {
	case word.Product, word.Quotient, word.ComplexProduct, word.DotProduct:
		sides = [][]uint64{row[:n], row[n:]}
	}
	room := g.Emax - g.Emin
	e := g.move(sides[0], g.Emin+g.Rng.Below(room))
	if len(sides) == 1 {
		return
	}
	to := g.Emin + g.Rng.Below(room) // of the result
	switch {
	case g.Rng.Below(4) == 0:
		g.move(sides[1], to)
	case g.op.Function == word.Quotient:
		g.move(sides[1], e-to)
	default:
		g.move(sides[1], to-e)
	}
}

// move moves the exponents of words together, so that the largest is e or what is nearest to it; a word that falls out of the range is 0.
// It returns the largest exponent.
func (g *wordGenerator) move(words []uint64, e int) int {
	most := 0
	for _, b := range words {
		most = max(most, g.field(b))
	}
	if most == 0 {
		return 0
	}
	by := min(max(e, g.Emin), g.Emax-2) + g.Bias - most
	for i, b := range words {
		switch f := g.field(b); {
		case f+by < 1:
			words[i] = b & g.Sign
		case f > 0:
			words[i] = uint64(int(b) + by<<g.Shift)
		}
	}
	return most + by - g.Bias
}

// The batches beyond those that are drawn: movedBatches full ones of moved rows, and batches of more rows than an index of 8 or 16 bits
// counts, which repeat wideRows rows. An odd number of them, so that an index that has lost its upper bits finds another row.
const (
	movedBatches = 4
	wideRows     = 31
	choices      = 12 // of a compiler, of what it fuses or reassociates, each on a batch of choiceRows rows
	choiceRows   = 64
)

// Round returns how many batches there are beyond those that are drawn. Laws of what checkers find look at no values: wide batches do.
func (d *wordDrawer) Round() int {
	if d.found {
		return engine.WideCounts
	}
	return engine.WideCounts + movedBatches + len(d.r.p.Sub.Device.Alone(d.seed, choices))
}

// Beyond makes batch k of them: wide batches, moved rows, and full batches under each admitted behaviour alone, by turns of the law's
// families and of moved rows.
func (d *wordDrawer) Beyond(k int, far bool, rng *draw.Splitmix) (*WordCase, bool) {
	dev, round := d.r.p.Sub.Device, k/d.Round()
	k %= d.Round()
	x, seed := rng.Next(), rng.Next()
	expand := func(families []string, rows int) *WordCase {
		own := d.families
		defer func() { d.families = own }()
		d.families = families
		return d.Expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, rows)
	}
	moved := []string{"moved"}
	if k < engine.WideCounts {
		rows, ok := dev.WideRows(k, 1, far, rng)
		if !ok {
			return nil, false
		}
		c := expand(d.families, wideRows).repeated(rows, d.r.p.Claim.Op.In())
		c.At = dev.DrawSetting(rows, seed)
		return c, true
	}
	if k -= engine.WideCounts; k < movedBatches {
		return expand(moved, BatchRows), true
	}
	k -= movedBatches
	alone := dev.Alone(d.seed+uint64(round), choices)[k]
	if _, silent := WeakenWord(d.r.p.Claim, alone, dev.Strict); silent != "" {
		return nil, false
	}
	families := d.families
	if rng.Next()>>63 == 0 {
		families = moved
	}
	rows := BatchRows
	if alone.Seed > 0 && alone.Contract != model.ContractOff || alone.Rewrites.Reassociate { // one choice of many
		rows = choiceRows
	}
	c := expand(families, rows)
	c.At.Behaviour = alone
	return c, true
}

// repeated returns a batch of so many rows of n words that repeats c's rows.
func (c *WordCase) repeated(rows, n int) *WordCase {
	size := c.In.Len()
	if size == 0 || rows*n == size {
		return c
	}
	own := *c
	own.period = size / n
	own.In = corpus.NewValues(c.In.Format, rows*n)
	for at := 0; at < rows*n; at += size {
		end := min(at+size, rows*n)
		vectors.Put(own.In.Slice(at, end), c.In.Slice(0, end-at))
	}
	return &own
}
