package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

// TestVerifyRefuses holds one message to each way of being malformed.
func TestVerifyRefuses(t *testing.T) {
	const head = "kernel \"bad\"\nat \"k.metal\":1:1\nplace \"k.metal\":7:3\nstatements 1\nbuffer %1 \"x\" index=0 device elem=4 align=4\ninput %2 u32 thread_position_in_grid.0\n"
	for body, want := range map[string]string{
		"{\n%3:bool = eq u32 %2, %2\nscope 1 {\nif %3 {\n%4:u32 = const 1\nleave 1\n}\nif %3 {\nleave 1\n}\n%4 = const 1\n}\n%4 = mov %4\n}": "operand A is %4, which is not written on every path",
		"reg %3:u32\n{\nstore u32 [%1], %3\n}":                                                            "k.metal:7:3: ir: kernel bad: store: operand C is %3, which is not written on every path to here",
		"{\n%3:bool = eq u32 %2, %2\nif %3 {\n%4:u32 = const 1\n}\nstore u32 [%1], %4\n}":                 "operand C is %4, which is not written on every path",
		"{\nscope 1 {\n%3:bool = eq u32 %2, %2\nif %3 {\nleave 1\n}\n%4:u32 = const 1\n}\n%4 = mov %4\n}": "operand A is %4, which is not written on every path",
		"{\nloop 1 {\n%3:bool = eq u32 %2, %2\nif %3 {\nleave 1\n}\n%4:u32 = const 1\n}\n%4 = mov %4\n}":  "operand A is %4, which is not written on every path",
		"{\n%3:f32 = add %2, %2\n}":                           "add: operand A is %2 of type u32 and has to be f32",
		"{\n%3:bool = add %3, %3\n}":                          "add has no form for type bool",
		"{\n%3:u32 = const 1 @1\n}":                           "position 1 of 1 places",
		"{\n%3:u32 = const 1 s2\n}":                           "statement 2 of 1",
		"{\nleave 4\n}":                                       "leave 4 is not inside",
		"{\nloop 1 {\n}\nscope 1 {\n}\n}":                     "label 1 is not positive or not unique",
		"{\nscope 0 {\n}\n}":                                  "label 0 is not positive",
		"{\nif %2 {\n}\n}":                                    "condition is %2 of type u32 and has to be bool",
		"{\nif %0 {\n}\n}":                                    "condition is %0, which is not a register",
		"{\n%3:u32 = convert from void %2\n}":                 "convert has no form from type void",
		"{\n%3:f32 = convert from ptr %1\n}":                  "convert from ptr to f32 has no meaning",
		"{\n%3:u16 = bitcast from u32 %2\n}":                  "of another size",
		"{\n%3:ptr = obj_addr 1\n}":                           "at none of the 1 buffers and objects",
		"{\nbarrier 16\n}":                                    "flags 0x10",
		"{\n%3:u32 = simd_sum %2 over 3\n}":                   "over groups of 3",
		"{\n%3:u32 = load [%1] align=3\n}":                    "alignment 3 is not a power of two",
		"{\n%3:u32 = load [%1 + f32 %2*4]\n}":                 "load has no form from type f32",
		"{\n%3:u32 = load [%1 + i32 %2*4]\n}":                 "operand B is %2 of type u32 and has to be i32",
		"{\nadd u32 %2, %2\n}":                                "result %0 is not a register",
		"{\n%3:u32 = store u32 [%1], %2\n}":                   "store gives nothing to %3",
		"{\n%3:u32, %3 = atomic_cas [%1], %2, %2\n}":          "result %3 has type u32 and has to be bool",
		"buffer %3 \"y\" index=1 thread elem=4\n{\n}":         "in no space that the host can bind",
		"buffer %3 \"y\" index=1 device elem=4 align=3\n{\n}": "alignment 3",
		"object \"o\" device size=4\n{\n}":                    "cannot be in this space",
		"object \"o\" constant size=4 data=\"00\"\n{\n}":      "1 of 4 bytes",
		"object \"o\" thread size=4 data=\"00000000\"\n{\n}":  "has data and is not constant",
		"input %3 u64 thread_position_in_grid.0\n{\n}":        "a register of type u16 or u32",
		"input %3 u32 thread_index_in_simdgroup.1\n{\n}":      "axis 1",
		"name %0 \"x\"\n{\n}":                                 "name of register %0",
	} {
		k, err := ir.Parse(head + body)
		require.NoError(t, err, body)
		require.ErrorContains(t, ir.Verify(k), want, body)
	}
	bad := func(want string, change func(k *ir.Kernel)) {
		b := ir.NewBuilder("bad")
		x := b.Int(ir.U32, 1)
		b.Op(ir.Add, ir.U32, x, x)
		k := b.Kernel()
		require.NoError(t, ir.Verify(k))
		change(k)
		require.ErrorContains(t, ir.Verify(k), want)
		_ = k.String()
	}
	last := func(k *ir.Kernel) *ir.Instr { return k.Body[len(k.Body)-1].(*ir.Instr) }
	bad("operand C is %1, and it has none", func(k *ir.Kernel) { last(k).C = 1 })
	bad("operand A is %9, which is not a register", func(k *ir.Kernel) { last(k).A = 9 })
	bad("operand A is %-1, which is not a register", func(k *ir.Kernel) { last(k).A = -1 })
	bad("has no immediate", func(k *ir.Kernel) { last(k).Imm = 1 })
	bad("is not in the table", func(k *ir.Kernel) { last(k).Op = 255 })
	bad("no form for type Type(77)", func(k *ir.Kernel) { last(k).Type = 77 })
	bad("flags 0x100", func(k *ir.Kernel) { last(k).FP = 0x100 })
	bad("more bits than u32", func(k *ir.Kernel) { k.Body[0].(*ir.Instr).Imm = 1 << 32 })
	bad("one node stands at two places", func(k *ir.Kernel) { k.Body = append(k.Body, k.Body[0]) })
	bad("no node where it should", func(k *ir.Kernel) { k.Body = append(k.Body, nil) })
	bad("no node where it should", func(k *ir.Kernel) { k.Body = append(k.Body, (*ir.If)(nil)) })
	bad("Regs[0] has to be Void", func(k *ir.Kernel) { k.Regs[0] = ir.U32 })
	bad("register %1 has type void", func(k *ir.Kernel) { k.Regs[1] = ir.Void })
	bad("register %1 has type Type(88)", func(k *ir.Kernel) { k.Regs[1] = 88 })
	bad("more than a pointer can name", func(k *ir.Kernel) { k.Objects = make([]ir.Object, 1<<16) })
	bad("-1 statements", func(k *ir.Kernel) { k.Statements = -1 })
	bad("nested deeper", func(k *ir.Kernel) {
		for i := range int32(ir.MaxDepth + 2) {
			k.Body = ir.Block{&ir.Scope{Label: i + 1, Body: k.Body}}
		}
	})
}

func TestVerifyAccepts(t *testing.T) {
	for _, body := range []string{
		// What follows an endless loop or a leave is never reached.
		"{\nloop 1 {\n}\n%3:u32 = mov %4\n%4:u32 = const 1\n}",
		"{\nleave 0\n%3:u32 = mov %4\n%4:u32 = const 1\n}",
		"{\nloop 1 {\n%3:u32 = const 1\nleave 1\n}\n%4:u32 = mov %3\n}",
		"{\n%3:bool = const 0\nif %3 {\n%4:u32 = const 1\n} else {\n%4 = const 2\n}\n%5:u32 = mov %4\n}",
		"{\n%3:bool = const 0\nif %3 {\nleave 0\n} else {\n%4:u32 = const 2\n}\n%5:u32 = mov %4\n}",
	} {
		k, err := ir.Parse("kernel \"good\"\nreg %1:u8\nreg %2:u8\n" + body)
		require.NoError(t, err, body)
		require.NoError(t, ir.Verify(k), body)
	}
	require.Error(t, ir.Verify(nil))
	require.Error(t, ir.Verify(&ir.Kernel{}))
}
