package main

import (
	"fmt"

	babybearfield "github.com/consensys/gnark-crypto/field/babybear"
	babybear "github.com/consensys/gnark-crypto/field/babybear/fft"
	goldilocksfield "github.com/consensys/gnark-crypto/field/goldilocks"
	goldilocks "github.com/consensys/gnark-crypto/field/goldilocks/fft"
	koalabearfield "github.com/consensys/gnark-crypto/field/koalabear"
	koalabear "github.com/consensys/gnark-crypto/field/koalabear/fft"

	"gamma/model/modular"
	"gamma/props/judge"
)

// Moduli of gnark-crypto's small fields.
const (
	goldilocksQ = 1<<64 - 1<<32 + 1
	babybearQ   = 15<<27 + 1
	koalabearQ  = 127<<24 + 1
)

// words runs a transform in place on elements of one word, which are in Montgomery's domain as gnark-crypto keeps them.
func words[E ~[1]W, W uint32 | uint64](n int, f func(a []E)) func(dst, src []uint64) error {
	a := make([]E, n)
	return func(dst, src []uint64) error {
		if len(src) != n || len(dst) != n { // gnark-crypto panics, or does not look
			return fmt.Errorf("lengths %d and %d of a transform of %d points", len(dst), len(src), n)
		}
		for i, w := range src {
			a[i] = E{W(w)}
		}
		f(a)
		for i, e := range a {
			dst[i] = uint64(e[0])
		}
		return nil
	}
}

// gnarkClaim is that of a decimation: cyclic transforms, reduced, in Montgomery's domain. In frequency they take the natural order
// to the bit-reversed one, in time the other way.
func gnarkClaim(q uint64, bits, most int, inFrequency bool) modular.TransformClaim {
	in, out := modular.Side{Power: 1, Range: 1}, modular.Side{Power: 1, Range: 1, Order: modular.BitReversed}
	if !inFrequency {
		in, out = out, in
	}
	return modular.TransformClaim{
		Bits: bits, OwnRoot: true, MinN: 2, MaxN: most, Moduli: modular.Moduli{Only: []uint64{q}, Prime: true},
		Forward: modular.Direction{In: in, Out: out}, Inverse: modular.Direction{In: in, Out: out},
	}
}

// refuse says what a domain of gnark-crypto is not for; the library itself takes the next power of two, or panics.
func refuse(t modular.Transform, q uint64, most int) error {
	if t.Modulus != q || t.N < 2 || t.N&(t.N-1) != 0 || t.N > most || t.Negacyclic {
		return fmt.Errorf("a domain of %d is for cyclic transforms of powers of two up to %d, not for a %v", q, most, t)
	}
	return nil
}

const gnarkMost = 1 << 20

func goldilocksPlan(d goldilocks.Decimation) func(t modular.Transform) (modular.Transforms, error) {
	return func(t modular.Transform) (modular.Transforms, error) {
		if err := refuse(t, goldilocksQ, gnarkMost); err != nil {
			return modular.Transforms{}, err
		}
		domain, one := goldilocks.NewDomain(uint64(t.N)), goldilocks.WithNbTasks(1)
		return modular.Transforms{
			Root:    domain.Generator.Uint64(),
			Forward: words(t.N, func(a []goldilocksfield.Element) { domain.FFT(a, d, one) }),
			Inverse: words(t.N, func(a []goldilocksfield.Element) { domain.FFTInverse(a, d, one) }),
		}, nil
	}
}

func babybearPlan(d babybear.Decimation) func(t modular.Transform) (modular.Transforms, error) {
	return func(t modular.Transform) (modular.Transforms, error) {
		if err := refuse(t, babybearQ, gnarkMost); err != nil {
			return modular.Transforms{}, err
		}
		domain, one := babybear.NewDomain(uint64(t.N)), babybear.WithNbTasks(1)
		return modular.Transforms{
			Root:    domain.Generator.Uint64(),
			Forward: words(t.N, func(a []babybearfield.Element) { domain.FFT(a, d, one) }),
			Inverse: words(t.N, func(a []babybearfield.Element) { domain.FFTInverse(a, d, one) }),
		}, nil
	}
}

func koalabearPlan(d koalabear.Decimation) func(t modular.Transform) (modular.Transforms, error) {
	return func(t modular.Transform) (modular.Transforms, error) {
		if err := refuse(t, koalabearQ, gnarkMost); err != nil {
			return modular.Transforms{}, err
		}
		domain, one := koalabear.NewDomain(uint64(t.N)), koalabear.WithNbTasks(1)
		return modular.Transforms{
			Root:    domain.Generator.Uint64(),
			Forward: words(t.N, func(a []koalabearfield.Element) { domain.FFT(a, d, one) }),
			Inverse: words(t.N, func(a []koalabearfield.Element) { domain.FFTInverse(a, d, one) }),
		}, nil
	}
}

var gnark = []judge.NTT{
	{Name: "gnark.goldilocks.DIF", Plan: goldilocksPlan(goldilocks.DIF), Claim: gnarkClaim(goldilocksQ, 64, gnarkMost, true)},
	{Name: "gnark.goldilocks.DIT", Plan: goldilocksPlan(goldilocks.DIT), Claim: gnarkClaim(goldilocksQ, 64, gnarkMost, false)},
	{Name: "gnark.babybear.DIF", Plan: babybearPlan(babybear.DIF), Claim: gnarkClaim(babybearQ, 32, gnarkMost, true)},
	{Name: "gnark.babybear.DIT", Plan: babybearPlan(babybear.DIT), Claim: gnarkClaim(babybearQ, 32, gnarkMost, false)},
	{Name: "gnark.koalabear.DIF", Plan: koalabearPlan(koalabear.DIF), Claim: gnarkClaim(koalabearQ, 32, gnarkMost, true)},
	{Name: "gnark.koalabear.DIT", Plan: koalabearPlan(koalabear.DIT), Claim: gnarkClaim(koalabearQ, 32, gnarkMost, false)},
}
