package device

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gamma/metal"
	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props"
	"gamma/props/internal/devices"
)

// Modular is a shader that computes rows of residues: a modular product, a reduction, a butterfly. Set Name, Source, Function and
// Claim; the rest has defaults.
type Modular struct {
	// Name is file and kernel, such as "mymod.metal#mul"; reports and files of rows use it.
	Name string
	// Source is the text of the shader, Function the kernel's name in it, Options what it is compiled with and Constants its
	// function constants. shaders.ModularHeaders has arithmetic modulo q to include.
	Source    string
	Function  string
	Options   metal.CompileOptions
	Constants metal.FunctionConstants
	// Device is what it runs on. Nil: every device that -gamma.device chooses; Props then takes a simulator that checks everything.
	Device metal.Device

	// Claim is what the kernel promises. Words are as wide as Claim.Bits says: uchar, ushort, uint or ulong.
	Claim modular.Claim
	// Admits is what the claim allows the device; nil: the most that the specification allows under Options.MathMode, which changes no integer of a sound kernel.
	Admits *model.Behaviour
	// Widths are the sizes of a simdgroup that are drawn. Nil: 4 to 64, unless Admits is set. No widths: the device's own.
	Widths []int
	// Launches returns the launches to draw for so many rows. Nil: threads for all rows, in threadgroups of several sizes.
	Launches func(rows int) []model.Launch
	// Fits says why a launch cannot run so many rows. Nil: those of Launches can, and without these each with a thread a row.
	Fits func(rows int, l model.Launch) error
	// MaxN is the most rows to draw at once. 0: 1100.
	MaxN int

	// Parameters returns what the kernel takes of a modulus q beside it, by the names of its arguments: numbers as uint64, structs as
	// bytes in memory.
	Parameters func(q uint64) map[string]any

	// Host allocates, binds, dispatches and reads: src has the words of rows of operands, dst takes those of their results. It returns an
	// error for a modulus that is not claimed. Nil: the arguments of Function are bound by types and names: the read-only array is the
	// operands, the other one the results; of scalar constants those in Parameters are these, one called q or modulus, or the only one
	// of the words' type, is the modulus, and one called n, rows or count, or else of type uint, the number of rows. Moduli that are
	// not claimed never reach the kernel then.
	Host func(r *Run, q uint64, dst, src []uint64) error

	// Laws are theorems of the user's own.
	Laws []props.ModularLaw
}

func (m Modular) device() metal.Device { return m.Device }

func (m Modular) inFast() literal[props.Modular] { return m }

func (Modular) both() bool { return false } // no math mode changes an integer

func (m Modular) open(dev metal.Device) (props.Modular, error) {
	m.Device = dev
	s := &shader{
		kind: "Modular", name: m.Name, source: m.Source, function: m.Function, options: m.Options, constants: m.Constants, dev: m.Device,
		admits: m.Admits, widths: m.Widths, strict: true, launches: m.Launches, fits: m.Fits, maxN: m.MaxN,
	}
	hosts := 0
	if m.Host != nil {
		hosts = 1
	}
	if err := s.open(hosts); err != nil {
		return props.Modular{}, err
	}
	if err := m.Claim.Check(); err != nil {
		return props.Modular{}, fmt.Errorf("device: Modular %s: Claim: %w", m.Name, err)
	}
	if s.fits == nil && s.launches == nil {
		s.fits = threadARow
	}
	if s.launches == nil {
		s.launches = rowLaunches
	}
	claim, host := m.Claim, m.Host
	if host == nil {
		b, err := s.residueBinding(&claim, m.Parameters)
		if err != nil {
			return props.Modular{}, err
		}
		host = b.run
	}
	d := s.conditions()
	d.Cost = devices.CostBatch
	return props.Modular{
		Name: m.Name, Claim: claim, Device: d, Laws: m.Laws,
		RunOn: func(at props.Setting, q uint64, dst, src []uint64) error {
			return s.run(at, len(dst)/len(claim.Out), func(r *Run) error { return host(r, q, dst, src) })
		},
	}, nil
}

// Check judges the shader, as props.Modular.Check does.
func (m Modular) Check(t *testing.T) {
	t.Helper()
	check(t, m)
}

// Fuzz judges the shader on moduli and rows that Go's fuzzer makes.
func (m Modular) Fuzz(f *testing.F) {
	f.Helper()
	fuzz(f, m)
}

// Replay judges the rows on file alone.
func (m Modular) Replay(t *testing.T) {
	t.Helper()
	replay(t, m)
}

// residueBinding says what the arguments of a kernel on residues are for.
type residueBinding struct {
	s          *shader
	claim      *modular.Claim
	x, z       *metal.Argument
	rows, q    *metal.Argument
	others     []metal.Argument // bound to parameters by their names
	parameters func(q uint64) map[string]any
}

// wordTypes are the types of Metal for words.
var wordTypes = map[int][]string{8: {"uchar", "uint8_t"}, 16: {"ushort", "uint16_t"}, 32: {"uint", "uint32_t"}, 64: {"ulong", "uint64_t", "size_t"}}

var (
	modulusNames = []string{"q", "modulus"}
	rowsNames    = []string{"n", "rows", "count"}
)

