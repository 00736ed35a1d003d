package trig

import "fmt"

// The sentences of this package's panics, each a programmer's mistake.

func badLength(n int) string {
	return fmt.Sprintf("trig: a transform has %d points, and has to have from 1 to 2^60", n)
}
