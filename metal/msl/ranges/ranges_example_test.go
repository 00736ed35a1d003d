package ranges_test

import (
	"encoding/binary"
	"fmt"

	"gamma/metal/msl"
	"gamma/metal/msl/ranges"
)

// A butterfly of words below 2q that reduces its sum alone: the difference grows to 4q.
func ExampleAnalyse() {
	lib, err := msl.Compile(`
		kernel void stage(device ulong *x [[buffer(0)]], constant ulong &q [[buffer(1)]], uint id [[thread_position_in_grid]])
		{
			ulong a = x[2 * id], b = x[2 * id + 1];
			ulong s = a + b;
			x[2 * id] = s >= 2 * q ? s - 2 * q : s;
			x[2 * id + 1] = a + 2 * q - b;
		}`, msl.Options{FileName: "my.metal"})
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := lib.Kernel("stage", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	const q = 0xffffffffffc0001
	r, err := ranges.Analyse(k, ranges.Facts{
		Modulus:   q,
		Constants: map[int][]byte{1: binary.LittleEndian.AppendUint64(nil, q)},
		Arrays:    map[int]ranges.Array{0: {Fields: []ranges.Field{{Max: ranges.GreatestBelow(2, q)}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(r.Text(q))
	// Output:
	// my.metal:6:14: x[] below 2 q
	// my.metal:7:18: x[] below 4 q
}
