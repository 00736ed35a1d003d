package adversary_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// laneKernel runs one SIMD operation in the threads whose flag is set, and stores what it gives, or leaves what was there.
func laneKernel(op ir.Op, typ ir.Type, quad bool) *ir.Kernel {
	info := &ir.Ops[op]
	b := ir.NewBuilder(op.String())
	out := b.Buffer("out", 0, ir.Device, 8)
	flag := b.Buffer("flag", 1, ir.Device, 1)
	src := b.Buffer("src", 2, ir.Device, 32)
	i := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	var operands []ir.Reg
	for n, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
		if o == ir.OptionalU16 {
			o = ir.OfU16
		}
		if ot := operandType(o, typ, ir.Void); ot != ir.Void {
			operands = append(operands, b.Load(ot, src, i, 32, int64(8*n)))
		}
	}
	result := typ
	switch info.Result {
	case ir.OfBool:
		result = ir.Bool
	case ir.OfU64:
		result = ir.U64
	}
	b.If(b.Load(ir.Bool, flag, i, 1, 0), func() {
		in := ir.Instr{Op: op, Type: typ, Dst: b.Reg(result)}
		if quad {
			in.Imm = 4
		}
		for n, dst := range []*ir.Reg{&in.A, &in.B, &in.C, &in.D} {
			if n < len(operands) {
				*dst = operands[n]
			}
		}
		b.Instr(in)
		b.Store(result, out, i, 8, 0, in.Dst)
	}, nil)
	return b.Kernel()
}

// lanesOf computes what laneKernel should give, the slow way: element i of the result is nil where any value may stand.
func lanesOf(op ir.Op, typ ir.Type, width int, active []bool, src [][4]uint64) []*uint64 {
	n := len(active)
	want := make([]*uint64, n)
	fold := func(f ir.Op, v []uint64) uint64 {
		for len(v) > 1 {
			r, _ := ir.Eval(f, typ, typ, 0, ir.Arith{}, v[0], v[1], 0, 0)
			v = append([]uint64{r}, v[2:]...)
		}
		return v[0]
	}
	folds := map[ir.Op]ir.Op{
		ir.SimdSum: ir.Add, ir.SimdProduct: ir.Mul, ir.SimdMin: ir.Min, ir.SimdMax: ir.Max, ir.SimdAnd: ir.And, ir.SimdOr: ir.Or, ir.SimdXor: ir.Xor,
		ir.SimdPrefixSum: ir.Add, ir.SimdPrefixSumEx: ir.Add, ir.SimdPrefixProd: ir.Mul, ir.SimdPrefixProdEx: ir.Mul,
	}
	for i := range n {
		if !active[i] {
			continue
		}
		lo := i / width * width
		lane := i - lo
		var all, below []uint64
		var mask, votes uint64
		first := -1
		for j := lo; j < min(lo+width, n); j++ {
			if !active[j] {
				continue
			}
			if first < 0 {
				first = j
			}
			all = append(all, src[j][0])
			if j < i {
				below = append(below, src[j][0])
			}
			if j-lo < 64 {
				mask |= 1 << (j - lo)
				votes |= src[j][0] & 1 << (j - lo)
			}
		}
		give := func(v uint64) { want[i] = &v }
		from := func(lane int) {
			if lane >= 0 && lane < width && lo+lane < n && active[lo+lane] {
				give(src[lo+lane][0])
			}
		}
		by := int(src[i][1])
		one := map[ir.Type]uint64{ir.F32: 0x3f800000, ir.F16: 0x3c00, ir.BF16: 0x3f80}[typ]
		if one == 0 {
			one = 1
		}
		switch op {
		case ir.SimdSum, ir.SimdProduct, ir.SimdMin, ir.SimdMax, ir.SimdAnd, ir.SimdOr, ir.SimdXor:
			give(fold(folds[op], all))
		case ir.SimdPrefixSum, ir.SimdPrefixProd:
			give(fold(folds[op], append(below, src[i][0])))
		case ir.SimdPrefixSumEx, ir.SimdPrefixProdEx:
			switch {
			case len(below) > 0:
				give(fold(folds[op], below))
			case op == ir.SimdPrefixSumEx:
				give(0)
			default:
				give(one)
			}
		case ir.SimdShuffle, ir.SimdBroadcast:
			from(by)
		case ir.SimdShuffleXor:
			from(lane ^ by)
		case ir.SimdShuffleUp:
			if lane < by {
				give(src[i][0])
			} else {
				from(lane - by)
			}
		case ir.SimdShuffleDown:
			if lane+by >= width {
				give(src[i][0])
			} else {
				from(lane + by)
			}
		case ir.SimdRotateUp:
			from(((lane-by)%width + width) % width)
		case ir.SimdRotateDown:
			from((lane + by) % width)
		case ir.SimdFillUp, ir.SimdFillDown:
			// Lay the filling data and the data of the sub-group side by side, and take a window.
			d := int(src[i][3])
			if d == 0 || d > width {
				d = width
			}
			sub := lane / d * d
			at := d + lane - sub - by // in fill, data
			other := 0
			if op == ir.SimdFillDown {
				at, other = lane-sub+by, 1 // in data, fill
			}
			if at < 0 || at >= 2*d {
				break
			}
			reg := 0
			if at/d == other {
				reg = 2
			}
			if l := sub + at%d; lo+l < n && active[lo+l] && l < width {
				give(src[lo+l][reg])
			}
		case ir.SimdBroadcastLow:
			give(src[first][0])
		case ir.SimdBallot:
			give(votes)
		case ir.SimdActive:
			give(mask)
		case ir.SimdAll, ir.SimdAny:
			a, o := uint64(1), uint64(0)
			for _, v := range all {
				a, o = a&v, o|v
			}
			if op == ir.SimdAny {
				a = o
			}
			give(a)
		case ir.SimdIsFirst:
			v := uint64(0)
			if i == first {
				v = 1
			}
			give(v)
		}
	}
	return want
}

