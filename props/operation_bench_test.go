package props

import (
	"testing"

	"gamma/kernels/dd"
	"gamma/model"
)

// benchmarkWordLaws measures laws of double words all-in on one core: draw rows, run the kernel, judge exactly.
func benchmarkWordLaws(b *testing.B) {
	b.Helper()
	for _, c := range []struct {
		law    model.LawID
		kernel string
	}{{model.DDMul, "dd.Times3"}, {model.DDAdd, "dd.AccuratePlus"}} {
		b.Run(string(c.law), func(b *testing.B) {
			k, ok := dd.Find(c.kernel)
			if !ok {
				b.Fatalf("there is no kernel %s", c.kernel)
			}
			p, err := Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}.operation()
			if err != nil {
				b.Fatal(err)
			}
			l, err := LawByID(WordLaws(), c.law)
			if err != nil {
				b.Fatal(err)
			}
			r := newWordRun(p, settings{})
			d, trial := newWordDrawer(r, &l), newWordTrial(p)
			rng := splitmix(1)
			judged := 0
			b.ReportAllocs()
			for b.Loop() {
				x, seed := rng.next(), rng.next()
				in := d.expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, 1024)
				if v := trial.judge(&l, in); v.fails() {
					b.Fatal(v)
				}
				judged += trial.holds
			}
			b.ReportMetric(float64(judged)/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}
