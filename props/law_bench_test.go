package props

import (
	"fmt"
	"testing"

	"gamma/corpus"
	"gamma/kernels"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/internal/check"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/own"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
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
				sub, err := vectorSubject(own.Vector(k))
				if err != nil {
					b.Fatal(err)
				}
				r := vectors.NewRun(sub, settingsOf(b))
				e := engine.New(r)
				l, err := judge.LawByID(judge.Laws(), id)
				if err != nil {
					b.Fatal(err)
				}
				d := vectors.NewDrawer(r, &l)
				d.Sizes, d.Long = []int{n}, nil
				st := r.Stats(id)
				r.Start(b, e.Recall)
				defer r.Rec.Close()
				trial, erased := e.Trial(), engine.Erase(&l)
				b.ResetTimer()
				if err := check.RunRapid(b.N, true, func(w engine.Draw) bool {
					c, _ := d.Make(w, 0)
					v := e.Judge(trial, erased, c)
					trial.Count(st, &v, c)
					return v.Fails()
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
	benchmarkFormulas(b)
	benchmarkFFT(b)
}

// benchmarkFFT measures all laws of a transform of 1,024 points together: each law makes, runs and judges one case in turn.
func benchmarkFFT(b *testing.B) {
	b.Run("fft/n=1024", func(b *testing.B) {
		f := own.FFTs()[0]
		f.Claim.MinN, f.Claim.MaxN = 1024, 1024
		e := check.Open(b, f.Judged).(*engine.Engine).Kind().(engine.Kind[*FFTTrial, fourier.Claim, *corpus.Arrays])
		type law struct {
			l     *FFTLaw
			src   engine.Source[*corpus.Arrays]
			trial engine.Trial[*FFTTrial, fourier.Claim, *corpus.Arrays]
		}
		var list []law
		for _, l := range askedOf(e) {
			l.Cost = 0
			src, err := e.Source(&l, false)
			if err != nil {
				b.Fatal(err)
			}
			list = append(list, law{&l, src, e.Trial()})
		}
		rng := draw.Splitmix(1)
		holds := 0
		b.ResetTimer()
		for i := range b.N {
			k := &list[i%len(list)]
			in, _ := k.src.Next(&rng)
			v := k.trial.Judge(k.l, in)
			if v.Fails() {
				b.Fatal(v)
			}
			if v.Outcome == Holds {
				holds++
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cases/s")
		b.ReportMetric(100*float64(holds)/float64(b.N), "%judged")
	})
}
