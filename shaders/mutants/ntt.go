package mutants

import (
	"math/bits"
	"strings"

	"gamma/model"
	"gamma/model/modular"
	"gamma/shaders"
)

// NTT is a kernel of number-theoretic transforms with one fault.
type NTT struct {
	NTT   shaders.NTT
	Twin  string // the name of the sound kernel in package shaders
	Fault string // what is wrong, as the source says
	// Kills, Survives and MinN are as in Mutant; MinN counts points.
	Kills, Survives []model.LawID
	MinN            int
	// Shows is a case that shows the fault.
	Shows NTTCase
}

// NTTCase is an input of a mutant of transforms: reduced words, which are transformed and then transformed back.
type NTTCase struct {
	Transform modular.Transform
	Launch    model.Launch
	Behaviour model.Behaviour
	X         []uint64
}

// NTTs returns every mutant of a kernel of transforms.
func NTTs() []NTT {
	const (
		file          = "shaders/ntt.metal#"
		stages, tiled = file + "stages", file + "tiled"
		lazy, radix16 = file + "lazy", file + "radix16"
		radix4        = file + "radix4"
	)
	safe := kernelLaws()
	wrong := laws{model.NTTExact, model.NTTRoundtrip, model.NTTLinear}
	reduced := append(kernelLaws(), model.NTTRange)
	// These are linear bijections, right for constants, but not the transform.
	other := laws{model.NTTExact, model.NTTShift, model.NTTImpulse, model.NTTEval}
	passes := append(kernelLaws(), model.NTTRoundtrip, model.NTTLinear, model.NTTFactor, model.NTTRange)
	race := kernelLaws(model.KernelRace, model.KernelInit)
	same := func(*shaders.NTTHost) {}
	plain := func(h *shaders.NTTHost) { h.Factors = shaders.PlainFactors }

	one := transform("ntt_one_dispatch", stages, 4, shown(seedModulus, 16, model.Launch1D(4, 2)), laws{model.KernelRace, model.NTTExact}, race,
		func(h *shaders.NTTHost) {
			h.ForwardStage, h.InverseStage, h.OneDispatch = "ntt_forward_stages", "ntt_inverse_stages", true
		})
	launches := one.NTT.Launches
	one.NTT.Launches = func(n int) (list []model.Launch) {
		for _, l := range append(launches(n), model.Launch1D(max(n/4, 1), 2)) {
			if l.Groups.X > 1 || n < 4 {
				list = append(list, l)
			}
		}
		return list
	}
	return []NTT{
		one,
		transform("ntt_stages_reversed", stages, 4, shown(seedModulus, 8, model.Launch1D(1, 4)), other, passes, func(h *shaders.NTTHost) {
			h.ForwardStage, h.InverseStage = "ntt_forward_turned", "ntt_inverse_turned"
		}),
		transform("ntt_wrong_factor", stages, 4, shown(seedModulus, 8, model.Launch1D(1, 4)), laws{model.NTTExact, model.NTTShift}, passes,
			func(h *shaders.NTTHost) { h.ForwardStage, h.InverseStage = "ntt_forward_factor", "ntt_inverse_factor" }),
		transform("ntt_natural_factors", lazy, 8, shown(seedModulus, 8, model.Launch1D(1, 4)), other, passes, func(h *shaders.NTTHost) {
			h.ForwardStage, h.InverseStage = "ntt_forward_natural", "ntt_inverse_natural"
		}),
		transform("ntt_not_reversed", stages, 4, shown(seedModulus, 8, model.Launch1D(1, 4)), other, passes, func(h *shaders.NTTHost) {
			h.BitReverse, h.FinalScale = "ntt_nothing", "ntt_inverse_final"
		}),
		transform("ntt_reverse_both", stages, 4, shown(seedModulus, 8, model.Launch1D(1, 4)), laws{model.KernelRace}, race, func(h *shaders.NTTHost) {
			h.BitReverse = "ntt_bit_reverse_both"
		}),
		transform("ntt_scale_missing", stages, 2, shown(seedModulus, 8, model.Launch1D(1, 4)),
			laws{model.NTTExact, model.NTTRoundtrip, model.NTTFactor, model.NTTConvolution},
			append(kernelLaws(), model.NTTShift, model.NTTLinear, model.NTTRange), func(h *shaders.NTTHost) { h.FinalScale = "ntt_inverse_final" }),
		transform("ntt_tile_past", tiled, 2, shown(seedModulus, 8, model.Launch1D(2, 2)), laws{model.KernelBounds},
			kernelLaws(model.KernelBounds, model.KernelInit, model.KernelRace), func(h *shaders.NTTHost) { h.ForwardTile = "ntt_forward_past" }),
		transform("ntt_tile_short", tiled, 2, shown(seedModulus, 8, model.Launch1D(2, 2)),
			laws{model.NTTExact, model.NTTRoundtrip, model.NTTShift, model.NTTFactor}, append(kernelLaws(), model.NTTLinear, model.NTTRange),
			func(h *shaders.NTTHost) { h.ForwardTile, h.InverseTile = "ntt_forward_short", "ntt_inverse_short" }),
		transform("ntt_tile_warp", tiled, 2, shown(seedModulus, 8, model.Launch1D(1, 4)), laws{model.KernelRace}, race, func(h *shaders.NTTHost) {
			h.ForwardTile = "ntt_forward_warp"
		}),
		transform("ntt_columns_memory", radix16, 256, shown(seedModulus, 256, model.Launch1D(8, 16)), laws{model.KernelRace}, race, func(h *shaders.NTTHost) {
			h.ForwardColumns = "ntt_forward_columns_memory"
		}),
		transform("ntt_rows_factor", radix16, 256, shown(seedModulus, 256, model.Launch1D(4, 32)), other, passes, func(h *shaders.NTTHost) {
			h.ForwardRows, h.InverseRows = "ntt_forward_rows_first", "ntt_inverse_rows_first"
		}),
		transform("ntt_rows_open", radix16, 256, shown(seedModulus, 256, model.Launch1D(4, 32)), laws{model.NTTRange}, safe, func(h *shaders.NTTHost) {
			h.ForwardRows = "ntt_forward_rows_open"
		}),
		transform("ntt_rows_past", radix16, 256, shown(seedModulus, 256, model.Launch1D(4, 32)), laws{model.KernelBounds},
			kernelLaws(model.KernelBounds, model.KernelInit, model.KernelRace), func(h *shaders.NTTHost) { h.ForwardRows = "ntt_forward_rows_past" }),
		transform("mod_carry_dropped", stages, 1, shown(seedModulus, 8, model.Launch1D(1, 4)), wrong, safe, same),
		transform("mod_carry_wrong", stages, 1, shown(seedModulus, 8, model.Launch1D(1, 4)), wrong, safe, same),
		transform("mod_partial_products", stages, 2, shown(seedModulus, 8, model.Launch1D(1, 4)), wrong, reduced, plain),
		transform("mod_radix_squared", stages, 2, shown(seedModulus, 8, model.Launch1D(1, 4)), wrong, reduced, plain),
		transform("mod_no_subtraction", stages, 1, shown(below63, 16, model.Launch1D(2, 4)), laws{model.NTTRange, model.NTTButterfly}, safe, same),
		transform("mod_sum_greater", stages, 2, boundary(1, seedModulus-1), laws{model.NTTButterfly}, safe, same),
		transform("mod_difference_greater", stages, 2, boundary(1, 1), laws{model.NTTButterfly}, safe, same),
		transform("mod_narrow_sum", stages+"_wide", 2, shown(goldilocks, 8, model.Launch1D(1, 4)), laws{model.NTTExact, model.NTTRoundtrip}, safe,
			func(h *shaders.NTTHost) {
				h.BitReverse, h.ForwardStage, h.InverseStage = "ntt_bit_reverse", "ntt_forward_stage", "ntt_inverse_stage"
				h.FinalScale, h.Pointwise = "ntt_inverse_final_scale", "ntt_pointwise"
			}),
		edited("fours_factor", radix4, "The lower pair of four words has the upper one's factor.", "w[2 * m + 1]", "w[2 * m]", 4, laws{model.NTTExact, model.NTTShift},
			append(kernelLaws(), model.NTTLinear, model.NTTRange)), // with an odd number of stages the inverse pairs others
		edited("fours_past", radix4, "As many threads as half the points have four words each.", "id.x >= n / 4", "id.x >= n / 2", 4, laws{model.KernelBounds},
			kernelLaws(model.KernelBounds, model.KernelInit, model.KernelRace)),
		edited("fours_table", radix4, "A factor is looked up a stage too far.", "uint m = (n / 4 + id.x - k)", "uint m = (n / 2 + id.x - k)", 4, laws{model.KernelBounds},
			kernelLaws(model.KernelBounds, model.KernelInit)),
		edited("fours_span", radix4, "The second of two stages pairs the words of the first.", "_butterfly_lazy_4q(a, b, w[2 * m], q)", "_butterfly_lazy_4q(a, c, w[2 * m], q)", 4, laws{model.NTTExact},
			kernelLaws()),
	}
}

