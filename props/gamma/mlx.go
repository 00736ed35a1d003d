package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"gamma/metal"
	"gamma/model"
	"gamma/props"
	"gamma/props/device"
	"gamma/props/judge"
)

// piece is what MLX's metal_kernel takes, with the types and sizes of its arrays: MLX writes the signature, and so does this.
type piece struct {
	Name        string            `json:"name"`
	Header      string            `json:"header"`
	Source      string            `json:"source"`
	InputNames  []string          `json:"input_names"`
	OutputNames []string          `json:"output_names"`
	Inputs      map[string]string `json:"inputs"`  // type:size; a size of 1 is a scalar
	Outputs     map[string]string `json:"outputs"` // type:size
	Template    map[string]any    `json:"template"`
	Atomic      bool              `json:"atomic_outputs"`
	Grid        []int             `json:"grid"` // in threads
	Threadgroup []int             `json:"threadgroup"`
	file        string
}

// mlxTypes are MLX's names of types that are others in Metal.
var mlxTypes = map[string]string{
	"float32": "float", "float16": "half", "bfloat16": "bfloat", "int8": "char", "uint8": "uchar", "int16": "short", "uint16": "ushort", "int32": "int",
	"uint32": "uint", "int64": "long", "uint64": "ulong", "bool_": "bool",
}

// attributes are what a body may name without declaring it.
var attributes = map[string]string{
	"thread_position_in_grid": "uint3", "thread_position_in_threadgroup": "uint3", "threadgroup_position_in_grid": "uint3", "threads_per_grid": "uint3",
	"threads_per_threadgroup": "uint3", "threadgroups_per_grid": "uint3", "thread_index_in_threadgroup": "uint", "thread_index_in_simdgroup": "uint",
	"simdgroup_index_in_threadgroup": "uint", "threads_per_simdgroup": "uint", "simdgroups_per_threadgroup": "uint",
}

// readPiece reads a piece and checks its fields.
func readPiece(name string) (*piece, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p := &piece{file: name}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if p.Name == "" || p.Source == "" || len(p.OutputNames) == 0 {
		return nil, fmt.Errorf("%s: a piece has a name, a source and output_names", name)
	}
	for _, a := range p.InputNames {
		if p.Inputs[a] == "" {
			return nil, fmt.Errorf("%s: inputs does not say what %s is: write such as \"%s\": \"float32:n\"", name, a, a)
		}
	}
	for _, a := range p.OutputNames {
		if p.Outputs[a] == "" {
			return nil, fmt.Errorf("%s: outputs does not say what %s is: write such as \"%s\": \"float32:n\"", name, a, a)
		}
	}
	return p, nil
}

// metalType parts type:size.
func metalType(text string) (t, size string) {
	t, size, _ = strings.Cut(text, ":")
	if m := mlxTypes[t]; m != "" {
		t = m
	}
	return t, size
}

// function is the kernel's name.
func (p *piece) function() string { return "custom_kernel_" + p.Name }

// text writes the source: header, signature and body, whose lines are counted from 1.
func (p *piece) text() string {
	var params []string
	for _, a := range p.InputNames {
		t, size := metalType(p.Inputs[a])
		if size == "" {
			params = append(params, fmt.Sprintf("const constant %s& %s", t, a))
			continue
		}
		params = append(params, fmt.Sprintf("const device %s* %s", t, a))
	}
	for _, a := range p.OutputNames {
		t, _ := metalType(p.Outputs[a])
		if p.Atomic {
			t = "atomic<" + t + ">"
		}
		params = append(params, fmt.Sprintf("device %s* %s", t, a))
	}
	for i := range params {
		params[i] += fmt.Sprintf(" [[buffer(%d)]]", i)
	}
	for _, a := range slices.Sorted(maps.Keys(attributes)) {
		if strings.Contains(p.Source, a) {
			params = append(params, fmt.Sprintf("%s %s [[%s]]", attributes[a], a, a))
		}
	}
	var b strings.Builder
	b.WriteString("#include <metal_stdlib>\nusing namespace metal;\ntypedef half float16_t;\ntypedef bfloat bfloat16_t;\n")
	fmt.Fprintf(&b, "#line 1 \"%s:header\"\n%s\n", p.file, p.Header)
	fmt.Fprintf(&b, "#line 1 \"%s:signature\"\nkernel void %s(%s)\n{\n", p.file, p.function(), strings.Join(params, ", "))
	for _, name := range slices.Sorted(maps.Keys(p.Template)) {
		switch v := p.Template[name].(type) {
		case string:
			t, _ := metalType(v)
			fmt.Fprintf(&b, "typedef %s %s;\n", t, name)
		case bool:
			fmt.Fprintf(&b, "constexpr bool %s = %v;\n", name, v)
		default:
			fmt.Fprintf(&b, "constexpr int %s = %v;\n", name, v)
		}
	}
	fmt.Fprintf(&b, "#line 1 \"%s:source\"\n%s\n}\n", p.file, p.Source)
	return b.String()
}

