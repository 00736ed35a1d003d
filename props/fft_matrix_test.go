package props

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/fft"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/internal/own"
	"gamma/props/judge"
)

// fftSubject returns a transform of package mutants as a subject.
func fftSubject(m mutants.FFT) FFT {
	f := FFT{Name: m.Name, Claim: fourier.Claim{InPlace: true, Repeats: true, MaxN: 1 << 10}}
	wide := fourier.Number{Format: model.Binary64}
	switch {
	case m.Plan64 != nil:
		f.Plan64 = m.Plan64
	case m.Double != nil:
		f.Claim.In, f.Claim.Twiddle, f.Claim.Sum, f.Claim.Product = fourier.Number{Format: model.Binary64, Words: 2}, 64, 3, 13
		f.Call = func(c *FFTCall) error {
			run, err := m.Double(c.Transform)
			if err != nil {
				return err
			}
			return run(own.DoubleWords[fft.Double](c.Float64("dst")), own.DoubleWords[fft.Double](c.Float64("src")))
		}
	case m.Real != nil || m.Half != nil:
		f.Claim.Real, f.Claim.OneWay, f.Claim.InPlace, f.Claim.MinN = true, true, m.Half != nil, 2
		if m.Half != nil {
			f.Claim.Layout = fourier.HalfComplex
		}
		f.Call = func(c *FFTCall) error {
			if m.Half != nil {
				run, err := m.Half(c.Transform)
				if err != nil {
					return err
				}
				return run(c.Float32("dst"), c.Float32("src"))
			}
			run, err := m.Real(c.Transform)
			if err != nil {
				return err
			}
			return run(c.Complex64("dst"), c.Float32("src"))
		}
	case m.Rows:
		f.Claim.Batched = true
		f.Call = func(c *FFTCall) error {
			run, err := m.Plan(c.Transform)
			if err != nil {
				return err
			}
			return run(c.Complex64("dst"), c.Complex64("src"))
		}
	default:
		f.Plan = m.Plan
	}
	if m.Wide || m.Direct {
		f.Claim.Inside = wide
	}
	if m.Direct {
		f.Claim.Method, f.Claim.Compensated, f.Claim.MaxN = fourier.Direct, true, 256
	}
	return f
}

// TestFFTKillMatrix judges each mutant of package mutants by each law: each is killed by the law that must kill it, and half of them within 50 cases.
func TestFFTKillMatrix(t *testing.T) {
	var b bytes.Buffer
	var counts []int
	fmt.Fprintf(&b, "%-26s %-16s %5s  %-40s %s\n", "mutant", "must be killed by", "cases", "and is killed by", "fault")
	for _, m := range mutants.FFTs() {
		var others []string
		least := 0
		for _, l := range judge.FFTLaws() {
			subject := fftSubject(m)
			claim := subject.Claim.WithDefaults()
			if l.Applies != nil && l.Applies(&claim) != "" || l.Found != nil || l.ID == model.FFTTwiddle {
				continue
			}
			draws := 30
			if l.ID == m.Kills {
				draws = 1000
			}
			c, n, _, err := judge.Search(l, subject, draws)
			require.NoError(t, err, "%s %s", m.Name, l.ID)
			switch {
			case c == nil && l.ID == m.Kills:
				t.Errorf("%s survives %s, which must kill it: %s", m.Name, l.ID, m.Fault)
			case c == nil:
			case l.ID == m.Kills:
				least = n
			default:
				others = append(others, string(l.ID)[len("fft."):])
			}
		}
		counts = append(counts, least)
		fmt.Fprintf(&b, "%-26s %-16s %5d  %-40s %s\n", m.Name, m.Kills, least, fmt.Sprint(others), m.Fault)
	}
	slices.Sort(counts)
	require.LessOrEqual(t, counts[len(counts)/2], 50, "half of the mutants are killed within 50 cases")
	golden(t, "testdata/fft-kill-matrix.txt", b.String())
}

// TestSoundFFTs: no law finds anything in the transforms that the mutants are of.
func TestSoundFFTs(t *testing.T) {
	for _, m := range mutants.SoundFFTs() {
		for _, l := range judge.FFTLaws() {
			subject := fftSubject(m)
			claim := subject.Claim.WithDefaults()
			if l.Applies != nil && l.Applies(&claim) != "" || l.Found != nil || l.ID == model.FFTTwiddle {
				continue
			}
			c, _, v, err := judge.Search(l, subject, 60)
			require.NoError(t, err, "%s %s", m.Name, l.ID)
			require.Nil(t, c, "%s %s: %s", m.Name, l.ID, v.Reason)
		}
	}
}
