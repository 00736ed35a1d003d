package props

import (
	"testing"

	"gamma/kernels/dd"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/words"
	"gamma/props/judge"
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
			p, err := Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}.Subject()
			if err != nil {
				b.Fatal(err)
			}
			l, err := judge.LawByID(judge.WordLaws(), c.law)
			if err != nil {
				b.Fatal(err)
			}
			r := words.NewWordRun(p, engine.Settings{})
			d, trial := words.NewWordDrawer(r, &l), words.NewWordTrial(p)
			rng := draw.Splitmix(1)
			judged := 0
			b.ReportAllocs()
			for b.Loop() {
				x, seed := rng.Next(), rng.Next()
				in := d.Expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, words.BatchRows)
				if v := trial.Judge(&l, in); v.Fails() {
					b.Fatal(v)
				}
				judged += trial.Holds
			}
			b.ReportMetric(float64(judged)/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}
