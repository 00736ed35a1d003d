package props

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

// everything is what the devices of these tests admit.
var everything = model.Behaviour{
	Rounding: model.TowardZero, Flush: model.Flush{In: true, Out: true, Before: true}, Flush16: model.Flush{Out: true},
	Contract: model.ContractFast, Order: "accesses", ULP: true, Poison: true,
	Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true, Reciprocal: true, NoNaNs: true, NoInfs: true},
}

// groupLaunches are the launches of these tests.
func groupLaunches(int) []model.Launch {
	return []model.Launch{model.Launch1D(1, 1), model.Launch1D(1, 16), model.Launch1D(4, 64)}
}

func zeroOn(Setting, []float32) (float32, error) { return 0, nil }

// racing is a sum in whose threadgroups of four threads and more two threads race, from three leaves on.
func racing(at Setting, x []float32) (float32, error) {
	if len(x) < 3 || at.Launch.Threads.X < 4 {
		return serial32(x), nil
	}
	return serial32(x), model.Findings{{
		Kind: model.FindingRace, Kernel: "mysum", Pos: model.Position{File: "my.metal", Line: 12, Column: 9},
		Other: model.Position{File: "my.metal", Line: 14, Column: 17}, Threads: []model.Size3{{X: 0}, {X: 2}}, Buffer: "partial", Index: 2,
		Text: "thread (0,0,0) reads partial[2], which thread (2,0,0) writes: no barrier orders the two",
	}}
}

// contracting is a dot product that a compiler which contracts across statements fuses.
func contracting(at Setting, x, y []float32) (float32, error) {
	if at.Behaviour.Contract != model.ContractFast {
		return dot32(x, y), nil
	}
	var s float32
	for i := range x {
		s = float32(math.FMA(float64(x[i]), float64(y[i]), float64(s)))
	}
	return s, nil
}

// unordered is a sum from the right where threads take turns at every access, or in reverse.
func unordered(at Setting, x []float32) (float32, error) {
	if o := at.Behaviour.Order; o == "" || o == "stages" || o == "accesses" && at.Behaviour.Seed&1 == 0 {
		return serial32(x), nil
	}
	y := slices.Clone(x)
	slices.Reverse(y)
	return serial32(y), nil
}

// found searches for a violation of a law by a subject, and examines it.
func found(t *testing.T, s Subject, id model.LawID) *Failure {
	t.Helper()
	t.Setenv("GAMMA_DIR", t.TempDir())
	sub, err := vectorSubject(s)
	require.NoError(t, err)
	set, err := engine.ReadSettings()
	require.NoError(t, err)
	set.Save = "off"
	r := vectors.NewRun(sub, set)
	defer r.Rec.Close()
	l, err := judge.LawByID(judge.Laws(), id)
	require.NoError(t, err)
	require.Empty(t, sub.Applies(&l))
	d, trial, rng := vectors.NewDrawer(r, &l), vectors.NewTrial(sub), draw.Splitmix(7)
	for range 2000 {
		c := drawnWith(d, &rng)
		require.NoError(t, sub.Accepts(c))
		if v := trial.Judge(&l, c); v.Fails() {
			return reduced(r, &l, keep(c), nil)
		}
	}
	return nil
}

