package shaders

import (
	_ "embed"
	"fmt"
	"math/bits"

	"gamma/metal"
	"gamma/model"
	"gamma/model/modular"
)

var (
	//go:embed modular.h
	modularHeader string
	//go:embed modular.metal
	modularSource string
)

// ModularHeaders returns, by name, the headers for sources that compute with residues: modular.h, and modular.metal and ntt.metal for the
// kernels there with a field of your own.
func ModularHeaders() map[string]string {
	return map[string]string{"modular.h": modularHeader, "modular.metal": modularSource, "ntt.metal": nttSource}
}

// ownHeaders returns what modular.metal and ntt.metal include.
func ownHeaders() map[string]string { return map[string]string{"modular.h": modularHeader} }

// Modular is an operation on residues on a device, with its claim and the code that launches it. The claim holds for every launch
// that Fits and every behaviour that Admits allows; a device's freedom in floating point does not affect integers, and is left out.
type Modular struct {
	Program
	Claim modular.Claim
	// Admits, Strict and Widths are as in Kernel.
	Admits model.Behaviour
	Strict bool
	Widths []int
	// Run computes rows modulo q.
	//
	// Shape:   len(src) = rows·len(Claim.In) and len(dst) = rows·len(Claim.Out).
	// Alias:   any: the device has copies. If it fails, dst is unchanged.
	// Errors:  a modulus that is not claimed, a word out of its range, slices that are not rows, a launch that does not fit.
	Run func(r *Runner, l model.Launch, q uint64, dst, src []uint64) error
}

// Fits returns an error if a launch cannot run the given number of rows.
func (m Modular) Fits(rows int, l model.Launch) error { return enoughThreads(rows, l) }

// Launches returns launches to try for the given number of rows, the smallest first.
func (m Modular) Launches(rows int) []model.Launch { return Operation{}.Launches(rows) }

// FindModular returns the operation called name, and ok = false if there is none.
func FindModular(name string) (m Modular, ok bool) {
	for _, m := range Modulars() {
		if m.Name == name {
			return m, true
		}
	}
	return Modular{}, false
}

// field is one of the structs of modular.h.
type field struct {
	suffix string // of the names of its kernels
	bits   int
	max    uint64 // the greatest modulus
	// steps: its words never leave [0, R), so that recurrences apply to them.
	steps bool
}

var fields = []field{
	{"", 64, 1<<63 - 1, true},
	{"_wide", 64, 0, false},
	{"_31", 32, 1<<31 - 1, true},
}

// declared returns r if the words of f never leave [0, R).
func (f field) declared(r *modular.Recurrence) *modular.Recurrence {
	if !f.steps {
		return nil
	}
	return r
}

// residue returns a reduced word times R^power.
func residue(name string, power int) modular.Word {
	return modular.Word{Name: name, Power: power, Range: 1}
}

// lazy returns a word below f·q, or any word if f is 0.
func lazy(name string, f uint64) modular.Word { return modular.Word{Name: name, Range: f} }

type words = []modular.Word

// factor returns a reduced factor and its Shoup factor.
func factor() words { return words{residue("w", 0), {Name: "w'", Shoup: true}} }

