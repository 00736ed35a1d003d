package props

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels/eft"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/modular"
	"gamma/model/word"
	"gamma/props/internal/check"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
	"gamma/props/internal/transforms"
	"gamma/props/internal/vectors"
	"gamma/props/internal/words"
	"gamma/props/judge"
)

// gpu is hardware that does what it says, with a reference beside it.
var gpu = DeviceClaim{Kind: "gpu", Hardware: true, Reference: "sim", Strict: true}

// deviceFault is a fault of a device, planted in a kernel that is right on the reference.
type deviceFault struct {
	name          string
	subject       any // a Subject, an Operation, a Modular or an NTT
	kills, passes []model.LawID
}

// fromRight sums from the right.
func fromRight(x []float32) float32 {
	var s float32
	for _, v := range slices.Backward(x) {
		s += v
	}
	return s
}

// flushed is x with subnormal numbers as zeros.
func flushed(x float32) float32 {
	if math.Abs(float64(x)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(x)))
	}
	return x
}

// twoSwapped adds from the left, but for two leaves that change places.
func twoSwapped(_ int, x []float32) float32 {
	y := slices.Clone(x)
	if len(y) > 3 {
		y[1], y[3] = y[3], y[1]
	}
	return serial32(y)
}

// faultySum is a sum that is serial32 on the reference, and on the device what run says; run gets the number of the call.
func faultySum(c model.Claim, run func(call int, x []float32) float32) Reduction {
	calls := 0
	return Reduction{Name: "gpu.Sum", Claim: c, Device: gpu, RunOn: func(at Setting, x []float32) (float32, error) {
		if at.Reference {
			return serial32(x), nil
		}
		calls++
		return run(calls, x), nil
	}}
}

// once is true in every fifth call, at places that do not follow a case's runs.
func once(call int) bool { return draw.Mix(uint64(call))%5 == 0 }

// faultyWords is a sound operation of package eft, but for what spoil does on the device.
func faultyWords(t *testing.T, spoil func(call int, dst, src []float32)) Operation {
	t.Helper()
	k := eft.All()[0]
	calls := 0
	return Operation{Name: "gpu.TwoSum", Claim: k.Claim, Device: gpu, RunOn: func(at Setting, dst, src []float32) error {
		k.Run32(dst, src)
		if !at.Reference {
			calls++
			spoil(calls, dst, src)
		}
		return nil
	}}
}

// faultyResidues is a sound product, but for what spoil does on the device.
func faultyResidues(spoil func(call int, q uint64, dst []uint64)) Modular {
	m := mulMod()
	run, calls := m.Run, 0
	return Modular{Name: "gpu.MulMod", Claim: m.Claim, Device: gpu, RunOn: func(at Setting, q uint64, dst, src []uint64) error {
		err := run(q, dst, src)
		if !at.Reference {
			calls++
			spoil(calls, q, dst)
		}
		return err
	}}
}

// faultyNTT is a sound transform, but for what spoil does on the device.
func faultyNTT(spoil func(call int, q uint64, dst []uint64)) NTT {
	m := mutants.SoundNTTs()[0]
	calls := 0
	return NTT{Name: "gpu.NTT", Claim: m.Claim, Device: gpu, PlanOn: func(at Setting, t modular.Transform) (modular.Transforms, error) {
		k, err := m.Plan(t)
		if err != nil || at.Reference {
			return k, err
		}
		forward := k.Forward
		k.Forward = func(dst, src []uint64) error {
			err := forward(dst, src)
			calls++
			spoil(calls, t.Modulus, dst)
			return err
		}
		return k, err
	}}
}

