//go:build !amd64

package ntt

// shoupFastest returns the path that newShoupTable takes.
func shoupFastest() shoupPath { return shoupGo }

// transformVector runs forward on the path in assembly, and reports whether there is one.
func (s *shoupTable) transformVector([]uint64, bool) bool { return false }

// untransformVector does so for inverse.
func (s *shoupTable) untransformVector([]uint64, bool) bool { return false }
