package adversary

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTakenRange: where a row rises, comparing it with one value gives the threads that comparing word for word gives.
func TestTakenRange(t *testing.T) {
	const n = 8
	cuts := 0
	for _, base := range []uint64{0, 3, 1<<31 - n, 1<<31 - 2, 1 << 31, math.MaxUint32 - n} {
		for d := -3; d <= n+3; d++ {
			v := uint64(uint32(base) + uint32(d))
			for _, op := range []opcode{opUnlessEq, opUnlessNe, opUnlessLtU, opUnlessLeU, opUnlessLtI32, opUnlessLeI32} {
				for _, x := range []inst{{op: op, a: 2, b: 3}, {op: op, a: 3, b: 2}} {
					m := &lockstep{n: n, width: n, rows: make([]uint64, 4*n), kinds: []rowKind{uniform, uniform, linear, uniform}, count: 6, active: []lanes{{0, 2}, {3, 4}, {5, 8}}}
					for i := range uint64(n) {
						m.rows[2*n+i], m.rows[3*n+i] = base+i, v
					}
					lo, hi, ok := m.takenRange(&x)
					if !ok {
						continue
					}
					cuts++
					want := make([]uint64, n)
					binaryRows[op](want, m.row(x.a, lanes{0, n}), m.row(x.b, lanes{0, n}))
					yes, no, count := m.partitionRange(lo, hi)
					yes2, no2, count2 := m.partition(want)
					require.Equal(t, count2, count)
					require.Equal(t, [2][]lanes{yes2, no2}, [2][]lanes{yes, no}, "%d from %d with %d", op, base, v)
				}
			}
		}
	}
	require.Greater(t, cuts, 500)
}
