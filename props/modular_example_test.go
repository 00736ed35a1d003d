package props_test

import (
	"fmt"
	"math/bits"

	"gamma/model/modular"
	"gamma/props"
	"gamma/props/judge"
)

// A product modulo q that reduces its double word half by half, as one finds it where there is no division of double words.
func ExampleModular() {
	word := func(name string) modular.Word { return modular.Word{Name: name, Range: 1} }
	mul := props.Modular{
		Name: "mykernel.MulMod",
		Claim: modular.Claim{
			Function: modular.Product, Bits: 64, Moduli: modular.Moduli{Min: 3, Max: 1<<62 - 1},
			In: []modular.Word{word("a"), word("b")}, Out: []modular.Word{word("z")},
		},
		Run: func(q uint64, dst, src []uint64) error {
			if q < 3 || q >= 1<<62 || q%2 == 0 {
				return fmt.Errorf("modulus %d: odd ones from 3 to 2^62-1 alone", q)
			}
			r := (^uint64(0)%q + 1) % q // 2^64 mod q
			for i := range dst {
				hi, lo := bits.Mul64(src[2*i], src[2*i+1])
				dst[i] = (hi%q*r%q + lo%q) % q
			}
			return nil
		},
	}
	// In a test: func TestPropMulMod(t *testing.T) { mul.Check(t) }
	law, err := judge.LawByID(judge.ModularLaws(), "mont.value")
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _, err := judge.Find(law, mul, 8000)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Common().Verdict.Reason)
	fmt.Println(f.Common().Cause)
	// Output:
	// z is not the product of the operands
	// its results on 194 rows are those of a known fault: % is used on partial products: (hi % q)·(R % q) does not fit into a word, and what is above it is lost.
}