// TestLanes runs every SIMD operation over simdgroups of several widths, with some lanes inactive, under every order.
func TestLanes(t *testing.T) {
	const n = 77 // the last simdgroup is not full
	for op := ir.SimdSum; op <= ir.SimdActive; op++ {
		types := ir.Ops[op].Types.Types()
		if len(types) == 0 {
			types = []ir.Type{ir.Void}
		}
		for _, typ := range types {
			for c, width := range []int{1, 2, 3, 4, 8, 16, 32, 64, 1024, -4} {
				quad := width < 0
				k := laneKernel(op, typ, quad)
				p, err := adversary.Compile(k)
				require.NoError(t, err)
				b := model.Behaviour{SIMDWidth: width}
				if quad {
					b.SIMDWidth = 32
				}
				b.Order = []string{"", "reverse", "stages", "accesses"}[c%4]
				b.Seed = uint64(c)
				r := noise(uint64(op)*100 + uint64(c))
				src, bytes := make([][4]uint64, n), make([]byte, 32*n)
				active, flags := make([]bool, n), make([]byte, n)
				for i := range src {
					v := r.value(typ)
					switch {
					case typ.IsFloat(): // small whole numbers: sums of them are exact in any order
						v, _ = ir.Eval(ir.Convert, typ, ir.U32, 0, ir.Arith{}, r.next()>>20%2+1, 0, 0, 0)
						if op == ir.SimdProduct || op == ir.SimdPrefixProd || op == ir.SimdPrefixProdEx {
							v, _ = ir.Eval(ir.Convert, typ, ir.U32, 0, ir.Arith{}, 1+r.next()>>20%16/15, 0, 0, 0)
						}
					case typ == ir.Void || typ == ir.Bool:
						v = r.next() >> 20 & 1
					}
					w := max(width, -width)
					src[i] = [4]uint64{v, r.next() >> 20 % uint64(w+1), v ^ 1, 0}
					if w&(w-1) == 0 && r.next()>>30&1 == 1 {
						src[i][3] = uint64(max(1, w/2))
					}
					if op == ir.SimdBroadcast || op >= ir.SimdShuffle && op <= ir.SimdFillDown && c%2 == 0 {
						src[i][1] = uint64(c)
						src[i][3] = 0
					}
					active[i] = r.next()>>20%8 != 0
					flags[i] = byte(0)
					if active[i] {
						flags[i] = 1
					}
					for j, x := range src[i] {
						binary.LittleEndian.PutUint64(bytes[32*i+8*j:], x)
					}
				}
				out := make([]byte, 8*n)
				grid, group := line(1, n)
				res, err := p.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{
					{Mem: &engine.Memory{Bytes: out}}, {Mem: &engine.Memory{Bytes: flags}}, {Mem: &engine.Memory{Bytes: bytes}},
				}}, engine.Options{Checks: true, Behaviour: b})
				require.NoError(t, err)
				open := false
				for i, want := range lanesOf(op, typ, max(width, -width), active, src) {
					got := binary.LittleEndian.Uint64(out[8*i:])
					switch {
					case !active[i]:
						require.Zero(t, got, "%s: inactive lane %d", op, i)
					case want == nil:
						open = true
					default:
						require.Equal(t, *want, got, "%s %s, width %d, lane %d, %s", op, typ, width, i, b)
					}
				}
				found := false
				for _, f := range res.Findings {
					found = found || f.Kind == model.FindingInactiveLane
				}
				require.Equal(t, open, found, "%s %s, width %d: %v", op, typ, width, res.Findings)
			}
		}
	}
}