// FindNTT returns the mutant whose kernel is called name, and ok = false if there is none.
func FindNTT(name string) (m NTT, ok bool) {
	for _, m := range NTTs() {
		if m.NTT.Name == name {
			return m, true
		}
	}
	return NTT{}, false
}

// goldilocks is Goldilocks' prime, and below63 the largest prime below 2^63 that is 1 modulo 2^12.
const (
	goldilocks = 1<<64 - 1<<32 + 1
	below63    = 9223372036854497281
)

// generators are numbers that are not squares.
var generators = map[uint64]uint64{seedModulus: 3, goldilocks: 7, below63: 13}

// power returns a^e mod q.
func power(a, e, q uint64) uint64 {
	p := uint64(1)
	for ; e > 0; e /= 2 {
		if e&1 == 1 {
			p = times(p, a, q)
		}
		a = times(a, a, q)
	}
	return p
}

func times(a, b, q uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, r := bits.Div64(hi, lo, q)
	return r
}

// negacyclic returns a transform of n points.
func negacyclic(q uint64, n int) modular.Transform {
	return modular.Transform{Modulus: q, N: n, Negacyclic: true, Root: power(generators[q], (q-1)/uint64(2*n), q)}
}

// shown returns a case of words that are large, all different and in no order.
func shown(q uint64, n int, l model.Launch) NTTCase {
	c := NTTCase{Transform: negacyclic(q, n), Launch: l}
	for i := range n {
		c.X = append(c.X, power(5, uint64(1000+77*i), q))
	}
	return c
}

