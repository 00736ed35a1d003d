package model

import "fmt"

// Size3 is a size in three dimensions; the zero value is not a size, and sizes of one dimension
// leave Y and Z at 1.
type Size3 struct{ X, Y, Z int }

// Launch is the geometry of one dispatch.
type Launch struct {
	Groups  Size3 // threadgroups in the grid
	Threads Size3 // threads in a threadgroup
}

// Launch1D returns a launch of one dimension.
func Launch1D(groups, threads int) Launch {
	return Launch{Size3{groups, 1, 1}, Size3{threads, 1, 1}}
}

// IsZero reports whether l is the zero value, the launch of a kernel that is not a shader.
func (l Launch) IsZero() bool { return l == Launch{} }

// String returns "groups=4 threads=32", or "groups=4,2,1 threads=8,4,1" where a launch has more
// than one dimension.
func (l Launch) String() string {
	return "groups=" + l.Groups.String() + " threads=" + l.Threads.String()
}

// String returns "4" or "4,2,1".
func (s Size3) String() string {
	if s.Y == 1 && s.Z == 1 {
		return fmt.Sprint(s.X)
	}
	return fmt.Sprintf("%d,%d,%d", s.X, s.Y, s.Z)
}