// deviceFaults are the faults that the laws of hardware must find.
func deviceFaults(t *testing.T) []deviceFault {
	t.Helper()
	left := model.Claim{Tree: "left", Repeats: true}
	equal, repeat, order := model.DeviceEqual, model.DeviceRepeat, model.DeviceOrder
	ids := func(l ...model.LawID) []model.LawID { return l }
	return []deviceFault{
		{name: "another order", subject: faultySum(left, func(_ int, x []float32) float32 { return fromRight(x) }), kills: ids(equal, order), passes: ids(repeat)},
		{name: "two leaves swapped", subject: faultySum(left, twoSwapped), kills: ids(equal, order), passes: ids(repeat)},
		{name: "another order, no tree claimed", subject: faultySum(model.Claim{Repeats: true}, func(_ int, x []float32) float32 { return fromRight(x) }), kills: ids(equal), passes: ids(repeat, order)},
		{name: "flushes where it says that it does not", subject: faultySum(left, func(_ int, x []float32) float32 {
			var s float32
			for _, v := range x {
				s = flushed(s + flushed(v))
			}
			return s
		}), kills: ids(equal, order), passes: ids(repeat)},
		{name: "another order once in a few runs", subject: faultySum(left, func(call int, x []float32) float32 {
			if once(call) {
				return fromRight(x)
			}
			return serial32(x)
		}), kills: ids(repeat, equal)},
		{name: "update lost once in a few runs", subject: faultySum(model.Claim{}, func(call int, x []float32) float32 {
			if once(call) && len(x) > 0 {
				return serial32(x[1:])
			}
			return serial32(x)
		}), kills: ids(repeat, equal)},
		{name: "last leaf lost on the device", subject: faultySum(model.Claim{}, func(_ int, x []float32) float32 { return serial32(x[:len(x)&^1]) }), kills: ids(equal, repeat)},
		{name: "wide accumulator on the device", subject: faultySum(model.Claim{}, func(_ int, x []float32) float32 {
			var s float64
			for _, v := range x {
				s += float64(v)
			}
			return float32(s)
		}), kills: ids(repeat), passes: ids(equal)},
		{name: "dot product fused where the claim does not say so", subject: Dot{
			Name: "gpu.Dot", Claim: left, Device: gpu, RunOn: func(at Setting, x, y []float32) (float32, error) {
				if !at.Reference {
					at.Behaviour.Contract = model.ContractFast
				}
				return contracting(at, x, y)
			},
		}, kills: ids(equal, order), passes: ids(repeat)},
		{name: "results of rows swapped", subject: faultyWords(t, func(_ int, dst, _ []float32) {
			if len(dst) >= 4 {
				dst[0], dst[2] = dst[2], dst[0]
			}
		}), kills: ids(equal), passes: ids(repeat)},
		{name: "operation flushes where it says that it does not", subject: faultyWords(t, func(_ int, dst, _ []float32) {
			for i, v := range dst {
				dst[i] = flushed(v)
			}
		}), kills: ids(equal), passes: ids(repeat)},
		{name: "one bit wrong once in a few runs", subject: faultyWords(t, func(call int, dst, _ []float32) {
			if once(call) {
				dst[0] = math.Float32frombits(math.Float32bits(dst[0]) ^ 1)
			}
		}), kills: ids(repeat, equal)},
		{name: "results of residues swapped", subject: faultyResidues(func(_ int, _ uint64, dst []uint64) {
			if len(dst) >= 2 {
				dst[0], dst[1] = dst[1], dst[0]
			}
		}), kills: ids(equal), passes: ids(repeat)},
		{name: "one final subtraction missing on the device", subject: faultyResidues(func(_ int, q uint64, dst []uint64) { dst[0] += q }), kills: ids(equal), passes: ids(repeat)},
		{name: "one residue wrong once in a few runs", subject: faultyResidues(func(call int, _ uint64, dst []uint64) {
			if once(call) {
				dst[0] ^= 1
			}
		}), kills: ids(repeat, equal)},
		{name: "one number of a transform not reduced on the device", subject: faultyNTT(func(_ int, q uint64, dst []uint64) { dst[len(dst)-1] += q }), kills: ids(equal), passes: ids(repeat)},
		{name: "one number of a transform wrong once in a few runs", subject: faultyNTT(func(call int, _ uint64, dst []uint64) {
			if once(call) {
				dst[0] ^= 1
			}
		}), kills: ids(repeat, equal)},
	}
}

