package emit

import (
	"strconv"
	"strings"

	"gamma/metal/msl/ir"
)

// words that are no names of variables in C++, CUDA or OpenCL C, or that the printed helpers call.
var words = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields(`alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const
constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend
goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true
try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq half uchar ushort uint ulong size_t
kernel global local constant generic event_t sampler_t image2d_t pipe read_only write_only read_write uniform
i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 threadIdx blockIdx blockDim gridDim warpSize main linux unix
floorf ceilf truncf rintf roundf fabsf expf exp2f exp10f logf log2f log10f sinf cosf tanf sinpif cospif asinf acosf atanf atan2f
sinhf coshf tanhf asinhf acoshf atanhf powf fmodf floor ceil trunc rint round fabs exp exp2 exp10 log log2 log10 sin cos tan sinpi cospi
asin acos atan atan2 sinh cosh tanh asinh acosh atanh pow fmod fma sqrt rsqrt copysign frexp ldexp barrier mem_fence min max atomic_work_item_fence
memory_order_seq_cst memory_scope_device memory_scope_work_group
get_global_id get_local_id get_local_size`) {
		m[s] = true
	}
	return m
}()

// reserved reports whether s cannot be a variable.
func reserved(s string) bool {
	return words[s] || strings.HasPrefix(s, "gm") || strings.HasPrefix(s, "_") || strings.Contains(s, "__") ||
		strings.ToUpper(s) == s && strings.ToLower(s) != s && len(s) > 1 || vectorName(s)
}

// vectorName reports whether s is a vector type's name, as float4.
func vectorName(s string) bool {
	stem := strings.TrimRight(s, "0123456789")
	if stem == s {
		return false
	}
	switch stem {
	case "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half", "longlong", "ulonglong", "bool", "dim":
		return true
	}
	return false
}

// identifier makes a C identifier of a name.
func identifier(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9' && i > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if s := strings.TrimRight(b.String(), "_"); s != "" {
		return s
	}
	return "v"
}

// fresh returns a name like s that is not taken yet.
func (w *printer) fresh(s string) string {
	s = identifier(s)
	if reserved(s) {
		s = "v_" + strings.ToLower(identifier(s))
	}
	name := s
	for i := 2; w.taken[name]; i++ {
		name = s + "_" + strconv.Itoa(i)
	}
	w.taken[name] = true
	return name
}

// name names registers and objects, and finds which registers are constants.
func (w *printer) name() {
	k := w.k
	if !w.cuda() { // the other words of Params are names in the same scope
		for _, stem := range []string{"grid", "groups", "group", "origin"} {
			for _, x := range axes {
				w.taken[stem+"_"+x] = true
			}
		}
	}
	written := make([]int, len(k.Regs))
	for _, b := range k.Buffers {
		written[b.Reg]++
		w.arguments = append(w.arguments, w.fresh("a_"+b.Name))
	}
	for _, in := range k.Inputs {
		written[in.Reg]++
	}
	home := make([][]int, len(k.Regs))
	w.inPlace = map[ir.Reg]bool{}
	walk(k.Body, func(in *ir.Instr, path []int) {
		for _, r := range [2]ir.Reg{in.Dst, in.Dst2} {
			if r == 0 {
				continue
			}
			written[r]++
			home[r] = append([]int(nil), path...)
			w.inPlace[r] = r == in.Dst && in.Op != ir.AtomicCAS
			if in.Op == ir.Const {
				w.constants[r] = in
			}
		}
	})
	for r := range w.k.Regs {
		if written[r] != 1 {
			delete(w.constants, ir.Reg(r))
			w.inPlace[ir.Reg(r)] = false
		}
	}
	w.bare = map[ir.Reg]bool{}
	k.Body.Each(func(in *ir.Instr) {
		arithmetic := false
		switch in.Op {
		case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Fma:
			arithmetic = in.Type == ir.F32
		}
		for _, r := range [4]ir.Reg{in.A, in.B, in.C, in.D} {
			if before, known := w.bare[r]; r != 0 && (before || !known) {
				w.bare[r] = arithmetic
			}
		}
	})
	within := func(path, home []int) bool {
		if len(path) < len(home) {
			return false
		}
		for i := range home {
			if path[i] != home[i] {
				return false
			}
		}
		return true
	}
	uses(k.Body, func(r ir.Reg, path []int) {
		if w.inPlace[r] && !within(path, home[r]) {
			w.inPlace[r] = false
		}
	})
	for r := range k.Regs {
		if r == 0 {
			continue
		}
		name, ok := k.Names[ir.Reg(r)]
		if !ok {
			name = "v" + strconv.Itoa(r)
		}
		w.names[ir.Reg(r)] = w.fresh(name)
	}
	for _, b := range k.Buffers {
		name := w.names[b.Reg]
		if written[b.Reg] > 1 {
			name = w.fresh(b.Name + "_base")
		} else {
			w.begins[b.Reg] = uint64(min(max(b.Align&-b.Align, 1), 16))
		}
		w.objects = append(w.objects, name)
	}
	for _, o := range k.Objects {
		w.objects = append(w.objects, w.fresh("m_"+o.Name))
	}
}

// walk calls f on every instruction with the blocks around it, by numbers.
func walk(b ir.Block, f func(in *ir.Instr, path []int)) {
	n := 0
	scan(b, nil, &n, f, func(ir.Reg, []int) {})
}

// uses calls f on every register that is read.
func uses(b ir.Block, f func(r ir.Reg, path []int)) {
	n := 0
	scan(b, nil, &n, func(in *ir.Instr, path []int) {
		for _, r := range [4]ir.Reg{in.A, in.B, in.C, in.D} {
			if r != 0 {
				f(r, path)
			}
		}
	}, f)
}

func scan(b ir.Block, path []int, n *int, f func(*ir.Instr, []int), cond func(ir.Reg, []int)) {
	*n++
	path = append(path[:len(path):len(path)], *n)
	for _, x := range b {
		switch x := x.(type) {
		case *ir.Instr:
			f(x, path)
		case *ir.If:
			cond(x.Cond, path)
		}
		for _, inner := range ir.Inside(x) {
			scan(*inner, path, n, f, cond)
		}
	}
}
