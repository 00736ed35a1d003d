package cuda

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// userSource is a source in CUDA C++, with the kernels that it declares: extern "C" __global__ functions whose parameters are numbers, by value, and
// pointers to them. NVRTC compiles it as it is; what is read here is how to launch it.
type userSource struct {
	text  string
	own   offload.Own
	flags []string
	order []string
	found map[string]*declared
}

// declared is a kernel, and what is wrong with its declaration.
type declared struct {
	kernel *ir.Kernel
	params []emit.Param
	err    error
}

// Names returns the names of the kernels, in the order of the source.
func (u *userSource) Names() []string { return u.order }

// Function returns a kernel. There are no function constants.
func (u *userSource) Function(function string, constants metal.FunctionConstants) (*protocol.Function, error) {
	d := u.found[function]
	switch {
	case d.err != nil:
		return nil, errorf("%s: kernel %s %w", u.own.File, function, d.err)
	case len(constants) > 0:
		return nil, errorf("%s: kernel %s has no function constants; say Macros in the options", u.own.File, function)
	}
	s := &offload.Source{Name: function, Entry: function, Text: u.text, Flags: u.flags, Params: d.params, Own: &u.own}
	return &protocol.Function{Name: function, Kernel: d.kernel, Native: s}, nil
}

// readSource reads a source in CUDA C++. compiler is where NVRTC lies: the toolkit's headers may lie beside it.
func readSource(text, compiler string, o metal.CompileOptions) (protocol.Library, error) {
	if len(o.Headers) > 0 || o.HeaderFiles != nil {
		return nil, errorf("%s: headers of CUDA sources are read from the source's folder; leave Headers and HeaderFiles out", o.FileName)
	}
	u := &userSource{own: offload.Own{File: o.FileName}, found: map[string]*declared{}}
	u.text = includes.ReplaceAllStringFunc(text, func(line string) string {
		given, ok := supplied[includes.FindStringSubmatch(line)[1]]
		u.own.Includes = u.own.Includes || !ok
		if !ok {
			return line
		}
		return given
	})
	u.flags = []string{"--define-macro=INFINITY=__int_as_float(0x7f800000)", "--define-macro=NAN=__int_as_float(0x7fffffff)"} // nvcc has them from math.h
	switch {
	case o.MathMode == metal.MathFast:
		u.flags = append(u.flags, "--use_fast_math")
	case o.MathMode != metal.MathSafe || o.MathFunctions != metal.FunctionsPrecise:
		return nil, errorf("%s: CUDA C++ has math modes safe, which are NVRTC's defaults, and fast, which is --use_fast_math; use one of them", o.FileName)
	}
	for _, m := range slices.Sorted(maps.Keys(o.Macros)) {
		u.flags = append(u.flags, "--define-macro="+m+"="+o.Macros[m])
	}
	for _, dir := range []string{filepath.Dir(o.FileName), filepath.Join(filepath.Dir(compiler), "..", "include"), filepath.Join(filepath.Dir(compiler), "..", "..", "cuda_runtime", "include")} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && u.own.Includes {
			u.flags = append(u.flags, "--include-path="+dir)
		}
	}
	u.read(scan(text))
	return u, nil
}

