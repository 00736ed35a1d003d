package props_test

import (
	"fmt"
	"math"

	"gamma/model"
	"gamma/props"
)

// An implementation of binary32 whose conversion to bfloat16 cuts bits off, where it should round to nearest.
func ExampleBattery() {
	value := func(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }
	arithmetic := props.Arithmetic{
		Name: "mysoft", Format: model.Binary32,
		Add:         func(a, b uint64) uint64 { return uint64(math.Float32bits(value(a) + value(b))) },
		Conversions: []props.Conversion{{To: model.BFloat16, Run: func(a uint64) uint64 { return a >> 16 }}},
	}
	// In a test: func TestPropMySoft(t *testing.T) { arithmetic.Check(t) }
	battery := arithmetic.Battery()
	for _, l := range battery.Laws {
		if l.ID != "round.add" && l.ID != "round.convert" {
			continue
		}
		f, err := battery.Find(l)
		if err != nil {
			fmt.Println(err)
			return
		}
		if f == nil {
			fmt.Println(l.ID, "nothing was found")
			continue
		}
		fmt.Println(l.ID, f.Verdict.Reason)
	}
	// Output:
	// round.add nothing was found
	// round.convert nan:0x7f800001 of binary32, converted to bfloat16, is inf.
}
