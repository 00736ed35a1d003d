package emit_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/emit"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// probe is a kernel that does every pure operation of one type, one after the other, each thread on its own operands.
type probe struct {
	k     *ir.Kernel
	t     ir.Type
	steps []ir.Instr // what gives the results, one a slot
}

// operandType is the type of an operand of in.
func operandType(in ir.Instr, o ir.Operand) ir.Type {
	switch o {
	case ir.OfT, ir.OptionalT:
		return in.Type
	case ir.OfFrom:
		return in.From
	case ir.OfBool:
		return ir.Bool
	case ir.OfU16, ir.OptionalU16:
		return ir.U16
	case ir.OfU32:
		return ir.U32
	case ir.OfI32:
		return ir.I32
	case ir.OfU64:
		return ir.U64
	}
	return ir.Void
}

// threads is the number of operands that each operation gets.
const threads = 1000

func newProbe(t ir.Type, n int) *probe {
	k := &ir.Kernel{Name: fmt.Sprintf("ops_%s", t), Regs: []ir.Type{ir.Void}}
	p := &probe{k: k, t: t}
	reg := func(t ir.Type) ir.Reg {
		k.Regs = append(k.Regs, t)
		return ir.Reg(len(k.Regs) - 1)
	}
	var buffers [5]ir.Reg
	for i := range buffers {
		buffers[i] = reg(ir.Ptr)
		k.Buffers = append(k.Buffers, ir.Buffer{Name: string("abcdr"[i]), Index: i, Reg: buffers[i], Elem: 8, Align: 8, Type: "device ulong*"})
	}
	gid := reg(ir.U32)
	k.Inputs = []ir.Input{{Kind: ir.ThreadPositionInGrid, Reg: gid}}
	for op := range ir.Op(ir.NumOps) {
		info := ir.Ops[op]
		if info.Effect != ir.Pure || info.Imm || op == ir.Nop || op == ir.Undef || !info.Types.Has(t) {
			continue
		}
		froms := []ir.Type{ir.Void}
		if info.From != 0 {
			froms = info.From.Types()
		}
		for _, from := range froms {
			in := ir.Instr{Op: op, Type: t, From: from}
			if from == ir.Ptr || op == ir.Bitcast && from.Bits() != t.Bits() {
				continue
			}
			for i, o := range []struct {
				kind ir.Operand
				r    *ir.Reg
			}{{info.A, &in.A}, {info.B, &in.B}, {info.C, &in.C}, {info.D, &in.D}} {
				if o.kind == ir.NoOperand {
					continue
				}
				x := operandType(in, o.kind)
				*o.r = reg(x)
				k.Body = append(k.Body, &ir.Instr{Op: ir.Load, Type: x, From: ir.U32, Dst: *o.r, A: buffers[i], B: gid, Scale: 8})
			}
			result := operandType(in, info.Result)
			in.Dst = reg(result)
			x := in
			k.Body = append(k.Body, &x, &ir.Instr{
				Op: ir.Store, Type: result, From: ir.U32, A: buffers[4], B: gid, C: in.Dst, Scale: 8, Imm: uint64(8 * n * len(p.steps)),
			})
			p.steps = append(p.steps, in)
		}
	}
	return p
}

// operands are the bits of the four operands: special values, their neighbours, small numbers and random ones.
func operands(n int) [4][]uint64 {
	special := []uint64{
		0, 1, 2, 7, 31, 32, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 63, 1<<63 - 1,
		0x3c00, 0x7c00, 0xfc00, 0x7e00, 0x0400, 0x03ff, 0x8001, 0x3f80, 0x7f80, 0xff80, 0x0080, 0x007f, 0x7bff, 0x7f7f,
		0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x007fffff, 0x80000001, 0x7f7fffff, 0x4b000001, 0x3f000000,
		0x40490fdb, 0x42280000, 0x4f000000, 0x5f000000, 0xcf000000, 0x3fc00000, 0x40200000,
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var v [4][]uint64
	for i := range n {
		for j := range v {
			var x uint64
			switch rng.IntN(6) {
			case 0, 1:
				x = special[rng.IntN(len(special))]
			case 2:
				x = uint64(rng.IntN(80))
			case 3: // a float of moderate size
				x = uint64(math.Float32bits(float32(rng.NormFloat64() * 4)))
			case 4: // halves and bfloats of moderate size, too
				x = uint64(0x3000+rng.IntN(0x1200)) | uint64(rng.IntN(2))<<15
			default:
				x = rng.Uint64()
			}
			if i < len(special) && j == 0 {
				x = special[i]
			}
			v[j] = append(v[j], x)
		}
	}
	return v
}

func bytesOf(v []uint64) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// scratch is a folder for what the compiler makes.
func scratch(t *testing.T) string { return t.TempDir() }

// compiled compiles kernels printed as CUDA C++ by gcc, with a main that runs each over n threads on the operands of a file and
// writes the results.
func compiled(t *testing.T, programs []*emit.Program, slots []int, n int) []byte {
	t.Helper()
	gcc, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("g++ is not installed: the printed CUDA C++ is not compiled here")
	}
	dir := scratch(t)
	var s, calls strings.Builder
	s.WriteString("#include \"cuda_shim.h\"\n")
	for i, p := range programs {
		fmt.Fprintf(&s, "namespace k%d {\n%s}\n", i, p.Text)
		fmt.Fprintf(&calls, "    {\n        k%d::gm_arguments g;\n        unsigned long long *words = (unsigned long long *)&g;\n        char *out = (char *)calloc(%d, 1);\n", i, 8*n*slots[i])
		for j, q := range p.Params {
			var v string
			switch {
			case q.Kind == emit.BufferAddress && q.Index < 4:
				v = fmt.Sprintf("(unsigned long long)(in + %d)", 8*n*q.Index)
			case q.Kind == emit.BufferAddress:
				v = "(unsigned long long)out"
			case q.Kind == emit.GridThreads && q.Index == 0 || q.Kind == emit.Threadgroups && q.Index == 0:
				v = fmt.Sprint(n)
			case q.Kind == emit.GridOrigin:
				v = "0"
			default:
				v = "1"
			}
			fmt.Fprintf(&calls, "        words[%d] = %s;\n", j, v)
		}
		fmt.Fprintf(&calls, "        for (blockIdx.x = 0; blockIdx.x < %d; blockIdx.x++) k%d::%s(g);\n        fwrite(out, 1, %d, stdout);\n        free(out);\n    }\n", n, i, p.Entry, 8*n*slots[i])
	}
	fmt.Fprintf(&s, "int main()\n{\n    static char in[%d];\n    if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;\n%s    return 0;\n}\n", 4*8*n, calls.String())
	source := filepath.Join(dir, "probe.cc")
	require.NoError(t, os.WriteFile(source, []byte(s.String()), 0o600))
	shim, err := filepath.Abs("testdata")
	require.NoError(t, err)
	program := filepath.Join(dir, "probe")
	text, err := exec.Command(gcc, "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-fno-strict-aliasing", "-I", shim, "-o", program, source).CombinedOutput()
	require.NoError(t, err, "%.4000s", text)
	run := exec.Command(program)
	var in []byte
	for _, v := range operands(n) {
		in = append(in, bytesOf(v)...)
	}
	run.Stdin = strings.NewReader(string(in))
	out, err := run.Output()
	require.NoError(t, err)
	return out
}

