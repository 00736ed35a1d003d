package props_test

import (
	"fmt"

	"gamma/model"
	"gamma/props"
	"gamma/props/judge"
)

// A sum modulo 2^64 in two halves of 32 bits, which loses the carry between them.
func ExampleWrapping() {
	sum := props.Wrapping{Name: "mykernel.Sum64", Bits: 64, Run: func(x []uint64) uint64 {
		var low, high uint32
		for _, v := range x {
			low += uint32(v)
			high += uint32(v >> 32)
		}
		return uint64(high)<<32 | uint64(low)
	}}
	// In a test: func TestPropSum64(t *testing.T) { sum.Check(t) }
	law, err := judge.LawByID(judge.WrappingLaws(), model.WrapExact)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _, err := judge.Find(law, sum, 1000)
	if err != nil || f == nil {
		fmt.Println("nothing was found:", err)
		return
	}
	fmt.Println(f.Common().Verdict.Reason)
	// Output:
	// the sum is 0xffffffff00000000, and Σx_i mod 2^k is 0x0
}