// look searches a subject of any kind for a violation of a law of hardware, and returns the verdict.
func look(t *testing.T, id model.LawID, subject any) (v Verdict, found bool) {
	t.Helper()
	var err error
	switch s := subject.(type) {
	case Reduction, Dot:
		l, lerr := judge.LawByID(judge.Laws(), id)
		require.NoError(t, lerr)
		b, _, w, serr := judge.Search(l, s.(Subject), 400)
		v, err, found = w, serr, b != nil
	case Operation:
		l, lerr := judge.LawByID(judge.WordLaws(), id)
		require.NoError(t, lerr)
		var f *WordFailure
		if f, _, err = foundAs[*WordFailure](judge.Find(l, s, 4000)); f != nil {
			v, found = f.Verdict, true
		}
	case Modular:
		l, lerr := judge.LawByID(judge.ModularLaws(), id)
		require.NoError(t, lerr)
		var f *ModularFailure
		if f, _, err = foundAs[*ModularFailure](judge.Find(l, s, 4000)); f != nil {
			v, found = f.Verdict, true
		}
	case NTT:
		l, lerr := judge.LawByID(judge.NTTLaws(), id)
		require.NoError(t, lerr)
		var f *NTTFailure
		if f, _, err = foundAs[*NTTFailure](judge.Find(l, s, 100)); f != nil {
			v, found = f.Verdict, true
		}
	}
	require.NoError(t, err)
	return v, found
}

// TestDeviceFaults: each law of hardware finds the faults that it must find, and passes those that it has nothing to say about.
func TestDeviceFaults(t *testing.T) {
	killed := map[model.LawID]int{}
	for _, f := range deviceFaults(t) {
		for _, id := range f.kills {
			v, found := look(t, id, f.subject)
			require.True(t, found, "%s passes %s, which must find it: %v", f.name, id, v)
			killed[id]++
		}
		for _, id := range f.passes {
			v, found := look(t, id, f.subject)
			require.False(t, found, "%s is found by %s: %v", f.name, id, v)
		}
	}
	for i := range vectors.DeviceLaws {
		require.NotZero(t, killed[vectors.DeviceLaws[i].ID], vectors.DeviceLaws[i].ID)
	}
}

// restless is a sum in another order at every call: of a shuffled vector, by a random tree.
func restless(c model.Claim) Reduction {
	calls, dev := uint64(0), gpu
	dev.MaxN = 200
	return Reduction{Name: "gpu.Restless", Claim: c, Device: dev, RunOn: func(at Setting, x []float32) (float32, error) {
		if at.Reference {
			return serial32(x), nil
		}
		calls++
		rng := draw.Splitmix(draw.Mix(calls))
		y := slices.Clone(x)
		for len(y) > 1 {
			i := rng.Below(len(y))
			a := y[i]
			y = slices.Delete(y, i, i+1)
			y[rng.Below(len(y))] += a
		}
		if len(y) == 0 {
			return 0, nil
		}
		return y[0], nil
	}}
}

// TestRestlessDevice: a sum whose order is open has several results, all inside the bounds and for few leaves reachable; the law says how
// many, and which. With a claim that leaves no choice the same kernel violates it.
func TestRestlessDevice(t *testing.T) {
	l, err := judge.LawByID(judge.Laws(), model.DeviceRepeat)
	require.NoError(t, err)
	sub, err := restless(model.Claim{}).Kernel()
	require.NoError(t, err)
	r := vectors.NewRun(sub, settingsOf(t))
	d, trial := vectors.NewDrawer(r, &l), vectors.NewTrial(r.Sub)
	rng := draw.Splitmix(7)
	st := r.Stats(l.ID)
	small, reached := 0, 0
	for range 1500 {
		c := drawnWith(d, &rng)
		v := trial.Judge(&l, c)
		require.False(t, v.Fails(), "%v", v)
		trial.Count(st, &v, c)
		if n := c.X.Len(); n > 2 && n <= vectors.EveryOrderN && len(trial.Hardware.Spread) > 1 {
			small++
			if _, none := trial.Members(); none == nil {
				reached++
			}
		}
	}
	require.Greater(t, small, 20, "short vectors with several results")
	require.Greater(t, reached, small/2)
	require.Equal(t, engine.RepeatRuns, st.MaxDistinct)
	require.Contains(t, st.Line(), "; up to 8 results, as at n=")
	require.Regexp(t, `, 0x[0-9a-f]{8} = -?0x1\.?[0-9a-f]*p[-+]\d+ \(`, st.Line())
	require.Zero(t, st.Differ)

	for _, claim := range []model.Claim{{Repeats: true}, {Tree: "left"}} {
		_, found := look(t, model.DeviceRepeat, restless(claim))
		require.True(t, found, "%+v", claim)
	}
	t.Setenv("GAMMA_LEVEL", "thorough")
	v, err := judge.Judge(l, restless(model.Claim{}), &corpus.Case{X: corpus.Float32s([]float32{1, 0x1p-24, 0x1p-24, 0x1p-24, -1})})
	require.NoError(t, err)
	require.Equal(t, Holds, v.Outcome, "%v", v)
}