// TestFindingsAreJudged plants findings of each kind, and sees the law of that kind find them, reduce case and launch, and
// report both threads; the laws of values judge the value beside them.
func TestFindingsAreJudged(t *testing.T) {
	s := Reduction{Name: "my.metal#sum", RunOn: racing, Device: DeviceClaim{Checked: true, Admits: everything, Launches: groupLaunches}}
	f := found(t, s, model.KernelRace)
	require.NotNil(t, f)
	require.Equal(t, 3, f.Case.N())
	require.Equal(t, model.Launch1D(1, 16), f.Case.Launch, "the smallest that is declared and shows it")
	require.True(t, f.Case.Behaviour.Plain())
	require.Equal(t, []float32{0, 0, 0}, f.Case.X.F32)
	require.Contains(t, f.Text(), "threads     (0,0,0) and (2,0,0) of the grid")
	require.Contains(t, f.Text(), "memory      partial[2]")
	for _, id := range []model.LawID{model.KernelBounds, model.KernelInit, model.KernelBarrier, model.KernelIntegers, model.KernelAssert, model.SumEnclosure, model.SumIntegers} {
		require.Nil(t, found(t, s, id), id)
	}
	kinds := map[model.FindingKind]model.LawID{
		model.FindingRace: model.KernelRace, model.FindingOutOfBounds: model.KernelBounds, model.FindingMisaligned: model.KernelBounds,
		model.FindingUninitialised: model.KernelInit, model.FindingBarrier: model.KernelBarrier,
		model.FindingInteger: model.KernelIntegers, model.FindingInactiveLane: model.KernelIntegers,
		model.FindingAssertion: model.KernelAssert, model.FindingNote: "",
	}
	for kind, law := range kinds {
		s.RunOn = func(_ Setting, x []float32) (float32, error) {
			return serial32(x), fmt.Errorf("in a command buffer: %w", model.Findings{{Kind: kind, Text: "planted", Index: -1}})
		}
		for _, l := range vectors.KernelLaws {
			if l.Found != nil {
				v, err := judge.Judge(l, s, &corpus.Case{X: corpus.Float32s([]float32{1}), Launch: model.Launch1D(1, 1)})
				require.NoError(t, err)
				require.Equal(t, l.ID == law, v.Outcome == Violated, "%s under %s", kind, l.ID)
			}
		}
	}
}

// TestFindingsBesideErrors: what else an error says breaks the kernel, and so does one that does not end; a kernel that
// runs on no device has no findings.
func TestFindingsBesideErrors(t *testing.T) {
	one := model.Findings{{Kind: model.FindingRace, Text: "planted"}}
	other := errors.New("lost the device")
	for _, tc := range []struct {
		err   error
		found int
		rest  string
	}{
		{nil, 0, ""},
		{one, 1, ""},
		{fmt.Errorf("x: %w", one), 1, ""},
		{errors.Join(one, one), 2, ""},
		{errors.Join(one, other), 1, "lost the device"},
		{fmt.Errorf("x: %w", errors.Join(one, other)), 0, "x: race at nowhere"},
		{other, 0, "lost the device"},
	} {
		got, rest := engine.SplitFindings(tc.err)
		require.Len(t, got, tc.found, "%v", tc.err)
		if tc.rest == "" {
			require.NoError(t, rest)
		} else {
			require.Error(t, rest)
		}
	}
	c := &corpus.Case{X: corpus.Float32s([]float32{1, 2})}
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	endless := model.Findings{{Kind: model.FindingSteps, Text: "it used up 100 steps"}}
	v, err := judge.Judge(l, Reduction{Name: "k", RunOn: func(Setting, []float32) (float32, error) { return 3, endless }}, c)
	require.NoError(t, err)
	require.Equal(t, Broken, v.Outcome)
	require.Contains(t, v.Reason, "did not end: ")
	race, err := judge.LawByID(judge.Laws(), model.KernelRace)
	require.NoError(t, err)
	onDevice := Reduction{Name: "k", RunOn: func(Setting, []float32) (float32, error) { return 3, endless }, Device: DeviceClaim{Checked: true}}
	v, err = judge.Judge(race, onDevice, c)
	require.NoError(t, err)
	require.Equal(t, Vacuous, v.Outcome)
	endless = append(endless, one...)
	v, err = judge.Judge(race, onDevice, c)
	require.NoError(t, err)
	require.Equal(t, Violated, v.Outcome)
	v, err = judge.Judge(l, Reduction{Name: "k", RunErr: func([]float32) (float32, error) { return 3, one }}, c)
	require.NoError(t, err)
	require.Equal(t, Broken, v.Outcome)
	v, err = judge.Judge(l, Reduction{Name: "k", RunOn: func(Setting, []float32) (float32, error) { return 3, one }}, c)
	require.NoError(t, err)
	require.Equal(t, Holds, v.Outcome)
}

