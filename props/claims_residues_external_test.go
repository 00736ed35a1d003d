package props_test

import (
	"errors"
	"fmt"
	"math/bits"
	"testing"

	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props"
)

// residueClaim draws a claim of an operation on residues.
func residueClaim(pick *choices) modular.Claim {
	c := modular.Claim{Function: modular.Function(pick.next(14)), Bits: []int{8, 16, 32, 64}[pick.next(4)]}
	m := &c.Moduli
	word := func(i int) modular.Word {
		w := modular.Word{Name: "abc"[i : i+1], Range: []uint64{0, 1, 1, 2, 4}[pick.next(5)]}
		if pick.next(3) == 0 {
			w.Power = 1 + pick.next(2)
		}
		return w
	}
	for i := range c.Function.In() {
		w := word(i)
		if w.Integer = (c.Function == modular.Power || c.Function == modular.Wide) && i == 1; w.Integer {
			w.Range, w.Power = 0, 0
		}
		if c.Function == modular.ShoupQuotient {
			w.Range, w.Power = 1, 0
		}
		c.In = append(c.In, w)
	}
	for range c.Function.Out() {
		w := word(2)
		if w.Integer = c.Function == modular.WordInverse || c.Function == modular.NegativeInverse || c.Function == modular.ShoupQuotient; w.Integer {
			w.Power, w.Range = 0, 0
		}
		c.Out = append(c.Out, w)
	}
	greatest := ^uint64(0) >> (64 - c.Bits)
	switch pick.next(4) {
	case 0:
		m.Only = []uint64{[]uint64{97, 251, 241, 193}[pick.next(4)]}
	case 1:
		m.Only = []uint64{97, 251, 127}
	case 2:
		m.Max, m.Min = greatest>>2, 3
	}
	m.Prime = pick.next(2) == 0
	m.Unchecked = pick.next(3) == 0
	m.UncheckedPrime = m.Prime && pick.next(2) == 0
	if pick.next(3) == 0 {
		c.Multiple = 1 + pick.next(12)
	}
	return c
}

var errNotClaimed = errors.New("the modulus is not claimed")

// TestEveryClaimOfResidues holds operations that divide, and so are right by construction, to random claims.
func TestEveryClaimOfResidues(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "400")
	t.Setenv("GAMMA_SAVE", "off")
	for seed := range *randomClaims {
		pick := choices(seed)
		c := residueClaim(&pick)
		if c.Check() != nil {
			continue
		}
		text := fmt.Sprintf("%d %+v", seed, c)
		m := props.Modular{Name: fmt.Sprint("residues", seed), Claim: c, Run: func(q uint64, dst, src []uint64) error {
			n, k := len(c.In), len(c.Out)
			if c.Multiple > 1 && len(dst)/k%c.Multiple != 0 {
				panic("rows that are no multiple")
			}
			if len(c.Moduli.Only) == 1 && pick.next(2) == 0 { // it need not look
				q = c.Moduli.Only[0]
			}
			if c.Moduli.Unchecked && (q < 2 || c.Moduli.Admits(q, c.Bits) != nil) {
				panic("a modulus that is not claimed")
			}
			if c.Moduli.Admits(q, c.Bits) != nil || c.Moduli.Prime && !c.Moduli.UncheckedPrime && !oracle.IsPrime(q) {
				return errNotClaimed
			}
			free := c
			free.Moduli.Prime, free.Moduli.UncheckedPrime = false, false
			r, err := oracle.NewResidues(&free, q)
			if err != nil {
				return err
			}
			for i := range len(dst) / k {
				out, err := r.AppendRow(nil, src[i*n:(i+1)*n])
				if err != nil {
					out = make([]uint64, k)
				}
				for j, v := range out {
					if f := c.Out[j].Range; !c.Out[j].Integer && f > 1 {
						for range f - 1 {
							if hi, lo := bits.Mul64(f-1, q); hi == 0 && lo <= ^uint64(0)>>(64-c.Bits)-v && pick.next(2) == 0 {
								v += q
							}
						}
					}
					dst[i*k+j] = v
				}
			}
			return nil
		}}
		if _, err := m.Subject(); err != nil {
			t.Log(seed, err)
			continue
		}
		t.Run(text, func(t *testing.T) { m.Check(t) })
		if seed%4 == 0 {
			t.Run("battery "+text, func(t *testing.T) { m.Battery(t) })
		}
	}
}
