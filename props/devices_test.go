package props

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
)

// TestSubjectsElsewhere: a subject is judged where it runs, if that is chosen, and else skipped with a reason that names the option.
func TestSubjectsElsewhere(t *testing.T) {
	noOptions(t)
	cuda := &DeviceClaim{Kind: "cuda", Hardware: true}
	for _, c := range []struct {
		chosen string
		d      *DeviceClaim
		why    string
	}{
		{"", nil, ""},
		{"", cuda, ""},
		{"sim,cpu", nil, ""},
		{"sim,cpu", &DeviceClaim{}, ""},
		{"cuda", cuda, ""},
		{"cuda", nil, `k.Sum runs on cpu, and -gamma.device (or GAMMA_DEVICE) is "cuda"`},
		{"cpu,cuda", &DeviceClaim{}, `k.Sum runs on sim, and -gamma.device (or GAMMA_DEVICE) is "cpu,cuda"`},
		{"cpu,sim", cuda, `k.Sum runs on cuda, and -gamma.device (or GAMMA_DEVICE) is "cpu,sim"`},
	} {
		setFlag(t, "gamma.device", c.chosen)
		set, err := engine.ReadSettings()
		require.NoError(t, err)
		require.Equal(t, c.why, set.Elsewhere("k.Sum", c.d), "%q", c.chosen)
		require.Equal(t, c.why == "", set.Runs(c.d))
	}
}

// TestDevicesSkip: a child that is told another device skips its subject, a Go function, and passes.
func TestDevicesSkip(t *testing.T) {
	t.Parallel()
	e := startChild(t, t.TempDir(), "right", patience, "GAMMA_DEVICE=sim", "GAMMA_CHECKS=20", "-test.v")
	require.False(t, e.failed, e.out)
	require.Contains(t, e.out, `child.Right runs on cpu, and -gamma.device (or GAMMA_DEVICE) is "sim"`)
	require.NotContains(t, e.out, "20 cases")
}

// TestLeftOut: hardware runs a case if it has the arithmetic and the simdgroups; what it chooses itself is no reason against.
func TestLeftOut(t *testing.T) {
	flush := model.Flush{In: true, Out: true}
	hardware := DeviceClaim{Hardware: true, Admits: model.Behaviour{Flush: flush, Order: "accesses", SIMDWidth: 32}}
	behaviour := func(text string) model.Behaviour {
		b, err := model.ParseBehaviour(text)
		require.NoError(t, err)
		return b
	}
	strict := hardware
	strict.Strict = true
	integers, err := hardware.OfResidues("RunOn", "RunOn", "a sum")
	require.NoError(t, err)
	for _, c := range []struct {
		d         *DeviceClaim
		behaviour string
		why       string
	}{
		{&hardware, "rne ftz=" + flush.String() + " order=accesses seed=7 poison ulp simd=32", ""},
		{&hardware, "rne ftz=" + flush.String() + "-anysign", ""}, // it keeps signs, or not
		{&hardware, "rne", "the case needs flushing off, and the device has " + flush.String()},
		{&hardware, "zero ftz=" + flush.String(), "the case needs rounding zero, and the device has rne"},
		{&hardware, "rne ftz=" + flush.String() + " contract=fast", "the case needs contraction fast, and the device has off"},
		{&strict, "rne ftz=" + flush.String() + " contract=fast reassoc", ""},
		{&hardware, "rne ftz=" + flush.String() + " reassoc", "the case needs the compiler to rewrite as another math mode does"},
		{&strict, "rne ftz=" + flush.String() + " simd=8", "the case needs simdgroups of 8 threads, and the device has 32"},
		{integers, "zero contract=fast nsz", ""},
		{integers, "rne simd=8", "the case needs simdgroups of 8 threads, and the device has 32"},
		{&DeviceClaim{}, "zero contract=fast", ""},
		{nil, "rne", ""},
	} {
		require.Equal(t, c.why, c.d.LeftOut(behaviour(c.behaviour)), c.behaviour)
	}
	require.Equal(t, model.Behaviour{Flush: flush}, hardware.Own())
	require.Equal(t, model.Behaviour{}, integers.Own())
}

// TestHardwareIsAsItIs: whatever a case asks for, a subject on hardware runs under the hardware's arithmetic; the claim is what that leaves,
// and the law that asks for orders says nothing.
func TestHardwareIsAsItIs(t *testing.T) {
	own := model.Behaviour{Flush: model.Flush{In: true, Out: true}}
	var ran []Setting
	r := Reduction{
		Name: "k.Sum", Claim: model.Claim{Repeats: true, Tree: "left"},
		Device: DeviceClaim{Hardware: true, Kind: "cuda", Admits: model.Behaviour{Flush: own.Flush, Order: "accesses", Poison: true}},
		RunOn: func(at Setting, x []float32) (float32, error) {
			ran = append(ran, at)
			s := float32(0)
			for _, v := range x {
				s += v
			}
			return s, nil
		},
	}
	s, err := r.Kernel()
	require.NoError(t, err)
	require.Equal(t, own.Flush, s.Claim.Flush)
	for _, l := range judge.Laws() {
		if l.ID == model.KernelSchedule {
			require.Equal(t, engine.HardwareOrder, s.Applies(&l))
		}
	}
	c := &corpus.Case{X: corpus.NewValues(model.Binary32, 2), Behaviour: model.Behaviour{Order: "reverse", Seed: 9}}
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	v := vectors.NewTrial(s).Judge(&l, c)
	require.NotEqual(t, Broken, v.Outcome, v)
	require.NotEmpty(t, ran)
	for _, at := range ran {
		require.Equal(t, Setting{Behaviour: own}, at)
	}
	// A case that needs another arithmetic is left out.
	v, err = judge.Judge(l, r, c)
	require.NoError(t, err)
	require.Equal(t, Vacuous, v.Outcome)
	require.Contains(t, v.Reason, "the case needs flushing off")
}
