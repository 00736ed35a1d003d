package device

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gamma/metal"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props"
	"gamma/props/internal/devices"
	"gamma/props/internal/formulas"
)

// Kernel is a shader that computes a formula. Set Name, Source, Function and Formula; the rest has defaults.
//
// Without a Formula nothing is said of values. What every shader owes is judged: no races, no access out of bounds, nothing read before it is written,
// barriers that all threads reach, no result left unwritten, and the same bits in every order of threads and in every call.
type Kernel struct {
	// Name is file and kernel, such as "mynorms.metal#softmax"; reports and case files use it.
	Name string
	// Source, Function, Options, BothModes, Constants and Device are as those of Reduction.
	Source    string
	Function  string
	Options   metal.CompileOptions
	BothModes bool
	Constants metal.FunctionConstants
	Device    metal.Device

	// Formula is what dst, the result, is. Formulas are those of several results, by the names of the parameters that take them: each is judged by itself.
	Formula  *formula.Expr
	Formulas map[string]*formula.Expr
	// Claim, Out, Min, Max, Multiple and Fixed are as those of props.Kernel. A Claim without Functions promises what Metal does of metal::precise, or of CUDA C++
	// what NVIDIA publishes.
	Claim                     formula.Claim
	Out                       formula.Type
	Min, Max, Multiple, Fixed map[string]int
	// Repeats says that each order of threads gives the same bits. Without a Formula it is judged in any case.
	Repeats bool
	// Admits, Widths, Strict, HostCopies and MaxN are as those of Reduction; MaxN bounds the product of the sizes of all axes of the inputs.
	Admits     *model.Behaviour
	Widths     []int
	Strict     bool
	HostCopies bool
	MaxN       int

	// Bind says what parameters are for whose names do not: words such as "in=x", separated by spaces. An array that is read is an input of the formula,
	// one that is written is dst, or memory of so many elements that no formula is about: "partial=rows*4". A scalar is an input without axes, the size of an
	// axis, a product of these ("count=rows*n"), or a number ("eps=1e-5"). Threadgroup memory has so many elements: "scratch=threads", which is the default,
	// is one for each thread of a threadgroup. "n/16" is rounded up. "lda=a.rows" is the stride of a along the axis rows, a being an input or dst: the
	// shader is then judged with neighbours there further apart than they must be, as props.Kernel says of Strided.
	//
	// By itself a parameter is the input or the axis of its name; the only array that is written is dst, or a parameter called so, and a scalar integer
	// is the size of the only axis. An array that is written and has an input's name holds that, and is also dst if nothing else is.
	//
	// Of a structure with pointers (an argument buffer, on the simulator) the members are bound as parameters are: by their own names, or where another has the same, and
	// in arrays and inner structures, as "args.layers[0].w". Arrays of such structures, and pointers at such, are for Host: Run.UseResource and a buffer's GPUAddress.
	//
	// Without a Formula, each array is of so many elements as Bind says, n by default: "a=m*k b=k*n c=m*n". Those that are only read are inputs.
	Bind string
	// Grid is how many threadgroups are launched, in one to three dimensions, in the terms of Bind: "rows", or "n/16 m/16". "": a threadgroup for each row
	// along the last axis of the first input if the kernel has threadgroup memory, and else a thread for each element of dst.
	Grid string
	// Threads are the sizes of a threadgroup to draw. Nil: 1, 2, 8, 32, 64 and 256 in a row. The launch in a report or on file is of one threadgroup, since
	// Grid says how many there are.
	Threads []model.Size3

	// Host allocates, binds, dispatches and reads, in place of Bind and Grid.
	Host func(r *Run, c *props.KernelCall) error

	// Inputs and Bytes go with Host where there is no Formula: what is drawn, and how many bytes of results Host copies to dst, as props.Kernel says.
	Inputs []*formula.Expr
	Bytes  func(size func(axis string) int) int
	// Library is Source, compiled on Device already with Options; several kernels of one source can share it.
	Library metal.Library

	// Laws are theorems of the user's own.
	Laws []props.KernelLaw

	more []*formula.Expr // inputs of other results
}

func (k Kernel) device() metal.Device { return k.Device }