// Modulars returns every operation on residues: those of each field of modular.h, then Shoup's.
func Modulars() []Modular {
	var list []Modular
	add := func(name string, bits int, m modular.Moduli, f modular.Function, in, out words, r *modular.Recurrence) {
		p := Program{
			Name: "shaders/modular.metal#" + name, Source: modularSource, Function: name, Options: metal.CompileOptions{Headers: ownHeaders()},
		}
		c := modular.Claim{Function: f, Bits: bits, In: in, Out: out, Moduli: m, Recurrence: r}
		list = append(list, Modular{Program: p, Claim: c, Admits: integers(), Strict: true, Widths: widths, Run: p.Residues(c)})
	}
	for _, d := range fields {
		op := func(name string, f modular.Function, in, out words, r *modular.Recurrence) {
			add(name+d.suffix, d.bits, modular.Moduli{Min: 3, Max: d.max}, f, in, out, d.declared(r))
		}
		a, b := residue("a", 0), residue("b", 0)
		op("mont_mul", modular.Product, words{residue("a", 1), residue("b", 1)}, words{residue("z", 1)}, montgomeryProduct("a", "b"))
		op("mod_mul", modular.Product, words{lazy("a", 0), lazy("b", 0)}, words{residue("z", 0)}, nil)
		op("mod_add", modular.Sum, words{a, b}, words{residue("z", 0)}, reducedSum)
		op("mod_sub", modular.Difference, words{a, b}, words{residue("z", 0)}, reducedDifference)
		op("mod_neg", modular.Negative, words{a}, words{residue("z", 0)}, nil)
		op("mont_into", modular.Identity, words{lazy("a", 0)}, words{residue("z", 1)}, nil)
		op("mont_out_of", modular.Identity, words{{Name: "a", Power: 1}}, words{residue("z", 0)}, nil)
		op("mont_forward_butterfly", modular.ForwardButterfly, words{a, b, residue("w", 1)}, words{residue("y", 0), residue("z", 0)}, forwardMontgomery)
		op("mont_inverse_butterfly", modular.InverseButterfly, words{a, b, residue("w", 1)}, words{residue("y", 0), residue("z", 0)}, inverseMontgomery)
	}
	half, quarter := modular.Moduli{Max: 1<<63 - 1, Even: true}, modular.Moduli{Max: 1<<62 - 1, Even: true}
	add("shoup_mul_lazy_2q", 64, half, modular.Product, append(words{lazy("a", 0)}, factor()...), words{lazy("z", 2)}, shoupProduct(false))
	add("shoup_mul", 64, half, modular.Product, append(words{lazy("a", 0)}, factor()...), words{residue("z", 0)}, shoupProduct(true))
	add("shoup_forward_butterfly_lazy_4q", 64, quarter, modular.ForwardButterfly, append(words{lazy("a", 4), lazy("b", 4)}, factor()...),
		words{lazy("y", 4), lazy("z", 4)}, forwardShoup)
	add("shoup_inverse_butterfly_lazy_2q", 64, quarter, modular.InverseButterfly, append(words{lazy("a", 2), lazy("b", 2)}, factor()...),
		words{lazy("y", 2), lazy("z", 2)}, inverseShoup(false))
	return list
}

// The recurrences of modular.h.

func montgomeryProduct(a, b string) *modular.Recurrence {
	return &modular.Recurrence{
		In:    []string{a, b},
		Steps: []modular.Step{{Op: modular.Montgomery, A: 0, B: 1}, {Op: modular.Reduce, A: 2, K: 1}},
		Out:   []int{3},
	}
}

// shoupProduct returns the recurrence of a·w below 2q, or reduced.
func shoupProduct(reduced bool) *modular.Recurrence {
	r := &modular.Recurrence{In: []string{"a", "w"}, Steps: []modular.Step{{Op: modular.Shoup, A: 0, B: 1}}, Out: []int{2}}
	if reduced {
		r.Steps, r.Out = append(r.Steps, modular.Step{Op: modular.Reduce, A: 2, K: 1}), []int{3}
	}
	return r
}

var (
	reducedSum = &modular.Recurrence{
		In:    []string{"a", "b"},
		Steps: []modular.Step{{Op: modular.Add, A: 0, B: 1}, {Op: modular.Reduce, A: 2, K: 1}},
		Out:   []int{3},
	}
	reducedDifference = &modular.Recurrence{
		In:    []string{"a", "b"},
		Steps: []modular.Step{{Op: modular.Subtract, A: 0, B: 1, K: 1}, {Op: modular.Reduce, A: 2, K: 1}},
		Out:   []int{3},
	}
	forwardMontgomery = &modular.Recurrence{
		In: []string{"x", "y", "w"},
		Steps: []modular.Step{
			{Op: modular.Montgomery, A: 1, B: 2},
			{Op: modular.Reduce, A: 3, K: 1},
			{Op: modular.Subtract, A: 0, B: 4, K: 1},
			{Op: modular.Reduce, A: 5, K: 1},
			{Op: modular.Add, A: 0, B: 4},
			{Op: modular.Reduce, A: 7, K: 1},
		},
		Out: []int{8, 6},
	}
	inverseMontgomery = &modular.Recurrence{
		In: []string{"x", "y", "w"},
		Steps: []modular.Step{
			{Op: modular.Subtract, A: 0, B: 1, K: 1},
			{Op: modular.Reduce, A: 3, K: 1},
			{Op: modular.Add, A: 0, B: 1},
			{Op: modular.Reduce, A: 5, K: 1},
			{Op: modular.Montgomery, A: 4, B: 2},
			{Op: modular.Reduce, A: 7, K: 1},
		},
		Out: []int{6, 8},
	}
	forwardShoup = &modular.Recurrence{
		In: []string{"x", "y", "w"},
		Steps: []modular.Step{
			{Op: modular.Reduce, A: 0, K: 2},
			{Op: modular.Shoup, A: 1, B: 2},
			{Op: modular.Add, A: 3, B: 4},
			{Op: modular.Subtract, A: 3, B: 4, K: 2},
		},
		Out: []int{5, 6},
	}
)

