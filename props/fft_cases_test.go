package props

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels/mutants"
	"gamma/props/internal/engine"
	"gamma/props/internal/own"
	"gamma/props/internal/spectra"
	"gamma/props/judge"
)

var updateCases = flag.Bool("update-cases", false, "write the reduced cases of the broken transforms, for their sound twins, below corpus")

// soundFFT returns the name of the transform of package kernels/fft that takes what a mutant takes, "" if there is none.
func soundFFT(m mutants.FFT) string {
	inside := fftSubject(m).Claim.Inside.Format.Bits() == 64
	switch {
	case m.Plan64 != nil:
		return "fft.Complex128"
	case m.Double != nil:
		return "fft.Double"
	case m.Half != nil:
		return "" // no half-complex layout
	case m.Real != nil:
		return "fft.Real32"
	case m.Rows:
		return "fft.Batch"
	case inside:
		return "fft.Wide"
	}
	return "fft.Complex64"
}

// TestFFTCasesOnFile: each case on file that came of a broken transform still shows its fault, and its sound twin holds it. With -update-cases the cases are searched anew, reduced, and written.
func TestFFTCasesOnFile(t *testing.T) {
	t.Setenv("GAMMA_SAVE", "off")
	sound := map[string]FFT{}
	for _, f := range own.FFTs() {
		sound[f.Name] = FFT(f)
	}
	files, shown := embeddedOf[*corpus.Arrays](), 0
	for _, m := range mutants.FFTs() {
		twin, ok := sound[soundFFT(m)]
		if !ok {
			continue
		}
		note, subject := "Shows the fault of "+m.Name+": ", fftSubject(m)
		if *updateCases {
			l, err := judge.LawByID(judge.FFTLaws(), m.Kills)
			require.NoError(t, err)
			f, _, err := judge.Find(l, subject, 1000)
			require.NoError(t, err)
			require.NotNil(t, f, m.Name)
			small := f.(*spectra.Failure).Case
			small.Law, small.Kernel, small.Expect, small.Comments = l.ID, twin.Name, "", []string{note + m.Fault}
			alone, err := judge.Judge(l, fftSubject(m), small)
			require.NoError(t, err)
			v, err := judge.Judge(l, twin, small)
			if n, _ := small.Size("n"); err != nil || v.Outcome != Holds || !alone.Fails() || n > 256 {
				t.Logf("%s: no case for its twin, of %d points: alone %v; the twin %v %v", m.Name, n, alone, v, err)
				continue
			}
			_, err = corpus.Save("../corpus", small, engine.ReplayOptions)
			require.NoError(t, err)
			continue
		}
		for _, f := range files {
			if len(f.Body.Comments) == 0 || !strings.HasPrefix(f.Body.Comments[0], note) {
				continue
			}
			l, err := judge.LawByID(judge.FFTLaws(), f.Body.Law)
			require.NoError(t, err, f.Path)
			v, err := judge.Judge(l, subject, f.Body)
			require.NoError(t, err, f.Path)
			require.True(t, v.Fails(), "%s does not show the fault of %s any more: %v", f.Path, m.Name, v)
			v, err = judge.Judge(l, twin, f.Body)
			require.NoError(t, err, f.Path)
			require.Equal(t, Holds, v.Outcome, "%s: %v", f.Path, v)
			shown++
		}
	}
	if !*updateCases {
		require.GreaterOrEqual(t, shown, 30)
	}
}
