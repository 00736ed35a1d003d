package engine

import (
	"slices"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Memory is an object that the host made: a buffer or the bytes of SetBytes.
type Memory struct {
	Bytes []byte
	// Init has one byte for each of Bytes, 1 where it was written. Nil: all are.
	Init []byte
	Name string // the buffer's label, or ""
}

// Arg is what is bound to one of Kernel.Buffers.
type Arg struct {
	Mem    *Memory // nil for threadgroup memory, and for optional buffers that are not bound
	Offset int     // of the buffer's first byte in Mem
	Length int     // bytes of threadgroup memory
	// ReadOnly: the host said that the kernel does not write to it, of a resource.
	ReadOnly bool
}

// Name returns how findings call what is bound for b: its name, and of a resource, which the source does not name, its label.
func (a *Arg) Name(b *ir.Buffer) string {
	if b.Resource && a.Mem != nil && a.Mem.Name != "" {
		return a.Mem.Name
	}
	return b.Name
}

// Dispatch is one dispatch, checked: every size is positive, every buffer that is not optional is bound.
type Dispatch struct {
	Kernel *ir.Kernel
	Grid   model.Size3 // threads in the grid; no multiple of Group after dispatchThreads
	Group  model.Size3 // threads in a threadgroup, nominally
	Args   []Arg       // one for each of Kernel.Buffers
}

// Keep copies the memories of d, and returns what puts them back.
func (d *Dispatch) Keep() (restore func()) {
	kept := map[*Memory][2][]byte{}
	for i := range d.Args {
		if m := d.Args[i].Mem; m != nil {
			kept[m] = [2][]byte{slices.Clone(m.Bytes), slices.Clone(m.Init)}
		}
	}
	return func() {
		for m, was := range kept {
			copy(m.Bytes, was[0])
			copy(m.Init, was[1])
		}
	}
}

// Groups returns the number of threadgroups in each dimension.
func (d *Dispatch) Groups() model.Size3 {
	return model.Size3{X: ceil(d.Grid.X, d.Group.X), Y: ceil(d.Grid.Y, d.Group.Y), Z: ceil(d.Grid.Z, d.Group.Z)}
}

func ceil(a, b int) int { return (a-1)/b + 1 }

// GroupSize returns the actual size of threadgroup g, smaller than Group at the edges.
func (d *Dispatch) GroupSize(g model.Size3) model.Size3 {
	return model.Size3{
		X: min(d.Group.X, d.Grid.X-g.X*d.Group.X),
		Y: min(d.Group.Y, d.Grid.Y-g.Y*d.Group.Y),
		Z: min(d.Group.Z, d.Grid.Z-g.Z*d.Group.Z),
	}
}

// Options are what engines have in common.
type Options struct {
	Checks    bool // look for faults
	Workers   int  // cores to use; 0: all
	SIMDWidth int  // 0: 32
	// Steps bounds the instructions of all threads of a dispatch, each thread's counted; 0: DefaultSteps. Counted are those of the kernel as ir has
	// it, but for Nop, each time that a loop's body is begun again, and one for the thread itself. So all engines count the same, and a run ends when the next
	// instructions would be more than the bound, or less than a tenth above it.
	Steps int64
	// Behaviour is obeyed by the adversarial and the symbolic engine; the fast engine takes only plain arithmetic with flush, see there.
	Behaviour model.Behaviour
	// FixedReductions: reductions and prefixes of simdgroups are combined, and their matrices are laid out and multiplied, as in program order, whatever the
	// order of threads is.
	FixedReductions bool
}

// Program is a kernel as an engine runs it.
type Program interface {
	Run(d *Dispatch, o Options) (Result, error)
}

// DefaultSteps is the default budget of instructions of a dispatch.
const DefaultSteps = 1 << 36

// Result is what a run gave. The buffers' Memory holds the results.
type Result struct {
	Findings []model.Finding
	Steps    int64
}

// MaxFindings is the number of findings that one dispatch keeps; findings that agree in kind and source positions are one.
const MaxFindings = 64
