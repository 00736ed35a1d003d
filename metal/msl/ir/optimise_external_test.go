package ir_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// TestOptimiseKeepsBehaviour runs drawn kernels before and after, under several kinds of arithmetic, and compares memory and faults.
func TestOptimiseKeepsBehaviour(t *testing.T) {
	rounds := 1000
	if thorough {
		rounds = 20000
	}
	ariths := []ir.Arith{
		{},
		{Rounding: model.TowardZero, Flush: model.Flush{In: true, Out: true}},
		{Flush: model.Flush{Out: true}, Flush16: model.Flush{In: true, Out: true}},
		{Flush: model.Flush{In: true, Out: true, AnySign: true}, Flush16: model.Flush{In: true, Out: true, AnySign: true}},
	}
	rng := rand.New(rand.NewPCG(7, 1))
	before, after := 0, 0
	for range rounds {
		k := drawKernel(rng, 20+rng.IntN(100))
		text := k.String()
		inputs := make([]byte, bufferBytes)
		for i := range inputs {
			inputs[i] = byte(rng.Uint32())
		}
		want := make([]string, len(ariths))
		for i, ar := range ariths {
			m := interpret(k, ar, inputs)
			want[i] = m.report()
			before += m.steps
		}
		ir.Optimise(k)
		require.NoError(t, ir.Verify(k), "%s\n%s", text, k)
		for i, ar := range ariths {
			m := interpret(k, ar, inputs)
			require.Equal(t, want[i], m.report(), "under %+v\n%s\n%s", ar, text, k)
			after += m.steps
		}
		once := k.String()
		ir.Optimise(k)
		require.NoError(t, ir.Verify(k), "%s\n%s", once, k)
		require.Equal(t, want[0], interpret(k, ariths[0], inputs).report(), "%s\n%s", once, k)
	}
	require.Less(t, after, before, "nothing became less")
	t.Logf("%d steps before, %d after", before, after)
}

