package stdlib

import (
	"slices"
	"strings"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// The headers that come with Apple's compiler make the library of functions of the compiler, called __metal_ and the name of the library's
// function. They are not of Metal's public language, but public sources call them. Such a function takes what the library's takes, with
// pointers in place of references; after that the mathematical ones take a constant, the mode of mathematics.

// The modes of mathematics, as the macros __METAL_PRECISE_MATH__, __METAL_FAST_MATH__ and __METAL_MAYBE_FAST_MATH__ have them.
const (
	preciseMath = iota
	fastMath
	maybeFastMath // what the options of the compilation say
)

// internalName returns the library's name of a function of the compiler.
func internalName(name string) (string, bool) {
	inner, ok := strings.CutPrefix(name, "__metal_")
	return inner, ok && len(table[inner]) > 0
}

// takes reports whether a function of the table has a form with n parameters, and whether it is there in precise:: and fast::.
func takes(name string, n int) (form, spec bool) {
	for _, f := range table[name] {
		params, _, _ := strings.Cut(f.sig, "->")
		form = form || len(strings.Fields(params)) == n
		spec = spec || f.spec
	}
	return form, spec
}

// resolveInternal returns a call of __metal_name.
func resolveInternal(name string, targs []TArg, args []Arg, pos typed.Pos, fp ir.FP) (typed.Expr, error) {
	args = slices.Clone(args)
	for i, a := range args {
		if p, ok := a.X.ExprType().(*typed.Pointer); ok && p.Space == ir.Thread {
			args[i].Place = &typed.Deref{Ptr: a.X, Pos: pos}
			args[i].X = &typed.LoadExpr{Node: typed.Node{Type: p.Elem, Pos: pos}, X: args[i].Place}
		}
	}
	whole := name
	if form, _ := takes(name, len(args)); !form && len(args) > 0 {
		mode, ok := args[len(args)-1].X.(*typed.Const)
		if _, spec := takes(name, len(args)-1); ok {
			args = args[:len(args)-1]
			float := !slices.ContainsFunc(args, func(a Arg) bool { return kindOf(a.X.ExprType()) == ir.F16 })
			switch {
			case mode.Bits > maybeFastMath:
				return nil, wrong(pos, "the mode of __metal_%s is __METAL_PRECISE_MATH__, __METAL_FAST_MATH__ or __METAL_MAYBE_FAST_MATH__", name)
			case mode.Bits == preciseMath && spec && float:
				whole = "precise::" + name
			case mode.Bits == fastMath && spec && float:
				whole = "fast::" + name
			}
		}
	}
	x, err := Resolve(whole, targs, args, pos, fp)
	if err != nil && len(args) == 1 && (strings.HasPrefix(name, "simd_") || strings.HasPrefix(name, "quad_")) {
		t := args[0].X.ExprType()
		if k, _ := shape(t); isFloat(k) {
			// Apple's compiler takes it, and its linker finds nothing of that name: an error of the kernels that call it.
			f := &typed.Func{Name: "__metal_" + name + " of " + t.String(), Params: []*typed.Var{{Name: "x", Type: t, Space: ir.Thread, Pos: pos}}, Result: t, Pos: pos}
			return &typed.Call{Node: typed.Node{Type: t, Pos: pos}, Func: f, Args: []typed.Expr{args[0].X}, Places: []typed.Place{nil}}, nil
		}
	}
	return x, err
}
