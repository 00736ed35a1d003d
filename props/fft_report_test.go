package props

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/spectra"
	"gamma/props/judge"
)

// TestFFTReports compares reports of planted faults with those on file: what they look like to who has planted them.
func TestFFTReports(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	for _, c := range []struct {
		mutant string
		law    model.LawID
	}{
		{"Conjugated", model.FFTError},
		{"StageMissing", model.FFTError},
		{"AliasBroken", model.FFTPure},
	} {
		m, ok := mutants.FindFFT("mutants.FFT" + c.mutant)
		require.True(t, ok, c.mutant)
		l, err := judge.LawByID(judge.FFTLaws(), c.law)
		require.NoError(t, err)
		f, _, err := judge.Find(l, fftSubject(m), 200)
		require.NoError(t, err)
		require.NotNil(t, f, c.mutant)
		f.Common().Test = "TestPropMine"
		dir, err := os.Getwd()
		require.NoError(t, err)
		text := strings.ReplaceAll(f.Text(), dir, "DIR") + "\n"
		for _, line := range strings.Split(text, "\n") {
			require.LessOrEqual(t, report.Columns(line), 100, line)
		}
		lines := strings.Split(strings.TrimSpace(text), "\n")
		require.True(t, strings.HasPrefix(lines[len(lines)-2], "reproduce "), text)
		require.True(t, strings.HasPrefix(lines[len(lines)-1], "not saved "), text)

		raw, err := f.JSON()
		require.NoError(t, err)
		require.NotContains(t, string(raw), "\n")
		var j struct{ Law, Transform, Cause string }
		require.NoError(t, json.Unmarshal(raw, &j))
		require.Equal(t, string(c.law), j.Law)
		require.Equal(t, f.Common().Cause, j.Cause)
		require.Contains(t, text, j.Transform)

		file := filepath.Join("testdata", "fft-reports", strings.ToLower(c.mutant)+".txt")
		if *updateReports {
			require.NoError(t, corpus.WriteFile(file, []byte(text)))
			continue
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err, "run with -update to write it")
		require.Equal(t, string(want), text, "the report has changed; look at it, then run with -update")
	}
}

