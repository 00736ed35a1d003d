package rlwe

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/big"
)

// tailCut is c: errors are cut at c·σ.
const tailCut = 6

// maxSigma limits σ, and with it the size of the table.
const maxSigma = 128

func checkSigma(sigma *big.Rat) error {
	if sigma.Sign() <= 0 || sigma.Cmp(big.NewRat(maxSigma, 1)) > 0 || sigma.Denom().BitLen() > 64 {
		return fmt.Errorf("rlwe: σ is %s; it must be above 0, %d at most, and a fraction with a denominator below 2^64", sigma.RatString(), maxSigma)
	}
	return nil
}

// errorBound returns ⌊6σ⌋.
func errorBound(sigma *big.Rat) uint64 {
	n := new(big.Int).Mul(sigma.Num(), big.NewInt(tailCut))
	return n.Quo(n, sigma.Denom()).Uint64()
}

// Gaussian draws integers k, |k| <= ⌊6σ⌋, each with probability proportional to exp(-k²/(2σ²)), by comparing a random word with a
// table of integers.
type Gaussian struct {
	// below holds, for each k but the last, how many of 2^63 words give a magnitude of at most k.
	below []uint64
}

// NewGaussian returns the distribution for σ.
//
// Domain:  0 < σ <= 128, a fraction with a denominator below 2^64; it returns an error otherwise.
// Error:   every probability is a multiple of 2^-64 (of 2^-63 for 0), and differs from the true one by less than 2^-62. The
// distribution is exactly symmetric. Probability returns it.
func NewGaussian(sigma *big.Rat) (*Gaussian, error) {
	if err := checkSigma(sigma); err != nil {
		return nil, err
	}
	bound := int64(errorBound(sigma))
	g := &Gaussian{below: make([]uint64, bound)}
	// Numbers in units of 2^-256, each rounded down. 1/(2σ²) is a fraction of integers.
	unit := new(big.Int).Lsh(big.NewInt(1), 256)
	num := new(big.Int).Mul(sigma.Denom(), sigma.Denom())
	den := new(big.Int).Mul(sigma.Num(), sigma.Num())
	den.Lsh(den, 1)
	weights := make([]*big.Int, bound+1)
	total := new(big.Int)
	for k := range weights {
		// exp(-x) is 1/exp(x), and exp(x) the sum of x^i/i!, whose terms are not negative.
		x := new(big.Int).Mul(num, big.NewInt(int64(k*k)))
		term, sum := new(big.Int).Set(unit), new(big.Int)
		for i := int64(1); term.Sign() > 0; i++ {
			sum.Add(sum, term)
			term.Mul(term, x)
			term.Quo(term, new(big.Int).Mul(den, big.NewInt(i)))
		}
		weights[k] = sum.Quo(new(big.Int).Lsh(unit, 256), sum)
		if k > 0 {
			weights[k].Lsh(weights[k], 1) // k and -k
		}
		total.Add(total, weights[k])
	}
	sum := new(big.Int)
	for k := range g.below {
		sum.Add(sum, weights[k])
		share := new(big.Int).Lsh(sum, 63)
		g.below[k] = share.Quo(share, total).Uint64()
	}
	return g, nil
}

// Bound returns ⌊6σ⌋.
func (g *Gaussian) Bound() int64 { return int64(len(g.below)) }

// Probability returns the probability with which Sample gives k, exactly.
func (g *Gaussian) Probability(k int64) *big.Rat {
	k = max(k, -k)
	if k > g.Bound() || k < 0 {
		return new(big.Rat)
	}
	words := uint64(1) << 63
	if k < g.Bound() {
		words = g.below[k]
	}
	if k == 0 {
		return new(big.Rat).SetFrac(new(big.Int).SetUint64(words), new(big.Int).Lsh(big.NewInt(1), 63))
	}
	words -= g.below[k-1]
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(words), new(big.Int).Lsh(big.NewInt(1), 64))
}

// of returns the integer for a word: its upper bit is the sign, the others find the magnitude.
func (g *Gaussian) of(word uint64) int64 {
	v, k := word&^(1<<63), 0
	for k < len(g.below) && v >= g.below[k] {
		k++
	}
	if word>>63 != 0 {
		return -int64(k)
	}
	return int64(k)
}

// Sample fills dst from eight bytes each of a source of random bytes, and returns the source's error if it fails.
func (g *Gaussian) Sample(source io.Reader, dst []int64) error {
	b := make([]byte, 8*len(dst))
	if _, err := io.ReadFull(source, b); err != nil {
		return fmt.Errorf("rlwe: the random source: %w", err)
	}
	for i := range dst {
		dst[i] = g.of(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return nil
}