// residueBinding reads the arguments of the function.
func (s *shader) residueBinding(c *modular.Claim, parameters func(q uint64) map[string]any) (*residueBinding, error) {
	b := &residueBinding{s: s, claim: c, parameters: parameters}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("device: %s %s: kernel %s %s; set Host, and bind it there", s.kind, s.name, s.function, fmt.Sprintf(format, args...))
	}
	var rest []metal.Argument
	for _, a := range s.arguments[s.function] {
		array := strings.Contains(a.TypeName, "*")
		switch {
		case a.Optional:
		case a.Threadgroup:
			return nil, wrong("has threadgroup memory %s, whose length its type does not tell", a.Name)
		case array && a.ReadOnly && b.x == nil:
			b.x = &a
		case array && !a.ReadOnly && b.z == nil:
			b.z = &a
		case array || !a.ReadOnly:
			return nil, wrong("has an argument %s of type %s more than operands and results", a.Name, a.TypeName)
		case slices.Contains(modulusNames, a.Name) && b.q == nil:
			b.q = &a
		case slices.Contains(rowsNames, a.Name) && b.rows == nil:
			b.rows = &a
		default:
			rest = append(rest, a)
		}
	}
	for _, a := range rest {
		name := devices.ElementType(a.TypeName)
		switch {
		case parameters != nil:
			b.others = append(b.others, a)
		case b.q == nil && slices.Contains(wordTypes[c.Bits], name):
			b.q = &a
		case b.rows == nil && slices.Contains(wordTypes[32], name):
			b.rows = &a
		default:
			return nil, wrong("has an argument %s of type %s whose purpose neither its name nor its type tells: name it in Parameters, or", a.Name, a.TypeName)
		}
	}
	width, in, out := c.Bits/8, len(c.In), len(c.Out)
	switch {
	case b.x == nil && in > 0:
		return nil, wrong("has no read-only array for the operands")
	case b.z == nil:
		return nil, wrong("has no array for the results")
	case b.x != nil && width*in%max(b.x.ElementSize, 1) != 0:
		return nil, wrong("reads elements of %d bytes from %s, and a row of operands has %d", b.x.ElementSize, b.x.Name, width*in)
	case width*out%max(b.z.ElementSize, 1) != 0:
		return nil, wrong("writes elements of %d bytes to %s, and a row of results has %d", b.z.ElementSize, b.z.Name, width*out)
	case b.q != nil && b.q.ElementSize != width:
		return nil, wrong("takes the modulus %s in %d bytes, and a word has %d", b.q.Name, b.q.ElementSize, width)
	}
	return b, nil
}

// run binds, dispatches and reads.
func (b *residueBinding) run(r *Run, q uint64, dst, src []uint64) error {
	m := &b.claim.Moduli
	if err := m.Admits(q, b.claim.Bits); err != nil {
		return fmt.Errorf("device: %s: %w", b.s.name, err)
	}
	if m.Prime && !oracle.IsPrime(q) {
		return fmt.Errorf("device: %s: modulus %d is not prime; it must be", b.s.name, q)
	}
	e, err := r.kernel(b.s.function)
	if err != nil {
		return err
	}
	width := b.claim.Bits / 8
	z, err := r.Empty(b.z.Name, max(width*len(dst), 16))
	if err != nil {
		return err
	}
	if err := e.SetBuffer(z, 0, b.z.Index); err != nil {
		return err
	}
	if b.x != nil {
		x, err := r.Buffer(b.x.Name, packed(src, width))
		if err != nil {
			return err
		}
		if err := e.SetBuffer(x, 0, b.x.Index); err != nil {
			return err
		}
	}
	scalar := func(a *metal.Argument, v uint64) error {
		if a == nil {
			return nil
		}
		return e.SetBytes(packed([]uint64{v}, min(max(a.ElementSize, 1), 8)), a.Index)
	}
	if err := scalar(b.q, q); err != nil {
		return err
	}
	if err := scalar(b.rows, uint64(r.N)); err != nil {
		return err
	}
	if err := b.bindParameters(e, q, scalar); err != nil {
		return err
	}
	l := r.Launch()
	if err := e.DispatchThreadgroups(l.Groups, l.Threads); err != nil {
		return err
	}
	bytes := make([]byte, width*len(dst))
	if err := r.Read(z, bytes); err != nil {
		return err
	}
	for i := range dst {
		var word [8]byte
		copy(word[:], bytes[i*width:(i+1)*width])
		dst[i] = binary.LittleEndian.Uint64(word[:])
	}
	return nil
}

// bindParameters binds what the literal's Parameters say of a modulus.
func (b *residueBinding) bindParameters(e metal.ComputeCommandEncoder, q uint64, scalar func(a *metal.Argument, v uint64) error) error {
	if len(b.others) == 0 {
		return nil
	}
	values := b.parameters(q)
	for i := range b.others {
		a := &b.others[i]
		switch v := values[a.Name].(type) {
		case uint64:
			if a.ElementSize < 8 && v>>(8*a.ElementSize) != 0 {
				return fmt.Errorf("device: %s: Parameters gives %#x for %s, which has %d bytes", b.s.name, v, a.Name, a.ElementSize)
			}
			if err := scalar(a, v); err != nil {
				return err
			}
		case []byte:
			if err := e.SetBytes(v, a.Index); err != nil {
				return fmt.Errorf("device: %s: %s: %w", b.s.name, a.Name, err)
			}
		default:
			return fmt.Errorf("device: %s: Parameters gives %T for the argument %s of type %s; give a uint64, or []byte", b.s.name, v, a.Name, a.TypeName)
		}
	}
	return nil
}

// packed returns words in so many bytes each, little endian.
func packed(words []uint64, width int) []byte {
	b := make([]byte, 0, width*len(words))
	for _, w := range words {
		b = append(b, binary.LittleEndian.AppendUint64(nil, w)[:width]...)
	}
	return b
}
