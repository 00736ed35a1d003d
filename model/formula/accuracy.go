package formula

// Promise says how far the result of one operation may be from the exact one.
type Promise struct {
	// Ulps of the exact result; at a power of two those of the larger binade. Zero means correctly rounded.
	Ulps float64
	// Slope adds Slope·|x| ulps, rounded down, of an operand x, as exp has them on some platforms.
	Slope float64
	// OfRounded says that Ulps is counted from the correctly rounded result, so that the error is up to half an ulp more.
	OfRounded bool
	// Abs, if not zero, is an absolute error that holds instead of Ulps where Lo <= x <= Hi.
	Abs, Lo, Hi float64
	// None says that nothing is promised.
	None bool
	// InRange says that results keep to the function's range: exp >= 0, |tanh|, |erf|, |sin|, |cos| <= 1.
	InRange bool
}

// Accuracy is what a platform promises of its elementary operations.
type Accuracy struct {
	Name   string // in reports
	Source string // a key of the list in package model
	Ops    [opEnd]Promise
}

// Published admits of each function what the least accurate of the platforms whose figures are published does.
var Published = Accuracy{Name: "published", Source: "[MSL 4.0]"}