// TestBehaviourIsNamed plants a dot product that contraction breaks: the report says so, and the behaviour is reduced to that.
func TestBehaviourIsNamed(t *testing.T) {
	s := Dot{Name: "my.metal#dot", RunOn: contracting, Claim: model.Claim{Tree: "left"}, Device: DeviceClaim{
		Admits: model.Behaviour{Contract: model.ContractFast, Order: "accesses", Poison: true, ULP: true}, Strict: true,
	}}
	f := found(t, s, model.DotTree)
	require.NotNil(t, f)
	require.Equal(t, model.Behaviour{Contract: model.ContractFast}, f.Case.Behaviour)
	kind, text := f.Cause()
	require.Equal(t, "behaviour", kind)
	require.Contains(t, text, "it fails with contraction across statements, and holds under the plain behaviour")
	// A claim that is not strict leaves open which products are fused: the law does not apply to such cases.
	s.Device.Strict = false
	require.Nil(t, found(t, s, model.DotTree))
	require.Nil(t, found(t, s, model.DotEnclosure))
	require.Nil(t, found(t, s, model.DotHeight))
}

func TestScheduleIsJudged(t *testing.T) {
	s := Reduction{Name: "my.metal#sum", RunOn: unordered, Claim: model.Claim{Repeats: true}, Device: DeviceClaim{Admits: everything}}
	f := found(t, s, model.KernelSchedule)
	require.NotNil(t, f)
	require.True(t, f.Case.Behaviour.Plain(), f.Case.Behaviour.String())
	require.LessOrEqual(t, f.Case.N(), 3)
	require.Contains(t, f.Text(), "in program order")
	require.NotEqual(t, f.Verdict.Witness.WantText, f.Verdict.Witness.GotText)
	s.Device.Admits.Order = "stages"
	s.RunOn = func(at Setting, x []float32) (float32, error) {
		if at.Behaviour.Order == "accesses" {
			panic("an order that is not admitted")
		}
		return serial32(x), nil
	}
	require.Nil(t, found(t, s, model.KernelSchedule))
	s.Device.Admits.Order = ""
	l, err := judge.LawByID(judge.Laws(), model.KernelSchedule)
	require.NoError(t, err)
	v, err := judge.Judge(l, s, &corpus.Case{X: corpus.Float32s([]float32{1})})
	require.NoError(t, err)
	require.Equal(t, Vacuous, v.Outcome)
}

// TestDrawnSettings: what is drawn is admitted, replays from the case alone, and reaches every field; half is plain.
func TestDrawnSettings(t *testing.T) {
	d := DeviceClaim{Admits: everything, Widths: []int{4, 64}, Launches: groupLaunches}
	require.Empty(t, d.Check())
	plain, seen := 0, map[string]bool{}
	rng := draw.Splitmix(1)
	for range 4000 {
		c := d.Draw(5, &rng)
		require.NoError(t, d.Accepts(5, c))
		back, err := model.ParseBehaviour(c.Behaviour.String())
		require.NoError(t, err)
		require.Equal(t, c.Behaviour, back)
		if c.Behaviour.Plain() {
			plain++
		}
		b := c.Behaviour
		seen[b.Rounding.String()] = true
		seen["ftz "+b.Flush.String()] = true
		seen["ftz16 "+b.Flush16.String()] = true
		seen["contract "+b.Contract.String()] = true
		seen["order "+b.Order] = true
		seen[fmt.Sprint("simd ", b.SIMDWidth)] = true
		seen[fmt.Sprint("ulp ", b.ULP, "poison ", b.Poison)] = true
		seen[fmt.Sprintf("%+v", b.Rewrites)] = true
		seen[c.Launch.String()] = true
	}
	require.Greater(t, plain, 1800)
	require.Less(t, plain, 2400)
	require.Len(t, seen, 2+6+2+3+4+3+4+32+3, "%v", seen)
	none := DeviceClaim{}
	c := none.Draw(5, &rng)
	require.True(t, c.Behaviour.Plain() && c.Launch.IsZero())
}

