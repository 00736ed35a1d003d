package main

import (
	"fmt"
	"strings"

	"gamma/model"
	"gamma/model/formula"
)

// typed puts the name of a type in the place of each %s.
func typed(declaration, name string) string { return strings.ReplaceAll(declaration, "%s", name) }

// function is a function of one number with what its library states.
type function struct {
	name    string
	of      func(a *formula.Expr) *formula.Expr
	op      formula.Op
	promise formula.Promise
}

// elementary returns a claim of a function for each element of an array, by a shim that calls it element by element.
func elementary(f function, format model.Format, from source, more ...func(c *formula.Claim)) claim {
	t, in := "float", array32
	if format == model.Binary64 {
		t, in = "double", array64
	}
	p := f.promise
	says := fmt.Sprintf("within %g ulp of the exact result", p.Ulps)
	if p.OfRounded {
		says = fmt.Sprintf("at most %g ulp from the rounded result", p.Ulps)
	}
	if p.To > 0 {
		says += fmt.Sprintf(" for %g <= |x| <= %g", p.From, p.To)
	}
	c := formula.Claim{Format: format, Functions: formula.Accuracy{Name: "as stated"}.With(f.op, p)}
	for _, add := range more {
		add(&c)
	}
	return claim{
		Name: f.name, Kernel: typed("void v_"+f.name+"(const %s *x, %s *dst, int n)", t), Says: says + ", in " + format.Name, From: from,
		Make: computes(f.of(in("x", "n")), c),
	}
}

// glibc's figures are the largest errors that the tests of its own release know.
func glibc() library {
	from := source{
		"The manual's table \"lists the maximum error for each function which is exposed by one of the existing tests\", in ulps from the rounded result; the figures are those of this release",
		"The GNU C Library manual, Known Maximum Errors in Math Functions; glibc 2.36, sysdeps/x86_64/fpu/libm-test-ulps",
	}
	tests := func(ulps float64) formula.Promise { return formula.Promise{Ulps: ulps, OfRounded: true} }
	l := library{Name: "glibc", Package: "libc6-dev", Shim: "glibc.c", Link: []string{"-lm"}, Version: dpkg("libc6")}
	for _, f := range []function{
		{"sinf", formula.Sin, formula.OpSin, tests(1)},
		{"cosf", formula.Cos, formula.OpCos, tests(1)},
		{"tanf", formula.Tan, formula.OpTan, tests(1)},
		{"expf", formula.Exp, formula.OpExp, tests(1)},
		{"exp2f", formula.Exp2, formula.OpExp2, tests(1)},
		{"expm1f", formula.Expm1, formula.OpExpm1, tests(1)},
		{"logf", formula.Log, formula.OpLog, tests(1)},
		{"log2f", formula.Log2, formula.OpLog2, tests(1)},
		{"log1pf", formula.Log1p, formula.OpLog1p, tests(1)},
		{"tanhf", formula.Tanh, formula.OpTanh, tests(2)},
		{"erff", formula.Erf, formula.OpErf, tests(1)},
	} {
		l.Claims = append(l.Claims, elementary(f, model.Binary32, from))
	}
	for _, f := range []function{
		{"sin", formula.Sin, formula.OpSin, tests(1)},
		{"cos", formula.Cos, formula.OpCos, tests(1)},
		{"exp", formula.Exp, formula.OpExp, tests(1)},
		{"exp2", formula.Exp2, formula.OpExp2, tests(1)},
		{"expm1", formula.Expm1, formula.OpExpm1, tests(1)},
		{"log", formula.Log, formula.OpLog, tests(1)},
		{"log2", formula.Log2, formula.OpLog2, tests(2)},
		{"log1p", formula.Log1p, formula.OpLog1p, tests(1)},
		{"tanh", formula.Tanh, formula.OpTanh, tests(2)},
		{"erf", formula.Erf, formula.OpErf, tests(1)},
	} {
		l.Claims = append(l.Claims, elementary(f, model.Binary64, from))
	}
	return l
}