// TestDeviceEqualOpen: where the claim leaves a choice both results are judged by the bounds, and differences are counted.
func TestDeviceEqualOpen(t *testing.T) {
	l, err := judge.LawByID(judge.Laws(), model.DeviceEqual)
	require.NoError(t, err)
	sub, err := restless(model.Claim{}).Kernel()
	require.NoError(t, err)
	r := vectors.NewRun(sub, settingsOf(t))
	d, trial := vectors.NewDrawer(r, &l), vectors.NewTrial(r.Sub)
	rng := draw.Splitmix(8)
	st := r.Stats(l.ID)
	for range 300 {
		c := drawnWith(d, &rng)
		v := trial.Judge(&l, c)
		require.False(t, v.Fails(), "%v", v)
		trial.Count(st, &v, c)
	}
	require.Greater(t, st.Differ, 30)
	require.Contains(t, st.Line(), "inside the bounds with other bits than on the reference device")

	// The reference is judged too.
	s := restless(model.Claim{})
	run := s.RunOn
	s.RunOn = func(at Setting, x []float32) (float32, error) {
		v, err := run(at, x)
		if at.Reference && len(x) > 0 {
			v = serial32(x[1:])
		}
		return v, err
	}
	v, found := look(t, model.DeviceEqual, s)
	require.True(t, found)
	require.Contains(t, v.Reason, "on sim, with which the device is compared, ")

	// A reference that breaks says where.
	s.RunOn = func(at Setting, x []float32) (float32, error) {
		if at.Reference {
			panic("lost")
		}
		return run(at, x)
	}
	v, found = look(t, model.DeviceEqual, s)
	require.True(t, found)
	require.Equal(t, Broken, v.Outcome)
	require.Contains(t, v.Reason, "on sim: the kernel panicked: lost")
}

