package ir

import (
	"fmt"

	"gamma/model"
)

// InputKind is what a thread is told about its place.
type InputKind uint8

const (
	ThreadPositionInGrid InputKind = iota
	ThreadPositionInThreadgroup
	ThreadgroupPositionInGrid
	ThreadsPerGrid
	ThreadgroupsPerGrid
	ThreadsPerThreadgroup         // of this threadgroup: smaller at the edges of dispatchThreads
	DispatchThreadsPerThreadgroup // nominal
	GridOrigin
	GridSize
	ThreadIndexInThreadgroup
	ThreadIndexInSimdgroup
	SimdgroupIndexInThreadgroup
	SimdgroupsPerThreadgroup
	DispatchSimdgroupsPerThreadgroup
	ThreadsPerSimdgroup // and thread_execution_width
	ThreadIndexInQuadgroup
	QuadgroupIndexInThreadgroup
	QuadgroupsPerThreadgroup
	DispatchQuadgroupsPerThreadgroup
	MatrixPlaceBefore // MatrixLayout.Place of the lane before
	MatrixWord        // MatrixLayout.Word
)

// Input gives register Reg, of type U16 or U32, one component of a position or size when the kernel starts.
type Input struct {
	Kind InputKind
	Axis int // 0 x, 1 y, 2 z; 0 for scalars
	Reg  Reg
}

// Level is the largest set of threads that are told the same.
type Level uint8

const (
	PerThread Level = iota
	PerThreadgroup
	PerDispatch
)

// Seat is a thread's place in a dispatch: all that its inputs follow from.
type Seat struct {
	Grid      model.Size3 // threads of the grid, which begins at the origin
	Nominal   model.Size3 // threads of a threadgroup that is not cut off by the edge of the grid
	Group     model.Size3 // threads of this threadgroup
	At        model.Size3 // position of this threadgroup in the grid
	Thread    int         // index of the thread in its threadgroup
	SIMDWidth int         // threads of a simdgroup
	Layout    MatrixLayout
}

// quadWidth is the number of threads of a quadgroup.
const quadWidth = 4

// inputs is the table of what threads are told: the attribute's name in MSL, who is told the same, whether each axis has its own value, and
// the value.
var inputs = [...]struct {
	name  string
	level Level
	axes  bool
	value func(s *Seat, axis int) int
}{
	ThreadPositionInGrid: {"thread_position_in_grid", PerThread, true, func(s *Seat, axis int) int {
		return component(s.At, axis)*component(s.Nominal, axis) + s.local(axis)
	}},
	ThreadPositionInThreadgroup:   {"thread_position_in_threadgroup", PerThread, true, (*Seat).local},
	ThreadgroupPositionInGrid:     {"threadgroup_position_in_grid", PerThreadgroup, true, func(s *Seat, axis int) int { return component(s.At, axis) }},
	ThreadsPerGrid:                {"threads_per_grid", PerDispatch, true, (*Seat).grid},
	ThreadgroupsPerGrid:           {"threadgroups_per_grid", PerDispatch, true, func(s *Seat, axis int) int { return ceil(s.grid(axis), component(s.Nominal, axis)) }},
	ThreadsPerThreadgroup:         {"threads_per_threadgroup", PerThreadgroup, true, func(s *Seat, axis int) int { return component(s.Group, axis) }},
	DispatchThreadsPerThreadgroup: {"dispatch_threads_per_threadgroup", PerDispatch, true, func(s *Seat, axis int) int { return component(s.Nominal, axis) }},
	GridOrigin:                    {"grid_origin", PerDispatch, true, func(*Seat, int) int { return 0 }},
	GridSize:                      {"grid_size", PerDispatch, true, (*Seat).grid},

	ThreadIndexInThreadgroup:         {"thread_index_in_threadgroup", PerThread, false, func(s *Seat, _ int) int { return s.Thread }},
	ThreadIndexInSimdgroup:           {"thread_index_in_simdgroup", PerThread, false, func(s *Seat, _ int) int { return s.Thread % s.SIMDWidth }},
	SimdgroupIndexInThreadgroup:      {"simdgroup_index_in_threadgroup", PerThread, false, func(s *Seat, _ int) int { return s.Thread / s.SIMDWidth }},
	SimdgroupsPerThreadgroup:         {"simdgroups_per_threadgroup", PerThreadgroup, false, func(s *Seat, _ int) int { return ceil(threads(s.Group), s.SIMDWidth) }},
	DispatchSimdgroupsPerThreadgroup: {"dispatch_simdgroups_per_threadgroup", PerDispatch, false, func(s *Seat, _ int) int { return ceil(threads(s.Nominal), s.SIMDWidth) }},
	ThreadsPerSimdgroup:              {"threads_per_simdgroup", PerDispatch, false, func(s *Seat, _ int) int { return s.SIMDWidth }},
	ThreadIndexInQuadgroup:           {"thread_index_in_quadgroup", PerThread, false, func(s *Seat, _ int) int { return s.Thread % quadWidth }},
	QuadgroupIndexInThreadgroup:      {"quadgroup_index_in_threadgroup", PerThread, false, func(s *Seat, _ int) int { return s.Thread / quadWidth }},
	QuadgroupsPerThreadgroup:         {"quadgroups_per_threadgroup", PerThreadgroup, false, func(s *Seat, _ int) int { return ceil(threads(s.Group), quadWidth) }},
	DispatchQuadgroupsPerThreadgroup: {"dispatch_quadgroups_per_threadgroup", PerDispatch, false, func(s *Seat, _ int) int { return ceil(threads(s.Nominal), quadWidth) }},

	// What Metal's library, which is in Metal's language here, is told to put simdgroup matrices together.
	MatrixPlaceBefore: {"__simdgroup_matrix_place_before", PerThread, false, func(s *Seat, _ int) int { return s.Layout.Place(s.Thread - 1) }},
	MatrixWord:        {"__simdgroup_matrix_layout", PerDispatch, false, func(s *Seat, _ int) int { return int(s.Layout.Word()) }},
}

// NumInputs is the number of inputs.
const NumInputs = len(inputs)

func ceil(a, b int) int { return (a-1)/b + 1 }

func threads(s model.Size3) int { return s.X * s.Y * s.Z }

func component(s model.Size3, axis int) int { return [...]int{s.X, s.Y, s.Z}[axis] }

func (s *Seat) grid(axis int) int { return component(s.Grid, axis) }

// local returns the thread's position in its threadgroup.
func (s *Seat) local(axis int) int {
	switch axis {
	case 0:
		return s.Thread % s.Group.X
	case 1:
		return s.Thread / s.Group.X % s.Group.Y
	}
	return s.Thread / s.Group.X / s.Group.Y
}

// Input returns what the thread at s is told. Of s, an input per threadgroup reads no Thread, and one per dispatch no Group and At either.
func (s *Seat) Input(in Input) int { return inputs[in.Kind].value(s, in.Axis) }

// Level returns who is told the same.
func (i InputKind) Level() Level { return inputs[i].level }

// HasAxes reports whether the input has a component for each axis of the grid; the others are one number.
func (i InputKind) HasAxes() bool { return inputs[i].axes }

// String returns the attribute's name in MSL.
func (i InputKind) String() string {
	if int(i) < NumInputs {
		return inputs[i].name
	}
	return fmt.Sprintf("InputKind(%d)", uint8(i))
}

// ParseInput is the inverse of InputKind.String.
func ParseInput(name string) (InputKind, bool) {
	for i := range inputs {
		if inputs[i].name == name {
			return InputKind(i), true
		}
	}
	return 0, false
}
