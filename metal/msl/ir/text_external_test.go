package ir_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

const scale = `
kernel "scale" ; a comment
at "scale.metal":1:13
place "scale.metal":4:5
place "scale \"2\".metal":5:5
statements 3
max_threads 64
buffer %1 "x" index=0 device elem=4 align=4 whole type="device float&" at="scale.metal":1:20
buffer %8 "n" index=1 constant elem=4 align=4 readonly optional
input %2 u32 thread_position_in_grid.0
object "tmp" threadgroup size=128 align=16 elem=4
object "table" constant size=3 align=1 data="0102ff"
object "none" constant size=0 align=1 data=""
name %5 "v"
reg %9:u64
{
  %3:f32 = const 0x40000000 ; 2
  %20:f32 = const 0x1p-3
  %21:f32 = const -1.5e+3
  %22:i8 = const -7
  %23:bool = const 1
  %24:f16 = const nan
  %26:ptr = const 0
  %4:f32 = load [%1 + u32 %2*4 - 8] align=2 @1
  %5:f32 = mul %3, %4 @1 s1 fp=contract_on|nsz
  %6:bool = eq f32 %3, %4
  %7:i32 = convert from f32 %5 s3
  %10:u32 = bitcast from f32 %5
  loop 1 @1 {
    if %6 @1 {
      leave 0
    } else {
      leave 1 @1
    }
  }
  scope 2 {
    if %6 {
      %5 = fma %5, %4, %3
    }
  }
  store f32 [%1 + u32 %2*4], %5
  barrier 2
  %11:ptr = obj_addr 2
  %12:ptr = ptr_add [%11 + 12]
  %13:u32 = atomic_add [%12], %10
  atomic_add u32 [%12], %10
  %14:u32, %15:bool = atomic_cas [%12], %10, %13
  %0, %15 = atomic_cas u32 [%12], %10, %13
  %16:f32 = simd_sum %5
  %17:f32 = simd_sum %5 over 4
  %18:u64 = simd_ballot %6
  %19:bool = simd_is_first
  %25:u32 = extract_bits %10, %2, %13
}
`

func TestTextRoundTrip(t *testing.T) {
	k, err := ir.Parse(scale)
	require.NoError(t, err)
	require.NoError(t, ir.Verify(k))
	text := k.String()
	again, err := ir.Parse(text)
	require.NoError(t, err, text)
	require.Equal(t, k, again)
	require.Equal(t, text, again.String())

	for name, ok := range map[string]bool{
		"texture1d": true, "texture2d": true, "texture3d": true, "texture1d_array": true, "texture2d_array": true, "texture_buffer": true, "texturecube": false,
	} {
		text := "kernel \"k\"\nbuffer %1 \"t\" index=3 device elem=16 align=16 texture=\"" + name + "\" texel=i32\n" +
			"buffer %2 \"s\" index=3 constant elem=4 align=4 whole readonly sampler\n{\n}\n"
		k, err := ir.Parse(text)
		require.Equal(t, ok, err == nil, name)
		if ok {
			require.NoError(t, ir.Verify(k))
			require.Equal(t, text, k.String())
			k.Buffers[0].Texture.Texel = ir.F16
			require.ErrorContains(t, ir.Verify(k), "buffer 0 (t) is no texture or sampler that there can be")
		}
	}

	rng := rand.New(rand.NewPCG(5, 1))
	for range 300 {
		k := drawKernel(rng, 60)
		require.NoError(t, ir.Verify(k), "%s", k)
		again, err := ir.Parse(k.String())
		require.NoError(t, err, "%s", k)
		require.Equal(t, k, again)
	}
}

