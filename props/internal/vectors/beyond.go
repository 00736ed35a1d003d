package vectors

import (
	"gamma/corpus"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
)

// The cases beyond those that are drawn: beyondFamilies in turn at lengths of beyondSizes, which reach past the terms after which what is
// scaled against overflow overflows after all, and, of kernels that reduce rows, more of these than an index of 8 or 16 bits counts. Those
// repeat wideRows rows.
var (
	beyondFamilies = []string{"opposed", "ladder"}
	beyondSizes    = []int{2, 3, 9, 33, 129, 1025, 2049, 4097, 6001, 16386, 70001}
)

const (
	wideRows   = 7
	deviceSize = 4097 // the longest vector beyond the draws on a device, which takes its time
	wideN      = 5    // leaves of a row of which there are many
	farCases   = 8    // on a device that takes more leaves than an index of 16 bits counts
)

// Round returns how many cases there are beyond those that are drawn: none for a law that names its families, which is a subject's own,
// and few for one whose cases cost much.
func (d *Drawer) Round() int {
	if d.law.Families != nil && engine.IsOwn(BuiltIn, d.law) || d.Few() {
		return 0
	}
	n := len(beyondFamilies) * len(beyondSizes)
	if d.r.Sub.Rows {
		n += engine.WideCounts
	}
	if d.r.Sub.Device != nil && d.limit > 1<<16 && d.law.Found == nil {
		n += farCases
	}
	return n
}

// Beyond makes case k of them.
func (d *Drawer) Beyond(k int, far bool, rng *draw.Splitmix) (*corpus.Case, bool) {
	if k%d.law.Every(d.Draws()) != 0 {
		return nil, false
	}
	h := rng.Next()
	rec := families.Recipe{A: uint8(h), B: uint8(h >> 8), Seed: rng.Next() >> 20}
	if k %= d.Round(); k >= len(beyondFamilies)*len(beyondSizes) {
		rec.Family = d.families[rng.Below(len(d.families))]
		if k -= len(beyondFamilies) * len(beyondSizes); d.r.Sub.Rows && k < engine.WideCounts {
			return d.wide(rec, k, far, h, rng)
		}
		rec.Family, rec.N = d.families[k%len(d.families)], 1<<16+1+rng.Below(d.limit-1<<16)
		return d.caseOf(rec, int(h>>16&0xffff), h), true
	}
	rec.Family, rec.N = beyondFamilies[k%len(beyondFamilies)], beyondSizes[k/len(beyondFamilies)]
	if rec.N > d.limit || rec.N < d.r.Sub.Claim.MinN || d.r.Sub.Device != nil && rec.N > deviceSize {
		return nil, false
	}
	if k%4 == 0 { // every other length: halves of the largest number
		rec.A, rec.B = rec.A&^1, rec.B&^1
	}
	return d.caseOf(rec, int(h>>16&0xffff), h), true
}

// wide makes a case of many short rows.
func (d *Drawer) wide(rec families.Recipe, k int, far bool, h uint64, rng *draw.Splitmix) (*corpus.Case, bool) {
	rec.N = min(max(d.r.Sub.Claim.MinN, 1+int(h>>40&0xff)%wideN), d.limit)
	rows, ok := d.r.Sub.Device.WideRows(k, rec.N, far, rng)
	if !ok || rec.N < 1 || rec.N > wideN {
		return nil, false
	}
	rec.Rows, rec.Period = rows, wideRows
	return d.caseOf(rec, int(h>>16&0xffff), h), true
}
