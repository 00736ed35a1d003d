package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

func TestUniform(t *testing.T) {
	const head = `kernel "k"
buffer %1 "x" index=0 device elem=4 align=4
buffer %2 "n" index=1 constant elem=4 align=4
input %3 u32 thread_index_in_threadgroup.0
input %4 u32 threads_per_threadgroup.0
reg %5:u8
reg %6:u8
reg %7:u8
reg %8:u8
reg %9:u8
object "table" constant size=4 align=4 data="00000000"
`
	for _, c := range []struct {
		name, body       string
		uniform, varying []ir.Reg
	}{
		{"arguments", ``, []ir.Reg{1, 2, 4}, []ir.Reg{0, 3}},
		{"constant memory, at one address", `
  %10:u32 = load [%2]
  %11:u32 = load [%2 + u32 %3*4]
  %12:u32 = load [%1]
  %13:ptr = obj_addr 2
  %14:ptr = ptr_add [%13 + u32 %10*4]
  %15:u32 = load [%14]
  %16:ptr = load [%2]
  %17:u32 = load [%16]
  %18:u32 = undef`, []ir.Reg{10, 13, 14, 15, 16}, []ir.Reg{11, 12, 17, 18}},
		{"branches", `
  %10:u32 = load [%2]
  %11:bool = lt u32 %3, %4
  %12:bool = lt u32 %10, %4
  %13:u32 = mov %10
  %14:u32 = mov %10
  if %11 {
    %13 = mov %4
    %15:u32 = add %10, %4
    %16:u32 = const 3
    %17:u32 = add %16, %4
  }
  if %12 {
    %14 = mov %4
  }
  %18:u32 = add %14, %13`, []ir.Reg{10, 12, 14, 16, 17}, []ir.Reg{11, 13, 15, 18}},
		{"a loop that all leave together", `
  %10:u32 = const 0
  %11:u32 = const 1
  %12:u32 = mov %10
  loop 1 {
    %13:bool = le u32 %4, %12
    if %13 {
      leave 1
    }
    %12 = add %12, %11
  }
  %14:u32 = mov %12`, []ir.Reg{12, 13, 14}, nil},
		{"a loop that some leave before others", `
  %10:u32 = const 0
  %11:u32 = const 1
  %12:u32 = mov %10
  loop 1 {
    %13:bool = le u32 %3, %12
    if %13 {
      leave 1
    }
    %12 = add %12, %11
  }
  %14:u32 = mov %12`, nil, []ir.Reg{12, 13, 14}},
		{"what is carried round a loop", `
  %10:u32 = load [%2]
  %11:u32 = mov %10
  %12:u32 = mov %10
  loop 1 {
    %13:bool = le u32 %4, %12
    if %13 {
      leave 1
    }
    %12 = mov %11
    %11 = add %11, %3
  }`, nil, []ir.Reg{11, 12, 13}},
		{"threads that end, and threads that leave a scope", `
  %10:bool = lt u32 %3, %4
  %11:u32 = load [%2]
  if %10 {
    leave 0
  }
  %12:u32 = load [%2]
  scope 1 {
    if %10 {
      leave 1
    }
    %11 = add %12, %4
  }
  %13:u32 = add %12, %4`, []ir.Reg{12, 13}, []ir.Reg{11}},
		{"an inner branch leaves the outer loop", `
  %10:bool = lt u32 %3, %4
  loop 1 {
    %11:u32 = load [%2]
    loop 2 {
      if %10 {
        leave 1
      }
      leave 2
    }
  }
  %12:u32 = load [%2]`, []ir.Reg{12}, []ir.Reg{11}},
		{"lanes and atomics", `
  %10:u32 = load [%2]
  %11:u32 = simd_sum %10
  %12:u32 = atomic_add [%1], %10`, []ir.Reg{10}, []ir.Reg{11, 12}},
	} {
		k, err := ir.Parse(head + "{" + c.body + "\n}\n")
		require.NoError(t, err, c.name)
		require.NoError(t, ir.Verify(k), c.name)
		u := ir.Uniform(k)
		for _, r := range c.uniform {
			require.True(t, u[r], "%s: %%%d is not uniform", c.name, r)
		}
		for _, r := range c.varying {
			require.False(t, u[r], "%s: %%%d is uniform", c.name, r)
		}
	}
}
