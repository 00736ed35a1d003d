package attack

import (
	"fmt"
	"slices"
	"strings"

	"gamma/model"
	"gamma/model/round"
	"gamma/model/word"
)

// variantLimit bounds how many contractions of one program are tried.
const variantLimit = 256

// wayWritten is a program and what was done to it: "" or " with xl·yh fused".
type wayWritten struct {
	does    string
	program *word.Program
}

// candidates returns everything that an operation may have become, plainest first.
func candidates(op word.Op) []Candidate {
	var out []Candidate
	seen := map[string]bool{}
	add := func(name string, p *word.Program, words int, arith round.Arith, does string) {
		// Only the first word of each component, if the operation returns no more.
		var results []int
		for c := range op.Components() {
			for k := range op.Z {
				results = append(results, c*words+k)
			}
		}
		if name += does; !seen[name] {
			seen[name] = true
			out = append(out, Candidate{Name: name, Program: p, Results: results, Arith: arith})
		}
	}
	type base struct {
		name     string
		words    int
		variants []wayWritten
	}
	var bases []base
	for _, a := range word.Algorithms() {
		if o := a.Op; o.Function == op.Function && o.X == op.X && o.Y == op.Y && o.Terms == op.Terms && o.Z >= op.Z {
			v := variants(a.Program, op)
			if mul := complexFactors[a.Name]; mul != "" {
				v = complexVariants(a.Program, mul)
			}
			bases = append(bases, base{a.Name, o.Z, v})
		}
	}
	nearest := round.Arith{F: model.Binary32}
	for _, b := range bases {
		add(b.name, b.variants[0].program, b.words, nearest, "")
	}
	for _, b := range bases {
		for _, v := range b.variants[1:] {
			add(b.name, v.program, b.words, nearest, v.does)
		}
	}
	for _, way := range []struct {
		does  string
		arith round.Arith
	}{
		{", subnormals flushed", round.Arith{F: model.Binary32, Fl: model.Flush{In: true, Out: true}}},
		{", rounded toward zero", round.Arith{F: model.Binary32, R: model.TowardZero}},
		{", rounded toward zero, subnormals flushed", round.Arith{F: model.Binary32, R: model.TowardZero, Fl: model.Flush{In: true, Out: true}}},
	} {
		for _, b := range bases {
			for i, v := range b.variants {
				if i == 0 || way.arith.R == model.NearestEven {
					add(b.name, v.program, b.words, way.arith, v.does+way.does)
				}
			}
		}
	}
	return out
}

// variants returns a program, and what exchange, Dekker's product and contraction make of it.
func variants(p *word.Program, op word.Op) []wayWritten {
	forms := []wayWritten{{"", p}}
	if op.X == op.Y && (op.Function == word.Sum || op.Function == word.Product) {
		forms = append(forms, wayWritten{" with x and y exchanged", exchanged(p, op.X)})
	}
	if d := dekker(p); d != nil {
		forms = append(forms, wayWritten{" with Dekker's product", d})
	}
	out := slices.Clone(forms)
	for i, f := range forms {
		fused := []*word.Program{fuseAll(f.program, false), fuseAll(f.program, true)}
		if !splits(f.program) {
			fused = f.program.Contractions(true, variantLimit)
		}
		for k, c := range fused {
			if c == nil {
				continue
			}
			does := fusions(f.program, c)
			if splits(f.program) {
				does = " with every product fused" + [...]string{"", ", of two the second"}[k]
			}
			if i > 0 {
				does = strings.Replace(does, " with", " and", 1)
			}
			out = append(out, wayWritten{f.does + does, c})
		}
	}
	return out
}

// splits reports whether the program splits words. Such a program has more contractions than could be told apart; those with
// every product fused are tried.
func splits(p *word.Program) bool {
	return slices.ContainsFunc(p.Steps, func(s word.Step) bool { return s.Op == word.StepSplit })
}

// fuseAll returns the program with every sum of a product fused, of two products the second one if second is set; nil: it has none.
func fuseAll(p *word.Program, second bool) *word.Program {
	n := len(p.Inputs)
	q := &word.Program{Inputs: p.Inputs, Steps: slices.Clone(p.Steps), Results: p.Results}
	found := false
	for i, s := range p.Steps {
		if s.Op != word.StepAdd {
			continue
		}
		o, other := s.A, s.B
		product := func(o word.Operand) bool { return o.Value >= n && p.Steps[o.Value-n].Op == word.StepMul }
		if product(other) && (second || !product(o)) {
			o, other = other, o
		}
		if product(o) {
			m := p.Steps[o.Value-n]
			m.A.Neg = m.A.Neg != o.Neg
			q.Steps[i] = word.Step{Op: word.StepFma, A: m.A, B: m.B, C: other, Statement: s.Statement}
			found = true
		}
	}
	if !found {
		return nil
	}
	return q
}

