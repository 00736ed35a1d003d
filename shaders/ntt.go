package shaders

import (
	_ "embed"
	"fmt"
	"math/bits"
	"slices"

	"gamma/metal"
	"gamma/model"
	"gamma/model/modular"
)

//go:embed ntt.metal
var nttSource string

// NTT is a kernel of number-theoretic transforms on a device, with its claim and the code that launches it. The claim holds for every
// launch that Fits and every behaviour that Admits allows; a device's freedom in floating point does not affect integers, and is left out.
type NTT struct {
	Program
	Claim modular.TransformClaim
	// Admits, Strict and Widths are as in Kernel.
	Admits model.Behaviour
	Strict bool
	Widths []int
	// Launches returns launches to try for transforms of n points, the smallest first. A launch is for one transform: for several in a
	// call, the grid has a row for each.
	Launches func(n int) []model.Launch
	// Fits returns an error if a launch cannot run transforms of n points.
	Fits func(n int, l model.Launch) error
	// Plan prepares transforms: it computes their factors. The results run on r in launch l, and check every length and word.
	//
	// Errors:  a modulus, a size, a ring or a root that is not claimed, a launch that does not fit, or one that needs more threads or
	//          threadgroup memory than the device has.
	Plan func(r *Runner, l model.Launch, t modular.Transform) (modular.Transforms, error)
	// Host is the host code of Plan, for kernels that differ little from this one.
	Host NTTHost
}

// FindNTT returns the kernel called name, and ok = false if there is none.
func FindNTT(name string) (k NTT, ok bool) {
	for _, k := range NTTs() {
		if k.Name == name {
			return k, true
		}
	}
	return NTT{}, false
}

// NTTs returns every kernel of transforms: negacyclic ones, each followed by the cyclic one of the same functions.
func NTTs() []NTT {
	var list []NTT
	for _, d := range []struct {
		name  string
		field field
		tiled bool
	}{
		{"stages", fields[0], false},
		{"stages_wide", fields[1], false},
		{"stages31", fields[2], false},
		{"tiled", fields[0], true},
		{"tiled_wide", fields[1], true},
		{"tiled31", fields[2], true},
	} {
		list = append(list, kernelsOf(d.name, montgomeryHost(d.field, d.tiled))...)
	}
	list = append(list, kernelsOf("lazy", lazyHost(false))...)
	list = append(list, kernelsOf("lazy_4q", lazyHost(true))...)
	list = append(list, kernelsOf("radix16", radix16Host())...)
	return append(list, kernelsOf("radix4", radix4Host())...)
}

// kernelsOf returns the negacyclic and the cyclic kernel of a host.
func kernelsOf(name string, h NTTHost) []NTT {
	h.Program = Program{
		Name: "shaders/ntt.metal#" + name, Source: nttSource, Function: h.ForwardStage, Options: metal.CompileOptions{Headers: ownHeaders()},
	}
	h.Claim.Negacyclic = true
	c := h
	c.Claim.Negacyclic, c.Name = false, c.Name+"_cyclic"
	return []NTT{h.Kernel(), c.Kernel()}
}

// greatestN is the largest number of points of a transform: indices have 32 bits.
const greatestN = 1 << 30

// montgomeryHost runs the kernels for a field, from natural order to natural order.
func montgomeryHost(f field, tiled bool) NTTHost {
	s := f.suffix
	h := NTTHost{
		BitReverse: "ntt_bit_reverse" + s, ForwardStage: "ntt_forward_stage" + s, InverseStage: "ntt_inverse_stage" + s,
		FinalScale: "ntt_inverse_final_scale" + s, Pointwise: "ntt_pointwise" + s,
	}
	if tiled {
		h.ForwardTile, h.InverseTile = "ntt_forward_tile"+s, "ntt_inverse_tile"+s
	}
	reduced := modular.Side{Range: 1}
	h.Claim = modular.TransformClaim{
		Bits: f.bits, Forward: modular.Direction{In: reduced, Out: reduced}, Inverse: modular.Direction{In: reduced, Out: reduced},
		Product: true, Moduli: modular.Moduli{Min: 3, Max: f.max}, MaxN: greatestN, Batched: true, Names: true,
	}
	if f.steps {
		h.Claim.Forward.Stages = func(n int) []*modular.Recurrence {
			return slices.Repeat([]*modular.Recurrence{forwardMontgomery}, log2(n))
		}
		h.Claim.Inverse.Stages = func(n int) []*modular.Recurrence {
			return append(slices.Repeat([]*modular.Recurrence{inverseMontgomery}, log2(n)), montgomeryProduct("x", "w"))
		}
	}
	return h
}