// TestEveryOperationRoundTrips writes and reads one instruction of each operation and type.
func TestEveryOperationRoundTrips(t *testing.T) {
	for op := range ir.Op(ir.NumOps) {
		info := ir.Ops[op]
		require.NotEmpty(t, info.Name, "operation %d has no line", op)
		types := info.Types.Types()
		if info.Types == 0 {
			types = []ir.Type{ir.Void}
		}
		for _, typ := range types {
			b := ir.NewBuilder("one")
			b.Buffer("x", 0, ir.Device, 4)
			in := ir.Instr{Op: op, Type: typ, Stmt: 2, FP: 3}
			if info.From != 0 {
				in.From = ir.U32
				if op == ir.Bitcast {
					in.From = typ
				}
			}
			for i, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
				kind := map[ir.Operand]ir.Operand{ir.OfIndex: ir.OfFrom, ir.OptionalT: ir.OfT, ir.OptionalU16: ir.OfU16}[o]
				if kind == 0 {
					kind = o
				}
				if o != ir.NoOperand {
					*[]*ir.Reg{&in.A, &in.B, &in.C, &in.D}[i] = b.Const(kindType(kind, &in), 0)
				}
			}
			if info.Address {
				in.Scale, in.Align, in.Imm = 12, 4, uint64(0xffffffffffffff00)
			}
			if r := info.Result; r == ir.OptionalT {
				in.Dst = b.Reg(typ)
			} else if r != ir.NoOperand {
				in.Dst = b.Reg(kindType(r, &in))
			}
			b.Instr(in)
			k := b.Kernel()
			if info.Effect == ir.Reports {
				require.ErrorContains(t, ir.Verify(k), "has text 0 of 0")
				k.Texts = []string{"i == \"%d\""}
			}
			require.NoError(t, ir.Verify(k), "%s", k)
			again, err := ir.Parse(k.String())
			require.NoError(t, err, "%s", k)
			require.Equal(t, k, again)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "no kernel line",
		"{\n}":                                   `line 1: the text begins with a line kernel "name"`,
		`kernel "a`:                              "quoted text does not end",
		`kernel "a"`:                             "ends inside a block",
		"kernel a\n{":                            `"a" stands where a quoted text should`,
		"kernel \"a\"\n{\n}\n}":                  "line 4: \"}\" stands where the end of the text should",
		"kernel \"a\"\n{\n%1 = const 1\n}":       "register %1 needs a type where it is first written",
		"kernel \"a\"\n{\n%2:u8 = const 256\n}":  "\"256\" stands where a constant of type u8 should",
		"kernel \"a\"\n{\n%2:i8 = const -129\n}": "stands where a constant of type i8 should",
		"kernel \"a\"\n{\n%2:u8 = const 25\n}":   "register %1 has no type",
		"kernel \"a\"\n{\n%2:u8 = twist %1\n}":   "\"twist\" stands where an operation should",
		"kernel \"a\"\n{\n%1:u8 = const 1\n%1:i8 = const 1\n}":       "register %1 is u8 and cannot be i8",
		"kernel \"a\"\n{\n%99999999:u8 = const 1\n}":                 "a register's number below 37",
		"kernel \"a\"\n{\n} else {":                                  "the end of the line",
		"kernel \"a\"\n{\nscope 1 {\n} else {":                       "there is no if that this else belongs to",
		"kernel \"a\"\n{\n%1:u8 = const 1 fp=magic\n}":               `no flag of floating point is called "magic"`,
		"kernel \"a\"\nobject \"o\" thread size=4 colour=4\n{\n}":    `no field called "colour"`,
		"kernel \"a\"\n{\n" + strings.Repeat("scope 1 {\n", 5000):    "nested deeper than 1000",
		"kernel \"a\"\ninput %1 u32 thread_position_in_hall.0\n{\n}": "where an attribute and an axis",
	} {
		_, err := ir.Parse(text)
		require.ErrorContains(t, err, want, "%.60q", text)
	}
}

// FuzzParse: no text makes Parse, Verify, String, Uniform or Optimise panic; what parses is written and read again, and what is well formed stays so.
func FuzzParse(f *testing.F) {
	f.Add(scale)
	f.Add("kernel \"a\"\n{\n%1:u32 = const 1\nloop 1 {\nleave 1\n}\n}")
	rng := rand.New(rand.NewPCG(5, 2))
	for range 3 {
		f.Add(drawKernel(rng, 30).String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ir.Parse(text)
		if err != nil {
			return
		}
		again, err := ir.Parse(k.String())
		require.NoError(t, err)
		require.Equal(t, k.String(), again.String())
		if ir.Verify(k) == nil {
			require.NoError(t, ir.Verify(again))
			require.Equal(t, k, again)
			require.Len(t, ir.Uniform(again), len(again.Regs))
			ir.Optimise(again)
			require.NoError(t, ir.Verify(again), "%s\n%s", k, again)
		}
	})
}
