package stdlib

import (
	"strings"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// wholeShuffle is simd_shuffle_xor in a simdgroup of which all lanes are active.
const wholeShuffle = "__simd_shuffle_xor"

// lanes returns ir.Instr.Imm of a function's operation.
func (c *call) lanes() int {
	switch {
	case strings.HasPrefix(c.name, "quad_"):
		return 4
	case c.name == wholeShuffle:
		return ir.MatrixLanes
	}
	return 0
}

// group returns the builder of a function of simdgroups or quadgroups whose operands are the arguments in the order given.
func group(op ir.Op, order ...int) func(c *call) (typed.Expr, error) {
	return func(c *call) (typed.Expr, error) {
		x := &typed.SimdExpr{Node: c.node(c.result), Op: op, Lanes: c.lanes()}
		for _, i := range order {
			if i >= len(c.args) { // the width of a fill's sub-groups that is not given
				x.Args = append(x.Args, c.literal(scalars[ir.U16], 0))
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
		x := &typed.SimdExpr{Node: c.node(scalars[ir.U64]), Op: op, Lanes: c.lanes(), Args: c.args}
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
	define(wholeShuffle, line{sig: "T s -> T", kinds: halfFloat, build: group(ir.SimdShuffleXor, 0, 1)})
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
	for _, kind := range []ir.InputKind{ir.MatrixPlaceBefore, ir.MatrixWord} {
		special[kind.String()] = func(c *call, targs []TArg, args []Arg) (typed.Expr, error) {
			if len(targs) > 0 || len(args) > 0 {
				return nil, wrong(c.pos, "%s takes no arguments", c.name)
			}
			return &typed.InputExpr{Node: c.node(scalars[ir.U32]), Input: kind}, nil
		}
	}
	for _, name := range []string{"simd_vote::any", "simd_vote::all", "quad_vote::any", "quad_vote::all"} {
		special[name] = voteMember
	}
}

// voteMember returns a member function of votes; the vote is the first argument. Whether all lanes voted depends on lanes that may not
// be there, so that all() is refused.
func voteMember(c *call, targs []TArg, args []Arg) (typed.Expr, error) {
	group, member, _ := strings.Cut(c.name, "_vote::")
	if len(targs) > 0 || len(args) != 1 || !vote(args[0].X.ExprType()) {
		return nil, wrong(c.pos, "%s of a vote takes no arguments", member)
	}
	if member == "all" {
		return nil, refused(c.pos, "all() of a vote", "%s_vote::all() depends on lanes that are not there: write %s_all(…) of the condition",
			group, group)
	}
	bits := &typed.FieldExpr{Node: c.node(scalars[ir.U64]), X: args[0].X}
	return convert(bits, scalars[ir.Bool]), nil
}
