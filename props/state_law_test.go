package props

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/eft"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/modular"
	"gamma/props/judge"
)

// atOdd reports whether x begins at an odd place in memory.
func atOdd[T any](x []T) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(x)))/unsafe.Sizeof(*new(T))&1 == 1
}

// either adds from the right or from the left: both are right where no order is claimed.
func either(right bool, x []float32) float32 {
	if right {
		return kernels.SumReverse(x)
	}
	return kernels.SumSerial(x)
}

// rowsBy returns a sum of rows of which some are added from the right.
func rowsBy(right func(x []float32, n, i int) bool) func(dst, x []float32, n int) {
	return func(dst, x []float32, n int) {
		for i := range dst {
			dst[i] = either(right(x, n, i), x[i*n:(i+1)*n])
		}
	}
}

// matrixBy is the same of a matrix times a vector.
func matrixBy(right func(i int) bool) func(dst, a, x []float32, n int) {
	return func(dst, a, x []float32, n int) {
		for i := range dst {
			p := make([]float32, n)
			for j := range p {
				p[j] = float32(a[i*n+j] * x[j])
			}
			dst[i] = either(right(i), p)
		}
	}
}

// planBy is a sound transform that takes 0 for its first number where its operands say so.
func planBy(wrong func(dst, src []uint64) bool) func(t modular.Transform) (modular.Transforms, error) {
	sound := mutants.SoundNTTs()[0].Plan
	return func(t modular.Transform) (modular.Transforms, error) {
		k, err := sound(t)
		forward := k.Forward
		k.Forward = func(dst, src []uint64) error {
			bad := wrong(dst, src)
			err := forward(dst, src)
			if bad && err == nil {
				dst[0] = 0
			}
			return err
		}
		return k, err
	}
}

// stateCase is a kernel, and what is wrong with it under a law.
type stateCase struct {
	name string
	law  model.LawID
	s    Subject
	says string // "": nothing is wrong
	// weaker: a claim without Repeats would be true
	weaker bool
}

