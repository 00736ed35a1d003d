package transforms

import (
	"slices"

	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/reduce"
)

// Limits of a reduction.
const (
	reduceNTTs    = 6000
	freshInputs   = 12 // that are drawn for another size or modulus
	smallerModuli = 24
)

// nttReducer makes a failing case smaller: one transform of a call, the plain setting, the smallest size, the smallest modulus of
// the claim, its least root, the fewest numbers, and small ones.
type nttReducer struct {
	*reduce.Loop[*NttInput]
	r *NttRun
	l *NTTLaw
	d *NttDrawer
}

// changed returns a changed copy of an input.
func changed(in *NttInput, change func(in *NttInput)) *NttInput {
	own := *in
	own.X, own.Y = slices.Clone(in.X), slices.Clone(in.Y)
	change(&own)
	return &own
}

// with tries a change of the current input.
func (d *nttReducer) with(change func(in *NttInput)) bool { return d.Try(changed(d.Cur, change)) }

// run makes the input smaller.
func (d *nttReducer) run(failing int) {
	d.Plain()
	if d.l.Refuses {
		d.outside()
		return
	}
	d.batch(failing)
	d.size()
	if d.modulus() {
		d.size()
	}
	d.with(func(in *NttInput) {
		if t, ok := WithRoot(&d.r.S.Claim, in.T.Modulus, in.T.N); ok {
			in.T.Root = t.Root
		}
	})
	d.Until(d.zeros, d.small, d.Plain)
}

// batch leaves the failing transform of a call, if that fails alone, or as few as it can.
func (d *nttReducer) batch(failing int) {
	in := d.Cur
	d.Rows(len(in.X)/in.T.N, failing, func(drop []bool) *NttInput {
		return changed(in, func(in *NttInput) {
			if in.X = reduce.Without(in.X, in.T.N, drop); len(in.Y) > 0 {
				in.Y = reduce.Without(in.Y, in.T.N, drop)
			}
		})
	})
}

// other tries another transform: with what of the input fits, then with fresh inputs.
func (d *nttReducer) other(t modular.Transform) bool {
	was, n := d.Cur, t.N
	fit := func(v []uint64) []uint64 {
		z := make([]uint64, n)
		for i := range z {
			if i < len(v) {
				z[i] = v[i] % t.Modulus
			}
		}
		return z
	}
	if d.with(func(in *NttInput) {
		in.T, in.X = t, fit(in.X)
		if len(in.Y) > 0 {
			in.Y = fit(in.Y)
		}
	}) {
		return true
	}
	rng := draw.Splitmix(draw.Mix(uint64(n) ^ t.Modulus))
	for i := range freshInputs {
		family := d.d.families[rng.Below(len(d.d.families))]
		if i%2 == 0 && was.recipe.Family != "" {
			family = was.recipe.Family
		}
		rec := NTTRecipe{Family: family, A: uint8(rng.Next()), B: uint8(rng.Next()), Seed: rng.Next() >> 24, Batch: 1}
		in := *was
		in.T = t
		in.X, in.Y = d.r.Own.Expand(rec, t, d.l.Pair)
		if d.Try(&in) {
			return true
		}
	}
	return false
}

// size finds the smallest size.
func (d *nttReducer) size() {
	for n := 1; n < d.Cur.T.N; n *= 2 {
		t := d.Cur.T
		t.N = n
		t.Root = oracle.PowMod(t.Root, uint64(d.Cur.T.N/n), t.Modulus)
		if d.other(t) {
			return
		}
	}
}

// modulus finds the smallest modulus of those that it tries.
func (d *nttReducer) modulus() bool {
	c := &d.r.S.Claim
	n, was := d.Cur.T.N, d.Cur.T.Modulus
	step := d.Cur.T.RootOrder()
	var list []uint64
	if len(c.Moduli.Only) > 0 {
		list = slices.Clone(c.Moduli.Only)
	} else {
		for q, ok := oracle.SmallestPrime(max(c.Moduli.MinModulus(), 3), step); ok && len(list) < smallerModuli; q, ok = oracle.SmallestPrime(q+1, step) {
			list = append(list, q)
		}
		for b := 4; b < 64; b++ {
			if q, ok := oracle.LargestPrime(1<<b, step); ok {
				list = append(list, q)
			}
			if q, ok := oracle.SmallestPrime(1<<b, step); ok {
				list = append(list, q)
			}
		}
	}
	slices.Sort(list)
	for _, q := range slices.Compact(list) {
		if q >= was {
			return false
		}
		if t, ok := WithRoot(c, q, n); ok && d.other(t) {
			return true
		}
	}
	return false
}

// sides returns the inputs of a case.
func (in *NttInput) sides() []*[]uint64 { return []*[]uint64{&in.X, &in.Y} }

// zeros makes as many numbers 0 as it can.
func (d *nttReducer) zeros() {
	for side := range d.Cur.sides() {
		base := d.Cur
		var places []int
		for i, v := range *base.sides()[side] {
			if v != 0 {
				places = append(places, i)
			}
		}
		reduce.Change(d.Loop, places, reduce.PhaseMisses, func(some []int) *NttInput {
			return changed(base, func(in *NttInput) {
				for _, i := range some {
					(*in.sides()[side])[i] = 0
				}
			})
		})
	}
}

// small makes numbers small that are not 0.
func (d *nttReducer) small() {
	q, start := d.Cur.T.Modulus, d.Tries()
	for side := range d.Cur.sides() {
		for i := range *d.Cur.sides()[side] {
			for again := true; again && !d.Tired(start, reduce.PhaseMisses); {
				v := (*d.Cur.sides()[side])[i]
				again = v > 1 && slices.ContainsFunc([]uint64{1, 2, 3, q - 1, q - 2, q, v % q, v / 2, v - v/4, v - v/16, v - 1}, func(w uint64) bool {
					return w < v && d.with(func(in *NttInput) { (*in.sides()[side])[i] = w })
				})
			}
		}
	}
}

// outside makes a transform that may not be claimed smaller.
func (d *nttReducer) outside() {
	c := &d.r.S.Claim
	for n := 1; n < d.Cur.T.N; n *= 2 {
		if t, ok := WithRoot(c, d.Cur.T.Modulus, n); ok && d.with(func(in *NttInput) { in.T = t }) {
			break
		}
		if d.with(func(in *NttInput) {
			in.T.Root = oracle.PowMod(in.T.Root, uint64(in.T.N/n), max(in.T.Modulus, 1))
			in.T.N = n
		}) {
			break
		}
	}
	for _, root := range []uint64{0, 1, 2} {
		if d.Cur.T.Root > root && d.with(func(in *NttInput) { in.T.Root = root }) {
			break
		}
	}
}
