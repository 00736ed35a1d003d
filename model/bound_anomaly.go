package model

import "math"

// AnomalyFactor returns approximately exp(λ·√k·u + k·u²/(1-u)) - 1: with probability
// AnomalyProbability the error of k roundings stays below that multiple of A, if their relative
// errors are independent and have mean zero.
//
// It is not a bound: rounding errors are neither random nor independent, and attack inputs exceed it
// easily. A larger error is worth a second look, and must never fail a run; so it is not in SumBounds,
// and it is evaluated in plain binary64 without directed rounding.
//
// Domain:  k >= 0, λ > 0, 0 < u < 1.
// Source:  [Higham-Mary 2019] Theorem 2.4.
func AnomalyFactor(k int, u, lambda float64) float64 {
	x := float64(max(k, 0))
	first := float64(float64(lambda*math.Sqrt(x)) * u)
	return math.Expm1(first + float64(x*u)*u/(1-u))
}

// AnomalyProbability returns 1 - 2·terms·exp(-λ²(1-u)²/2), and at least 0: the
// probability, under AnomalyFactor's assumptions, that all of so many terms stay below it.
//
// Domain:  terms >= 1, λ > 0, 0 < u < 1.
// Source:  [Higham-Mary 2019] Theorem 2.4 and (3.4).
func AnomalyProbability(terms int, u, lambda float64) float64 {
	d := float64(lambda * (1 - u))
	return max(0, 1-float64(float64(2*float64(terms))*math.Exp(-float64(d*d)/2)))
}
