package mutants

import (
	"encoding/binary"
	"fmt"
	"math"

	"gamma/model"
	"gamma/shaders"
)

const (
	tree   = "shaders/sum.metal#tree"
	simd   = "shaders/sum.metal#simd"
	rows   = "shaders/sum.metal#rows"
	atomic = "shaders/sum.metal#atomic"
)

type laws = []model.LawID

// ones returns n ones.
func ones(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// powers returns n numbers such that the sum of any subset of eight neighbours identifies the subset.
func powers(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(int(1) << (i * 7 % 24))
	}
	return x
}

// on returns a case of ones on a plain device.
func on(groups, threads, n int) Case {
	return Case{Launch: model.Launch1D(groups, threads), X: ones(n)}
}

// orders returns mutants with faults of barriers and of shared memory.
func orders() []Mutant {
	race, barrier := laws{model.KernelRace}, laws{model.KernelBarrier}
	// Races that show in the bits although the simulator's memory is sequentially consistent.
	bits := laws{model.KernelRace, model.KernelSchedule}
	return []Mutant{
		mutant("no_barrier", tree, 2, on(1, 64, 64), bits, kernelLaws(model.KernelRace, model.KernelInit)),
		mutant("no_first_barrier", tree, 2, on(1, 64, 64), bits, kernelLaws(model.KernelRace, model.KernelInit)),
		mutant("branch_barrier", tree, 1, on(1, 4, 4), barrier, laws{model.KernelBounds, model.KernelIntegers}),
		mutant("flags_none", tree, 2, on(1, 8, 8), race, kernelLaws(model.KernelRace, model.KernelInit)),
		mutant("flags_device", tree, 2, on(1, 8, 8), race, kernelLaws(model.KernelRace, model.KernelInit)),
		mutant("warp_tail", tree, 1, on(1, 32, 32), bits, kernelLaws(model.KernelRace, model.KernelInit)),
		mutant("early_return", tree, 1, on(1, 8, 5), barrier, laws{model.KernelBounds, model.KernelIntegers}),
		mutant("slots_missing", tree, 1, on(1, 8, 5), laws{model.KernelInit}, kernelLaws(model.KernelInit)),
		mutant("slot_reuse", rows, 1, Case{Launch: model.Launch1D(1, 4), X: powers(24), Row: 8}, bits, kernelLaws(model.KernelRace)),
		mutant("lost_update", atomic, 2, on(1, 32, 20), race, kernelLaws(model.KernelRace)),
		oneDispatch(mutant("grid_barrier", tree, 1, on(3, 8, 24), bits, kernelLaws(model.KernelRace, model.KernelInit)), false),
		oneDispatch(mutant("last_block", tree, 1, on(3, 8, 24), race, kernelLaws(model.KernelRace)), true),
	}
}

// oneDispatch gives m the host code of a sum over several threadgroups without a second dispatch: the result is out[0]. With
// counted, a count of threadgroups, 0 at first, is in buffer 3.
func oneDispatch(m Mutant, counted bool) Mutant {
	p := m.Kernel.Program
	launches := m.Kernel.Launches
	m.Kernel.Launches = func(n int) (list []model.Launch) {
		for _, l := range launches(n) {
			if l.Groups.X > 1 {
				list = append(list, l)
			}
		}
		return list
	}
	// The claim of its twin is a schedule of two dispatches, which would be a second fault.
	m.Kernel.Schedule = nil
	m.Kernel.Sum32 = func(r *shaders.Runner, l model.Launch, x []float32) (float32, error) {
		if len(x) == 0 {
			return 0, nil
		}
		bytes := make([]byte, 4*len(x))
		for i, v := range x {
			binary.LittleEndian.PutUint32(bytes[4*i:], math.Float32bits(v))
		}
		out := shaders.Output("out", 4*l.Groups.X)
		args := []shaders.Arg{{Data: shaders.Input("x", bytes)}, {Data: out}, shaders.Uint(len(x))}
		if counted {
			args = append(args, shaders.Arg{Data: shaders.Input("arrived", make([]byte, 4))})
		}
		err := r.Run(p, shaders.Dispatch{Launch: l, Args: args, Shared: []int{4 * l.Threads.X}})
		if !shaders.Completed(err) {
			return 0, err
		}
		return math.Float32frombits(binary.LittleEndian.Uint32(out.Bytes)), err
	}
	return m
}

// groups returns launches of one threadgroup with the given numbers of threads.
func groups(threads ...int) func(int) []model.Launch {
	var list []model.Launch
	for _, w := range threads {
		list = append(list, model.Launch1D(1, w))
	}
	return func(int) []model.Launch { return list }
}

// limit restricts m to launches of one threadgroup with the given numbers of threads, at most most, and to the device's own simdgroups.
func limit(m *Mutant, most int, threads ...int) {
	m.Kernel.Widths, m.Kernel.Launches = nil, groups(threads...)
	fits := m.Kernel.Fits
	m.Kernel.Fits = func(n int, l model.Launch) error {
		if err := fits(n, l); err != nil {
			return err
		}
		if err := anyWidth(n, l); err != nil {
			return err
		}
		if l.Threads.X > most {
			return fmt.Errorf("launch %s: the kernel is for at most %d threads", l, most)
		}
		return nil
	}
}

// anyWidth is a Fits that accepts any one threadgroup.
func anyWidth(_ int, l model.Launch) error {
	if l.Groups != (model.Size3{X: 1, Y: 1, Z: 1}) || l.Threads.X < 1 || l.Threads.Y != 1 || l.Threads.Z != 1 {
		return fmt.Errorf("launch %s: the kernel is for one threadgroup in one dimension", l)
	}
	return nil
}
