package props_test

import (
	"fmt"

	"gamma/model"
	"gamma/model/modular"
	"gamma/props"
	"gamma/props/judge"
)

// A transform by its definition, for moduli below 2^31, that claims the natural order of values and returns them in bit-reversed order.
func ExampleNTT() {
	plan := func(t modular.Transform) (modular.Transforms, error) {
		q, n := t.Modulus, t.N
		if q < 3 || q%2 == 0 || q >= 1<<31 || n != 4 {
			return modular.Transforms{}, fmt.Errorf("no transform of %d points modulo %d: 4 points, odd moduli below 2^31", n, q)
		}
		if r2 := t.Root * t.Root % q; t.Root >= q || r2 != q-1 {
			return modular.Transforms{}, fmt.Errorf("root %d is not of order 4 modulo %d", t.Root, q)
		}
		return modular.Transforms{Forward: func(dst, src []uint64) error {
			if len(dst) != n || len(src) != n {
				return fmt.Errorf("%d and %d words for %d points", len(dst), len(src), n)
			}
			var out [4]uint64
			for k, to := range [4]int{0, 2, 1, 3} { // bit-reversed
				w := uint64(1)
				for range k {
					w = w * t.Root % q
				}
				for j := n - 1; j >= 0; j-- {
					out[to] = (out[to]*w + src[j]) % q
				}
			}
			copy(dst, out[:])
			return nil
		}}, nil
	}
	reduced := modular.Side{Range: 1}
	ntt := props.NTT{
		Name: "mykernel.NTT", Plan: plan,
		Claim: modular.TransformClaim{
			Bits: 64, MinN: 4, MaxN: 4, Moduli: modular.Moduli{Min: 3, Max: 1<<31 - 1},
			Forward: modular.Direction{In: reduced, Out: reduced},
		},
	}
	// In a test: func TestPropNTT(t *testing.T) { ntt.Check(t) }
	law, err := judge.LawByID(judge.NTTLaws(), model.NTTExact)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _, err := judge.Find(law, ntt, 1000)
	if err != nil || f == nil {
		fmt.Println("nothing was found:", err)
		return
	}
	fmt.Println(f.Common().Verdict.Reason)
	// Output:
	// forward transform: number 1 is 1, and 4 is right; 2 of 4 differ
}
