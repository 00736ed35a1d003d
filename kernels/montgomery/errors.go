package montgomery

import (
	"fmt"
	"math/bits"
)

// limitWord, limitShort and limitLazy return the greatest odd modulus of words of b bits: of all, below R/2, and below R/4.
func limitWord(b int) uint64  { return ^uint64(0) >> (64 - b) }
func limitShort(b int) uint64 { return limitWord(b) >> 1 }
func limitLazy(b int) uint64  { return limitWord(b) >> 2 }

// checkOdd returns an error unless q is an odd modulus from 3.
func checkOdd(kind string, q uint64) error {
	switch {
	case q == 0 || q == 1:
		return fmt.Errorf("montgomery: %s: modulus %d: a modulus is 3 or more", kind, q)
	case q%2 == 0:
		return fmt.Errorf("montgomery: %s: modulus %d is even, so R has no inverse modulo it; give an odd one, or use Barrett's reduction, which takes even moduli", kind, q)
	}
	return nil
}

// checkLimit returns an error with a fix if q is above limit.
func checkLimit(kind string, q, limit uint64, fix string) error {
	if q <= limit {
		return nil
	}
	return fmt.Errorf("montgomery: %s: modulus %d = %#x has %d bits and is above %d = %#x; %s", kind, q, q, bits.Len64(q), limit, limit, fix)
}

// checkFactor returns an error unless w is a factor for Shoup's product modulo q.
func checkFactor(w, q uint64) error {
	switch {
	case q < 2:
		return fmt.Errorf("montgomery: modulus %d: a modulus is 2 or more", q)
	case w >= q:
		return fmt.Errorf("montgomery: Shoup's factor %d is not below its modulus %d; reduce it first", w, q)
	}
	return nil
}