func TestDeviceAccepts(t *testing.T) {
	s, err := Reduction{Name: "k", RunOn: zeroOn, Device: DeviceClaim{
		Launches: groupLaunches, Widths: []int{8}, Admits: model.Behaviour{Flush: model.Flush{Out: true}, Order: "stages", Contract: model.ContractStatement},
		Fits: func(n int, l model.Launch) error {
			if l.Threads.X < n {
				return fmt.Errorf("one thread a leaf is needed; use %d", n)
			}
			return nil
		},
	}}.Kernel()
	require.NoError(t, err)
	for _, tc := range []struct {
		b    string
		l    model.Launch
		want string
	}{
		{"rne ftz=out contract=on order=stages simd=8 seed=3", model.Launch1D(1, 4), ""},
		{"zero", model.Launch1D(1, 4), "rounding zero: add it to Device.Admits"},
		{"rne ftz=on", model.Launch1D(1, 4), "flushing on"},
		{"rne ftz=out-before", model.Launch1D(1, 4), "flushing out-before"},
		{"rne ftz=out-anysign", model.Launch1D(1, 4), "flushing out-anysign"},
		{"rne ftz16=out", model.Launch1D(1, 4), "flushing out of 16-bit formats"},
		{"rne contract=fast", model.Launch1D(1, 4), "contraction fast"},
		{"rne order=accesses", model.Launch1D(1, 4), "order accesses"},
		{"rne simd=16", model.Launch1D(1, 4), "simdgroups of 16: add it to Device.Widths"},
		{"rne ulp", model.Launch1D(1, 4), "library functions that err"},
		{"rne poison", model.Launch1D(1, 4), "poison in memory"},
		{"rne nsz", model.Launch1D(1, 4), "these rewrites"},
		{"rne", model.Launch{}, "at least one threadgroup and one thread"},
		{"rne", model.Launch1D(0, 4), "at least one threadgroup and one thread"},
		{"rne", model.Launch1D(1, 1), "one thread a leaf is needed; use 2"},
	} {
		b, err := model.ParseBehaviour(tc.b)
		require.NoError(t, err)
		err = s.Accepts(&corpus.Case{X: corpus.Float32s([]float32{1, 2}), Behaviour: b, Launch: tc.l})
		if tc.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, tc.want)
		}
	}
}

// TestWeaken checks what is left of a claim, field by field.
func TestWeaken(t *testing.T) {
	full := model.Claim{
		In: model.Binary32, Acc: model.Binary32, Out: model.Binary32, Tree: "left", Commutes: true, SignedZero: true, Flush: model.Flush{In: true},
	}
	for _, tc := range []struct {
		b      string
		strict bool
		change func(c *model.Claim)
	}{
		{"rne", false, func(*model.Claim) {}},
		{"zero", true, func(c *model.Claim) { c.Rounding = model.TowardZero }},
		{"rne ftz=out-before", true, func(c *model.Claim) { c.Flush = model.Flush{In: true, Out: true, Before: true} }},
		{"rne ftz16=out", true, func(*model.Claim) {}},
		{"rne contract=on", false, func(c *model.Claim) { c.Fusion = model.FusedAny }},
		{"rne contract=on", true, func(*model.Claim) {}},
		{"rne reassoc", false, func(c *model.Claim) { c.Tree, c.Commutes = "", false }},
		{"rne reassoc nsz", true, func(*model.Claim) {}},
		{"rne nsz", false, func(c *model.Claim) { c.SignedZero = false }},
		{"rne order=accesses simd=4 ulp poison seed=9", false, func(*model.Claim) {}},
	} {
		b, err := model.ParseBehaviour(tc.b)
		require.NoError(t, err)
		want := full
		tc.change(&want)
		require.Equal(t, want, Weaken(full, b, tc.strict), "%s", tc.b)
	}
	half := model.Claim{In: model.Binary16, Acc: model.Binary32, Out: model.Binary32}
	require.Equal(t, model.Flush{Out: true}, Weaken(half, model.Behaviour{Flush16: model.Flush{Out: true}}, true).Flush)
	chain := model.Claim{In: model.Binary32, Fusion: model.FusedChain}
	require.Equal(t, model.FusedAny, Weaken(chain, model.Behaviour{Rewrites: model.Rewrites{Reassociate: true}}, false).Fusion)
	require.Equal(t, model.FusedChain, Weaken(chain, model.Behaviour{Contract: model.ContractFast}, false).Fusion)
}

