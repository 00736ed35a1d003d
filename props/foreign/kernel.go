package foreign

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gamma/props/judge"
	"gamma/props/process"
)

// Kernel is for the field Call of a props.Kernel. A parameter is what it is called, in either case of letters:
//
//   - an array is the input of the formula of that name. The one that is not const is the result, whatever its name, and holds before what the input of
//     its name holds, if there is one, as C does in C = alpha·A·B + beta·C;
//   - a number is the input of that name which has no axes, such as alpha;
//   - an integer is the size of the axis of that name, or where the formula has one axis alone, of that; one whose name is ld, inc or stride_ with the
//     name of an array is the distance between neighbours along that array's first axis, for Kernel's field Strided.
//
// Of a formula without axes the function may return the number instead of writing it, as norms do.
func (l *Library) Kernel(declaration string) func(c *judge.KernelCall) error {
	f, err := l.function(declaration)
	if err == nil {
		var outs []string
		for _, p := range f.Params {
			if p.Array && !p.Const {
				outs = append(outs, p.Name)
			}
		}
		switch {
		case len(outs) == 0 && f.Return != nil:
			k := &kernel{f, ""}
			return k.run
		case len(outs) != 1:
			err = fmt.Errorf("foreign: the function %q writes %d arrays (%s); one that is not const has to be the result", declaration, len(outs), strings.Join(outs, ", "))
		case !f.hasStatus():
			err = fmt.Errorf("foreign: the function %q returns %v, which nobody reads; let it return void, or an int that is 0 where it succeeds", declaration, f.Return)
		default:
			k := &kernel{f, outs[0]}
			return k.run
		}
	}
	return must(l, (func(c *judge.KernelCall) error)(nil), err)
}

// kernel is a function that computes a formula.
type kernel struct {
	*function
	result string // the parameter; "" if it is what the function returns
}

// run calls the function.
func (k *kernel) run(c *judge.KernelCall) error {
	in := make([]process.Array, len(k.Params))
	for i, p := range k.Params {
		a, err := k.argument(c, &p)
		if err != nil {
			return fmt.Errorf("foreign: the function %q: %w", k.declaration, err)
		}
		in[i] = a
	}
	dst := c.Array(result)
	if k.result == "" {
		if v := reflect.ValueOf(dst); v.Type().Elem() != k.Return || v.Len() != 1 {
			return fmt.Errorf("foreign: the function %q returns one %v, and the result is %d of %v", k.declaration, k.Return, v.Len(), v.Type().Elem())
		}
		_, err := k.lib.call(k.declaration, in, process.Array{Data: dst})
		return err
	}
	return k.write(in, process.Array{Dims: []int{reflect.ValueOf(dst).Len()}, Data: dst})
}

// result is the name of a call's result.
const result = "dst"

// array returns the name of the array that a parameter is; "" if it is none.
func (k *kernel) array(c *judge.KernelCall, name string) string {
	if k.result != "" && strings.EqualFold(name, k.result) {
		return result
	}
	return input(c, name)
}

// input returns the name of the formula's input of a name; "" if there is none.
func input(c *judge.KernelCall, name string) string {
	for _, in := range c.Inputs() {
		if strings.EqualFold(in, name) {
			return in
		}
	}
	return ""
}

// argument returns what to pass to a parameter.
func (k *kernel) argument(c *judge.KernelCall, p *Param) (process.Array, error) {
	if p.Value != nil {
		return p.always(), nil
	}
	array, in := k.array(c, p.Name), input(c, p.Name)
	switch {
	case array == "" && p.Array:
		return process.Array{}, fmt.Errorf("no input is called %s; there are %s", p.Name, strings.Join(c.Inputs(), ", "))
	case array == "" && !integer(p.Type):
		return process.Array{}, fmt.Errorf("no input is called %s, to be passed as a number; there are %s", p.Name, strings.Join(c.Inputs(), ", "))
	case array == "":
		n, err := k.size(c, p.Name)
		return number(p.Type, int64(n)), err
	}
	v := reflect.ValueOf(c.Array(array))
	switch {
	case v.Type().Elem() != p.Type:
		return process.Array{}, fmt.Errorf("%s is of %v, and the array %s of %v", p.Name, p.Type, array, v.Type().Elem())
	case !p.Array && (len(c.Axes(array)) != 0 || array == result):
		return process.Array{}, fmt.Errorf("%s is a number, and the input of that name has axes %v", p.Name, c.Axes(array))
	case array == result && in != "":
		if err := fill(c, v, in); err != nil {
			return process.Array{}, err
		}
	}
	return process.Array{Dims: []int{v.Len()}, Data: v.Interface()}, nil
}

// fill puts the elements of an input where those of the result are.
func fill(c *judge.KernelCall, dst reflect.Value, in string) error {
	src, axes := reflect.ValueOf(c.Array(in)), c.Axes(in)
	if !slices.Equal(axes, c.Axes(result)) || src.Type() != dst.Type() {
		return fmt.Errorf("the result begins as %s, and has other axes or elements", in)
	}
	if len(axes) == 0 {
		reflect.Copy(dst, src)
		return nil
	}
	row := 1
	for _, axis := range axes[1:] {
		row *= c.Size(axis)
	}
	if row == 0 {
		return nil
	}
	from, to := c.Stride(in, axes[0]), c.Stride(result, axes[0])
	for i := range c.Size(axes[0]) {
		reflect.Copy(dst.Slice(i*to, i*to+row), src.Slice(i*from, i*from+row))
	}
	return nil
}

// size returns the size or distance that an integer parameter stands for.
func (k *kernel) size(c *judge.KernelCall, name string) (int, error) {
	var all []string
	for _, a := range append(c.Inputs(), result) {
		for _, axis := range c.Axes(a) {
			if !slices.Contains(all, axis) {
				all = append(all, axis)
			}
		}
	}
	for _, axis := range all {
		if strings.EqualFold(axis, name) {
			return c.Size(axis), nil
		}
	}
	for _, prefix := range []string{"ld", "inc", "stride_"} {
		of, ok := strings.CutPrefix(strings.ToLower(name), prefix)
		if a := k.array(c, of); ok && a != "" && len(c.Axes(a)) > 0 {
			return c.Stride(a, c.Axes(a)[0]), nil
		}
	}
	if len(all) == 1 {
		return c.Size(all[0]), nil
	}
	return 0, fmt.Errorf("the integer %s is no axis of the formula, which has %s, nor ld, inc or stride_ with the name of an array", name, strings.Join(all, ", "))
}
