package real

const (
	panicNotFinite  = "real: a point is a finite number"
	panicNoInterval = "real: an interval runs from a number to one that is no smaller"
	panicDomain     = "real: an argument lies outside the function's domain; clip the interval first"
)