// TestOptimise shows what becomes of small kernels.
func TestOptimise(t *testing.T) {
	const head = "kernel \"k\"\nstatements 2\nbuffer %1 \"x\" index=0 device elem=4 align=4\ninput %2 u32 thread_position_in_grid.0\n"
	for _, c := range []struct{ name, body, want string }{
		{"constants fold, copies go, what is not used goes", `
  %3:u32 = const 6
  %4:u32 = const 7
  %5:u32 = mul %3, %4
  %6:u32 = mov %5
  %7:u32 = add %6, %2
  %8:u32 = xor %7, %2
  store u32 [%1], %6`, `
  %3:u32 = const 42
  store u32 [%1], %3`},
		{"a fault is not folded away", `
  %3:i32 = const 2147483647
  %4:i32 = add %3, %3
  %5:i32 = const 0
  %6:i32 = div %3, %5`, `
  %3:i32 = const 2147483647
  %4:i32 = add %3, %3
  %5:i32 = const 0
  %6:i32 = div %3, %5`},
		{"equal operations are one, whatever their order", `
  %3:u32 = const 3
  %4:u32 = add %2, %3
  %5:u32 = add %3, %2
  %6:u32 = mul %4, %5
  store u32 [%1], %6`, `
  %3:u32 = const 3
  %4:u32 = add %2, %3
  %5:u32 = mul %4, %4
  store u32 [%1], %5`},
		{"unsigned division by a power of two", `
  %3:u32 = const 8
  %4:u32 = div %2, %3
  %5:u32 = rem %2, %3
  %6:u32 = mul %4, %5
  store u32 [%1], %6`, `
  %3:u32 = const 3
  %4:u32 = shr %2, %3
  %5:u32 = const 7
  %6:u32 = and %2, %5
  %7:u32 = mul %4, %6
  store u32 [%1], %7`},
		{"floats are folded only where no rounding, flush or flag has a say", `
  %3:i32 = const 1
  %4:f32 = convert from i32 %3
  %5:f32 = neg %4
  %6:f32 = add %5, %4 s1
  %7:f32 = add %5, %4 s1
  %8:f32 = add %5, %4 s2
  %9:f32 = mul %4, %4 s1 fp=contract_on
  %10:f32 = mul %4, %4 s1 fp=contract_on
  store f32 [%1], %6
  store f32 [%1], %7
  store f32 [%1], %8
  store f32 [%1], %9
  store f32 [%1], %10`, `
  %3:f32 = const 0x3f800000 ; 1
  %4:f32 = const 0xbf800000 ; -1
  %5:f32 = add %4, %3 s1
  %6:f32 = add %4, %3 s2
  %7:f32 = mul %3, %3 s1 fp=contract_on
  %8:f32 = mul %3, %3 s1 fp=contract_on
  store f32 [%1], %5
  store f32 [%1], %5
  store f32 [%1], %6
  store f32 [%1], %7
  store f32 [%1], %8`},
		{"invariants leave the loop, faulting ones and loads stay", `
  %3:u32 = const 0
  %4:u32 = const 1
  %5:u32 = mov %3
  %6:i32 = bitcast from u32 %2
  loop 1 {
    %7:bool = eq u32 %5, %2
    if %7 {
      leave 1
    }
    %8:u32 = mul %2, %2
    %9:i32 = add %6, %6
    %10:u32 = load [%1 + u32 %8*4]
    %11:u32 = bitcast from i32 %9
    %12:u32 = xor %11, %10
    store u32 [%1 + u32 %5*4], %12
    %5 = add %5, %4
  }`, `
  %3:u32 = const 0
  %4:u32 = const 1
  %5:u32 = mov %3
  %6:i32 = bitcast from u32 %2
  %7:u32 = mul %2, %2
  loop 1 {
    %8:bool = eq u32 %5, %2
    if %8 {
      leave 1
    }
    %9:i32 = add %6, %6
    %10:u32 = load [%1 + u32 %7*4]
    %11:u32 = bitcast from i32 %9
    %12:u32 = xor %11, %10
    store u32 [%1 + u32 %5*4], %12
    %5:u32 = add %5, %4
  }`},
		{"branches on constants, empty ones, what is never reached", `
  %3:bool = const 1
  %6:u32 = const 3
  %4:bool = lt u32 %2, %6
  if %3 {
    store u32 [%1], %2
  } else {
    barrier 1
  }
  scope 1 {
    if %4 {
      %5:u32 = const 1
    }
    store u32 [%1 + 4], %2
  }
  leave 0
  barrier 2`, `
  store u32 [%1], %2
  store u32 [%1 + 4], %2
  leave 0`},
		{"a branch that leaves hides what it writes", `
  %3:u32 = const 1
  %4:u32 = mov %3
  %5:bool = eq u32 %2, %3
  if %5 {
    %4 = mov %2
    leave 0
  }
  %6:u32 = add %4, %3
  store u32 [%1], %6`, `
  %3:u32 = const 1
  %4:bool = eq u32 %2, %3
  if %4 {
    leave 0
  }
  %5:u32 = const 2
  store u32 [%1], %5`},
		{"or the other branch", `
  %3:u32 = const 1
  %4:u32 = mov %3
  %5:bool = eq u32 %2, %3
  %6:u32 = mov %2
  if %5 {
    %6 = mov %3
  } else {
    %4 = mov %2
    leave 0
  }
  %7:u32 = add %4, %6
  store u32 [%1], %7`, `
  %3:u32 = const 1
  %4:bool = eq u32 %2, %3
  if %4 {
  } else {
    leave 0
  }
  %5:u32 = const 2
  store u32 [%1], %5`},
		{"what a branch writes and takes along out of a scope", `
  %3:u32 = const 1
  %4:u32 = mov %3
  %5:bool = eq u32 %2, %3
  scope 1 {
    if %5 {
      %4 = mov %2
      leave 1
    }
    store u32 [%1], %4
  }
  store u32 [%1], %4`, `
  %3:u32 = const 1
  %4:u32 = mov %3
  %5:bool = eq u32 %2, %3
  scope 1 {
    if %5 {
      %4:u32 = mov %2
      leave 1
    }
    store u32 [%1], %3
  }
  store u32 [%1], %4`},
		{"whole numbers that a float type may round", `
  %3:u64 = const 18446744073709551615
  %4:bf16 = convert from u64 %3
  store bf16 [%1], %4
  %5:i32 = const 257
  %6:bf16 = convert from i32 %5
  store bf16 [%1], %6
  %7:i64 = const -256
  %8:bf16 = convert from i64 %7
  store bf16 [%1], %8`, `
  %3:u64 = const 18446744073709551615
  %4:bf16 = convert from u64 %3
  store bf16 [%1], %4
  %5:i32 = const 257
  %6:bf16 = convert from i32 %5
  store bf16 [%1], %6
  %7:bf16 = const 0xc380 ; -256
  store bf16 [%1], %7`},
	} {
		k, err := ir.Parse(head + "{" + c.body + "\n}\n")
		require.NoError(t, err, c.name)
		require.NoError(t, ir.Verify(k), c.name)
		ir.Optimise(k)
		require.NoError(t, ir.Verify(k), c.name)
		require.Equal(t, head+"{"+c.want+"\n}\n", k.String(), c.name)
	}
}
