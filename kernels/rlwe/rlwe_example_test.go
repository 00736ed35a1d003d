package rlwe_test

import (
	"fmt"
	"math/rand/v2"

	"gamma/kernels/rlwe"
)

func Example() {
	p := rlwe.NewParameters(8, 100)
	s, err := rlwe.NewScheme(p, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	source := rand.NewChaCha8([32]byte{1}) // nil for crypto/rand's
	secret, public, err := s.GenerateKeys(source)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := s.Encrypt(source, public, []uint64{1, 2, 3, 4, 96, 97, 98, 99})
	if err != nil {
		fmt.Println(err)
		return
	}
	message, err := s.Decrypt(secret, c)
	fmt.Println(message, err)
	fmt.Println("noise at most", p.NoiseBound())
	// Output:
	// [1 2 3 4 96 97 98 99] <nil>
	// noise at most 323
}

func ExampleParameters_Check() {
	p := rlwe.NewParameters(8192, 1<<41)
	fmt.Println(p.Check())
	// Output:
	// rlwe: N = 8192, q = 1152921504606748673, t = 2199023255552: noise of up to 311315 may change a message; t may be 1851693064763 at most
}
