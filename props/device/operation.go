package device

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gamma/metal"
	"gamma/model"
	"gamma/model/word"
	"gamma/props"
	"gamma/props/internal/devices"
)

// Operation is a shader that computes rows of words: an error-free transform, arithmetic of double words, a complex product. Set
// Name, Source, Function and Claim; the rest has defaults.
type Operation struct {
	// Name is file and kernel, such as "mydd.metal#times"; reports and tables of cases use it.
	Name string
	// Source is the text of the shader, Function the kernel's name in it, Options what it is compiled with and Constants its
	// function constants. shaders.Headers has device functions to include.
	Source    string
	Function  string
	Options   metal.CompileOptions
	BothModes bool // see Reduction
	Constants metal.FunctionConstants
	// Device is what it runs on. Nil: every device that -gamma.device chooses; Props then takes a simulator that checks everything.
	Device metal.Device

	// Claim is what the kernel promises. Words are of binary32.
	Claim word.Claim
	// Admits is what the claim allows the device; nil: the most that the specification allows under Options.MathMode. A device of hardware behaves as it does.
	Admits *model.Behaviour
	// Widths are the sizes of a simdgroup that are drawn. Nil: 4 to 64, unless Admits is set. No widths: the device's own.
	Widths []int
	// Strict says that contraction and rewrites change nothing, by the source's pragmas: the claim then holds under them too.
	Strict bool
	// HostCopies says that Host moves bits and computes nothing; see Reduction.
	HostCopies bool
	// Launches returns the launches to draw for so many rows. Nil: threads for all rows, in threadgroups of several sizes.
	Launches func(rows int) []model.Launch
	// Fits says why a launch cannot run so many rows. Nil: those of Launches can, and without these each with a thread a row.
	Fits func(rows int, l model.Launch) error
	// MaxN is the most rows to draw at once. 0: 1100.
	MaxN int

	// Host allocates, binds, dispatches and reads: src has the words of rows of operands, dst takes those of their results. Nil: the
	// arguments of Function are bound by their types: the read-only array is the operands, the other one the results, a scalar
	// constant the number of rows.
	Host func(r *Run, dst, src []float32) error

	// Laws are theorems of the user's own.
	Laws []props.WordLaw
}

func (o Operation) device() metal.Device { return o.Device }

func (o Operation) inFast() literal[props.Operation] {
	fastMode(&o.Name, &o.Options, &o.Admits, &o.Widths, &o.Strict)
	return o
}

func (o Operation) both() bool { return o.BothModes && o.Options.MathMode != metal.MathFast }

func (o Operation) open(dev metal.Device) (props.Operation, error) {
	o.Device = dev
	s := &shader{
		kind: "Operation", name: o.Name, source: o.Source, function: o.Function, options: o.Options, constants: o.Constants, dev: o.Device,
		admits: o.Admits, widths: o.Widths, strict: o.Strict, copies: o.HostCopies || o.Host == nil,
		launches: o.Launches, fits: o.Fits, maxN: o.MaxN,
		both: o.BothModes, inFast: func() (props.Subject, error) { return o.inFast().open(o.Device) },
	}
	hosts := 0
	if o.Host != nil {
		hosts = 1
	}
	if err := s.open(hosts); err != nil {
		return props.Operation{}, err
	}
	if err := o.Claim.Op.Check(); err != nil {
		return props.Operation{}, fmt.Errorf("device: Operation %s: Claim.Op: %w", o.Name, err)
	}
	if s.fits == nil && s.launches == nil {
		s.fits = threadARow
	}
	if s.launches == nil {
		s.launches = rowLaunches
	}
	host := o.Host
	if host == nil {
		b, err := s.rowBinding(o.Claim.Op)
		if err != nil {
			return props.Operation{}, err
		}
		host = b.run
	}
	d := s.conditions()
	d.Cost = devices.CostBatch
	return props.Operation{
		Name: o.Name, Claim: o.Claim, Device: d, Laws: o.Laws,
		RunOn: func(at props.Setting, dst, src []float32) error {
			return s.run(at, len(src)/o.Claim.Op.In(), func(r *Run) error { return host(r, dst, src) })
		},
	}, nil
}

