package ntt

// shoupFastest is the path that newShoupTable takes.
const shoupFastest = shoupGo

// transformVector runs forward on the path in assembly, and reports whether there is one.
func (s *shoupTable) transformVector([]uint64, bool) bool { return false }

// untransformVector does so for inverse.
func (s *shoupTable) untransformVector([]uint64, bool) bool { return false }
