package emit

import (
	"fmt"

	"gamma/metal/msl/ir"
)

const shuffleHelper = `// Values of other lanes: of lane from, or 0 where that is not active.
GM_FN u64 gm_lane64(u32 lanes, u64 v, int from)
{
    u64 x = __shfl_sync(lanes, v, from & 31, 32);
    return from >= 0 && from < 32 && (lanes >> from & 1) != 0 ? x : 0;
}
GM_FN u32 gm_lane32(u32 lanes, u32 v, int from)
{
    u32 x = __shfl_sync(lanes, v, from & 31, 32);
    return from >= 0 && from < 32 && (lanes >> from & 1) != 0 ? x : 0;
}
`

// taken is the text that takes a value of type t from a lane.
func taken(t ir.Type, mask, v, from string) string {
	switch {
	case t == ir.F32:
		return fmt.Sprintf("gm_f32(gm_lane32(%s, gm_bits32(%s), %s))", mask, v, from)
	case t.Size() == 8:
		return fmt.Sprintf("(%s)gm_lane64(%s, (u64)%s, %s)", t, mask, v, from)
	}
	return fmt.Sprintf("(%s)gm_lane32(%s, (u32)%s, %s)", t, mask, v, from)
}

// lane is what an operation over a simdgroup gives, the active lanes being those of the innermost mask.
func (w *printer) lane(in *ir.Instr) string {
	t, op := in.Type, in.Op
	all := w.level[len(w.level)-1].mask
	n, first := width, "0"
	here := "(int)(gm_thread & 31u)"
	mask := all // the active lanes of the group, from bit 0 on
	if in.Imm == 4 {
		n, first = 4, "(int)(gm_thread & 28u)"
		mask = fmt.Sprintf("(%s >> (gm_thread & 28u) & 15u)", all)
		here = "(int)(gm_thread & 3u)"
	}
	w.helper("shuffle", shuffleHelper)
	a, b := w.operandOr(in.A), w.operandOr(in.B)
	switch op {
	case ir.SimdActive:
		return "(u64)" + mask
	case ir.SimdBallot, ir.SimdAll, ir.SimdAny:
		votes := fmt.Sprintf("__ballot_sync(%s, %s)", all, a)
		if n == 4 {
			votes = fmt.Sprintf("(%s >> (gm_thread & 28u) & 15u)", votes)
		}
		switch op {
		case ir.SimdAll:
			return votes + " == " + mask
		case ir.SimdAny:
			return votes + " != 0"
		}
		return "(u64)" + votes
	case ir.SimdIsFirst:
		return fmt.Sprintf("__ffs((int)%s) - 1 == %s", mask, here)
	case ir.SimdBroadcastLow:
		return taken(t, all, a, fmt.Sprintf("__ffs((int)%s) - 1 + %s", mask, first))
	}
	info := &ir.Ops[op]
	if info.Fold != ir.Nop {
		return w.fold(in, n, all, a)
	}
	sign := "+"
	switch info.Shuffle.Move {
	case ir.MoveUp:
		sign = "-"
	case ir.NoMove:
		w.refuse(in.Pos, "%s is not printed", op)
		return "0"
	}
	if info.Shuffle.Edge == ir.EdgeFill {
		return w.filled(in, n, all, here, first, a, sign+"(int)"+b)
	}
	from := "(int)" + b
	switch info.Shuffle.Move {
	case ir.MoveFlip:
		from = here + " ^ " + from
	case ir.MoveUp, ir.MoveDown:
		at := here + " " + sign + " " + from
		switch {
		case info.Shuffle.Edge == ir.EdgeWrap:
			from = fmt.Sprintf("(%s) & %d", at, n-1)
		case info.Shuffle.Move == ir.MoveUp:
			from = fmt.Sprintf("%s >= %s ? %s : %s", here, from, at, here)
		default:
			from = fmt.Sprintf("%s < %d ? %s : %s", at, n, at, here)
		}
	}
	w.helper("gm_from", "// The lane of a warp that is number from of a group of n that begins at first; -1 if the group has none.\n"+
		"GM_FN int gm_from(int from, int n, int first) { return from >= 0 && from < n ? first + from : -1; }\n")
	return taken(t, all, a, fmt.Sprintf("gm_from(%s, %d, %s)", from, n, first))
}

// filled is a shuffle with filling: the value of one lane of A or C.
func (w *printer) filled(in *ir.Instr, n int, all, here, first, a, by string) string {
	d := "0"
	if in.D != 0 {
		d = w.operand(in.D)
	}
	name := "gm_fill_" + in.Type.String()
	w.helper(name, fmt.Sprintf(`GM_FN %s %s(u32 lanes, %s a, %s c, int here, int by, int d, int n, int first)
{
    if (d <= 0 || d >= n) d = n;
    int base = here / d * d, at = here - base + by;
    bool fill = at < 0 || at >= d;
    if (at < 0) at += d;
    else if (at >= d) at -= d;
    int from = at < 0 || at >= d ? -1 : first + base + at;
    %s x = %s, y = %s;
    return fill ? y : x;
}
`, in.Type, name, in.Type, in.Type, in.Type, taken(in.Type, "lanes", "a", "from"), taken(in.Type, "lanes", "c", "from")))
	return fmt.Sprintf("%s(%s, %s, %s, %s, %s, (int)%s, %d, %s)", name, all, a, w.operand(in.C), here, by, d, n, first)
}

// fold is a reduction or a prefix. A reduction is the simulator's butterfly: neighbours first, then neighbouring pairs, and so on,
// the lower part on the left, inactive lanes left out. A prefix goes from the first lane to the last.
func (w *printer) fold(in *ir.Instr, n int, all, a string) string {
	t, f, scan := in.Type, ir.Ops[in.Op].Fold, ir.Ops[in.Op].Scan
	name := "gm_" + in.Op.String() + "_" + t.String()
	if scan != ir.AllLanes {
		before, after := "", "            if (first + k == here) out = sum;\n"
		if scan == ir.Exclusive {
			before, after = after, ""
		}
		w.helper(name, fmt.Sprintf(`GM_FN %s %s(u32 lanes, %s v, int here, int first, int n)
{
    %s sum = %s, out = sum;
    bool started = false;
    for (int k = 0; k < n; k++) {
        %s x = %s; // by all lanes, whichever of their quadgroup is active
        if ((lanes >> (first + k) & 1) != 0) {
%s            sum = started ? %s : x;
            started = true;
%s        }
    }
    return out;
}
`, t, name, t, t, w.literal(t, in.Identity()), t, taken(t, "lanes", "v", "first + k"), before, w.pure(f, t, in, "sum", "x", "", ""), after))
	} else {
		w.helper(name, fmt.Sprintf(`GM_FN %s %s(u32 lanes, %s v, int here, int first, int n)
{
    for (int s = 1; s < n; s *= 2) {
        int other = (here & -s) ^ s;
        u32 group = lanes >> other & ((1u << s) - 1);
        int from = group != 0 ? other + __ffs((int)group) - 1 : here;
        %s x = %s;
        %s lo = (here & s) != 0 ? x : v, hi = (here & s) != 0 ? v : x;
        if (group != 0) v = %s;
    }
    return v;
}
`, t, name, t, t, taken(t, "lanes", "v", "from"), t, w.pure(f, t, in, "lo", "hi", "", "")))
	}
	first := "0"
	if n == 4 {
		first = "(int)(gm_thread & 28u)"
	}
	return fmt.Sprintf("%s(%s, %s, (int)(gm_thread & 31u), %s, %d)", name, all, a, first, n)
}