// Check judges the shader, as props.Operation.Check does.
func (o Operation) Check(t *testing.T) {
	t.Helper()
	check(t, o)
}

// Fuzz judges the shader on rows that Go's fuzzer makes.
func (o Operation) Fuzz(f *testing.F) {
	f.Helper()
	fuzz(f, o)
}

// Replay judges the rows on file alone.
func (o Operation) Replay(t *testing.T) {
	t.Helper()
	replay(t, o)
}

// rowLaunches are launches with a thread a row, and a threadgroup more.
func rowLaunches(rows int) []model.Launch {
	var list []model.Launch
	for _, w := range []int{32, 7, 256} {
		list = append(list, model.Launch1D(max((rows+w-1)/w, 1), w))
	}
	return append(list, model.Launch1D((rows+31)/32+1, 32))
}

func threadARow(rows int, l model.Launch) error {
	if t := l.Groups.X * l.Groups.Y * l.Groups.Z * l.Threads.X * l.Threads.Y * l.Threads.Z; t < rows {
		return fmt.Errorf("launch %s: %d threads for %d rows; launch one a row, or set Fits", l, t, rows)
	}
	return nil
}

// rowBinding says what the arguments of a kernel that runs rows are for.
type rowBinding struct {
	s       *shader
	in, out int
	x, z    metal.Argument
	rows    *metal.Argument
}

// rowBinding reads the arguments of the function.
func (s *shader) rowBinding(op word.Op) (*rowBinding, error) {
	b := &rowBinding{s: s, in: op.In(), out: op.Out()}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("device: %s %s: kernel %s %s; set Host, and bind it there", s.kind, s.name, s.function, fmt.Sprintf(format, args...))
	}
	foundX, foundZ := false, false
	for _, a := range s.arguments[s.function] {
		array := strings.Contains(a.TypeName, "*")
		switch {
		case a.Optional:
		case array && a.ReadOnly && !a.Threadgroup && !foundX:
			b.x, foundX = a, true
		case array && !a.ReadOnly && !a.Threadgroup && !foundZ:
			b.z, foundZ = a, true
		case slices.Contains(lengthNames, devices.ElementType(a.TypeName)) && !array && a.ReadOnly && b.rows == nil:
			b.rows = &a
		default:
			return nil, wrong("has an argument %s of type %s whose purpose its type does not tell", a.Name, a.TypeName)
		}
	}
	switch {
	case !foundX || !foundZ:
		return nil, wrong("has not one read-only array for the operands and one for the results")
	case 4*b.in%max(b.x.ElementSize, 1) != 0:
		return nil, wrong("reads elements of %d bytes from %s, and a row of %s has %d", b.x.ElementSize, b.x.Name, op, 4*b.in)
	case 4*b.out%max(b.z.ElementSize, 1) != 0:
		return nil, wrong("writes elements of %d bytes to %s, and a row of results of %s has %d", b.z.ElementSize, b.z.Name, op, 4*b.out)
	}
	return b, nil
}

// run binds, dispatches and reads.
func (b *rowBinding) run(r *Run, dst, src []float32) error {
	e, err := r.kernel(b.s.function)
	if err != nil {
		return err
	}
	x, err := r.Buffer(b.x.Name, Floats(src))
	if err != nil {
		return err
	}
	if err := e.SetBuffer(x, 0, b.x.Index); err != nil {
		return err
	}
	z, err := r.Empty(b.z.Name, max(4*len(dst), 16))
	if err != nil {
		return err
	}
	if err := e.SetBuffer(z, 0, b.z.Index); err != nil {
		return err
	}
	if b.rows != nil {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(r.N))
		if err := e.SetBytes(n[:min(max(b.rows.ElementSize, 1), 8)], b.rows.Index); err != nil {
			return err
		}
	}
	l := r.Launch()
	if err := e.DispatchThreadgroups(l.Groups, l.Threads); err != nil {
		return err
	}
	bytes := make([]byte, 4*len(dst))
	if err := r.Read(z, bytes); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return nil
}
