package props_test

import (
	"fmt"
	"math/bits"
	"testing"

	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props"
)

// transformClaim draws a claim of transforms.
func transformClaim(pick *choices) modular.TransformClaim {
	c := modular.TransformClaim{Bits: []int{16, 32, 64}[pick.next(3)], Negacyclic: pick.next(2) == 0, Product: pick.next(2) == 0}
	side := func() modular.Side {
		return modular.Side{Order: modular.Order(pick.next(2)), Power: pick.next(3) % 2, Range: uint64(1 + pick.next(2)*pick.next(4))}
	}
	if pick.next(4) > 0 {
		c.Forward = modular.Direction{In: side(), Out: side()}
	}
	if pick.next(4) > 0 {
		c.Inverse = modular.Direction{In: side(), Out: side(), Unscaled: pick.next(2) == 0}
	}
	m := &c.Moduli
	switch pick.next(4) {
	case 0:
		m.Only = []uint64{7681}
		c.MaxN = 256
	case 1:
		m.Only = []uint64{7681, 12289, 257}
		c.MaxN = 128
	}
	m.Max = (^uint64(0) >> (64 - c.Bits)) / 8
	switch pick.next(4) {
	case 0:
		c.MinN = 1 << pick.next(7)
		c.MaxN = c.MinN
	case 1:
		c.MinN, c.MaxN = 4, 64
	}
	m.Prime = pick.next(2) == 0
	m.Unchecked, c.Unchecked = pick.next(3) == 0, pick.next(3) == 0
	m.UncheckedPrime = m.Prime && pick.next(2) == 0
	c.OwnRoot, c.Names, c.Batched = pick.next(2) == 0, pick.next(2) == 0, pick.next(2) == 0
	return c
}

// dividing returns a kernel that transforms by division, and so is right by construction, and refuses what its claim obliges it to alone.
func dividing(c modular.TransformClaim, pick *choices) func(t modular.Transform) (modular.Transforms, error) {
	return func(t modular.Transform) (k modular.Transforms, err error) {
		name := func(what string, v any) error {
			if c.Names {
				return fmt.Errorf("%s %v is not claimed", what, v)
			}
			return errNotClaimed
		}
		m := &c.Moduli
		if len(m.Only) == 1 {
			t.Modulus = m.Only[0]
		}
		if c.MinN > 0 && c.MinN == c.MaxN {
			t.N = c.MinN
		}
		switch {
		case t.N < max(c.MinN, 1) || c.MaxN > 0 && t.N > c.MaxN || t.N > 1<<20 || bits.OnesCount(uint(t.N)) != 1:
			return k, name("size", t.N)
		case m.Admits(t.Modulus, c.Bits) != nil || m.Prime && !m.UncheckedPrime && !oracle.IsPrime(t.Modulus):
			return k, name("modulus", t.Modulus)
		}
		if c.OwnRoot {
			if t.Root, err = oracle.RootOfUnity(t.RootOrder(), t.Modulus); err != nil {
				return k, name("modulus", t.Modulus)
			}
			k.Root = t.Root
		}
		o, err := oracle.NewTransform(t)
		if err != nil {
			return k, name("root", t.Root)
		}
		q, n := t.Modulus, t.N
		r := oracle.PowMod(2, uint64(c.Bits), q)
		back, _ := oracle.InvMod(r, q)
		load := func(s modular.Side, src []uint64) []uint64 {
			x := make([]uint64, n)
			for i := range x {
				x[i] = oracle.MulMod(src[s.Order.Place(i, n)]%q, oracle.PowMod(back, uint64(s.Power), q), q)
			}
			return x
		}
		store := func(s modular.Side, dst, x []uint64, by uint64) {
			for i, v := range x {
				v = oracle.MulMod(oracle.MulMod(v, by, q), oracle.PowMod(r, uint64(s.Power), q), q)
				if s.Range > 1 {
					v += uint64(pick.next(int(s.Range))) * q
				}
				dst[s.Order.Place(i, n)] = v
			}
		}
		one := func(d *modular.Direction, f func(dst, src []uint64), by uint64) func(dst, src []uint64) error {
			return func(dst, src []uint64) error {
				if len(dst) != len(src) || len(src)%n != 0 || len(src) == 0 || !c.Batched && len(src) != n {
					return name("length", len(src))
				}
				for i := 0; i < len(src); i += n {
					x := load(d.In, src[i:i+n])
					f(x, x)
					store(d.Out, dst[i:i+n], x, by)
				}
				return nil
			}
		}
		by := uint64(1)
		if c.Inverse.Unscaled {
			by = uint64(n) % q
		}
		if c.Forward.Offered() {
			k.Forward = one(&c.Forward, o.Forward, 1)
		}
		if c.Inverse.Offered() {
			k.Inverse = one(&c.Inverse, o.Inverse, by)
		}
		if c.Product {
			k.Product = func(dst, a, b []uint64) error {
				if len(a) != len(b) || len(dst) != len(a) || len(a)%n != 0 || len(a) == 0 || !c.Batched && len(a) != n {
					return name("length", len(a))
				}
				for i := 0; i < len(a); i += n {
					x, y := make([]uint64, n), make([]uint64, n)
					o.Forward(x, a[i:i+n])
					o.Forward(y, b[i:i+n])
					for j := range x {
						x[j] = oracle.MulMod(x[j], y[j], q)
					}
					o.Inverse(x, x)
					copy(dst[i:], x)
				}
				return nil
			}
		}
		return k, nil
	}
}

// TestEveryClaimOfTransforms holds transforms that divide to random claims.
func TestEveryClaimOfTransforms(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "1200")
	t.Setenv("GAMMA_MAXN", "256")
	t.Setenv("GAMMA_SAVE", "off")
	for seed := range *randomClaims {
		pick := choices(seed)
		c := transformClaim(&pick)
		k := props.NTT{Name: fmt.Sprint("transform", seed), Claim: c, Plan: dividing(c, &pick)}
		if _, err := k.Subject(); err != nil {
			continue
		}
		t.Run(fmt.Sprintf("%d %+v", seed, c), k.Check)
	}
}