func (k Kernel) inFast() literal[props.Kernel] {
	fastMode(&k.Name, &k.Options, &k.Admits, &k.Widths, &k.Strict)
	k.Library = nil
	return k
}

func (k Kernel) both() bool { return k.BothModes && k.Options.MathMode != metal.MathFast }

// results returns a Kernel for each result that has a formula.
func (k Kernel) results() (list []Kernel) {
	if k.Formula != nil || len(k.Formulas) == 0 {
		list = append(list, k)
	}
	for _, name := range slices.Sorted(maps.Keys(k.Formulas)) {
		one := k
		one.Name, one.Formula, one.Bind = k.Name+"."+name, k.Formulas[name], k.Bind+" "+name+"="+dst
		for _, other := range slices.Sorted(maps.Keys(k.Formulas)) {
			if e := k.Formulas[other]; e.Err() == nil {
				one.more = append(one.more, e.Inputs()...)
			}
		}
		list = append(list, one)
	}
	return list
}

func (k Kernel) open(dev metal.Device) (props.Kernel, error) {
	k.Device = dev
	s := &shader{
		kind: "Kernel", name: k.Name, source: k.Source, function: k.Function, options: k.Options, constants: k.Constants, dev: k.Device,
		admits: k.Admits, widths: k.Widths, strict: k.Strict, copies: k.HostCopies || k.Host == nil, maxN: k.MaxN,
		both: k.BothModes, library: k.Library, inFast: func() (props.Subject, error) { return k.inFast().open(k.Device) },
	}
	for _, size := range k.Threads {
		l := model.Launch{Groups: model.Size3{X: 1, Y: 1, Z: 1}, Threads: size}
		before := s.launches
		s.launches = func(n int) []model.Launch {
			if before == nil {
				return []model.Launch{l}
			}
			return append(before(n), l)
		}
	}
	hosts := 0
	if k.Host != nil {
		hosts = 1
	}
	if err := s.open(hosts); err != nil {
		return props.Kernel{}, err
	}
	p := props.Kernel{
		Name: k.Name, Formula: k.Formula, Claim: k.Claim, Out: k.Out, Min: k.Min, Max: k.Max, Multiple: k.Multiple, Fixed: k.Fixed, Laws: k.Laws,
		Repeats: k.Repeats, Device: s.conditions(),
	}
	if p.Claim.Functions.Name == "" {
		switch p.Claim.Functions = formula.MetalPrecise; {
		case s.cuda() && s.options.MathMode == metal.MathFast:
			p.Claim.Functions = formula.CUDAFast
		case s.cuda():
			p.Claim.Functions = formula.CUDA
		}
	}
	host := k.Host
	if host == nil {
		b := &callBinding{s: s}
		if err := b.open(&k, &p); err != nil {
			return props.Kernel{}, fmt.Errorf("device: Kernel %s: kernel %s: %w; set Bind, or Host", k.Name, k.Function, err)
		}
		host = b.run
	} else if k.Formula == nil {
		p.Inputs, p.Bytes = k.Inputs, k.Bytes
	}
	p.CallOn = func(at props.Setting, c *props.KernelCall) error {
		return s.run(at, 0, func(r *Run) error { return host(r, c) })
	}
	return p, nil
}

// Check judges the shader, as props.Kernel.Check does: if it has several results, in a subtest for each.
func (k Kernel) Check(t *testing.T) { t.Helper(); k.each(t, check[props.Kernel]) }

// Fuzz judges the shader on inputs that Go's fuzzer makes; of several results the first.
func (k Kernel) Fuzz(f *testing.F) { f.Helper(); fuzz(f, k.results()[0]) }

// Replay judges the cases on file alone.
func (k Kernel) Replay(t *testing.T) { t.Helper(); k.each(t, replay[props.Kernel]) }

func (k Kernel) each(t *testing.T, judge func(*testing.T, literal[props.Kernel])) {
	t.Helper()
	list := k.results()
	if len(list) == 1 {
		judge(t, list[0])
		return
	}
	for _, one := range list {
		_, name, _ := strings.Cut(one.Name, "#")
		t.Run(name, func(t *testing.T) { t.Helper(); judge(t, one) })
	}
}

// dst is what the result is called.
const dst = "dst"

