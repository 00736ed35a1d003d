package props

import (
	"gamma/props/internal/vectors"
)

type (
	// Failure is a violation by a kernel that takes vectors: the law, the smallest case, what is known of its cause, and
	// where it was saved.
	Failure = vectors.Failure
	// Law is a law about kernels that take vectors: sums and dot products.
	Law = vectors.Law
	// Trial is one run of a subject on one case, as a law sees it.
	Trial = vectors.Trial
)

// Laws returns the built-in laws.
func Laws() []Law {
	return vectors.Laws()
}
