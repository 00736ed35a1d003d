package rewrite

import (
	"gamma/metal/msl/ir"
	"gamma/model"
)

// fusable reports whether the flags of a product and of the sum that takes it allow to fuse them.
func (r *rewriter) fusable(mul, sum *ir.Instr) bool {
	const fast, on = ir.ContractFast, ir.ContractOn | ir.ContractFast
	if r.b.Contract == model.ContractFast && mul.FP&fast != 0 && sum.FP&fast != 0 {
		return true
	}
	return mul.FP&on != 0 && sum.FP&on != 0 && mul.Stmt == sum.Stmt && mul.Stmt != 0
}

// product returns the factors of a name that is a product, or the negative of one, which sum may take in.
func (r *rewriter) product(x ir.Reg, sum *ir.Instr) (a, b ir.Reg, neg, ok bool) {
	def := r.defs[x]
	if def != nil && def.Op == ir.Neg {
		neg = true
		def = r.defs[def.A]
	}
	if def == nil || def.Op != ir.Mul || def.Type != sum.Type || !r.fusable(def, sum) {
		return 0, 0, false, false
	}
	return def.A, def.B, neg, true
}

// contract turns a·b + c, a·b - c and c - a·b into a fused multiply-add.
//
// The product keeps its own instruction where something else reads it too.
func (r *rewriter) contract(in *ir.Instr) {
	if in.Op != ir.Add && in.Op != ir.Sub || !in.Type.IsFloat() {
		return
	}
	type way struct {
		a, b, c    ir.Reg
		negA, negC bool
	}
	var ways []way
	if a, b, neg, ok := r.product(in.A, in); ok {
		ways = append(ways, way{a, b, in.B, neg, in.Op == ir.Sub})
	}
	if a, b, neg, ok := r.product(in.B, in); ok {
		ways = append(ways, way{a, b, in.A, neg != (in.Op == ir.Sub), false})
	}
	if len(ways) == 0 {
		return
	}
	choice := r.draw(len(ways) + 1) // the last: leave it
	if choice == len(ways) {
		return
	}
	w := ways[choice]
	if w.negA {
		w.a = r.before(in, ir.Neg, w.a, 0, 0)
	}
	if w.negC {
		w.c = r.before(in, ir.Neg, w.c, 0, 0)
	}
	in.Op, in.A, in.B, in.C = ir.Fma, w.a, w.b, w.c
}
