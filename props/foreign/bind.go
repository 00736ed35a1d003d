package foreign

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gamma/props/process"
)

// What stands in for arguments while a function is bound.
type (
	argument func(c *arguments) process.Array
	// arguments are those of one call of a kind of subject.
	arguments struct {
		n       int
		strides []int
		ints    []int64 // as want.ints
		in      []process.Array
		out     process.Array
	}
)

// want says what a kind of subject passes to its functions.
type want struct {
	element reflect.Type // of arrays and results
	inputs  int          // arrays that are read
	strides int          // increments that the subject passes; where it passes none, a function's are 1
	result  bool         // one number, which is returned, or written to an array of one element
	ints    [][]string   // further integers, each by the names that a parameter may have for it
	any     bool         // the result is of any type
}

// Names of integers that subjects pass.
var (
	signNames      = []string{"sign"}
	modulusNames   = []string{"q", "modulus", "p", "m"}
	rootNames      = []string{"root", "w", "omega", "psi"}
	directionNames = []string{"direction", "dir"}
)

// bound is a function with what to pass to each of its parameters.
type bound struct {
	*function
	args   []argument
	result bool // a number
}

// bind says what each parameter of a function is for: arrays in order, of which one that is not const takes the result; integers whose names begin with
// inc or stride, in order, the distances of neighbours; another one the length.
func (f *function) bind(w want) (*bound, error) {
	b := &bound{function: f, result: w.result}
	returns := f.Return != nil && w.result // the result, and no status
	fail := func(format string, args ...any) (*bound, error) {
		return nil, fmt.Errorf("foreign: the function %q %w", f.declaration, fmt.Errorf(format, args...))
	}
	inputs, lengths, strides, outs := 0, 0, 0, 0
	for _, p := range f.Params {
		is := strings.ToLower(p.Name)
		named := slices.IndexFunc(w.ints, func(names []string) bool { return slices.Contains(names, is) })
		switch {
		case p.Value != nil:
			b.args = append(b.args, func(*arguments) process.Array { return p.always() })
		case p.Array && p.Const || p.Array && inputs < w.inputs && returns: // a header may leave const out
			if i := inputs; p.Type != w.element {
				return fail("reads %s of %v, and the subject has arrays of %v", p.Name, p.Type, w.element)
			} else {
				b.args = append(b.args, func(c *arguments) process.Array { return c.in[i] })
			}
			inputs++
		case p.Array:
			if p.Type != w.element && !w.any {
				return fail("writes %s of %v, and the subject's result is of %v", p.Name, p.Type, w.element)
			}
			b.args = append(b.args, func(c *arguments) process.Array { return c.out })
			outs++
		case named >= 0 && integer(p.Type):
			b.args = append(b.args, func(c *arguments) process.Array { return number(p.Type, c.ints[named]) })
		case integer(p.Type) && (strings.HasPrefix(is, "inc") || strings.HasPrefix(is, "stride") || is == "" && lengths > 0):
			if k := strides; w.strides > 0 {
				b.args = append(b.args, func(c *arguments) process.Array { return number(p.Type, int64(c.strides[k])) })
			} else {
				b.args = append(b.args, func(*arguments) process.Array { return number(p.Type, 1) })
			}
			strides++
		case integer(p.Type) && lengths == 0:
			b.args = append(b.args, func(c *arguments) process.Array { return number(p.Type, int64(c.n)) })
			lengths++
		default:
			return fail("has a parameter %s of %v, and nobody knows what to pass: integers are one length, and increments called incx or stride", p.Name, p.Type)
		}
	}
	switch {
	case inputs != w.inputs:
		return fail("reads %d const arrays, and the subject passes %d", inputs, w.inputs)
	case lengths == 0:
		return fail("is given no length")
	case w.strides > 0 && strides != w.strides:
		return fail("has %d increments, and the subject passes %d", strides, w.strides)
	case outs > 1, outs == 1 == returns:
		return fail("returns %s and writes %d arrays; one of the two is the result", typeName(f.Return), outs)
	case !w.result && !f.hasStatus():
		return fail("returns %v, and the result is an array: let it return void, or an int that is 0 where it succeeds", f.Return)
	case returns && f.Return != w.element && !w.any:
		return fail("returns %v, and the subject's result is %v", f.Return, w.element)
	}
	return b, nil
}

// always returns what is always passed.
func (p *Param) always() process.Array {
	one := reflect.MakeSlice(reflect.SliceOf(p.Type), 1, 1)
	one.Index(0).Set(reflect.ValueOf(p.Value))
	return process.Array{Data: one.Interface()}
}

// number returns an integer as one of a parameter's type.
func number(t reflect.Type, v int64) process.Array {
	switch t.Kind() {
	case reflect.Int32:
		return process.Number("", int32(v))
	case reflect.Uint64:
		return process.Number("", uint64(v))
	case reflect.Int64:
		return process.Number("", v)
	}
	one := reflect.MakeSlice(reflect.SliceOf(t), 1, 1)
	if t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64 {
		one.Index(0).SetUint(uint64(v))
	} else {
		one.Index(0).SetInt(v)
	}
	return process.Array{Data: one.Interface()}
}

// run calls the function.
func (b *bound) run(c *arguments) error {
	var in [8]process.Array
	list := in[:0]
	for _, arg := range b.args {
		list = append(list, arg(c))
	}
	if b.result {
		_, err := b.lib.call(b.declaration, list, c.out)
		return err
	}
	return b.write(list, c.out)
}

// hasStatus reports whether the function returns nothing, or an int.
func (f *function) hasStatus() bool { return f.Return == nil || f.Return == reflect.TypeFor[int32]() }

// write calls the function, which writes its result to an array and returns nothing, or as an int not 0 that it failed.
func (f *function) write(in []process.Array, out process.Array) error {
	if f.Return == nil {
		_, err := f.lib.call(f.declaration, in, out)
		return err
	}
	status := []int32{0}
	_, err := f.lib.call(f.declaration, in, process.Array{Data: status}, out)
	if err == nil && status[0] != 0 {
		err = fmt.Errorf("%s returned %d", f.Name, status[0])
	}
	return err
}

func typeName(t reflect.Type) string {
	if t == nil {
		return "nothing"
	}
	return t.String()
}