// TestClaimUnderBehaviour: a kernel that does what a behaviour allows holds, and one that does it under the plain behaviour does not.
func TestClaimUnderBehaviour(t *testing.T) {
	truncating := func(x []float32) float32 {
		var s float32
		for i, v := range x {
			if i == 0 {
				s = v
				continue
			}
			wide := float64(s) + float64(v) // not exact for all, but rounded toward zero to binary64's nearest
			s = float32(wide)
			if math.Abs(float64(s)) > math.Abs(wide) {
				s = math.Nextafter32(s, 0)
			}
		}
		return s
	}
	law, err := judge.LawByID(judge.Laws(), model.SumTree)
	require.NoError(t, err)
	s := Reduction{Name: "k", Claim: model.Claim{Tree: "left"}, RunOn: func(_ Setting, x []float32) (float32, error) { return truncating(x), nil }, Device: DeviceClaim{Admits: everything}}
	c := corpus.Case{X: corpus.Float32s([]float32{1, 0x1.8p-24})}
	judged := func(b model.Behaviour) Outcome {
		c.Behaviour = b
		v, err := judge.Judge(law, s, &c)
		require.NoError(t, err)
		return v.Outcome
	}
	require.Equal(t, Violated, judged(model.Behaviour{}))
	require.Equal(t, Holds, judged(model.Behaviour{Rounding: model.TowardZero}))
	require.Equal(t, Vacuous, judged(model.Behaviour{Rewrites: model.Rewrites{Reassociate: true}}))
	// The subject may say itself what it claims under a behaviour.
	s.Device.Under = func(c model.Claim, b model.Behaviour) model.Claim {
		if b.Poison {
			c.Rounding = model.TowardZero
		}
		return c
	}
	require.Equal(t, Violated, judged(model.Behaviour{ULP: true}))
	require.Equal(t, Holds, judged(model.Behaviour{Poison: true}))
	s.Device.Under = nil

	// Infinities that the compiler takes for impossible excuse any result, finite cases none.
	law, err = judge.LawByID(judge.Laws(), model.SumSpecial)
	require.NoError(t, err)
	s.RunOn = func(_ Setting, x []float32) (float32, error) { return 3, nil }
	c = corpus.Case{X: corpus.Float32s([]float32{1, float32(math.Inf(1))})}
	require.Equal(t, Violated, judged(model.Behaviour{}))
	require.Equal(t, Vacuous, judged(model.Behaviour{Rewrites: model.Rewrites{NoInfs: true}}))
	law, err = judge.LawByID(judge.Laws(), model.SumIntegers)
	require.NoError(t, err)
	c = corpus.Case{X: corpus.Float32s([]float32{1, 1})}
	require.Equal(t, Violated, judged(model.Behaviour{Rewrites: model.Rewrites{NoInfs: true}}))

	// A compensated sum has no bound where its error-free transformations do not hold.
	law, err = judge.LawByID(judge.Laws(), model.SumCompensated)
	require.NoError(t, err)
	s.Claim = model.Claim{Compensation: model.Kahan}
	require.Equal(t, Violated, judged(model.Behaviour{}))
	require.Equal(t, Vacuous, judged(model.Behaviour{Rounding: model.TowardZero}))
	require.Equal(t, Vacuous, judged(model.Behaviour{Rewrites: model.Rewrites{Reassociate: true}}))
	s.Device.Strict = true
	require.Equal(t, Violated, judged(model.Behaviour{Rewrites: model.Rewrites{Reassociate: true}}))
}

// TestScheduleOfLaunch: the tree depends on the launch, and is judged bit for bit.
func TestScheduleOfLaunch(t *testing.T) {
	lanes := func(n int, l model.Launch) *sumtree.Tree { return sumtree.Lanes(l.Threads.X).Tree(n) }
	s := Reduction{Name: "k", Device: DeviceClaim{Launches: groupLaunches, Schedule: lanes, Admits: model.Behaviour{Order: "accesses"}}}
	s.RunOn = func(at Setting, x []float32) (float32, error) {
		v, _, err := eval.Float32(lanes(len(x), at.Launch), x, nil)
		return v, err
	}
	require.Nil(t, found(t, s, model.SumTree))
	require.Nil(t, found(t, s, model.SumHeight))
	s.RunOn = func(_ Setting, x []float32) (float32, error) { return serial32(x), nil }
	f := found(t, s, model.SumTree)
	require.NotNil(t, f)
	require.NotEqual(t, 1, f.Case.Launch.Threads.X)
	require.Contains(t, f.Text(), "the tree of its Schedule")
}

