package apple

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gamma/metal"
)

// constant is a value for MTLFunctionConstantValues.
type constant struct {
	name  string // or, if it is "":
	index int
	kind  uint64 // MTLDataType
	bytes []byte
}

// constants turns a caller's function constants into values, by index and then by name, and holds them against the source where our
// front end takes it. Metal would stop the process for some of the mistakes.
func (l *library) constants(in metal.FunctionConstants) ([]constant, error) {
	types := map[any]string{}
	m := l.front()
	if m != nil {
		for _, c := range m.Constants() {
			types[c.Index], types[c.Name] = c.Type, c.Type
		}
	}
	list := make([]constant, 0, len(in))
	for key, x := range in {
		c := constant{}
		switch k := key.(type) {
		case int:
			if k < 0 || k > math.MaxUint16 {
				return nil, fmt.Errorf("function constant %d: an index is 0 to 65535", k)
			}
			c.index = k
		case string:
			if k == "" {
				return nil, fmt.Errorf("a function constant's name is empty; use its name or index")
			}
			c.name = k
		default:
			return nil, fmt.Errorf("function constant %v: its key is a %T; use the index as an int, or the name as a string", key, key)
		}
		var spelled string
		var err error
		if c.kind, c.bytes, spelled, err = constantVector(x); err != nil {
			return nil, fmt.Errorf("function constant %v: %w", key, err)
		}
		if want, known := types[key]; m != nil && !known {
			return nil, fmt.Errorf("the source has no function constant %v", key)
		} else if known && !slices.Contains(strings.Split(spelled, " "), want) {
			return nil, fmt.Errorf("function constant %v is of type %s in the source, and a Go %T is %s", key, want, x, strings.ReplaceAll(spelled, " ", " or "))
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b constant) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.index, b.index))
	})
	return list, nil
}

// constantVector is constantValue, of arrays too: an array of n elements is a vector of n components. The types of vectors of one scalar follow its own, and a vector
// of three has the room of four.
func constantVector(x any) (kind uint64, b []byte, spelled string, err error) {
	elems := metal.Components(x)
	n := len(elems)
	if n == 0 || n > 4 {
		return 0, nil, "", fmt.Errorf("its value is a %T; an array has 2 to 4 elements", x)
	}
	for _, e := range elems {
		var one []byte
		if kind, one, spelled, err = constantValue(e); err != nil {
			return 0, nil, "", err
		}
		b = append(b, one...)
	}
	if n == 1 {
		return kind, b, spelled, nil
	}
	if n == 3 {
		b = append(b, make([]byte, len(b)/3)...)
	}
	spelled, _, _ = strings.Cut(spelled, " ")
	return kind + uint64(n-1), b, spelled + strconv.Itoa(n), nil
}

// constantValue returns a value's MTLDataType, bytes, and the names that MSL has for the type.
func constantValue(x any) (kind uint64, b []byte, spelled string, err error) {
	le := binary.LittleEndian
	switch x := x.(type) {
	case bool:
		b = []byte{0}
		if x {
			b[0] = 1
		}
		return dataBool, b, "bool", nil
	case int8:
		return dataChar, []byte{byte(x)}, "char int8_t", nil
	case uint8:
		return dataUChar, []byte{x}, "uchar uint8_t", nil
	case int16:
		return dataShort, le.AppendUint16(nil, uint16(x)), "short int16_t", nil
	case uint16:
		return dataUShort, le.AppendUint16(nil, x), "ushort uint16_t", nil
	case int32:
		return dataInt, le.AppendUint32(nil, uint32(x)), "int int32_t", nil
	case uint32:
		return dataUInt, le.AppendUint32(nil, x), "uint uint32_t", nil
	case int64:
		return dataLong, le.AppendUint64(nil, uint64(x)), "long int64_t", nil
	case uint64:
		return dataULong, le.AppendUint64(nil, x), "ulong uint64_t", nil
	case float32:
		return dataFloat, le.AppendUint32(nil, math.Float32bits(x)), "float", nil
	case metal.Half:
		return dataHalf, le.AppendUint16(nil, uint16(x)), "half", nil
	case metal.BFloat:
		return dataBFloat, le.AppendUint16(nil, uint16(x)), "bfloat", nil
	}
	return 0, nil, "", fmt.Errorf("its value is a %T; use bool, int8 to int64, uint8 to uint64, float32, metal.Half or metal.BFloat, or an array of 2 to 4 of one of them", x)
}

// constantValues returns an MTLFunctionConstantValues, +1.
func (p *pool) constantValues(list []constant) (id, error) {
	x, err := p.make("MTLFunctionConstantValues")
	if err != nil {
		return 0, err
	}
	err = p.understands(0, x, "MTLFunctionConstantValues")
	for i := 0; i < len(list) && err == nil; i++ {
		c := &list[i]
		if c.name == "" {
			p.send(msgSetConstantAtIndex, x, bytesArg(c.bytes), unsignedArg(c.kind), unsignedArg(uint64(c.index)))
			continue
		}
		var name id
		if name, err = p.text("the name of a function constant", c.name); err == nil {
			p.send(msgSetConstantWithName, x, bytesArg(c.bytes), unsignedArg(c.kind), objectArg(name))
		}
	}
	if err != nil {
		p.release(x)
		return 0, err
	}
	return x, nil
}
