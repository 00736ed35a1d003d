package props

import (
	"fmt"
	"testing"

	"gamma/kernels"
	"gamma/model"
)

// BenchmarkLaw measures whole laws through rapid: draw, expand, run the kernel, sum exactly, judge.
// Every family takes part; the kernel is a plain serial loop. Laws of operations on words judge batches of rows.
func BenchmarkLaw(b *testing.B) {
	for _, id := range []model.LawID{model.SumEnclosure, model.SumHeight, model.SumTree, model.SumIntegers} {
		for _, n := range []int{64, 1024} {
			b.Run(fmt.Sprintf("%s/n=%d", id, n), func(b *testing.B) {
				k, ok := kernels.Find("kernels.SumSerial")
				if !ok {
					b.Fatal("no kernel kernels.SumSerial")
				}
				e, ok := open(b, subjectFor(k).judged).(*vectorsEngine)
				if !ok {
					return
				}
				l, err := LawByID(Laws(), id)
				if err != nil {
					b.Fatal(err)
				}
				r := e.kind.(*run)
				d := newDrawer(r, &l)
				d.sizes, d.long = []int{n}, nil
				st := r.stats(id)
				r.start(b, r.recall)
				defer r.rec.close()
				trial := newTrial(r.sub)
				b.ResetTimer()
				if err := runRapid(b.N, true, func(w draw) bool {
					c, _ := d.make(w, 0)
					v := e.judge(trial, &l, c)
					trial.count(st, &v, c)
					return v.fails()
				}); err != "" {
					b.Fatal(err)
				}
				if st.Cases != b.N {
					b.Fatalf("%d cases of %d", st.Cases, b.N)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cases/s")
				b.ReportMetric(100*float64(st.Holds)/float64(st.Cases), "%judged")
			})
		}
	}
	benchmarkWordLaws(b)
}