// say tells the options what the piece says, unless they say otherwise.
func (p *piece) say(o *options) {
	for _, m := range []map[string]string{p.Inputs, p.Outputs} {
		for name, text := range m {
			if _, size := metalType(text); size != "" && o.given[name] == "" {
				o.given[name] = size
			}
		}
	}
	if p.Threadgroup != nil && o.threads == "" {
		o.launch = p.size(p.Threadgroup)
	}
}

// size makes a size of up to three numbers.
func (p *piece) size(list []int) model.Size3 {
	s := model.Size3{X: 1, Y: 1, Z: 1}
	for i, n := range list[:min(len(list), 3)] {
		*[...]*int{&s.X, &s.Y, &s.Z}[i] = n
	}
	return s
}

// subject makes the subject of a piece with a formula, whose arrays are called as its inputs are. The result is the only output, or that of the name dst.
func (p *piece) subject(k device.Kernel) (judge.Subject, error) {
	out := p.OutputNames[0]
	switch {
	case slices.Contains(p.OutputNames, "dst"):
		out = "dst"
	case len(p.OutputNames) > 1:
		return nil, fmt.Errorf("%s writes %s: call the one that the formula is about dst", p.file, strings.Join(p.OutputNames, ", "))
	}
	if len(p.Grid) == 0 || len(p.Threadgroup) == 0 {
		return nil, fmt.Errorf("%s does not say grid and threadgroup, which a piece with a formula needs", p.file)
	}
	names := map[string]bool{}
	for _, in := range k.Formula.Inputs() {
		names[in.Node().Name] = true
	}
	for _, name := range p.InputNames {
		if !names[name] {
			return nil, fmt.Errorf("the formula has no input %s, which %s has", name, p.file)
		}
	}
	// A grid has one size, so that arrays have, too.
	k.Fixed = maps.Clone(k.Fixed)
	for _, in := range k.Formula.Inputs() {
		n := in.Node()
		if _, size := metalType(p.Inputs[n.Name]); len(n.Axes) == 1 && k.Fixed[n.Axes[0]] == 0 {
			k.Fixed[n.Axes[0]], _ = strconv.Atoi(size) // else by the claim
		}
	}
	k.Source, k.Function = p.text(), p.function()
	k.Host = func(r *device.Run, c *props.KernelCall) error {
		var args []any
		for _, name := range p.InputNames {
			data := c.Array(name)
			if _, size := metalType(p.Inputs[name]); size == "" { // a scalar
				args = append(args, data)
				continue
			}
			b, err := r.Buffer(name, data)
			if err != nil {
				return err
			}
			args = append(args, b)
		}
		var dst metal.Buffer
		for _, name := range p.OutputNames {
			bytes := binary.Size(c.Array("dst"))
			if _, size := metalType(p.Outputs[name]); name != out {
				n, err := strconv.Atoi(size)
				if err != nil {
					return fmt.Errorf("%s: the size of %s is %q; of what no formula is about it is a number", p.file, name, size)
				}
				bytes = 8 * n
			}
			b, err := r.Empty(name, bytes)
			if err != nil {
				return err
			}
			if args = append(args, b); name == out {
				dst = b
			}
		}
		if err := r.DispatchThreads(p.function(), p.size(p.Grid), p.size(p.Threadgroup), args...); err != nil {
			return err
		}
		return r.Read(dst, c.Array("dst"))
	}
	return device.Props(k)
}