// callBinding says what the parameters of a kernel are for.
type callBinding struct {
	s     *shader
	slots []callSlot
	grid  []devices.Extent // nil: a thread for each element of the first result
	out   []int            // the slot of the result, or without a formula those of all
	free  bool             // there is no formula
}

// callSlot is one parameter: an array of that name, or an extent, of memory or as a number, or the number's bytes.
type callSlot struct {
	metal.Argument
	array  string
	size   devices.Extent
	value  []byte
	stride [2]string  // array and axis: it is how far neighbours along this are apart
	in     *structure // nil: it is a parameter
	offset int        // in that
}

// structure is a parameter that is a structure with pointers: an argument buffer. What is in it is bound as parameters are.
type structure struct{ metal.Argument }

// inside replaces structures with pointers by what is in them, by the names of the members alone where these are names, and no parameter or other member has the same.
func inside(arguments []metal.Argument) (list []callSlot, err error) {
	times := map[string]int{}
	for _, a := range arguments {
		times[a.Name]++
		for _, m := range a.Members {
			times[m.Name]++
		}
	}
	for _, a := range arguments {
		if a.Members == nil {
			list = append(list, callSlot{Argument: a})
			continue
		}
		if isArray(a) {
			return nil, fmt.Errorf("parameter %s of type %s: an array of structures with pointers is bound by Host", a.Name, a.TypeName)
		}
		s := &structure{a}
		for _, m := range a.Members {
			if m.Nested {
				return nil, fmt.Errorf("parameter %s of type %s: its member %s points at structures with pointers, which are bound by Host", a.Name, a.TypeName, m.Name)
			}
			name := m.Name
			if times[name] > 1 || strings.ContainsAny(name, ".[") {
				name = a.Name + "." + name
			}
			list = append(list, callSlot{in: s, offset: m.Offset, Argument: metal.Argument{
				Name: name, TypeName: m.TypeName, ElementSize: m.ElementSize, ReadOnly: m.ReadOnly, Optional: a.Optional,
			}})
		}
	}
	return list, nil
}

// point writes the address of b to where it belongs in the structure's bytes.
func (c *callSlot) point(e metal.ComputeCommandEncoder, b metal.Buffer, data []byte) error {
	usage := metal.UsageRead
	if !c.ReadOnly {
		usage |= metal.UsageWrite
	}
	if err := e.UseResource(b, usage); err != nil {
		return err
	}
	address, err := b.GPUAddress()
	binary.LittleEndian.PutUint64(data[c.offset:], address)
	return err
}

// open binds the parameters, and without a formula says in p what the inputs are.
func (b *callBinding) open(k *Kernel, p *props.Kernel) error {
	bind := map[string]string{}
	members, err := inside(b.s.arguments[k.Function])
	if err != nil {
		return err
	}
	arguments := make([]metal.Argument, len(members))
	for i, m := range members {
		arguments[i] = m.Argument
	}
	for _, word := range strings.Fields(k.Bind) {
		name, what, ok := strings.Cut(word, "=")
		if !ok || !slices.ContainsFunc(arguments, func(a metal.Argument) bool { return a.Name == name }) {
			return fmt.Errorf("its field Bind has %q, which is not parameter=purpose for one of its parameters", word)
		}
		bind[name] = what
	}
	var inputs []*formula.Expr
	if k.Formula != nil {
		if err := k.Formula.Err(); err != nil {
			return err
		}
		inputs = append(k.Formula.Inputs(), k.more...)
		p.Inputs = k.more
	} else {
		var err error
		if inputs, err = freeInputs(arguments, bind); err != nil {
			return err
		}
		p.Inputs = inputs
	}
	var axes []string
	types := map[string]formula.Type{}
	for _, in := range inputs {
		types[in.Node().Name] = in.Type()
		for _, axis := range in.Axes() {
			if !slices.Contains(axes, axis) {
				axes = append(axes, axis)
			}
		}
	}
	written := 0
	for _, a := range arguments {
		if isArray(a) && !a.ReadOnly && !a.Threadgroup {
			written++
		}
	}
	for i, a := range arguments {
		what, set := bind[a.Name]
		if a.Optional && !set {
			continue
		}
		if isTexture(a) {
			return fmt.Errorf("parameter %s of type %s: textures and samplers are bound by Host", a.Name, a.TypeName)
		}
		slot, err := b.slot(k, a, what, set, axes, types, written == 1)
		if err != nil {
			return fmt.Errorf("parameter %s of type %s: %w", a.Name, a.TypeName, err)
		}
		slot.in, slot.offset = members[i].in, members[i].offset
		if array := slot.stride[0]; array != "" {
			if p.Strided == nil {
				p.Strided = map[string]string{}
			}
			p.Strided[array] = slot.stride[1]
		}
		b.slots = append(b.slots, slot)
	}
	if err := b.results(k, p); err != nil {
		return err
	}
	return b.launch(k, inputs, axes)
}