// TestFFTFields: a literal with a field that cannot be is refused, and the message names the field and says what it may be.
func TestFFTFields(t *testing.T) {
	run := func(dst, src []complex64) {}
	real := func(dst []complex64, src []float32) {}
	split := func(dstRe, dstIm, srcRe, srcIm []float32) {}
	call := func(c *FFTCall) error { return nil }
	wide := fourier.Number{Format: model.Binary64}
	of := func(c fourier.Claim) FFT { return FFT{Run: run, Claim: c} }
	for _, tt := range []struct {
		f    FFT
		want []string
	}{
		{FFT{}, []string{"Run, Plan, Call, or for a device CallOn"}},
		{FFT{Run: run, Call: call}, []string{"Run", "Call"}},
		{of(fourier.Claim{In: wide}), []string{"sets Run", "binary32", "set Call"}},
		{of(fourier.Claim{Out: fourier.Number{Format: model.Binary32, Words: 2}}), []string{"sets Run", "set Call"}},
		{of(fourier.Claim{Batched: true}), []string{"sets Run", "Batched", "set Call"}},
		{FFT{RunSplit: split, Claim: fourier.Claim{InPlace: true}}, []string{"sets RunSplit", "InPlace", "set Call"}},
		{of(fourier.Claim{Real: true}), []string{"sets Run", "Real", "set Call"}},
		{of(fourier.Claim{Layout: fourier.Split}), []string{"sets Run", "Layout", "set Call"}},
		{FFT{RunReal: real, Claim: fourier.Claim{Sign: fourier.Inverse}}, []string{"sets RunReal", "another sign", "Claim.Sign"}},
		{of(fourier.Claim{Inside: fourier.Number{Format: model.Binary16}}), []string{"Claim.Inside is 1 words of binary16", "binary32 or binary64"}},
		{FFT{Call: call, Claim: fourier.Claim{In: fourier.Number{Format: model.Binary64, Words: 3}}}, []string{"Claim.In", "one word or two"}},
		{of(fourier.Claim{Method: 2}), []string{"Claim.Method is 2", "Passes or Direct"}},
		{of(fourier.Claim{Compensated: true}), []string{"Claim.Compensated", "set Method to Direct"}},
		{of(fourier.Claim{Radix: 1}), []string{"Claim.Radix is 1", "at least 2"}},
		{of(fourier.Claim{Twiddle: -1}), []string{"Claim.Twiddle is -1", "want a positive number"}},
		{of(fourier.Claim{Twiddle: math.NaN()}), []string{"Claim.Twiddle is NaN"}},
		{of(fourier.Claim{Product: -2}), []string{"Claim.Sum and Product are 0 and -2", "want positive numbers"}},
		{of(fourier.Claim{Norm: 9}), []string{"Norm", "constants"}},
		{of(fourier.Claim{Lengths: fourier.Smooth}), []string{"Claim.Lengths is Smooth", "Claim.Radix", "set it"}},
		{of(fourier.Claim{MinN: 8, MaxN: 4}), []string{"Claim.MinN and MaxN are 8 and 4", "at least MinN"}},
		{FFT{Call: call, Claim: fourier.Claim{Layout: fourier.HalfComplex}}, []string{"Claim.Layout is HalfComplex", "set Real"}},
		{FFT{Call: call, Claim: fourier.Claim{Order: fourier.BitReversed, Real: true}}, []string{"Claim.Order", "natural order"}},
		{of(fourier.Claim{Order: fourier.BitReversed, Lengths: fourier.AnyLength}), []string{"Claim.Order is BitReversed", "powers of two"}},
		{of(fourier.Claim{Own: func(int) float64 { return 1 }}), []string{"Claim.Own", "Claim.Source", "set it"}},
		{FFT{Run: run, Laws: []FFTLaw{{ID: "fft.error"}}}, []string{"fft.error"}},
		{FFT{Run: run, Laws: []FFTLaw{{ID: "fft.own"}}}, []string{"fft.own", "Judge"}},
	} {
		if tt.f.Name == "" {
			tt.f.Name = "mykernel.FFT"
		}
		l, err := judge.LawByID(judge.FFTLaws(), model.FFTError)
		require.NoError(t, err)
		_, _, _, err = judge.Search(l, tt.f, 1)
		require.Error(t, err, "%v", tt.want)
		t.Log(err)
		for _, part := range append(tt.want, "mykernel.FFT") {
			require.ErrorContains(t, err, part)
		}
	}
	_, _, _, err := judge.Search(judge.FFTLaws()[0], FFT{Run: run}, 1)
	require.ErrorContains(t, err, "Name")
	_, _, _, err = judge.Search(judge.FFTLaws()[0], FFT{Name: "mykernel.FFT", Run: run, Claim: fourier.Claim{MinN: 1 << 18}}, 1)
	require.ErrorContains(t, err, "-gamma.maxn")
}

// TestReplayedCauses: a case on file that fails is explained as it was when it was found.
func TestReplayedCauses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, m := range fftMutants() {
		if m.cause == "" {
			continue
		}
		subject := m.subject()
		l, err := judge.LawByID(judge.FFTLaws(), model.LawID(m.kills))
		require.NoError(t, err)
		f, _, err := judge.Find(l, subject, 600)
		require.NoError(t, err)
		require.NotNil(t, f, m.name)
		small := f.(*spectra.Failure).Case
		small.Law, small.Kernel, small.Expect = l.ID, subject.Name, ""
		_, err = corpus.Save(engine.SaveDirName, small, engine.ReplayOptions)
		require.NoError(t, err)
		j, err := m.subject().Judged(engine.Settings{Seed: engine.FixedSeed, MaxN: 4096})
		require.NoError(t, err)
		q := &check.QuietTB{}
		said := recorderTB{TB: t, q: q}
		j.Replay(said, func(_ string, f func(engine.TB)) { f(said) })
		require.True(t, q.HasFailed, m.name)
		require.Contains(t, strings.Join(strings.Fields(q.Text.String()), " "), m.cause, m.name)
	}
}
