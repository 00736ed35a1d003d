package msl

import (
	"fmt"
	"math"
	"strconv"

	"gamma/metal"
	"gamma/metal/internal/msl/lower"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// FunctionConstant describes a [[function_constant(Index)]].
type FunctionConstant struct {
	Name  string
	Index int
	Type  string
}

// values turns the host's constants into bits, by index.
func (l *Library) values(in metal.FunctionConstants) (lower.Constants, error) {
	out := lower.Constants{}
	for key, x := range in {
		cs, err := l.find(key)
		if err != nil {
			return nil, err
		}
		for _, c := range cs {
			v, err := constantValue(c, x)
			if err != nil {
				return nil, err
			}
			if old, ok := out[c.Index]; ok && old != v {
				return nil, fmt.Errorf("function constant %s has two values, one by index %d and one by name", c.Name, c.Index)
			}
			out[c.Index] = v
		}
	}
	return out, nil
}

// find returns the constants that a key of metal.FunctionConstants means.
func (l *Library) find(key any) ([]*typed.FunctionConstant, error) {
	var found []*typed.FunctionConstant
	for _, c := range l.program.Constants {
		if key == any(c.Index) || key == any(c.Name) {
			found = append(found, c)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	switch k := key.(type) {
	case int:
		return nil, fmt.Errorf("no function constant has index %d", k)
	case string:
		return nil, fmt.Errorf("no function constant is called %q", k)
	}
	return nil, fmt.Errorf("function constants are given by index, an int, or by name, a string; not by %v of type %T", key, key)
}

// goTypes are the Go types of the values of constants.
var goTypes = map[ir.Type]string{
	ir.Bool: "bool", ir.I8: "int8", ir.U8: "uint8", ir.I16: "int16", ir.U16: "uint16", ir.I32: "int32", ir.U32: "uint32",
	ir.I64: "int64", ir.U64: "uint64", ir.F16: "metal.Half", ir.BF16: "metal.BFloat", ir.F32: "float32",
}

// constantType returns the name of a constant's type.
func constantType(c *typed.FunctionConstant) string {
	if c.N == 1 {
		return c.Type.Name
	}
	return c.Type.Name + strconv.Itoa(c.N)
}

// constantValue returns x as the constant's value if its Go type is the constant's.
func constantValue(c *typed.FunctionConstant, x any) (v lower.Value, err error) {
	elems := metal.Components(x)
	fits := len(elems) == c.N
	for i := 0; i < len(elems) && fits; i++ {
		var kind ir.Type
		kind, v.Bits[i] = constantBits(elems[i])
		fits = kind == c.Type.Kind
	}
	if !fits {
		want := goTypes[c.Type.Kind]
		if c.N > 1 {
			want = fmt.Sprintf("[%d]%s", c.N, want)
		}
		return v, fmt.Errorf("function constant %s (index %d) is of type %s: give it a Go %s, not %T", c.Name, c.Index, constantType(c), want, x)
	}
	return v, nil
}

// constantBits returns the type of a scalar and its bits.
func constantBits(x any) (kind ir.Type, bits uint64) {
	switch x := x.(type) {
	case bool:
		kind = ir.Bool
		if x {
			bits = 1
		}
	case int8:
		kind, bits = ir.I8, uint64(uint8(x))
	case uint8:
		kind, bits = ir.U8, uint64(x)
	case int16:
		kind, bits = ir.I16, uint64(uint16(x))
	case uint16:
		kind, bits = ir.U16, uint64(x)
	case int32:
		kind, bits = ir.I32, uint64(uint32(x))
	case uint32:
		kind, bits = ir.U32, uint64(x)
	case int64:
		kind, bits = ir.I64, uint64(x)
	case uint64:
		kind, bits = ir.U64, x
	case metal.Half:
		kind, bits = ir.F16, uint64(x)
	case metal.BFloat:
		kind, bits = ir.BF16, uint64(x)
	case float32:
		kind, bits = ir.F32, uint64(math.Float32bits(x))
	}
	return kind, bits
}
