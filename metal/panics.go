package metal

import "fmt"

// The texts of all panics of this package: mistakes of the program, not of its input.

func panicRegister(kind string) {
	panic(fmt.Sprintf("metal: Register(%q): a kind has a name and an opening function, and is registered once", kind))
}
