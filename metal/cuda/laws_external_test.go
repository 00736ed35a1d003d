package cuda_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/cuda"
	"gamma/model"
	"gamma/props"
	"gamma/props/device"
	"gamma/shaders/mutants"
)

// TestCUDALaws judges every shader on the GPU by the laws of values that judge it on the simulator. What the simulator's checkers find,
// and what it finds in orders that are drawn, is left to it.
func TestCUDALaws(t *testing.T) {
	dev := open(t, cuda.Options{})
	t.Log(dev.Found())
	cases := 40
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		cases = 1000
	}
	total, laws, subjects := 0, 0, 0
	// law runs one law on one subject; an error is a law that says nothing about it.
	law := func(t *testing.T, id model.LawID, find func() (report string, judged int, err error)) {
		t.Helper()
		if strings.HasPrefix(string(id), "kernel.") {
			return
		}
		report, judged, err := find()
		switch {
		case err != nil && strings.Contains(err.Error(), "says nothing about"):
			return
		case err != nil:
			t.Error(err)
		case report != "":
			t.Error("\n" + report)
		}
		if total += judged; judged > 0 {
			laws++
		}
	}
	for _, s := range device.Subjects(dev) {
		name := ""
		switch s := s.(type) {
		case props.Reduction:
			name = s.Name
		case props.Dot:
			name = s.Name
		}
		subjects++
		t.Run(name, func(t *testing.T) {
			for _, l := range props.Laws() {
				law(t, l.ID, func() (string, int, error) {
					c, judged, _, err := props.Search(l, s, cases)
					if c == nil || err != nil {
						return "", judged, err
					}
					f, err := props.Examine(l, s, c)
					if err != nil {
						return "", judged, err
					}
					return f.Text(), judged, nil
				})
			}
		})
	}
	for _, o := range device.Operations(dev) {
		subjects++
		t.Run(o.Name, func(t *testing.T) {
			for _, l := range props.WordLaws() {
				law(t, l.ID, func() (string, int, error) {
					f, judged, err := props.FindWord(l, o, 100*cases)
					if f == nil {
						return "", judged, err
					}
					return f.Text(), judged, err
				})
			}
		})
	}
	for _, m := range device.Modulars(dev) {
		subjects++
		t.Run(m.Name, func(t *testing.T) {
			for _, l := range props.ModularLaws() {
				law(t, l.ID, func() (string, int, error) {
					f, judged, err := props.FindModular(l, m, 100*cases)
					if f == nil {
						return "", judged, err
					}
					return f.Text(), judged, err
				})
			}
		})
	}
	for _, n := range device.NTTs(dev) {
		subjects++
		t.Run(n.Name, func(t *testing.T) {
			for _, l := range props.NTTLaws() {
				law(t, l.ID, func() (string, int, error) {
					f, judged, err := props.FindNTT(l, n, cases)
					if f == nil {
						return "", judged, err
					}
					return f.Text(), judged, err
				})
			}
		})
	}
	t.Logf("%d shaders, %d pairs of a law and a shader that it applies to, %d cases and rows drawn", subjects, laws, total)
}

// TestCUDALawsFind is what TestCUDALaws stands on: laws find faults of transforms on the GPU, too.
func TestCUDALawsFind(t *testing.T) {
	dev := open(t, cuda.Options{})
	for name, id := range map[string]model.LawID{
		"mod_carry_dropped": model.NTTRoundtrip, "ntt_scale_missing": model.NTTRoundtrip, "ntt_not_reversed": model.NTTExact,
		"mod_sum_greater": model.NTTButterfly,
	} {
		found := false
		for _, m := range mutants.NTTs() {
			if !strings.Contains(m.NTT.Name, "/"+name+".metal") {
				continue
			}
			l, err := props.NTTLawByID(id)
			require.NoError(t, err)
			f, judged, err := props.FindNTT(l, device.ShaderNTT(m.NTT, dev), 400)
			require.NoError(t, err)
			require.NotNil(t, f, "%s passes %d cases of %s", m.NTT.Name, judged, id)
			t.Logf("%s: %s after %d cases", m.NTT.Name, id, judged)
			found = true
		}
		require.True(t, found, name)
	}
}