// boundary returns a case of two points whose forward butterfly meets u and t.
func boundary(u, t uint64) NTTCase {
	tr := negacyclic(seedModulus, 2)
	// The root has order 4: its third power is its inverse.
	return NTTCase{Transform: tr, Launch: model.Launch1D(1, 1), X: []uint64{u, times(t, power(tr.Root, 3, seedModulus), seedModulus)}}
}

// transform returns the mutant in name.metal of a kernel of ntt.metal, with the twin's claim and its host code, changed.
func transform(name, twin string, minN int, shows NTTCase, kills, survives laws, change func(*shaders.NTTHost)) NTT {
	k, ok := shaders.FindNTT(twin)
	if !ok {
		panic(noTwin(name, twin))
	}
	h := k.Host
	change(&h)
	h.Program = modularProgram(name, h.ForwardStage)
	h.Name = "shaders/mutants/" + name + ".metal#" + twin[strings.IndexByte(twin, '#')+1:]
	return NTT{NTT: h.Kernel(), Twin: twin, Fault: fault(h.Source), Kills: kills, Survives: survives, MinN: minN, Shows: shows}
}

// edited returns the mutant of a kernel of ntt.metal in whose source some text is another, wherever it stands, with the twin's claim and its host code.
func edited(name, twin, fault, old, text string, minN int, kills, survives laws) NTT {
	k, ok := shaders.FindNTT(twin)
	if !ok {
		panic(noTwin(name, twin))
	}
	h := k.Host
	if !strings.Contains(h.Source, old) {
		panic(notThere(name, old))
	}
	h.Source = strings.ReplaceAll(h.Source, old, text)
	h.Name = "shaders/mutants/" + name + "#" + twin[strings.IndexByte(twin, '#')+1:]
	return NTT{NTT: h.Kernel(), Twin: twin, Fault: fault, Kills: kills, Survives: survives, MinN: minN, Shows: shown(seedModulus, 16, model.Launch1D(2, 4))}
}