func isArray(a metal.Argument) bool { return strings.Contains(a.TypeName, "*") }

// slot says what parameter a is for.
func (b *callBinding) slot(k *Kernel, a metal.Argument, what string, set bool, axes []string, types map[string]formula.Type, alone bool) (c callSlot, err error) {
	c.Argument = a
	t, input := types[what]
	if !set {
		t, input = types[a.Name]
		what = a.Name
	}
	if k.Formula == nil {
		t, input = types[a.Name]
	}
	width := 0 // of the elements of an array that the formula is about
	switch {
	case a.Threadgroup && !set:
		what = devices.Threads
	case a.Threadgroup:
	case input && (isArray(a) == (len(axesOf(k, a.Name, what)) > 0) || k.Formula == nil):
		c.array, width = what, t.Float.Bits()
		if k.Formula == nil {
			c.array = a.Name
		}
		if !t.IsReal() {
			width = max(t.Bits, 8)
		}
		if what := a.ElementSize * 8; what%max(width, 1) != 0 || !isArray(a) && what != width {
			return c, fmt.Errorf("its elements have %d bits, and those of input %s, of %s, %d", what, c.array, t, width)
		}
		return c, nil
	case isArray(a) && !a.ReadOnly && k.Formula == nil && !set:
		what = "n"
	case isArray(a) && !a.ReadOnly && !set && k.Formulas[a.Name] != nil:
		what = strings.Join(k.Formulas[a.Name].Axes(), "*")
		if what == "" {
			what = "1"
		}
	case isArray(a) && !a.ReadOnly && (set && what == dst || !set && (a.Name == dst || alone)):
		c.array = dst
		return c, nil
	case isArray(a) && a.ReadOnly:
		return c, errors.New("no input is called so")
	case !isArray(a) && !set && !slices.Contains(axes, a.Name) && len(axes) == 1 && slices.Contains(lengthNames, devices.ElementType(a.TypeName)):
		what = axes[0]
	}
	array, axis, _ := strings.Cut(what, ".")
	if _, input := types[array]; axis != "" && !isArray(a) && (input || array == dst) {
		c.stride = [2]string{array, axis}
		if k.Formula == nil || !slices.Contains(lengthNames, devices.ElementType(a.TypeName)) {
			return c, errors.New("a stride is an integer, of a kernel with a formula")
		}
		return c, nil
	}
	if v, e := strconv.ParseFloat(what, 32); e == nil && devices.ElementType(a.TypeName) == "float" && !isArray(a) {
		c.value = binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
		return c, nil
	}
	if c.size, err = devices.ReadExtent(what, axes); err == nil && !isArray(a) && !a.Threadgroup && !slices.Contains(lengthNames, devices.ElementType(a.TypeName)) {
		err = errors.New("it is no integer, and " + what + " is one")
	}
	return c, err
}

// axesOf returns the axes of the formula's input called what.
func axesOf(k *Kernel, name, what string) []string {
	if k.Formula == nil {
		return nil
	}
	for _, in := range append(k.Formula.Inputs(), k.more...) {
		if n := in.Node().Name; n == what {
			return in.Axes()
		}
	}
	return nil
}