// TestDecidedBits: what a claim, a behaviour and a row must be for bits to be decided.
func TestDecidedBits(t *testing.T) {
	tiny := []float32{0x1p-140, 1}
	plain := []float32{1, 2}
	flush := model.Flush{In: true, Out: true}
	left := model.Claim{Tree: "left"}
	for _, c := range []struct {
		name    string
		claim   model.Claim
		is      model.Behaviour
		strict  bool
		x       []float32
		decided bool
	}{
		{"tree", left, model.Behaviour{}, true, plain, true},
		{"repeats", model.Claim{Repeats: true}, model.Behaviour{}, true, plain, true},
		{"no order", model.Claim{}, model.Behaviour{}, true, plain, false},
		{"rounded once", model.Claim{Compensation: model.Rounded}, model.Behaviour{}, true, plain, true},
		{"compensated, no order", model.Claim{Compensation: model.Kahan}, model.Behaviour{}, true, plain, false},
		{"reassociated", left, model.Behaviour{Rewrites: model.Rewrites{Reassociate: true}}, false, plain, false},
		{"reassociated, strict", left, model.Behaviour{Rewrites: model.Rewrites{Reassociate: true}}, true, plain, true},
		{"no signed zeros", left, model.Behaviour{Rewrites: model.Rewrites{NoSignedZeros: true}}, false, plain, false},
		{"flushing", left, model.Behaviour{Flush: flush}, true, plain, true},
		{"flushing, tiny", left, model.Behaviour{Flush: flush}, true, tiny, false},
		{"tiny", left, model.Behaviour{}, true, tiny, true},
		{"mean", model.Claim{Tree: "left", Mean: true}, model.Behaviour{}, true, plain, true},
		{"mean by a quotient that errs", model.Claim{Tree: "left", Mean: true}, model.Behaviour{ULP: true}, true, plain, false},
		{"sum beside functions that err", left, model.Behaviour{ULP: true}, true, plain, true},
		{"contracted sum", left, model.Behaviour{Contract: model.ContractFast}, false, plain, true},
	} {
		for _, op := range []Op{OpSum, OpDot} {
			dev := gpu
			dev.Admits, dev.Strict = c.is, c.strict
			var s Subject = Reduction{Name: "k", Claim: c.claim, Device: dev, RunOn: zeroOn}
			x := corpus.Case{X: corpus.Float32s(c.x)}
			want := c.decided
			if op == OpDot {
				s = Dot{Name: "k", Claim: c.claim, Device: dev, RunOn: func(Setting, []float32, []float32) (float32, error) { return 0, nil }}
				x.Y = corpus.Float32s([]float32{1, 1})
				if c.is.Contract != model.ContractOff {
					want = false
				}
			}
			sub, err := vectorSubject(s)
			require.NoError(t, err)
			trial := vectors.NewTrial(sub)
			x.Behaviour = sub.Device.Own()
			trial.Start(&x, len(c.x))
			require.Equal(t, want, trial.Undecided() == "", "%s of a %s: %q", c.name, op, trial.Undecided())
		}
	}
}

// TestDeviceOrderNeeds: kernels whose tree cannot be shown are no failure, and the law says why.
func TestDeviceOrderNeeds(t *testing.T) {
	l, err := judge.LawByID(judge.Laws(), model.DeviceOrder)
	require.NoError(t, err)
	for why, s := range map[string]Subject{
		"a compensated sum adds more than its tree shows":                                                                    Reduction{Name: "k", Claim: model.Claim{Compensation: model.Kahan, Repeats: true}, Device: gpu, RunOn: zeroOn},
		"a mean rounds the counts that masks would show":                                                                     Reduction{Name: "k", Claim: model.Claim{Mean: true, Repeats: true}, Device: gpu, RunOn: zeroOn},
		"neither Repeats nor a tree is claimed: the order may differ from run to run":                                        Reduction{Name: "k", Device: gpu, RunOn: zeroOn},
		"the terms have no signs, so that none masks others":                                                                 Reduction{Name: "k", Magnitudes: true, Claim: model.Claim{Repeats: true}, Device: gpu, RunOn: zeroOn},
		"the law is one of kernels on a device":                                                                              Reduction{Name: "k", Run: serial32},
		"the law is one of hardware: of a simulator a case says all that happens, and kernel.schedule asks for other orders": Reduction{Name: "k", RunOn: zeroOn},
	} {
		sub, err := vectorSubject(s)
		require.NoError(t, err)
		require.Equal(t, why, sub.Applies(&l))
	}
	equal, err := judge.LawByID(judge.Laws(), model.DeviceEqual)
	require.NoError(t, err)
	alone := gpu
	alone.Reference = ""
	sub, err := Reduction{Name: "k", Device: alone, RunOn: zeroOn}.Kernel()
	require.NoError(t, err)
	require.Equal(t, "there is no device to compare with", sub.Applies(&equal))

	// Each case takes many runs: of 200 draws every fifth is judged, of 20 all.
	require.Equal(t, []int{5, 1, 1}, []int{l.Every(200), l.Every(20), equal.Every(2000)})

	// An order that depends on the values, of a kernel that claims no tree, is vacuous; that of a claimed one a violation.
	sorted := func(c model.Claim) Reduction {
		return Reduction{Name: "k", Claim: c, Device: gpu, RunOn: func(_ Setting, x []float32) (float32, error) {
			return serial32(slices.Sorted(slices.Values(x))), nil
		}}
	}
	c := &corpus.Case{X: corpus.Float32s([]float32{0x1p24, 1, 1})}
	v, err := judge.Judge(l, sorted(model.Claim{Repeats: true}), c)
	require.NoError(t, err)
	require.Equal(t, Vacuous, v.Outcome, "%v", v)
	v, err = judge.Judge(l, sorted(model.Claim{Tree: "left"}), c)
	require.NoError(t, err)
	require.Equal(t, Violated, v.Outcome, "%v", v)
}

