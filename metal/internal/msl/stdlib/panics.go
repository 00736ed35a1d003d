package stdlib

// What a programmer's mistake says.
const (
	panicScalar    = "stdlib: ScalarOf wants the kind of a scalar, not %s"
	panicVector    = "stdlib: a vector has 1 to 4 elements, not %d"
	panicSignature = "stdlib: the table holds a signature that means nothing: %s %s"
)