// TestLawsOfDevices: the laws of kernels apply to kernels on a device alone, and those of findings to one with checkers.
func TestLawsOfDevices(t *testing.T) {
	plain, err := Reduction{Name: "k", Run: serial32}.Kernel()
	require.NoError(t, err)
	blind, err := Reduction{Name: "k", RunOn: zeroOn}.Kernel()
	require.NoError(t, err)
	checked, err := Dot{Name: "k", RunOn: contracting, Device: DeviceClaim{Checked: true}, Claim: model.Claim{Repeats: true}}.Kernel()
	require.NoError(t, err)
	for _, l := range vectors.KernelLaws {
		require.Equal(t, "the law is one of kernels on a device", plain.Applies(&l))
		require.Empty(t, checked.Applies(&l))
		if l.Found != nil {
			require.Equal(t, "the device has no checkers", blind.Applies(&l))
		} else {
			require.Equal(t, "the claim does not say Repeats", blind.Applies(&l))
		}
	}
	require.Equal(t, 20, (&DeviceClaim{Cost: 1000}).Checks(2000))
	require.Equal(t, 200, (&DeviceClaim{}).Checks(2000))
	require.Equal(t, 7, (&DeviceClaim{}).Checks(7))
}

// TestDecodedSettings: fuzzed cases have settings that are admitted.
func TestDecodedSettings(t *testing.T) {
	sub, err := Reduction{Name: "k", RunOn: zeroOn, Device: DeviceClaim{Launches: groupLaunches, Admits: everything, MaxN: 9}}.Kernel()
	require.NoError(t, err)
	set, err := engine.ReadSettings()
	require.NoError(t, err)
	r := vectors.NewRun(sub, set)
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	seen := map[Setting]bool{}
	rng := draw.Splitmix(3)
	for range 300 {
		data := make([]byte, rng.Below(80))
		for i := range data {
			data[i] = byte(rng.Next())
		}
		d := engine.Decoder(data)
		c := r.Decode(&d, &l)
		require.NoError(t, sub.Accepts(c))
		require.LessOrEqual(t, c.N(), 9)
		seen[Setting{Behaviour: c.Behaviour, Launch: c.Launch}] = true
	}
	require.Greater(t, len(seen), 60)
}

// TestIsolatedDevice: behaviour, launch and findings cross to the child process and back.
func TestIsolatedDevice(t *testing.T) {
	sub, err := Reduction{Name: "on device", RunOn: func(at Setting, x []float32) (float32, error) {
		if at.Behaviour.Order == "reverse" && at.Launch.Threads.X == 4 {
			return racing(at, x)
		}
		return -1, nil
	}, Device: DeviceClaim{Checked: true, Admits: everything}}.Kernel()
	require.NoError(t, err)
	if mine, other := engine.IsChildFor(t.Name(), sub.Name); mine {
		require.NoError(t, engine.Serve(vectors.NewRun(sub, engine.Settings{}).Served()))
		return
	} else if other {
		return
	}
	iso := engine.NewIsolation(t.Name(), sub.Name, engine.ReduceTime)
	defer iso.Stop()
	sub = sub.Elsewhere(iso.Ask)
	l, err := judge.LawByID(judge.Laws(), model.KernelRace)
	require.NoError(t, err)
	c := &corpus.Case{X: corpus.Float32s([]float32{1, 2, 4}), Behaviour: model.Behaviour{Order: "reverse"}, Launch: model.Launch1D(2, 4)}
	trial := vectors.NewTrial(sub)
	v := trial.Judge(&l, c)
	require.Equal(t, Violated, v.Outcome, v.Reason)
	require.Equal(t, []model.Size3{{X: 0}, {X: 2}}, v.Witness.Findings[0].Threads)
	require.Equal(t, bits32(7), trial.Got())
}
