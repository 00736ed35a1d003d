package ntt

import (
	"fmt"

	"gamma/model/modular"
)

// Form gives the decimation of a plan and the order of numbers before and after. N is natural order, R is
// bit-reversed. The inverse takes the same steps backwards: where the forward transform decimates in time, the inverse
// decimates in frequency, and its orders are swapped.
type Form uint8

const (
	// DITNR decimates in time, natural to bit-reversed; back in frequency, bit-reversed to natural. No permutation.
	DITNR Form = iota
	// DIFNR decimates in frequency, natural to bit-reversed; back in time, bit-reversed to natural. No permutation; a
	// negacyclic plan multiplies the coefficients by powers of the root first, and divides by them after the inverse.
	DIFNR
	// DITRN decimates in time, bit-reversed to natural; back in frequency, natural to bit-reversed. No permutation.
	DITRN
	// DIFRN decimates in frequency, bit-reversed to natural; back in time, natural to bit-reversed. No permutation; a
	// negacyclic plan multiplies the coefficients as DIFNR's does.
	DIFRN
	// DITNN is DITRN with a permutation first, and after the inverse: natural order everywhere.
	DITNN
	// DIFNN is DIFNR with a permutation last, and before the inverse: natural order everywhere.
	DIFNN
)

var forms = [...]string{"DITNR", "DIFNR", "DITRN", "DIFRN", "DITNN", "DIFNN"}

// String returns "DITNR" and so on.
func (f Form) String() string {
	if int(f) < len(forms) {
		return forms[f]
	}
	return fmt.Sprintf("form %d", f)
}

// inTime reports whether the forward transform decimates in time.
func (f Form) inTime() bool { return f == DITNR || f == DITRN || f == DITNN }

// outer reports whether a twiddle factor belongs to a block of butterflies, rather than to a place in each block.
func (f Form) outer() bool { return f == DITNR || f == DIFRN }

// orders returns the order of coefficients and of values.
func (f Form) orders() (coefficients, values modular.Order) {
	switch f {
	case DITNR, DIFNR:
		return modular.Natural, modular.BitReversed
	case DITRN, DIFRN:
		return modular.BitReversed, modular.Natural
	}
	return modular.Natural, modular.Natural
}
