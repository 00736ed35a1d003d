package transforms

import (
	"slices"
	"time"

	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// Limits of a reduction.
const (
	reduceNTTs      = 6000
	reduceNTTTime   = 20 * time.Second
	freshInputs     = 12 // that are drawn for another size or modulus
	smallerModuli   = 24
	smallValueTries = 2
)

// nttReducer makes a failing case smaller: one transform of a call, the plain setting, the smallest size, the smallest modulus of
// the claim, its least root, the fewest numbers, and small ones.
type nttReducer struct {
	r       *NttRun
	l       *NTTLaw
	outcome verdict.Outcome
	d       *NttDrawer
	end     time.Time
	evals   int
	in      *NttInput
}

// fails judges a case that may be the next one, and keeps it if it fails as the first did.
func (d *nttReducer) fails(in *NttInput) bool {
	if d.evals >= reduceNTTs || time.Now().After(d.end) || d.r.Own.Accepts(d.l, in) != nil {
		return false
	}
	d.evals++
	if v := d.r.Own.Judge(d.l, in); v.Outcome != d.outcome {
		return false
	}
	d.in = in
	return true
}

// with tries a change of a copy.
func (d *nttReducer) with(change func(in *NttInput)) bool {
	in := *d.in
	in.X, in.Y = slices.Clone(in.X), slices.Clone(in.Y)
	change(&in)
	return d.fails(&in)
}

// reduce returns the reduced case and how often it was judged.
func (r *NttRun) reduce(l *NTTLaw, in *NttInput, outcome verdict.Outcome) (*NttInput, int) {
	d := &nttReducer{r: r, l: l, outcome: outcome, in: in, end: time.Now().Add(reduceNTTTime), d: NewNTTDrawer(r.Own, r.Pool, l, 1)}
	vectors.Plainest(in.at.Behaviour, func(b model.Behaviour) bool { return d.with(func(in *NttInput) { in.at.Behaviour = b }) })
	if l.Refuses {
		d.outside()
		return d.in, d.evals
	}
	d.batch()
	d.size()
	if d.modulus() {
		d.size()
	}
	d.with(func(in *NttInput) {
		if t, ok := WithRoot(&r.S.Claim, in.T.Modulus, in.T.N); ok {
			in.T.Root = t.Root
		}
	})
	d.values()
	return d.in, d.evals
}

// batch leaves one transform of a call.
func (d *nttReducer) batch() {
	n := d.in.T.N
	for len(d.in.X) > n {
		k := len(d.in.X) / n
		half := k / 2 * n
		cut := func(from, to int) bool {
			return d.with(func(in *NttInput) {
				in.X = in.X[from:to]
				if len(in.Y) > 0 {
					in.Y = in.Y[from:to]
				}
			})
		}
		if cut(0, half) || cut(half, k*n) || k > 2 && (cut(0, (k-1)*n) || cut(n, k*n)) {
			continue
		}
		return
	}
}

// other tries another transform: with what of the input fits, then with fresh inputs.
func (d *nttReducer) other(t modular.Transform) bool {
	was, n, launch := d.in, t.N, d.launch(t.N)
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
		in.T, in.X, in.at.Launch = t, fit(in.X), launch
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
		in.T, in.at.Launch = t, launch
		in.X, in.Y = d.r.Own.Expand(rec, t, d.l.Pair)
		if d.fails(&in) {
			return true
		}
	}
	return false
}

// size finds the smallest size.
func (d *nttReducer) size() {
	for n := 1; n < d.in.T.N; n *= 2 {
		t := d.in.T
		t.N = n
		t.Root = oracle.PowMod(t.Root, uint64(d.in.T.N/n), t.Modulus)
		if d.other(t) {
			return
		}
	}
}

// launch returns a launch for so many points: the case's own where it fits, on a device.
func (d *nttReducer) launch(n int) model.Launch {
	own := d.in.at
	dev := d.r.S.Device
	if dev == nil || dev.Launches == nil || dev.Accepts(n, own) == nil {
		return own.Launch
	}
	if list := dev.Launches(n); len(list) > 0 {
		return list[0]
	}
	return own.Launch
}

// modulus finds the smallest modulus of those that it tries.
func (d *nttReducer) modulus() bool {
	c := &d.r.S.Claim
	n, was := d.in.T.N, d.in.T.Modulus
	step := d.in.T.RootOrder()
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

// values makes numbers 0, and then those that are left small.
func (d *nttReducer) values() {
	for _, y := range []bool{false, true} {
		length := len(d.in.X)
		if y {
			length = len(d.in.Y)
		}
		pick := func(in *NttInput) []uint64 {
			if y {
				return in.Y
			}
			return in.X
		}
		for size := length; size >= 1; size /= 2 {
			for from := 0; from < length; from += size {
				to := min(from+size, length)
				if slices.ContainsFunc(pick(d.in)[from:to], func(v uint64) bool { return v != 0 }) {
					d.with(func(in *NttInput) { clear(pick(in)[from:to]) })
				}
			}
		}
		q := d.in.T.Modulus
		for range smallValueTries {
			for i := range length {
				v := pick(d.in)[i]
				if v == 0 {
					continue
				}
				for _, smaller := range []uint64{1, 2, 3, q - 1, q - 2, q, v % q, v / 2, v - 1} {
					if smaller < v && d.with(func(in *NttInput) { pick(in)[i] = smaller }) {
						break
					}
				}
			}
		}
	}
}

// outside makes a transform that may not be claimed smaller.
func (d *nttReducer) outside() {
	c := &d.r.S.Claim
	for n := 1; n < d.in.T.N; n *= 2 {
		if t, ok := WithRoot(c, d.in.T.Modulus, n); ok && d.with(func(in *NttInput) { in.T = t }) {
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
		if d.in.T.Root > root && d.with(func(in *NttInput) { in.T.Root = root }) {
			break
		}
	}
}
