package montgomery

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/modular"
)

// TestExhaustive tries the kernels of 8-bit words on every modulus of their claims and on every row of operands in their ranges:
// every (a, b), every double word (h, l), every base and exponent, every butterfly. Truth is by % on ints.
func TestExhaustive(t *testing.T) {
	thorough := os.Getenv("GAMMA_LEVEL") == "thorough"
	rows := 0
	for _, k := range kernelsToy[uint8]() {
		t.Run(k.Name, func(t *testing.T) {
			c := &k.Claim
			var src, dst []uint64
			for q := uint64(2); q < 256; q++ {
				if c.Moduli.Admits(q, 8) != nil || c.Moduli.Prime && !primeBySieve(q) {
					require.Error(t, k.Run(q, make([]uint64, len(c.Out)), make([]uint64, len(c.In))), "q = %d", q)
					continue
				}
				slow := len(c.Out) == 2 || c.Function == modular.Power || k.Name == "montgomery.BarrettMul8" // which is BarrettReduceWide8
				if slow && q > 15 && q&(q+1) != 0 && !thorough {
					continue // millions of rows for each of the great moduli
				}
				power := [9]uint64{1} // of R
				for i := range 8 {
					power[i+1] = power[i] * 256 % q
				}
				inverses := [256]uint64{} // modulo q, 0 if there is none
				for a := range q {
					for x := range q {
						if a*x%q == 1 {
							inverses[a] = x
						}
					}
				}
				for first := range uint64(256) { // the first operand's, to keep the slices short
					src = everyRow(src[:0], c, q, first)
					n := len(src) / max(1, len(c.In))
					if len(c.In) == 0 && first == 0 {
						n = 1
					}
					dst = append(dst[:0], make([]uint64, n*len(c.Out))...)
					require.NoError(t, k.Run(q, dst, src), "q = %d", q)
					rows += n
					for i := range n {
						x, z := src[i*len(c.In):(i+1)*len(c.In)], dst[i*len(c.Out):(i+1)*len(c.Out)]
						if err := wrong(c, q, x, z, &power, &inverses); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		})
	}
	t.Logf("%d rows", rows)
}

// wrong says what is wrong with the results z of the operands x.
func wrong(c *modular.Claim, q uint64, x, z []uint64, power *[9]uint64, inverses *[256]uint64) error {
	var v [4]uint64
	m := 0
	for j, w := range c.In {
		switch {
		case w.Shoup:
			continue
		case w.Power > 0:
			v[m] = x[j] * inverses[power[w.Power]] % q
		default:
			v[m] = x[j]
		}
		m++
	}
	y := function(c.Function, q, v, inverses)
	for j, w := range c.Out {
		want, got := y[j], z[j]
		if !w.Integer {
			want, got = want%q*power[w.Power]%q, got%q
		}
		if got != want || z[j] > 255 || w.Range > 0 && z[j] >= w.Range*q {
			return fmt.Errorf("q = %d, row %d: %s = %d, want ≡ %d in [0, %d·q)", q, x, w.Name, z[j], want, w.Range)
		}
	}
	return nil
}

// function computes a function of residues or integers below 2^16, and of moduli below 256.
func function(f modular.Function, q uint64, v [4]uint64, inverses *[256]uint64) (y [2]uint64) {
	switch f {
	case modular.Identity:
		y[0] = v[0]
	case modular.Sum:
		y[0] = v[0] + v[1]
	case modular.Difference:
		y[0] = v[0] + 256*q - v[1]
	case modular.Negative:
		y[0] = 256*q - v[0]
	case modular.Product:
		y[0] = v[0] * v[1]
	case modular.Inverse:
		y[0] = inverses[v[0]%q]
	case modular.Power:
		y[0] = 1
		for i := 7; i >= 0; i-- {
			y[0] = y[0] * y[0] % q
			if v[1]>>i&1 == 1 {
				y[0] = y[0] * v[0] % q
			}
		}
	case modular.Wide:
		y[0] = v[0]*256 + v[1]
	case modular.ForwardButterfly:
		y[0], y[1] = v[0]+v[1]*v[2], v[0]+256*256*q-v[1]*v[2]
	case modular.InverseButterfly:
		y[0], y[1] = v[0]+v[1], (v[0]+256*q-v[1])*v[2]
	case modular.One:
		y[0] = 1
	case modular.WordInverse, modular.NegativeInverse:
		want := uint64(1)
		if f == modular.NegativeInverse {
			want = 255
		}
		for x := range uint64(256) {
			if x*q%256 == want {
				y[0] = x
			}
		}
	case modular.ShoupQuotient:
		y[0] = v[0] * 256 / q
	}
	return y
}

// everyRow appends all rows of operands in the ranges of a claim on words of 8 bits that begin with the given word.
func everyRow(all []uint64, c *modular.Claim, q, first uint64) []uint64 {
	end := func(i int) uint64 {
		if i < len(c.In) && c.In[i].Range > 0 {
			return min(256, c.In[i].Range*q)
		}
		return 256
	}
	switch {
	case len(c.In) == 0 || first >= end(0):
		return all
	case len(c.In) == 1:
		return append(all, first)
	case len(c.In) == 2:
		for b := range end(1) {
			all = append(all, first, b)
		}
		return all
	case c.In[2].Shoup:
		for b := range end(1) {
			all = append(all, first, b, b*256/q)
		}
		return all
	}
	for b := range end(1) {
		for w := range end(2) {
			if all = append(all, first, b, w); len(c.In) == 4 {
				all = append(all, w*256/q)
			}
		}
	}
	return all
}

func primeBySieve(q uint64) bool {
	for d := uint64(2); d*d <= q; d++ {
		if q%d == 0 {
			return false
		}
	}
	return q > 1
}
