package metal

// Refusal is in the chain of an error that says that a device does not run a kernel at all, though it is right: it has an operation that
// the device, or the way to it, does not know. Tests of the kernel are skipped there, where any other error fails them.
type Refusal struct{ Err error }

// Error returns the text of what is refused.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns what is refused.
func (r *Refusal) Unwrap() error { return r.Err }

// Refused reports true; package props, which does not know this one, looks for it.
func (r *Refusal) Refused() bool { return true }
