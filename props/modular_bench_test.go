package props

import (
	"testing"

	"gamma/kernels/montgomery"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
	"gamma/props/judge"
)

// BenchmarkModularLaw measures laws of residues all-in on one core: draw rows, run the kernel, judge exactly by division.
func BenchmarkModularLaw(b *testing.B) {
	for _, c := range []struct {
		law    model.LawID
		kernel string
	}{{model.MontValue, "montgomery.Mul64"}, {model.MontRange, "montgomery.MulLazy64"}, {model.MontDistributes, "montgomery.Mul64"}} {
		b.Run(string(c.law), func(b *testing.B) {
			k, ok := montgomery.Find(c.kernel)
			if !ok {
				b.Fatalf("there is no kernel %s", c.kernel)
			}
			p, err := Modular{Name: k.Name, Claim: k.Claim, Run: k.Run}.Subject()
			if err != nil {
				b.Fatal(err)
			}
			l, err := judge.LawByID(judge.ModularLaws(), c.law)
			if err != nil {
				b.Fatal(err)
			}
			d, trial := residues.NewModularDrawer(p, &l, &engine.Settings{}), residues.NewModularTrial(p)
			rng := draw.Splitmix(1)
			judged := 0
			b.ReportAllocs()
			for b.Loop() {
				x, seed := rng.Next(), rng.Next()
				batch := d.Expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, 1024)
				if v := trial.Judge(&l, batch); v.Fails() {
					b.Fatal(v)
				}
				judged += trial.Holds
			}
			b.ReportMetric(float64(judged)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
