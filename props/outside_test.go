package props

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"gamma/kernels/eft"
	"gamma/model"
	"gamma/model/word"
	"gamma/props/judge"
)

// place returns element i of what v lies in, outside of it.
func place[T any](v []T, i int) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(v)), i*int(unsafe.Sizeof(*new(T)))))
}

// TestWritesOutside: a kernel in another language, or one that does not trust slices, that writes before or after its results is found, in every
// kind whose results are an array, and so is one that needs them aligned.
func TestWritesOutside(t *testing.T) {
	sums := func(spoil func(dst []float32)) Subject {
		return Reduction{Name: "outside.Rows", RunRows: func(dst, x []float32, n int) {
			for i := range dst {
				dst[i] = serial32(x[i*n : (i+1)*n])
			}
			spoil(dst)
		}}
	}
	twoSum := func(spoil func(dst []float32)) Subject {
		return Operation{Name: "outside.TwoSum", Claim: word.Claim{Op: word.TwoSum, Algorithm: "2Sum"}, Run: func(dst, src []float32) {
			for i := 0; i < len(src); i += 2 {
				dst[i], dst[i+1] = eft.TwoSum(src[i], src[i+1])
			}
			spoil(dst)
		}}
	}
	wide := func(spoil func(dst []float64)) Subject {
		return Operation{Name: "outside.TwoSum64", Claim: word.Claim{Op: word.TwoSum, Algorithm: "2Sum"}, Run64: func(dst, src []float64) {
			for i := 0; i < len(src); i += 2 {
				dst[i], dst[i+1] = eft.TwoSum(src[i], src[i+1])
			}
			spoil(dst)
		}}
	}
	words := func(spoil func(dst []uint64)) Subject {
		m := mulMod()
		run := m.Run
		m.Run = func(q uint64, dst, src []uint64) error {
			err := run(q, dst, src)
			spoil(dst)
			return err
		}
		return m
	}
	says := func(s Subject, n int) string {
		var v Verdict
		var err error
		switch s.(type) {
		case Reduction:
			l, e := judge.LawByID(judge.Laws(), model.SumEnclosure)
			require.NoError(t, e)
			_, _, v, err = judge.Search(l, s, n)
		case Modular:
			_, _, v, err = judge.Search(modularLaw(t, model.MontValue), s, n)
		default:
			l, e := judge.LawByID(judge.WordLaws(), model.EFTSum)
			require.NoError(t, e)
			_, _, v, err = judge.Search(l, s, n)
		}
		require.NoError(t, err)
		return v.Reason
	}
	for _, before := range []bool{true, false} {
		at := func(n int) int {
			if before {
				return -1
			}
			return n
		}
		for _, s := range []Subject{
			sums(func(dst []float32) { *place(dst, at(len(dst))) = 1 }),
			twoSum(func(dst []float32) { *place(dst, at(len(dst))) = 1 }),
			wide(func(dst []float64) { *place(dst, at(len(dst))) = 1 }),
			words(func(dst []uint64) { *place(dst, at(len(dst))) = 1 }),
		} {
			require.Contains(t, says(s, 60), "wrote outside of its results", "%T", s)
		}
	}
	odd := false
	look := func(first unsafe.Pointer) { odd = odd || uintptr(first)&15 != 0 }
	for _, s := range []Subject{
		sums(func(dst []float32) { look(unsafe.Pointer(unsafe.SliceData(dst))) }),
		twoSum(func(dst []float32) { look(unsafe.Pointer(unsafe.SliceData(dst))) }),
		wide(func(dst []float64) { look(unsafe.Pointer(unsafe.SliceData(dst))) }),
		words(func(dst []uint64) { look(unsafe.Pointer(unsafe.SliceData(dst))) }),
	} {
		odd = false
		require.Empty(t, says(s, 5000), "%T", s)
		require.True(t, odd, "no result of a %T began at an address that is no multiple of 16", s)
	}
}