var includes = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]*)[>"][^\n]*`)

// supplied is what stands for headers that nvcc's users include, and that NVRTC does not need, or has not, since they are the host's. Each is one line, so that
// places in the source stay.
var supplied = map[string]string{
	"cuda_runtime.h": "", "cuda_runtime_api.h": "", "cuda.h": "", "device_launch_parameters.h": "", "math.h": "", "cmath": "",
	"stdio.h": "", "cstdio": "", "stdlib.h": "", "cstdlib": "", "stddef.h": "", "cstddef": "", "assert.h": "", "cassert": "",
	"stdint.h": integers, "cstdint": integers,
}

const integers = "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t; " +
	"typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t; typedef unsigned long long uint64_t;"

// word is a token of a source, with its line.
type word struct {
	text string
	line int
}

// tokens finds comments, directives of the preprocessor, literals, names and numbers, and whatever else, a character at a time.
var tokens = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|\n[ \t]*#(?:\\\n|[^\n])*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|[0-9][\w.]*|\n|\S`)

// scan returns the tokens of a source, without comments and directives.
func scan(text string) (list []word) {
	line := 0 // the text begins with an end of line, for a directive there
	for _, t := range tokens.FindAllString("\n"+text, -1) {
		first := strings.TrimLeft(t, " \t\n")
		if first != "" && first[0] != '#' && !strings.HasPrefix(first, "//") && !strings.HasPrefix(first, "/*") {
			list = append(list, word{t, line})
		}
		line += strings.Count(t, "\n")
	}
	return list
}

// closing returns the index after the bracket that closes the one at i.
func closing(list []word, i int) int {
	depth := 0
	for ; i < len(list); i++ {
		switch list[i].text {
		case "(", "{", "[":
			depth++
		case ")", "}", "]":
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(list)
}

// read finds the kernels.
func (u *userSource) read(list []word) {
	ends := 0        // of the extern "C" block that is open
	start := 0       // of the present declaration
	var shared []int // where extern __shared__ arrays are declared outside of kernels
	for i := 0; i < len(list); i++ {
		switch t := list[i].text; {
		case t == `"C"` && i+1 < len(list) && list[i+1].text == "{" && i > 0 && list[i-1].text == "extern":
			ends = max(ends, closing(list, i+1))
		case t == ";", t == "{", t == "}":
			start = i + 1
		case t == "__shared__" && i > 0 && list[i-1].text == "extern":
			shared = append(shared, i)
		case t == "__global__":
			before := list[start:i]
			c := i < ends || slices.ContainsFunc(before, func(w word) bool { return w.text == `"C"` })
			if end, ok := u.kernel(list, i, c, slices.ContainsFunc(before, func(w word) bool { return w.text == "template" })); ok {
				i, start = end-1, end
			}
		}
	}
	for _, name := range u.order { // memory of functions that kernels call
		for _, i := range shared {
			u.found[name].shared(list, i)
		}
	}
}

// kernel reads the definition of a kernel from its __global__ on, and returns where it ends.
func (u *userSource) kernel(list []word, i int, c, template bool) (end int, ok bool) {
	name := i + 1
	for name < len(list) && list[name].text != "(" {
		if t := list[name].text; (t == "__launch_bounds__" || t == "__cluster_dims__" || t == "__attribute__") && name+1 < len(list) {
			name = closing(list, name+1)
			continue
		}
		name++
	}
	after := closing(list, name)
	if name--; after >= len(list) || list[after].text != "{" || name <= i {
		return 0, false // a declaration without a body
	}
	end = closing(list, after)
	f := list[name].text
	d := &declared{kernel: &ir.Kernel{Name: f, Pos: model.Position{File: u.own.File, Line: list[name].line, Column: 1}}}
	switch {
	case template:
		d.err = fmt.Errorf("is a template: write an extern \"C\" __global__ function that calls it for the types that are judged")
	case !c:
		d.err = fmt.Errorf("is not extern \"C\": write that before __global__, so that it is found by its name")
	default:
		d.err = d.parameters(list[name+2 : after-1])
	}
	for j := after; j < end; j++ {
		if list[j].text == "__shared__" && list[j-1].text == "extern" {
			d.shared(list, j)
		}
	}
	u.order, u.found[f] = append(u.order, f), d
	return end, true
}

// shared adds the dynamic shared memory that is declared at i, once, as an argument of threadgroup memory.
func (d *declared) shared(list []word, i int) {
	var of []word
	for i++; i < len(list) && list[i].text != "[" && list[i].text != ";"; i++ {
		if t := list[i].text; (t == "__align__" || t == "alignas") && i+1 < len(list) {
			i = closing(list, i+1) - 1
			continue
		}
		of = append(of, list[i])
	}
	if len(of) < 2 || d.err != nil {
		return
	}
	b := ir.Buffer{Name: of[len(of)-1].text, Space: ir.Threadgroup, Pos: d.kernel.Pos}
	b.Pos.Line = of[0].line
	b.Type, b.Elem, d.err = number(of[:len(of)-1])
	b.Type, b.Align = "threadgroup "+b.Type+"*", max(b.Elem, 1)
	if !slices.ContainsFunc(d.kernel.Buffers, func(o ir.Buffer) bool { return o.Space == ir.Threadgroup }) {
		d.kernel.Buffers = append(d.kernel.Buffers, b)
	}
}

// parameters reads the parameters of a kernel.
func (d *declared) parameters(list []word) error {
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(w word) bool { return w.text == "," })
		if n < 0 {
			n = len(list)
		}
		one := list[:n]
		list = list[min(n+1, len(list)):]
		if len(list) == 0 && n == 1 && one[0].text == "void" {
			return nil
		}
		if len(d.kernel.Buffers) > metal.MaxBufferIndex {
			return fmt.Errorf("has more than %d parameters", metal.MaxBufferIndex+1)
		}
		if err := d.parameter(one); err != nil {
			return err
		}
	}
	return nil
}

// parameter reads one parameter.
func (d *declared) parameter(list []word) (err error) {
	at := len(d.kernel.Buffers)
	b := ir.Buffer{Index: at, Pos: d.kernel.Pos}
	var of []word
	stars, constant := 0, false
	for _, w := range list {
		b.Pos.Line = w.line
		switch w.text {
		case "const":
			constant = constant || stars == 0
		case "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__":
		case "*":
			stars++
		default:
			of = append(of, w)
		}
	}
	if n := len(of); n > 3 && of[n-2].text == "[" && of[n-1].text == "]" { // x[] is *x
		stars, of = stars+1, of[:n-2]
	}
	if len(of) < 2 || !named.MatchString(of[len(of)-1].text) || stars > 1 {
		return fmt.Errorf("has a parameter %q, which is not a number or a pointer to numbers with a name", texts(list))
	}
	b.Name = of[len(of)-1].text
	if b.Type, b.Elem, err = number(of[:len(of)-1]); err != nil {
		return fmt.Errorf("has a parameter %s of %w", b.Name, err)
	}
	kind := emit.BufferAddress
	b.Align, b.ReadOnly, b.Space = b.Elem, constant, ir.Device
	switch {
	case stars == 0:
		kind, b.Whole, b.ReadOnly, b.Space = emit.Value, true, true, ir.Constant
		if b.Elem > 8 {
			return fmt.Errorf("has a parameter %s of %s by value, and numbers of at most 8 bytes are passed so", b.Name, b.Type)
		}
	case constant:
		b.Type = "const " + b.Type + "*"
	default:
		b.Type += "*"
	}
	d.kernel.Buffers = append(d.kernel.Buffers, b)
	d.params = append(d.params, emit.Param{Kind: kind, Index: at})
	return nil
}

var named = regexp.MustCompile(`^[A-Za-z_]\w*$`)

func texts(list []word) string {
	var all []string
	for _, w := range list {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}

// numbers are the names of types in CUDA C++, by those of Metal, in which kinds of subjects say what they bind.
var numbers = map[string]string{
	"float": "float", "double": "double", "half": "half", "__half": "half", "nv_bfloat16": "bfloat", "__nv_bfloat16": "bfloat", "bool": "bool",
	"char": "char", "signed char": "char", "int8_t": "char", "unsigned char": "uchar", "uint8_t": "uchar",
	"short": "short", "short int": "short", "int16_t": "short", "unsigned short": "ushort", "unsigned short int": "ushort", "uint16_t": "ushort",
	"int": "int", "signed": "int", "signed int": "int", "int32_t": "int", "unsigned": "uint", "unsigned int": "uint", "uint32_t": "uint", "uint": "uint",
	"long long": "long", "long long int": "long", "int64_t": "long", "ptrdiff_t": "long",
	"unsigned long long": "ulong", "unsigned long long int": "ulong", "uint64_t": "ulong", "size_t": "ulong",
	"half2": "half2", "__half2": "half2", "uchar": "uchar", "ushort": "ushort",
}

// bytesOf are the sizes of Metal's numbers.
var bytesOf = map[string]int{
	"float": 4, "double": 8, "half": 2, "bfloat": 2, "bool": 1, "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "half2": 4,
}

var longs = regexp.MustCompile(`\b(?:long )?long(?: int)?$`)

var vector = regexp.MustCompile(`^(float|double|char|uchar|short|ushort|int|uint)([234])$`)

// number returns Metal's name of a type, and its size.
func number(list []word) (string, int, error) {
	var words []string
	for _, w := range list {
		if w.text != "const" && w.text != "volatile" && w.text != "std" && w.text != ":" {
			words = append(words, w.text)
		}
	}
	name := strings.Join(words, " ")
	if m := vector.FindStringSubmatch(name); m != nil {
		return name, bytesOf[m[1]] * int(m[2][0]-'0'), nil
	}
	if runtime.GOOS != "windows" { // where long has 4 bytes
		name = longs.ReplaceAllString(name, "long long")
	}
	t, ok := numbers[name]
	if !ok {
		return "", 0, fmt.Errorf("type %s: it is none of %s, and no vector such as float4", name, strings.Join(slices.Sorted(maps.Keys(numbers)), ", "))
	}
	return t, bytesOf[t], nil
}