// TestHardwareCasesElsewhere: cases on file of laws of hardware are counted and left out where the kernel runs on no hardware, and judged
// where it does.
func TestHardwareCasesElsewhere(t *testing.T) {
	const why = "the law is one of hardware: of a simulator a case says all that happens, and kernel.schedule asks for other orders"
	set, err := engine.ReadSettings()
	require.NoError(t, err)
	ids := []model.LawID{model.DeviceEqual, model.DeviceRepeat, model.DeviceOrder}
	fault := faultySum(model.Claim{Tree: "left"}, twoSwapped)
	simulated := fault
	simulated.Device = DeviceClaim{Admits: everything}
	c := &corpus.Case{Kernel: fault.Name, X: corpus.Float32s([]float32{1, 2, 0x1p24, 0x1p-24})}
	for _, id := range ids {
		c.Law = id
		file := corpus.File[*corpus.Case]{Path: "testdata/gamma/x.case", Body: c}
		sub, err := simulated.Kernel()
		require.NoError(t, err)
		r := vectors.NewRun(sub, set)
		engine.New(r).ReplayFile(t, asFile(file))
		require.Equal(t, map[string]int{why: 1}, r.Stats(id).LeftOut)
		require.Zero(t, r.Stats(id).Replayed)
		sub, err = fault.Kernel()
		require.NoError(t, err)
		r = vectors.NewRun(sub, set)
		said := &check.QuietTB{}
		engine.New(r).ReplayFile(recorderTB{TB: t, q: said}, asFile(file))
		require.Equal(t, id != model.DeviceRepeat, said.HasFailed, "%s", said.Text.String())
	}
	wordList := faultyWords(t, func(int, []float32, []float32) {})
	wordList.Device = DeviceClaim{}
	p, err := wordList.Subject()
	require.NoError(t, err)
	residueList := faultyResidues(func(int, uint64, []uint64) {})
	residueList.Device = DeviceClaim{}
	m, err := residueList.Subject()
	require.NoError(t, err)
	transform := faultyNTT(func(int, uint64, []uint64) {})
	transform.Device = DeviceClaim{}
	ns, err := transform.Subject()
	require.NoError(t, err)
	n := transforms.NewNTTRun(ns, set)
	for _, id := range ids[:2] {
		wr := words.NewWordRun(p, set)
		engine.New(wr).ReplayFile(t, &engine.CaseFile{Body: &corpus.Table{Law: id, Kernel: wordList.Name, Format: model.Binary32, Words: 2, Rows: make([]corpus.TableRow, 3)}})
		require.Equal(t, map[string]int{why: 3}, wr.Stats(id).LeftOut)
		file := corpus.File[*corpus.Residues]{Body: &corpus.Residues{Law: id, Rows: make([]corpus.ResidueRow, 2)}}
		mr := residues.NewModularRun(m, set)
		engine.New(mr).ReplayFile(t, asFile(file))
		require.Equal(t, map[string]int{why: 2}, mr.Stats(id).LeftOut)
		engine.New(n).ReplayFile(t, &engine.CaseFile{Body: &corpus.Residues{Law: id}})
		require.Equal(t, map[string]int{why: 1}, n.Stats(id).LeftOut)
	}
}