func stateCases(t *testing.T) []stateCase {
	const (
		once      = "called once more the same operands give other results: state is kept between calls"
		after     = "after another call the same operands give other results than before it: state is kept between calls"
		elsewhere = "at another address the same operands give other results: they depend on where the operands lie"
		inPlace   = "where dst is src the same operands give other results than where it is another slice"
		place     = "in another place of a batch a row gives other results: they depend on its place"
		zero      = "with zeros in other rows a row gives other results: rows depend on each other"
		copied    = "with copies of rows in other rows a row gives other results: rows depend on each other"
	)
	repeats := model.Claim{Repeats: true}
	var bucket float32
	var lanes [32]float32
	called := 0
	tail := func(_ []float32, _, i int) bool { return i > 2 }
	sound := mutants.SoundNTTs()[0].Claim
	return []stateCase{
		{"bucket", model.SumPure, Reduction{Run: func(x []float32) float32 {
			for _, v := range x {
				bucket += v
			}
			return bucket
		}}, once, false},
		{"alternates", model.SumPure, Reduction{Claim: repeats, Run: func(x []float32) float32 { called++; return either(called&1 == 0, x) }}, once, true},
		{"scratch", model.SumPure, Reduction{Run: func(x []float32) (s float32) {
			for l := range min(len(x), len(lanes)) {
				lanes[l] = 0
				for i := l; i < len(x); i += len(lanes) {
					lanes[l] += x[i]
				}
			}
			return kernels.SumSerial(lanes[:])
		}}, after, false},
		{"address", model.SumPure, Reduction{Claim: repeats, Run: func(x []float32) float32 { return either(atOdd(x), x) }}, elsewhere, true},
		{"address, any order", model.SumPure, Reduction{Run: func(x []float32) float32 { return either(atOdd(x), x) }}, "", false},
		{"alternates, any order", model.SumPure, Reduction{Run: func(x []float32) float32 { called++; return either(called&1 == 0, x) }}, "", false},
		{"mean", model.SumPure, Reduction{Claim: model.Claim{Repeats: true, Mean: true}, Run: func(x []float32) float32 { return either(atOdd(x), x) / float32(len(x)) }}, elsewhere, true},
		{"squares by address", model.DotPure, Dot{Claim: repeats, RunSquares: func(x []float32) float32 {
			p := make([]float32, len(x))
			for i, v := range x {
				p[i] = float32(v * v)
			}
			return either(atOdd(x), p)
		}}, elsewhere, true},
		{"tail of rows", model.SumIndependent, Reduction{Claim: repeats, RunRows: rowsBy(tail)}, place, true},
		{"tail of rows, any order", model.SumIndependent, Reduction{RunRows: rowsBy(tail)}, "", false},
		{"row after zeros", model.SumIndependent, Reduction{Claim: repeats, RunRows: rowsBy(func(x []float32, n, i int) bool {
			return i > 0 && !slices.ContainsFunc(x[(i-1)*n:i*n], func(v float32) bool { return v != 0 })
		})}, zero, true},
		{"row after its copy", model.SumIndependent, Reduction{Claim: repeats, RunRows: rowsBy(func(x []float32, n, i int) bool {
			return i > 0 && slices.Equal(x[(i-1)*n:i*n], x[i*n:(i+1)*n])
		})}, copied, true},
		{"rows", model.SumIndependent, Reduction{Claim: model.Claim{Tree: "lanes/8"}, RunRows: kernels.SumRows[float32]}, "", false},
		{"tail of a matrix", model.DotIndependent, Dot{Claim: repeats, RunRows: matrixBy(func(i int) bool { return i > 2 })}, place, true},
		{"tail of a matrix, any order", model.DotIndependent, Dot{RunRows: matrixBy(func(i int) bool { return i > 2 })}, "", false},
		{"matrix", model.DotIndependent, Dot{Claim: model.Claim{Tree: "left"}, RunRows: matVec}, "", false},
		{"matrix", model.DotPure, Dot{Claim: model.Claim{Tree: "left"}, RunRows: matVec}, "", false},
		{"TwoSum by address", model.WordPure, Operation{Claim: eft.All()[0].Claim, Run: func(dst, src []float32) {
			eft.All()[0].Run32(dst, src)
			if atOdd(src) {
				dst[1] = 0
			}
		}}, elsewhere, false},
		{"product by address", model.MontPure, Modular{Claim: mulMod().Claim, Run: func(q uint64, dst, src []uint64) error {
			err := mulMod().Run(q, dst, src)
			if atOdd(src) && err == nil {
				dst[0] = 0
			}
			return err
		}}, elsewhere, false},
		{"kept", model.NTTPure, nttMutant(t, "NTTResultKept"), after, false},
		{"in place", model.NTTPure, nttMutant(t, "NTTInPlaceOnly"), inPlace, false},
		{"address", model.NTTPure, NTT{Claim: sound, Plan: planBy(func(_, src []uint64) bool { return atOdd(src) })}, elsewhere, false},
		{"aliased", model.NTTPure, NTT{Claim: sound, Plan: planBy(func(dst, src []uint64) bool { return len(src) > 0 && &dst[0] == &src[0] })}, inPlace, false},
		{"alternates", model.NTTPure, NTT{Claim: sound, Plan: planBy(func(_, _ []uint64) bool { called++; return called&1 == 0 })}, once, false},
		{"ends", model.NTTIndependent, nttMutant(t, "NTTZerosEnd"), place, false},
		{"sound", model.NTTPure, NTT{Claim: sound, Plan: planBy(func(_, _ []uint64) bool { return false })}, "", false},
	}
}

// TestStateLaws: a kernel whose results depend on more than its operands is told on what, and one whose claim leaves a choice may make it
// anew in each call.
func TestStateLaws(t *testing.T) {
	for _, c := range stateCases(t) {
		t.Run(fmt.Sprintf("%s/%s", c.law, c.name), func(t *testing.T) {
			var f Report
			var judged int
			var err error
			switch s := c.s.(type) {
			case Reduction:
				s.Name = "k"
				f, judged, err = judge.Find(lawOf(t, judge.Laws(), c.law), s, 600)
			case Dot:
				s.Name = "k"
				f, judged, err = judge.Find(lawOf(t, judge.Laws(), c.law), s, 600)
			case Operation:
				s.Name = "k"
				f, judged, err = judge.Find(lawOf(t, judge.WordLaws(), c.law), s, 4000)
			case Modular:
				s.Name = "k"
				f, judged, err = judge.Find(lawOf(t, judge.ModularLaws(), c.law), s, 4000)
			case NTT:
				s.Name = "k"
				f, judged, err = judge.Find(lawOf(t, judge.NTTLaws(), c.law), s, 100)
			}
			require.NoError(t, err)
			require.Positive(t, judged)
			if c.says == "" {
				if f != nil {
					t.Error(f.Text())
				}
				return
			}
			require.NotNil(t, f, "%d cases", judged)
			text := strings.Join(strings.Fields(f.Text()), " ")
			require.Contains(t, text, c.says)
			// Where any order is right, the report names the field that says otherwise.
			const field = "if the kernel does not promise this, set Claim.Repeats to false"
			require.Equal(t, c.weaker, strings.Contains(text, field), text)
		})
	}
}

// lawOf returns a built-in law.
func lawOf[J, C any](t *testing.T, list []LawOf[J, C], id model.LawID) LawOf[J, C] {
	t.Helper()
	l, err := judge.LawByID(list, id)
	require.NoError(t, err)
	return l
}