// TestSumOrders holds simd_sum to the documented order plainly, and to the set of all trees over all permutations when drawn.
func TestSumOrders(t *testing.T) {
	k := laneKernel(ir.SimdSum, ir.F32, false)
	p, err := adversary.Compile(k)
	require.NoError(t, err)
	x := []float32{1, 0x1p-24, 0x1.8p-24, -1, 0x1p-25}
	src := make([]byte, 32*len(x))
	for i, v := range x {
		binary.LittleEndian.PutUint32(src[32*i:], math.Float32bits(v))
	}
	sum := func(b model.Behaviour) float32 {
		out := make([]byte, 8*len(x))
		grid, group := line(1, len(x))
		_, err := p.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{
			{Mem: &engine.Memory{Bytes: out}}, {Mem: &engine.Memory{Bytes: []byte{1, 1, 1, 1, 1}}}, {Mem: &engine.Memory{Bytes: src}},
		}}, engine.Options{Behaviour: b})
		require.NoError(t, err)
		return math.Float32frombits(binary.LittleEndian.Uint32(out))
	}
	add := func(a, b float32) float32 { return float32(a + b) }
	require.Equal(t, add(add(add(x[0], x[1]), add(x[2], x[3])), x[4]), sum(model.Behaviour{}))
	require.Equal(t, add(add(add(add(x[4], x[3]), x[2]), x[1]), x[0]), sum(model.Behaviour{Order: "reverse"}))

	// What a set of lanes can add up to: the sums of its splits.
	reach := make([]map[float32]bool, 1<<len(x))
	for s := 1; s < len(reach); s++ {
		reach[s] = map[float32]bool{}
		if bits.OnesCount(uint(s)) == 1 {
			reach[s][x[bits.TrailingZeros(uint(s))]] = true
		}
		for a := (s - 1) & s; a > 0; a = (a - 1) & s {
			for u := range reach[a] {
				for v := range reach[s^a] {
					reach[s][add(u, v)] = true
				}
			}
		}
	}
	all := reach[len(reach)-1]
	require.Greater(t, len(all), 3)
	met := map[float32]bool{}
	for seed := range uint64(2000) {
		v := sum(model.Behaviour{Order: "stages", Seed: seed})
		require.True(t, all[v], "%v is no sum of the lanes", v)
		met[v] = true
	}
	require.Equal(t, len(all), len(met), "some orders are never drawn")
}

// TestReconvergence has the lanes take two branches and leave a loop at different times, and asks each time who is there.
func TestReconvergence(t *testing.T) {
	b := ir.NewBuilder("reconverge")
	out := b.Buffer("out", 0, ir.Device, 8)
	i := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	slot := b.Op(ir.Mul, ir.U32, i, b.Int(ir.U32, 8))
	who := func(at int64) {
		r := b.Reg(ir.U64)
		b.Instr(ir.Instr{Op: ir.SimdActive, Dst: r})
		b.Store(ir.U64, out, slot, 8, 8*at, r)
	}
	one := b.Int(ir.U32, 1)
	odd := b.Op(ir.Eq, ir.U32, b.Op(ir.And, ir.U32, i, one), one)
	b.If(odd, func() { who(0) }, func() { who(0) })
	who(1)
	n := b.Reg(ir.U32)
	b.Set(n, ir.U32, b.Int(ir.U32, 0))
	b.Loop(func(label int32) { // thread i goes round i times
		b.If(b.Op(ir.Le, ir.U32, i, n), func() { b.Leave(label) }, nil)
		b.Set(n, ir.U32, b.Op(ir.Add, ir.U32, n, one))
		r := b.Reg(ir.U64)
		b.Instr(ir.Instr{Op: ir.SimdActive, Dst: r})
		b.Store(ir.U64, out, b.Op(ir.Add, ir.U32, slot, n), 8, 8, r)
	})
	who(5)
	b.If(odd, func() { b.Leave(0) }, nil)
	who(6)
	k := b.Kernel()
	p, err := adversary.Compile(k)
	require.NoError(t, err)
	const a, e, o = 15, 5, 10 // all, the even and the odd lanes
	want := [4][8]uint64{
		{e, a, 0, 0, 0, a, e, 0},
		{o, a, 14, 0, 0, a, 0, 0},
		{e, a, 14, 12, 0, a, e, 0},
		{o, a, 14, 12, 8, a, 0, 0},
	}
	for _, order := range []string{"", "reverse", "stages", "accesses"} {
		for seed := range uint64(20) {
			mem := &engine.Memory{Bytes: make([]byte, 4*64)}
			grid, group := line(1, 4)
			_, err := p.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: mem}}},
				engine.Options{Behaviour: model.Behaviour{Order: order, Seed: seed}})
			require.NoError(t, err)
			for i := range want {
				for j, w := range want[i] {
					require.Equal(t, w, binary.LittleEndian.Uint64(mem.Bytes[64*i+8*j:]), fmt.Sprintf("%s: thread %d, word %d", order, i, j))
				}
			}
		}
	}
	require.Len(t, outcomes(t, k, "accesses", 1, 4, engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 4*64)}}), 1)
}