// exchanged returns the program whose first n inputs are the others' and the other way round.
func exchanged(p *word.Program, n int) *word.Program {
	q := &word.Program{Inputs: p.Inputs, Steps: slices.Clone(p.Steps), Results: slices.Clone(p.Results)}
	turn := func(o *word.Operand) {
		if o.Value < 2*n {
			o.Value = (o.Value + n) % (2 * n)
		}
	}
	for i := range q.Steps {
		turn(&q.Steps[i].A)
		turn(&q.Steps[i].B)
		turn(&q.Steps[i].C)
	}
	for i := range q.Results {
		turn(&q.Results[i])
	}
	return q
}

// fusions names the products that c has fused and p has not, and the steps they have gone into where they could have gone into
// others.
func fusions(p, c *word.Program) string {
	n := len(p.Inputs)
	name := func(o word.Operand) string {
		if o.Value < n {
			return p.Inputs[o.Value]
		}
		return fmt.Sprintf("t%d", o.Value-n)
	}
	uses := map[int]int{} // sums of each value
	for _, s := range p.Steps {
		if s.Op == word.StepAdd {
			uses[s.A.Value]++
			uses[s.B.Value]++
		}
	}
	var all []string
	for i := range p.Steps {
		if s := c.Steps[i]; p.Steps[i].Op == word.StepAdd && s.Op == word.StepFma {
			from := p.Steps[i].A
			if s.C == from {
				from = p.Steps[i].B
			}
			does := fmt.Sprintf("%s·%s fused", name(s.A), name(s.B))
			if uses[from.Value] > 1 {
				does += fmt.Sprintf(" into t%d", i)
			}
			all = append(all, does)
		}
	}
	return " with " + strings.Join(all, " and ")
}

// dekker returns the program with Dekker's product in the place of fused ones, e = fma(a, b, -p) of p = a·b; nil: it has none.
func dekker(p *word.Program) *word.Program {
	d, ok := word.ByName("Dekker")
	if !ok {
		return nil
	}
	n := len(p.Inputs)
	q := &word.Program{Inputs: p.Inputs}
	at := make([]word.Operand, n, n+len(p.Steps)) // where each value of p stands in q
	for i := range at {
		at[i] = word.Operand{Value: i}
	}
	get := func(o word.Operand) word.Operand {
		v := at[o.Value]
		v.Neg = v.Neg != o.Neg
		return v
	}
	found := false
	for i := range p.Steps {
		s := p.Steps[i]
		if k := s.C.Value - n; s.Op == word.StepFma && s.C.Neg && k >= 0 && p.Steps[k].Op == word.StepMul && p.Steps[k].A == s.A && p.Steps[k].B == s.B {
			found = true
			inner := []word.Operand{get(s.A), get(s.B)}
			pick := func(o word.Operand) word.Operand {
				v := inner[o.Value]
				v.Neg = v.Neg != o.Neg
				return v
			}
			for _, t := range d.Program.Steps {
				t.A, t.B, t.C = pick(t.A), pick(t.B), pick(t.C)
				t.Statement += 1000 * (i + 1)
				q.Steps = append(q.Steps, t)
				inner = append(inner, word.Operand{Value: n + len(q.Steps) - 1})
			}
			at = append(at, pick(d.Program.Results[1]))
			continue
		}
		s.A, s.B, s.C = get(s.A), get(s.B), get(s.C)
		q.Steps = append(q.Steps, s)
		at = append(at, word.Operand{Value: n + len(q.Steps) - 1})
	}
	for _, r := range p.Results {
		q.Results = append(q.Results, get(r))
	}
	if !found {
		return nil
	}
	return q
}

// complexFactors are the products that the complex algorithms are made of. A compiler fuses alike in all four of them.
var complexFactors = map[string]string{"ComplexDW1": "DWTimesDW1", "ComplexDW2": "DWTimesDW2", "ComplexDW3": "DWTimesDW3"}

// complexVariants returns the complex product with each wayWritten of its real one, and with the sloppy sum.
func complexVariants(p *word.Program, mul string) []wayWritten {
	out := []wayWritten{{"", p}}
	for _, sum := range []string{"AccurateDWPlusDW", "SloppyDWPlusDW"} {
		a, ok := word.ByName(mul)
		if !ok {
			continue
		}
		for _, v := range variants(a.Program, a.Op) {
			does := v.does
			if sum != "AccurateDWPlusDW" {
				does += " and " + sum
				if v.does == "" {
					does = " with " + sum
				}
			}
			if does == "" {
				continue
			}
			q, err := word.Parse(complexProduct, func(name string) *word.Program {
				if name == "times" {
					return v.program
				}
				s, _ := word.ByName(sum)
				return s.Program
			})
			if err != nil {
				continue // it would be longer than a program may be
			}
			out = append(out, wayWritten{does, q})
		}
	}
	return out
}

const complexProduct = `
func(ah, al, bh, bl, ch, cl, dh, dl)
ph, pl = times(ah, al, ch, cl); qh, ql = times(bh, bl, dh, dl); rh, rl = plus(ph, pl, -qh, -ql)
sh, sl = times(ah, al, dh, dl); th, tl = times(bh, bl, ch, cl); ih, il = plus(sh, sl, th, tl)
return rh, rl, ih, il`