// inverseShoup returns the recurrence of a butterfly on words below 2q; folding reduces words below 4q to that first.
func inverseShoup(folding bool) *modular.Recurrence {
	r := &modular.Recurrence{In: []string{"x", "y", "w"}}
	x, y, at := 0, 1, 3
	if folding {
		r.Steps = []modular.Step{{Op: modular.Reduce, A: 0, K: 2}, {Op: modular.Reduce, A: 1, K: 2}}
		x, y, at = 3, 4, 5
	}
	r.Steps = append(r.Steps,
		modular.Step{Op: modular.Subtract, A: x, B: y, K: 2},
		modular.Step{Op: modular.Add, A: x, B: y},
		modular.Step{Op: modular.Reduce, A: at + 1, K: 2},
		modular.Step{Op: modular.Shoup, A: at, B: 2},
	)
	r.Out = []int{at + 2, at + 3}
	return r
}

// Residues returns a Run for a claim and a kernel that takes the arguments of mont_mul: operands, results, the number of rows and the field
// in buffers 0 to 3, where a claim with one of Shoup's factors binds q alone as the field.
func (p Program) Residues(c modular.Claim) func(r *Runner, l model.Launch, q uint64, dst, src []uint64) error {
	return func(r *Runner, l model.Launch, q uint64, dst, src []uint64) error {
		in, out := len(c.In), len(c.Out)
		if in == 0 || out == 0 || c.Bits != 32 && c.Bits != 64 {
			return fmt.Errorf("%s: the claim has %d operands, %d results and words of %d bits; rows have some of each, and words 32 or 64", p.Name, in, out, c.Bits)
		}
		rows := len(src) / in
		if len(src) != rows*in || len(dst) != rows*out {
			return fmt.Errorf("%s: %d words of operands and %d of results are not rows of %d and %d", p.Name, len(src), len(dst), in, out)
		}
		if err := c.Moduli.Admits(q, c.Bits); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if err := p.fits(enoughThreads(rows, l)); err != nil || rows == 0 {
			return err
		}
		if err := p.counts(len(src)); err != nil {
			return err
		}
		if err := inRange(&c, q, src); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		field := wordBytes([]uint64{q}, c.Bits)
		if !hasShoup(&c) {
			field = newModulus(q, c.Bits).field()
		}
		z := Output("z", c.Bits/8*len(dst))
		err := r.Run(p, Dispatch{Launch: l, Args: []Arg{{Data: Input("x", wordBytes(src, c.Bits))}, {Data: z}, Uint(rows), {Value: field}}})
		if Completed(err) {
			readWords(dst, z.Bytes, c.Bits)
		}
		return err
	}
}

func hasShoup(c *modular.Claim) bool {
	for _, w := range c.In {
		if w.Shoup {
			return true
		}
	}
	return false
}

// inRange returns an error that names a word of rows that is out of its range or not the right Shoup factor.
func inRange(c *modular.Claim, q uint64, rows []uint64) error {
	for i, w := range c.In {
		limit, limits := multiple(w.Range, q, c.Bits)
		for at := i; at < len(rows); at += len(c.In) {
			v := rows[at]
			switch {
			case v > ^uint64(0)>>(64-c.Bits):
				return fmt.Errorf("row %d: %s is %d, which needs %d bits; a word has %d", at/len(c.In), w.Name, v, bits.Len64(v), c.Bits)
			case w.Shoup && v != shoup(rows[at-1], q, c.Bits):
				return fmt.Errorf("row %d: %s is %d; for %s = %d modulo %d it is %d", at/len(c.In), w.Name, v, c.In[i-1].Name, rows[at-1], q, shoup(rows[at-1], q, c.Bits))
			case !w.Shoup && limits && v >= limit:
				return tooLarge(fmt.Sprintf("row %d: %s", at/len(c.In), w.Name), v, w.Range, q)
			}
		}
	}
	return nil
}
