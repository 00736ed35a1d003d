package msl

import (
	"strings"

	"gamma/metal"
	"gamma/metal/internal/msl/lint"
	"gamma/metal/internal/msl/preprocess"
	"gamma/metal/internal/msl/token"
	"gamma/model"
)

// LintOptions are what a source is compiled with, and what is claimed of its kernels.
type LintOptions struct {
	Options
	// Repeatable: the kernels are to give the same bits in every run and on every device.
	Repeatable bool
	// Constants are values of function constants. Those without one are looked at as 0 and as 1.
	Constants metal.FunctionConstants
}

// Lint returns what breaks the error bounds and claims of kernels without being an error of the language, each with its place and a fix, by
// place:
//
//   - literal: in arithmetic on half or bfloat, a literal of type float, which makes that arithmetic be done in float; an integer that a
//     floating-point type has not, such as 16777217; a quotient of integers that is divided in integers, such as 1/3; a literal with
//     the digits of a double and no suffix; one that becomes 0 or infinite.
//   - scaling: a fast division by a power of two, which is exact as a product (one that is correctly rounded is exact as it is, and no
//     finding: a compiler may make it a product, which has the same bits); a product by a power of two with digits cut off;
//     a quotient by 1/n rounded; a product by 1/n rounded, if it is written as a quotient or no decimal that ends, as 1/3, and the product is no
//     term of a sum, as in a polynomial.
//   - transform: an error-free transform, such as two-sum, two-product, Veltkamp's splitting or a compensated sum, where the math mode lets a
//     compiler simplify it, or contraction is on. It is known by an addition that takes back a term of its operand, such as (a+b)-a. In any mode, a*b - p of p = a*b, which is 0 unless it is fused.
//   - order: with Repeatable, a sum of floats by atomics, or by simd_sum, simd_product and the prefix functions.
//   - partial-product: in the dividend of a % on 64 bits, a product of a residue, or of a mulhi, that may have more than 64 bits, and one of two
//     numbers that may have 64 each, unless a mulhi takes its upper half. One by a constant is taken for a hash.
//   - barrier-scope: a threadgroup_barrier with mem_device, after which the kernel reads what other threadgroups write before it.
//   - allowance: a comment gamma:allow without kind and reason.
//
// What is right as it is says so where it stands, by a comment in its line or alone in the line above:
//
//	y = x * (1.0f / 255.0f); // gamma:allow scaling: as the library whose bits these are
//
// Only functions that kernels reach are looked at, and the instances of templates that there are. The error is Diagnostics: of a source
// that does not compile or has no kernel, and of kernels that cannot be lowered, with the findings in the rest.
func Lint(src string, o LintOptions) (model.Findings, error) {
	if o.FileName == "" {
		o.FileName = "program_source"
	}
	program, tokens, diags := front(src, o.Options)
	if program == nil {
		return nil, diags
	}
	if len(program.Kernels) == 0 {
		return nil, token.List{{Pos: token.Pos{File: o.FileName, Line: 1, Column: 1}, Msg: "there is no kernel, and functions are looked at where a kernel reaches them"}}
	}
	lib := newLibrary(program, o.Options, nil)
	constants, err := lib.values(o.Constants)
	if err != nil {
		return nil, err
	}
	found, errs := lint.Source{Program: program, Tokens: tokens, Repeatable: o.Repeatable, Constants: constants, Lower: lib.lowered}.Run()
	allowed := allowances(o.FileName, src)
	for name, text := range o.Headers {
		allowed = append(allowed, allowances(name, text)...)
	}
	for _, name := range filesOf(tokens) {
		if _, given := o.Headers[name]; !given && name != o.FileName {
			text, _ := preprocess.Header(nil, o.HeaderFiles, name) // "" if #line named it
			allowed = append(allowed, allowances(name, text)...)
		}
	}
	return found.Allow(allowed, false), errs.Err()
}

// filesOf returns the names of the files that tokens come from.
func filesOf(tokens []token.Token) (names []string) {
	seen := map[string]bool{}
	for i := range tokens {
		if name := tokens[i].Pos.File; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// allowances returns the comments of a file that say what is right in it.
func allowances(file, src string) (list []model.Allowance) {
	for i, line := range strings.Split(src, "\n") {
		for at := strings.Index(line, "//"); at >= 0; {
			p := token.Pos{File: file, Line: i + 1, Column: at + 1}
			if a, ok := model.ParseAllowance(p, strings.TrimSpace(line[:at]) == "", line[at:]); ok {
				list = append(list, a)
			}
			next := strings.Index(line[at+2:], "//")
			if next < 0 {
				break
			}
			at += 2 + next
		}
	}
	return list
}