// lazyHost runs the lazy kernels, from natural order to bit-reversed order and back; open leaves the last words in [0, 4q) and [0, 2q), and
// takes such words.
func lazyHost(open bool) NTTHost {
	h := NTTHost{
		ForwardStage: "ntt_forward_stage_lazy_4q", InverseStage: "ntt_inverse_stage_lazy_2q", FinalScale: "ntt_scale",
		Pointwise: "ntt_pointwise", Reduce: "ntt_reduce_4q", Factors: ShoupFactors,
	}
	forward := modular.Direction{In: modular.Side{Range: 4}, Out: modular.Side{Order: modular.BitReversed, Range: 1}}
	inverse := modular.Direction{In: modular.Side{Order: modular.BitReversed, Range: 4}, Out: modular.Side{Range: 1}}
	if open {
		h.FinalScale, forward.Out.Range, inverse.Out.Range = "ntt_scale_lazy_2q", 4, 2
	}
	forward.Stages = func(n int) []*modular.Recurrence {
		list := slices.Repeat([]*modular.Recurrence{forwardShoup}, log2(n))
		if open {
			return list
		}
		return append(list, &modular.Recurrence{
			In: []string{"x"}, Steps: []modular.Step{{Op: modular.Reduce, A: 0, K: 2}, {Op: modular.Reduce, A: 1, K: 1}}, Out: []int{2},
		})
	}
	inverse.Stages = func(n int) []*modular.Recurrence {
		list := slices.Repeat([]*modular.Recurrence{inverseShoup(false)}, log2(n))
		if n > 1 {
			list[0] = inverseShoup(true)
		}
		last := shoupProduct(!open)
		last.In[0] = "x"
		return append(list, last)
	}
	h.Claim = modular.TransformClaim{
		Bits: 64, Forward: forward, Inverse: inverse, Product: true,
		Moduli: modular.Moduli{Min: 3, Max: 1<<62 - 1}, MaxN: greatestN, Batched: true, Names: true,
	}
	return h
}

// radix16Host is lazyHost with columns and rows, two steps of radix 16 each.
func radix16Host() NTTHost {
	h := lazyHost(false)
	h.ForwardColumns, h.ForwardRows = "ntt_forward_columns_lazy_4q", "ntt_forward_rows"
	h.InverseRows, h.InverseColumns = "ntt_inverse_rows_lazy_2q", "ntt_inverse_columns"
	return h
}

// radix4Host is lazyHost with two stages at a time.
func radix4Host() NTTHost {
	h := lazyHost(false)
	h.ForwardFours, h.InverseFours = "ntt_forward_fours_lazy_4q", "ntt_inverse_fours_lazy_2q"
	return h
}

// log2 returns k of n = 2^k.
func log2(n int) int { return bits.Len(uint(n)) - 1 }

// Kernel returns the kernel that h runs.
func (h NTTHost) Kernel() NTT {
	return NTT{
		Program: h.Program, Claim: h.Claim, Admits: integers(), Strict: true, Widths: widths, Plan: h.Plan,
		Launches: h.launches, Fits: h.fitsTransform, Host: h,
	}
}

// tile returns the number of words of a transform of n points that a threadgroup holds in its memory: two a thread, 16 for columns
// and rows, or 0.
func (h *NTTHost) tile(n int, l model.Launch) int {
	switch columns, rows := h.sides(n, l); {
	case columns || rows:
		return side * sixteens(l)
	case h.ForwardTile != "":
		return min(n, 1<<bits.Len(uint(l.Threads.X)))
	}
	return 0
}

// side is the number of words of a column or row, which 16 threads process together.
const side = 256

// sixteens returns the number of columns or rows of a threadgroup.
func sixteens(l model.Launch) int { return l.Threads.X / 16 }

// sides returns whether transforms of n points use columns and rows: large ones use both, others columns if a threadgroup does not
// process more than there are.
func (h *NTTHost) sides(n int, l model.Launch) (columns, rows bool) {
	if h.ForwardRows == "" || n < side {
		return false, false
	}
	columns = sixteens(l) <= n/side
	return columns, !columns || n >= side*side
}

// fitsTransform is the Fits of h.
func (h *NTTHost) fitsTransform(n int, l model.Launch) error {
	if err := line(l); err != nil {
		return err
	}
	g, w := l.Groups.X, l.Threads.X
	if threads := max(n/2, 1); g*w < threads {
		return fmt.Errorf("launch %s: %d threads are too few for the %d butterflies of a stage; use %d threadgroups", l, g*w, threads, (threads+w-1)/w)
	}
	if w := l.Threads.X; h.ForwardRows != "" && n >= side && (w < 16 || w > 256 || w&(w-1) != 0) {
		return fmt.Errorf("launch %s: %d points are done by threadgroups of 16, 32, 64, 128 or 256 threads; use one of these", l, n)
	}
	if h.ForwardTile == "" {
		return nil
	}
	if tiles := n / h.tile(n, l); g < tiles {
		return fmt.Errorf("launch %s: %d threadgroups are too few for %d tiles of %d words; use %d", l, g, tiles, h.tile(n, l), tiles)
	}
	return nil
}

// launches is the Launches of h.
func (h *NTTHost) launches(n int) []model.Launch {
	var list []model.Launch
	threads := []int{32, 1, 7, 256}
	if h.ForwardRows != "" && n >= side {
		threads = []int{32, 16, 64, 256}
	}
	for _, w := range threads {
		each := w
		if h.ForwardTile != "" {
			each = 1 << (bits.Len(uint(w)) - 1)
		}
		if g := max((n/2+each-1)/each, 1); w >= 32 || g <= 16 { // small threadgroups are slow, and show all in small transforms
			list = append(list, model.Launch1D(g, w))
		}
	}
	// One threadgroup too many: its threads have no butterfly.
	return append(list, model.Launch1D((n/2+31)/32+1, 32))
}