// freeInputs returns inputs for the arrays that are read, and the scalars that are no sizes, of a kernel without a formula.
func freeInputs(arguments []metal.Argument, bind map[string]string) (list []*formula.Expr, err error) {
	integers := map[string]formula.Type{
		"char": formula.Int(8), "uchar": formula.Uint(8), "short": formula.Int(16), "ushort": formula.Uint(16), "int": formula.Int(32), "uint": formula.Uint(32),
		"long": formula.Int(64), "ulong": formula.Uint(64), "bool": {Bool: true},
	}
	for _, a := range arguments {
		name := devices.ElementType(a.TypeName)
		t, ok := integers[name]
		if f, float := typeNames[name]; float {
			t, ok = formula.Float(f), true
		}
		what, set := bind[a.Name]
		switch {
		case a.Optional || a.Threadgroup || !a.ReadOnly:
		case isArray(a) && !ok:
			return nil, fmt.Errorf("parameter %s: inputs of %s are not drawn", a.Name, name)
		case isArray(a) && !set:
			list = append(list, formula.Input(a.Name, t, "n"))
		case isArray(a):
			list = append(list, formula.Input(a.Name, t, strings.Split(what, "*")...))
		case t.IsReal() && !set && ok:
			list = append(list, formula.Input(a.Name, t))
		}
		if n := len(list); n > 0 && list[n-1].Err() != nil {
			return nil, fmt.Errorf("parameter %s: %w", a.Name, list[n-1].Err())
		}
	}
	return list, nil
}

// results finds where the result is written.
func (b *callBinding) results(k *Kernel, p *props.Kernel) error {
	if b.free = k.Formula == nil; b.free {
		for i, c := range b.slots {
			if isArray(c.Argument) && !c.ReadOnly && !c.Threadgroup {
				b.out = append(b.out, i)
			}
		}
		p.Bytes = func(size func(axis string) int) (n int) {
			for _, i := range b.out {
				n += b.slots[i].size.Of(size, 1) * b.slots[i].ElementSize
			}
			return n
		}
		if len(b.out) == 0 {
			return errors.New("it writes no array")
		}
		return nil
	}
	is := func(c callSlot) bool { return c.array == dst }
	if !slices.ContainsFunc(b.slots, is) { // in place
		is = func(c callSlot) bool { return c.array != "" && isArray(c.Argument) && !c.ReadOnly }
	}
	i := slices.IndexFunc(b.slots, is)
	if i < 0 {
		return errors.New("it has no array for the result")
	}
	if array := b.slots[i].array; array != dst && p.Strided[array] != "" {
		return fmt.Errorf("it computes in place, in %s, and an array with a stride is not judged in place", array)
	}
	b.out = []int{i}
	if p.Strided[dst] != "" && b.slots[i].ElementSize == 1 && p.Out.IsReal() && !p.Out.Float.IsZero() {
		return errors.New("a result with a stride is not judged in a format of 8 bits")
	}
	return nil
}

// launch reads Grid.
func (b *callBinding) launch(k *Kernel, inputs []*formula.Expr, axes []string) error {
	words := strings.Fields(k.Grid)
	if len(words) > 3 {
		return fmt.Errorf("its Grid %q has more than three dimensions", k.Grid)
	}
	if k.Grid == "" {
		shared := b.s.pipelines[k.Function].StaticThreadgroupMemoryLength() > 0
		for _, c := range b.slots {
			shared = shared || c.Threadgroup
		}
		i := slices.IndexFunc(inputs, func(in *formula.Expr) bool { return len(in.Axes()) > 0 })
		if !shared || i < 0 {
			return nil
		}
		rows := inputs[i].Axes()
		words = []string{strings.Join(append([]string{"1"}, rows[:len(rows)-1]...), "*")}
	}
	for _, word := range words {
		e, err := devices.ReadExtent(word, axes)
		if err != nil {
			return fmt.Errorf("its Grid: %w", err)
		}
		b.grid = append(b.grid, e)
	}
	return nil
}