// TestIterations has lanes come to one operation in different iterations: they do not meet there, whoever comes first.
func TestIterations(t *testing.T) {
	for _, barrier := range []bool{false, true} {
		b := ir.NewBuilder("iterations")
		out := b.Buffer("out", 0, ir.Device, 8)
		i := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
		n, one := b.Reg(ir.U32), b.Int(ir.U32, 1)
		b.Set(n, ir.U32, b.Int(ir.U32, 0))
		b.Loop(func(loop int32) {
			b.If(b.Op(ir.Eq, ir.U32, n, b.Int(ir.U32, 4)), func() { b.Leave(loop) }, nil)
			b.Scope(func(next int32) { // thread i takes part where bit i of n+1 is set
				bit := b.Op(ir.And, ir.U32, b.Op(ir.Shr, ir.U32, b.Op(ir.Add, ir.U32, n, one), i), one)
				b.If(b.Op(ir.Eq, ir.U32, bit, b.Int(ir.U32, 0)), func() { b.Leave(next) }, nil)
				if barrier {
					b.Barrier(2)
					return
				}
				r := b.Reg(ir.U64)
				b.Instr(ir.Instr{Op: ir.SimdActive, Dst: r})
				b.Store(ir.U64, out, b.Op(ir.Add, ir.U32, b.Op(ir.Mul, ir.U32, n, b.Int(ir.U32, 3)), i), 8, 0, r)
			})
			b.Set(n, ir.U32, b.Op(ir.Add, ir.U32, n, one))
		})
		k := b.Kernel()
		for seed := range uint64(40) {
			order := []string{"", "reverse", "stages", "accesses"}[seed%4]
			mem := &engine.Memory{Bytes: make([]byte, 4*3*8)}
			_, found := launch(t, k, 1, 3, engine.Options{Checks: true, Behaviour: model.Behaviour{Order: order, Seed: seed}}, engine.Arg{Mem: mem})
			if barrier {
				require.Len(t, found, 1, order)
				require.Equal(t, model.FindingBarrier, found[0].Kind)
				continue
			}
			require.Empty(t, found)
			for n := range 4 {
				for i := range 3 {
					want := uint64(n + 1)
					if want>>i&1 == 0 {
						want = 0
					}
					require.Equal(t, want, binary.LittleEndian.Uint64(mem.Bytes[8*(3*n+i):]), "%s: iteration %d, thread %d", order, n, i)
				}
			}
		}
	}
}

// TestBarrierInAnotherIteration has two threads wait at one barrier, each in an iteration of its own.
func TestBarrierInAnotherIteration(t *testing.T) {
	b := ir.NewBuilder("apart")
	i := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	n := b.Reg(ir.U32)
	b.Set(n, ir.U32, b.Int(ir.U32, 0))
	b.Loop(func(loop int32) {
		b.If(b.Op(ir.Eq, ir.U32, n, b.Int(ir.U32, 2)), func() { b.Leave(loop) }, nil)
		b.If(b.Op(ir.Eq, ir.U32, n, i), func() { b.Barrier(2) }, nil)
		b.Set(n, ir.U32, b.Op(ir.Add, ir.U32, n, b.Int(ir.U32, 1)))
	})
	for _, order := range []string{"", "reverse", "stages", "accesses"} {
		_, found := launch(t, b.Kernel(), 1, 2, engine.Options{Checks: true, Behaviour: model.Behaviour{Order: order}})
		require.NotEmpty(t, found, order)
		require.Equal(t, model.FindingBarrier, found[0].Kind)
		require.Contains(t, found[0].Text, "thread (0,0,0) waits at a barrier of its threadgroup that thread (1,0,0) does not reach: that one is there in another iteration")
	}
}
