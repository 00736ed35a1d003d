package montgomery_test

import (
	"fmt"

	"gamma/kernels/montgomery"
)

// A product in the domain, and out again.
func ExampleModulus64() {
	m, err := montgomery.NewModulus64(1152921504606748673)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := m.ToMontgomery(1234567890123456789), m.ToMontgomery(3)
	fmt.Println(m.FromMontgomery(m.Mul(a, b)))
	third, _ := m.Inverse(b)
	fmt.Println(m.FromMontgomery(m.Mul(m.Mul(a, b), third)) == 1234567890123456789%m.Q())
	// Output:
	// 244939156550124348
	// true
}

// A table of factors in the domain multiplies plain words.
func ExampleModulus64_Mul() {
	m, _ := montgomery.NewModulus64(17)
	w := m.ToMontgomery(5)
	fmt.Println(m.Mul(7, w)) // 35 mod 17
	// Output: 1
}

// What a type cannot do it refuses.
func ExampleNewLazy64() {
	_, err := montgomery.NewLazy64(1<<62 + 1)
	fmt.Println(err)
	_, err = montgomery.NewModulus64(10)
	fmt.Println(err)
	// Output:
	// montgomery: Lazy64: modulus 4611686018427387905 = 0x4000000000000001 has 63 bits and is above 4611686018427387903 = 0x3fffffffffffffff; use Short64 or Modulus64, whose results are reduced
	// montgomery: Modulus64: modulus 10 is even, so R has no inverse modulo it; give an odd one, or use Barrett's reduction, which takes even moduli
}

// Shoup's product of a word and a factor that stays the same.
func ExampleMulShoup64() {
	const q = 1000000007
	w := uint64(123456789)
	quotient, err := montgomery.ShoupQuotient64(w, q)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(montgomery.MulShoup64(987654321, w, quotient, q))
	// Output: 259106859
}

// Barrett's reduction takes even moduli.
func ExampleBarrett64() {
	m, _ := montgomery.NewBarrett64(1000000)
	fmt.Println(m.Mul(123456789, 987654321))
	// Output: 635269
}

// One inverse and three products a word invert a whole slice.
func ExampleModulus64_BatchInverse() {
	m, _ := montgomery.NewModulus64(13)
	x := []uint64{m.ToMontgomery(2), 0, m.ToMontgomery(5)}
	units, err := m.BatchInverse(x, x)
	fmt.Println(units, err)
	for _, a := range x {
		fmt.Print(m.FromMontgomery(a), " ")
	}
	// Output:
	// 2 <nil>
	// 7 0 8
}

func ExampleGoldilocksMul() {
	fmt.Println(montgomery.GoldilocksMul(1<<48, 1<<48) == montgomery.Goldilocks-1) // 2^96 ≡ -1
	// Output: true
}

// A kernel checks its modulus and its words.
func ExampleKernel() {
	k, _ := montgomery.Find("montgomery.MulShoup64")
	dst := make([]uint64, 1)
	fmt.Println(k.Run(17, dst, []uint64{7, 5, 5425512962855750475}), dst)
	fmt.Println(k.Run(17, dst, []uint64{7, 17, 0}))
	// Output:
	// <nil> [1]
	// montgomery.MulShoup64: row 0: w = 17 is not in [0, 1·q), which ends at 16; reduce it first
}
