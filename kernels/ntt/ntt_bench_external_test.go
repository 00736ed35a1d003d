package ntt_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/ntt"
	"gamma/model/modular"
)

// BenchmarkNTT and BenchmarkINTT measure plans in ns a butterfly; words are not looked at.
func BenchmarkNTT(b *testing.B)  { benchmark(b, (*ntt.Plan[uint64]).ForwardUnchecked) }
func BenchmarkINTT(b *testing.B) { benchmark(b, (*ntt.Plan[uint64]).InverseUnchecked) }

func benchmark(b *testing.B, run func(p *ntt.Plan[uint64], x []uint64) error) {
	for _, n := range []int{1 << 10, 1 << 12, 1 << 13, 1 << 16} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			for _, c := range []struct {
				name string
				q    uint64
				plan func(t modular.Transform) (*ntt.Plan[uint64], error)
			}{
				{"Plan", 0x1fffffffffe00001, ntt.NewPlan},
				{"ShoupDITNR", 0x1fffffffffe00001, of(ntt.NewShoup, ntt.DITNR)},
				{"ShoupDIFNR", 0x1fffffffffe00001, of(ntt.NewShoup, ntt.DIFNR)},
				{"MontgomeryDITNR", 0x1fffffffffe00001, of(ntt.NewMontgomery, ntt.DITNR)},
				{"MontgomeryDIFNR", 0x1fffffffffe00001, of(ntt.NewMontgomery, ntt.DIFNR)},
				{"MontgomeryLazyDITNR", 0x1fffffffffe00001, of(ntt.NewMontgomeryLazy, ntt.DITNR)},
				{"GoldilocksDITNR", 18446744069414584321, of(ntt.NewGoldilocks, ntt.DITNR)},
			} {
				b.Run(c.name, func(b *testing.B) {
					t, err := ntt.NewTransform(c.q, n, true)
					require.NoError(b, err)
					p, err := c.plan(t)
					require.NoError(b, err)
					x := drawn(rand.New(rand.NewPCG(1, 1)), n, t.Modulus)
					b.ResetTimer()
					for b.Loop() {
						if err := run(p, x); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n/2*(bits.Len(uint(n))-1)), "ns/butterfly")
				})
			}
		})
	}
}

func of(plan func(t modular.Transform, f ntt.Form) (*ntt.Plan[uint64], error), f ntt.Form) func(t modular.Transform) (*ntt.Plan[uint64], error) {
	return func(t modular.Transform) (*ntt.Plan[uint64], error) { return plan(t, f) }
}

func BenchmarkNewPlan(b *testing.B) {
	t, err := ntt.NewTransform(0x1fffffffffe00001, 1<<13, true)
	require.NoError(b, err)
	for b.Loop() {
		if _, err := ntt.NewPlan(t); err != nil {
			b.Fatal(err)
		}
	}
}
