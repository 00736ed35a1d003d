package reduce

import (
	"slices"

	"gamma/model"
	"gamma/props/internal/verdict"
)

// Plain makes behaviour and launch of the current input plainer.
func (r *Loop[I]) Plain() {
	r.behaviour()
	r.launch()
}

// under tries a change of the setting, and reports whether the current input has it now.
func (r *Loop[I]) under(change func(at *verdict.Setting)) bool {
	was, n := r.form.Setting(r.Cur)
	at := was
	if change(&at); at == was {
		return true
	}
	if r.opt.Device.Accepts(n, at) != nil {
		return false
	}
	return r.Try(r.form.Under(r.Cur, at))
}

// behaviour makes those fields of the behaviour plain that the failure does not need. What fails by another order of threads alone is no
// matter of arithmetic, and a field is not kept for the sake of what the seed happens to draw beside it: without the field several seeds are
// tried. Of hardware there is one behaviour.
func (r *Loop[I]) behaviour() {
	if r.opt.Device.OnHardware() {
		return
	}
	fails := func(b model.Behaviour) bool { return r.under(func(at *verdict.Setting) { at.Behaviour = b }) }
	at, _ := r.form.Setting(r.Cur)
	b := at.Behaviour
	if b.Plain() || fails(model.Behaviour{}) {
		return
	}
	if own := (model.Behaviour{Order: b.Order, Seed: b.Seed}); b.Order == "" || b != own {
		for _, alone := range ordersAlone(own) {
			if fails(alone) {
				b = alone
				break
			}
		}
	}
	for _, change := range plainBehaviour {
		c := b
		change(&c)
		if c == b {
			continue
		}
		seeds := []uint64{c.Seed}
		if c.Seed == b.Seed && c != (model.Behaviour{Seed: c.Seed}) {
			seeds = append(seeds, otherSeeds...)
		}
		for _, seed := range seeds {
			if c.Seed = seed; fails(c) {
				b = c
				break
			}
		}
	}
}

// otherSeeds are tried beside a behaviour's own.
var otherSeeds = []uint64{0, 1, 2, 3}

// ordersAlone returns behaviours that are an order of threads and nothing else, the plainest first and own among them.
func ordersAlone(own model.Behaviour) []model.Behaviour {
	list := []model.Behaviour{{Order: "reverse"}}
	if own.Order != "" {
		list = append(list, own)
	}
	for _, order := range []string{"stages", "accesses"} {
		for _, seed := range otherSeeds {
			list = append(list, model.Behaviour{Order: order, Seed: seed})
		}
	}
	return list
}

// plainBehaviour sets one field after the other to its plain value.
var plainBehaviour = []func(b *model.Behaviour){
	func(b *model.Behaviour) { b.Rounding = model.Behaviour{}.Rounding },
	func(b *model.Behaviour) { b.Flush = model.Flush{} },
	func(b *model.Behaviour) { b.Flush16 = model.Flush{} },
	func(b *model.Behaviour) { b.Flush.AnySign, b.Flush16.AnySign = false, false },
	func(b *model.Behaviour) { b.Contract = model.ContractOff },
	func(b *model.Behaviour) { b.Rewrites = model.Rewrites{} },
	func(b *model.Behaviour) { b.Rewrites.Reassociate = false },
	func(b *model.Behaviour) { b.Rewrites.NoSignedZeros = false },
	func(b *model.Behaviour) { b.Rewrites.Reciprocal = false },
	func(b *model.Behaviour) { b.Rewrites.NoNaNs = false },
	func(b *model.Behaviour) { b.Rewrites.NoInfs = false },
	func(b *model.Behaviour) { b.Order = "" },
	func(b *model.Behaviour) { b.SIMDWidth = 0 },
	func(b *model.Behaviour) { b.ULP = false },
	func(b *model.Behaviour) { b.Poison = false },
	func(b *model.Behaviour) { b.Seed = 0 },
	func(b *model.Behaviour) { b.Seed = min(b.Seed, 1) },
}

// launch makes the launch plainer: none at all, each of its sizes 1 or halved while that fails, or a smaller one of those that are declared.
func (r *Loop[I]) launch() {
	set := func(l model.Launch) bool { return r.under(func(at *verdict.Setting) { at.Launch = l }) }
	for again := !set(model.Launch{}); again && !r.Done(); {
		at, n := r.form.Setting(r.Cur)
		again = slices.ContainsFunc(r.plainerLaunches(at.Launch, n), set)
	}
}

// plainerLaunches returns launches of fewer threads to try for n elements.
func (r *Loop[I]) plainerLaunches(l model.Launch, n int) (list []model.Launch) {
	sizes := func(l *model.Launch) [6]*int {
		return [6]*int{&l.Groups.X, &l.Groups.Y, &l.Groups.Z, &l.Threads.X, &l.Threads.Y, &l.Threads.Z}
	}
	for i, size := range sizes(&l) {
		for _, v := range []int{1, *size / 2} {
			if less := l; 0 < v && v < *size {
				*sizes(&less)[i] = v
				list = append(list, less)
			}
		}
	}
	declared := slices.Clone(r.opt.Device.Declared(n))
	slices.SortStableFunc(declared, func(a, b model.Launch) int { return threads(a) - threads(b) })
	list = append(list, declared[:min(len(declared), maxLaunches)]...)
	return slices.DeleteFunc(list, func(less model.Launch) bool { return threads(less) >= threads(l) })
}

// maxLaunches is how many of the smallest declared launches are tried.
const maxLaunches = 16

func threads(l model.Launch) int {
	return l.Groups.X * l.Groups.Y * l.Groups.Z * l.Threads.X * l.Threads.Y * l.Threads.Z
}
