//go:build race

package fast_test

// slower is how much less is tried where Go's race detector looks on.
const slower = 10