// TestReferenceIsNoCase: no case asks for the reference device; laws alone do.
func TestReferenceIsNoCase(t *testing.T) {
	asked := map[bool]int{}
	s := Reduction{Name: "k", Claim: model.Claim{Tree: "left"}, Device: gpu, RunOn: func(at Setting, x []float32) (float32, error) {
		asked[at.Reference]++
		return serial32(x), nil
	}}
	for _, l := range judge.Laws() {
		clear(asked)
		_, cases, v, err := judge.Search(l, s, 20)
		require.NoError(t, err)
		require.NotEqual(t, Violated, v.Outcome, "%v", v)
		require.Equal(t, l.ID == model.DeviceEqual, asked[true] > 0, l.ID)
		if cases > 0 {
			require.NotZero(t, asked[false], l.ID)
		}
	}
}

// TestRunsOfRows: a case of many rows is run once on the reference, and so often as the law says, and not for every row.
func TestRunsOfRows(t *testing.T) {
	runs := map[bool]int{}
	s := Reduction{Name: "k", Claim: model.Claim{Tree: "left"}, Device: gpu, RunRowsOn: func(at Setting, dst, x []float32, n int) error {
		runs[at.Reference]++
		for i := range dst {
			dst[i] = serial32(x[i*n : (i+1)*n])
		}
		return nil
	}}
	c := &corpus.Case{Rows: 4, X: corpus.Float32s([]float32{1, 2, 3, 4, 5, 6, 7, 8})}
	for id, want := range map[model.LawID]map[bool]int{
		model.DeviceEqual:  {false: 1, true: 1},
		model.DeviceRepeat: {false: engine.RepeatRuns},
		model.DeviceOrder:  {false: 1 + 2}, // the first and the last row of two leaves, a run each
	} {
		l, err := judge.LawByID(judge.Laws(), id)
		require.NoError(t, err)
		clear(runs)
		v, err := judge.Judge(l, s, c)
		require.NoError(t, err)
		require.Equal(t, Holds, v.Outcome, "%v", v)
		require.Equal(t, want, runs, id)
	}
}

// TestMayFlush: where subnormal numbers are flushed, bits are decided for rows on whose way nothing can be one.
func TestMayFlush(t *testing.T) {
	flush := model.Flush{In: true, Out: true}
	product, ok := word.ByName("DWTimesDW3")
	require.True(t, ok)
	sum, ok := word.ByName("2Sum")
	require.True(t, ok)
	quotient, ok := word.ByName("DWDivDW3")
	require.True(t, ok)
	for _, c := range []struct {
		alg   *word.Algorithm
		exact bool
		flush model.Flush
		in    []float32
		may   bool
	}{
		{product, false, flush, []float32{1, 0x1p-30, 3, 0x1p-30}, false},
		{product, false, flush, []float32{1, 0x1p-50, 3, 0}, true},
		{product, false, model.Flush{}, []float32{1, 0x1p-50, 3, 0}, false},
		{product, true, flush, []float32{1, 0x1p-50, 3, 0}, false},
		{product, true, flush, []float32{0x1p-80, 0, 0x1p-80, 0}, true},
		{sum, false, flush, []float32{1, 0x1p-100}, false},
		{sum, false, flush, []float32{1, 0x1p-110}, true},
		{sum, true, flush, []float32{1, 0x1p-110}, false},
		{sum, true, flush, []float32{1, 0x1p-130}, true},
		{quotient, false, flush, []float32{1, 0, 3, 0}, true},
		{quotient, true, flush, []float32{1, 0, 3, 0}, false},
	} {
		claim := word.Claim{Op: c.alg.Op, Algorithm: c.alg.Name, Exact: c.exact, Flush: c.flush}
		r := WordRow{Claim: claim, Format: model.Binary32, Alg: c.alg, W: words.NewContext(model.Binary32, &claim, c.alg)}
		for _, v := range c.in {
			r.In = append(r.In, uint64(math.Float32bits(v)))
		}
		require.Equal(t, c.may, r.MayFlush() != "", "%s exact=%v flush=%s of %x", c.alg.Name, c.exact, c.flush, c.in)
	}
}
