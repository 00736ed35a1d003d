package fast_test

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// Each thread reads what its neighbour wrote, and no barrier stands between.
func Example() {
	k, err := ir.Parse(`
kernel "shift"
place "shift.metal":3:5
place "shift.metal":4:12
buffer %1 "x" index=0 device elem=4 align=4
input %2 u32 thread_position_in_grid.0
{
  store u32 [%1 + u32 %2*4], %2 @0
  %3:u32 = load [%1 + u32 %2*4 + 4] @1
}
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := fast.Compile(k)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := p.Run(&engine.Dispatch{
		Kernel: k,
		Grid:   model.Size3{X: 4, Y: 1, Z: 1},
		Group:  model.Size3{X: 4, Y: 1, Z: 1},
		Args:   []engine.Arg{{Mem: &engine.Memory{Bytes: make([]byte, 32)}}},
	}, engine.Options{Checks: true})
	fmt.Println(res.Steps, err)
	for _, f := range res.Findings {
		fmt.Println(f)
	}
	// Output:
	// 12 <nil>
	// shift.metal:4:12: shift: race: thread (0,0,0) reads 4 bytes at byte 4 of device x, where thread (1,0,0) writes 4 at shift.metal:3:5: no barrier orders the two
}