// run binds, dispatches and reads.
func (b *callBinding) run(r *Run, c *props.KernelCall) error {
	l, group := r.Launch(), r.Threads()
	result := reflect.ValueOf(c.Array(dst))
	elements, width := result.Len(), b.width(int(result.Type().Elem().Size()))
	buffers := make([]metal.Buffer, len(b.slots))
	e, err := r.kernel(b.s.function)
	if err != nil {
		return err
	}
	structures := map[*structure][]byte{}
	for i, s := range b.slots {
		var data []byte
		if s.in != nil && structures[s.in] == nil {
			structures[s.in] = make([]byte, s.in.ElementSize)
		}
		n := elements * width
		switch {
		case s.array != "" && s.array != dst:
			if data, err = binary.Append(nil, binary.LittleEndian, c.Array(s.array)); err != nil {
				return err
			}
		case s.size != nil:
			n = s.size.Of(c.Size, group)
			data = binary.LittleEndian.AppendUint64(nil, uint64(n))[:min(max(s.ElementSize, 1), 8)]
			n *= max(s.ElementSize, 1)
		case s.value != nil:
			data = s.value
		case s.stride[0] != "":
			data = binary.LittleEndian.AppendUint64(nil, uint64(c.Stride(s.stride[0], s.stride[1])))[:min(max(s.ElementSize, 1), 8)]
		}
		switch {
		case s.Threadgroup:
			err = e.SetThreadgroupMemoryLength((max(n, 1)+15)/16*16, s.Index)
		case !isArray(s.Argument) && s.in != nil:
			copy(structures[s.in][s.offset:], data)
		case !isArray(s.Argument):
			err = e.SetBytes(data, s.Index)
		default:
			if s.array != "" && s.array != dst {
				buffers[i], err = r.Buffer(s.Name, data)
			} else {
				if buffers[i], err = r.Empty(s.Name, cmp.Or(n, 16)); err == nil && i == b.out[0] && !b.free {
					err = fillBetween(c, buffers[i], width)
				}
			}
			switch {
			case err != nil:
			case s.in != nil:
				err = s.point(e, buffers[i], structures[s.in])
			default:
				err = e.SetBuffer(buffers[i], 0, s.Index)
			}
		}
		if err != nil {
			return fmt.Errorf("parameter %s: %w", s.Name, err)
		}
	}
	for s, data := range structures {
		if err := e.SetBytes(data, s.Index); err != nil {
			return fmt.Errorf("parameter %s: %w", s.Name, err)
		}
	}
	formulas.Between(c, func(from, to int) { elements -= to - from })
	if b.free {
		elements = b.slots[b.out[0]].size.Of(c.Size, group)
	}
	if groups := b.groups(c, elements, group); groups.X*groups.Y*groups.Z > 0 {
		if err := e.DispatchThreadgroups(groups, l.Threads); err != nil {
			return err
		}
	}
	if b.free {
		return b.readBytes(r, c, buffers, group)
	}
	if codes, ok := c.Array(dst).([]uint16); ok && width == 1 {
		raw := make([]byte, len(codes))
		err := r.Read(buffers[b.out[0]], raw)
		for i, v := range raw {
			codes[i] = uint16(v)
		}
		return err
	}
	return r.Read(buffers[b.out[0]], c.Array(dst))
}

// width returns how many bytes an element of the result has on the device, where it has so many on the host: formats of 8 bits, whose elements are of 16 bits
// there, are bytes if the parameter points at such.
func (b *callBinding) width(host int) int {
	if !b.free && host == 2 && b.slots[b.out[0]].ElementSize == 1 {
		return 1
	}
	return host
}

// fillBetween writes what lies between the elements of a result, where nobody but the host does.
func fillBetween(c *props.KernelCall, b metal.Buffer, width int) (err error) {
	result := reflect.ValueOf(c.Array(dst))
	formulas.Between(c, func(from, to int) {
		data, e := binary.Append(nil, binary.LittleEndian, result.Slice(from, to).Interface())
		err = errors.Join(err, e, b.Write(from*width, data))
	})
	return err
}

// readBytes reads the results of a kernel without a formula, one after the other.
func (b *callBinding) readBytes(r *Run, c *props.KernelCall, buffers []metal.Buffer, group int) error {
	to := c.Uint8(dst)
	for _, i := range b.out {
		n := b.slots[i].size.Of(c.Size, group) * b.slots[i].ElementSize
		if err := r.Read(buffers[i], to[:n]); err != nil {
			return err
		}
		to = to[n:]
	}
	return nil
}

// groups returns how many threadgroups are launched for a result of so many elements.
func (b *callBinding) groups(c *props.KernelCall, elements, group int) model.Size3 {
	g := model.Size3{X: (elements + group - 1) / group, Y: 1, Z: 1}
	for i, e := range b.grid {
		*[...]*int{&g.X, &g.Y, &g.Z}[i] = e.Of(c.Size, group)
	}
	return g
}