// behaviours are the arithmetics that operations are tried in.
var behaviours = []string{
	"rne ftz=off contract=off",
	"rne ftz=on contract=off ftz16=on-before",
	"zero ftz=out-before contract=off ftz16=on",
}

// Every pure operation on every type gives what ir.Eval gives, in each arithmetic: the same bits, but for the payload of NaNs, and
// library functions within ir.LimitULP.
func TestOperationsCompiledByGCC(t *testing.T) {
	var probes []*probe
	var programs []*emit.Program
	var slots []int
	var of []model.Behaviour
	for i, text := range behaviours {
		b, err := model.ParseBehaviour(text)
		require.NoError(t, err)
		for _, ty := range ir.SetScalars.Types() {
			if i > 0 && !ty.IsFloat() {
				continue
			}
			p := newProbe(ty, threads)
			require.NoError(t, ir.Verify(p.k))
			g, err := emit.Print(p.k, emit.Options{Behaviour: b})
			require.NoError(t, err)
			g.Text = strings.Replace(g.Text, "extern \"C\" ", "", 1)
			probes, programs, slots, of = append(probes, p), append(programs, g), append(slots, len(p.steps)), append(of, b)
		}
	}
	out := compiled(t, programs, slots, threads)
	for i, p := range probes {
		n := 8 * threads * slots[i]
		p.judge(t, of[i], operands(threads), out[:n])
		out = out[n:]
	}
	require.Empty(t, out)
}

// judge compares results with ir.Eval's.
func (p *probe) judge(t *testing.T, b model.Behaviour, v [4][]uint64, out []byte) {
	t.Helper()
	ar := ir.ArithOf(b)
	for s, in := range p.steps {
		info := ir.Ops[in.Op]
		bad := 0
		result := operandType(in, info.Result)
		for i := range threads {
			var x [4]uint64
			for j, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
				x[j] = v[j][i] & operandType(in, o).Mask()
			}
			want, _ := ir.Eval(in.Op, in.Type, in.From, 0, ar, x[0], x[1], x[2], x[3])
			got := binary.LittleEndian.Uint64(out[8*(s*threads+i):])
			if !agree(in, ar, result, want, got, x) {
				if bad++; bad <= 3 {
					t.Errorf("%s: %s %s from %s of %#x: %#x, and ir.Eval gives %#x", b, in.Op, in.Type, in.From, x, got, want)
				}
			}
		}
	}
}

// agree reports whether got is a right result where ir.Eval gives want.
func agree(in ir.Instr, ar ir.Arith, result ir.Type, want, got uint64, x [4]uint64) bool {
	if got == want {
		return true
	}
	if !result.IsFloat() {
		return false
	}
	g, w := ir.Widen(result, got&result.Mask()), ir.Widen(result, want)
	if math.IsNaN(g) || math.IsNaN(w) {
		return math.IsNaN(g) && math.IsNaN(w)
	}
	var args []float64
	for i, o := range []ir.Operand{ir.Ops[in.Op].A, ir.Ops[in.Op].B} {
		if o == ir.OfT {
			args = append(args, ir.Widen(in.Type, x[i]))
		}
	}
	ulps, _ := ir.LimitULP(in.Op, in.Type, in.FP, args...)
	if ulps == 0 || in.Op == ir.Fmod {
		return false
	}
	// want errs by 0.501 ulp itself, and so do the whole numbers of ulps between the two count.
	steps := math.Abs(float64(order(result, got)) - float64(order(result, want)))
	return steps <= math.Floor(ulps+0.501)
}

// order numbers the floats of a type in ascending order.
func order(t ir.Type, v uint64) int64 {
	sign := uint64(1) << (t.Bits() - 1)
	if v&sign != 0 {
		return -int64(v &^ sign)
	}
	return int64(v)
}
