package stdlib

import (
	"strings"

	"gamma/metal/msl/ir"
	"gamma/metal/msl/typed"
)

// group returns the builder of a function of simdgroups or quadgroups whose operands are the arguments in the order given.
func group(op ir.Op, order ...int) func(c *call) (typed.Expr, error) {
	return func(c *call) (typed.Expr, error) {
		x := &typed.SimdExpr{Node: c.node(c.result), Op: op, Quad: strings.HasPrefix(c.name, "quad_")}
		for _, i := range order {
			if i >= len(c.args) { // the width of a fill's sub-groups that is not given
				x.Args = append(x.Args, c.const_(scalars[ir.U16], 0))
				continue
			}
			x.Args = append(x.Args, c.args[i])
		}
		return x, nil
	}
}

// ballot returns the builder of a function that gives a vote.
func ballot(op ir.Op) func(c *call) (typed.Expr, error) {
	return func(c *call) (typed.Expr, error) {
		x := &typed.SimdExpr{Node: c.node(scalars[ir.U64]), Op: op, Quad: strings.HasPrefix(c.name, "quad_"), Args: c.args}
		return &typed.Aggregate{Node: c.node(c.result), Elems: []typed.Expr{x}}, nil
	}
}

func init() {
	// both defines a function for simdgroups and for quadgroups.
	both := func(name string, l line) { define("simd_"+name+" quad_"+name, l) }
	for name, op := range map[string]ir.Op{
		"sum": ir.SimdSum, "product": ir.SimdProduct, "min": ir.SimdMin, "max": ir.SimdMax,
		"prefix_inclusive_sum": ir.SimdPrefixSum, "prefix_exclusive_sum": ir.SimdPrefixSumEx,
		"prefix_inclusive_product": ir.SimdPrefixProd, "prefix_exclusive_product": ir.SimdPrefixProdEx,
		"broadcast_first": ir.SimdBroadcastLow,
	} {
		both(name, line{sig: "T -> T", kinds: simdTypes, build: group(op, 0)})
	}
	for name, op := range map[string]ir.Op{"and": ir.SimdAnd, "or": ir.SimdOr, "xor": ir.SimdXor} {
		both(name, line{sig: "T -> T", kinds: simdInts, build: group(op, 0)})
	}
	for name, op := range map[string]ir.Op{
		"shuffle": ir.SimdShuffle, "shuffle_xor": ir.SimdShuffleXor, "shuffle_up": ir.SimdShuffleUp, "shuffle_down": ir.SimdShuffleDown,
		"shuffle_rotate_up": ir.SimdRotateUp, "shuffle_rotate_down": ir.SimdRotateDown, "broadcast": ir.SimdBroadcast,
	} {
		both(name, line{sig: "T s -> T", kinds: simdTypes, build: group(op, 0, 1)})
	}
	for name, op := range map[string]ir.Op{"shuffle_and_fill_up": ir.SimdFillUp, "shuffle_and_fill_down": ir.SimdFillDown} {
		both(name, line{sig: "T T s -> T", kinds: simdTypes, build: group(op, 0, 2, 1, 3)})
		both(name, line{sig: "T T s s -> T", kinds: simdTypes, build: group(op, 0, 2, 1, 3)})
	}
	single := func(name, sig string, build func(c *call) (typed.Expr, error)) {
		both(name, line{sig: sig, kinds: boolean, from: 1, to: 1, build: build})
	}
	single("all", "b -> b", group(ir.SimdAll, 0))
	single("any", "b -> b", group(ir.SimdAny, 0))
	single("is_first", "-> b", group(ir.SimdIsFirst))
	single("ballot", "b -> v", ballot(ir.SimdBallot))
	single("active_threads_mask", "-> v", ballot(ir.SimdActive))
}

// Method calls a member function of one of the library's own structs: any() of simd_vote and quad_vote. ok is false if the type of x
// is none of them or has no such function.
func Method(x typed.Expr, name string, args []Arg, pos typed.Pos) (result typed.Expr, ok bool, err error) {
	s, isStruct := x.ExprType().(*typed.Struct)
	if !isStruct || !vote(s) {
		return nil, false, nil
	}
	switch name {
	case "any":
		if len(args) > 0 {
			return nil, true, wrong(pos, "any takes no arguments")
		}
		bits := &typed.FieldExpr{Node: typed.Node{Type: scalars[ir.U64], Pos: pos}, X: x}
		return convert(bits, scalars[ir.Bool]), true, nil
	case "all":
		return nil, true, refused(pos, "all() of a vote", "%s::all() depends on lanes that are not there: write %s_all(…) of the condition", s, strings.TrimSuffix(s.Name, "_vote"))
	}
	return nil, false, nil
}
