package engine

// Subject is a kernel with its claim, of any kind: a Reduction, a Dot, an Operation, a Modular, an NTT.
type Subject interface {
	Judged(set Settings) (Judged, error)
}
