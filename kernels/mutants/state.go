package mutants

import (
	"slices"
	"sync"
	"unsafe"

	"gamma/kernels"
	"gamma/model"
)

// states are sums and dot products whose results depend on more than their own leaves. Each adds in one of two orders, and its claim
// leaves open in which: so that every law of values passes it.
func states() []Mutant {
	const first, member, integers, special, repeat = model.SumEnclosure, model.SumMember, model.SumIntegers, model.SumSpecial, model.SumRepeat
	const dotFirst, dotMember, dotIntegers, dotSpecial, dotRepeat = model.DotEnclosure, model.DotMember, model.DotIntegers, model.DotSpecial, model.DotRepeat
	rows := func(name, fault string, other func(i int, x []float32, n int) bool, survives ...model.LawID) Mutant {
		return Mutant{
			Kernel: kernels.Kernel{Name: "mutants." + name, Claim: claim(""), Rows32: func(dst, x []float32, n int) {
				for i := range dst {
					dst[i] = inOrder(other(i, x, n), x[i*n:(i+1)*n])
				}
			}},
			Fault: fault, Kills: model.SumIndependent, MinN: 3,
			Survives: append(survives, first, member, integers, special, repeat),
		}
	}
	var kept, keptFactors afterZeros
	return []Mutant{
		sum32("SumByAddress", "the leaves are added from the right where they begin at an odd place in memory", model.SumPure, 3, claim(""), func(x []float32) float32 {
			return inOrder(uintptr(unsafe.Pointer(unsafe.SliceData(x)))>>2&1 == 1, x)
		}, first, member, integers, special, repeat),
		sum32("SumAfterZeros", "the leaves are added from the right after other leaves whose first one was 0", model.SumPure, 3, claim(""), func(x []float32) float32 {
			return inOrder(kept.call(x), x)
		}, first, member, integers, special, repeat),
		rows("SumRowsTail", "rows after the last whole four are added from the right", func(i int, x []float32, n int) bool {
			return n > 0 && i >= len(x)/n&^3
		}, model.SumPure),
		rows("SumRowsAfterZero", "a row is added from the right if the one before it begins with 0", func(i int, x []float32, n int) bool {
			return n > 0 && i > 0 && x[(i-1)*n] == 0
		}, model.SumPure),
		dot32("DotAfterZeros", "the products are added from the right after other factors whose first one was 0", model.DotPure, 3, claim(""), func(x, y []float32) float32 {
			return inOrder(keptFactors.call(x), products(x, y))
		}, dotFirst, dotMember, dotIntegers, dotSpecial, dotRepeat),
		{
			Kernel: kernels.Kernel{Name: "mutants.DotRowsTail", Claim: claim(""), DotRows32: func(dst, a, x []float32, n int) {
				for i := range dst {
					dst[i] = inOrder(i >= len(dst)&^3, products(a[i*n:(i+1)*n], x))
				}
			}},
			Fault: "rows after the last whole four are added from the right", Kills: model.DotIndependent, MinN: 3,
			Survives: []model.LawID{dotFirst, dotMember, dotIntegers, dotSpecial, dotRepeat, model.DotPure},
		},
	}
}

// inOrder adds from the right or from the left.
func inOrder(right bool, x []float32) float32 {
	if right {
		return kernels.SumReverse(x)
	}
	return kernels.SumSerial(x)
}

// afterZeros is the state of a kernel that remembers the last leaves that were others than those before them.
type afterZeros struct {
	sync.Mutex
	last []float32
	zero bool
}

// call reports whether the leaves before began with 0, of those that are not x.
func (s *afterZeros) call(x []float32) bool {
	s.Lock()
	defer s.Unlock()
	if !slices.Equal(s.last, x) {
		s.zero = len(s.last) > 0 && s.last[0] == 0
		s.last = slices.Clone(x)
	}
	return s.zero
}
