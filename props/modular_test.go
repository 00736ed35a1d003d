package props

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels/montgomery"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/check"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/residues"
	"gamma/props/judge"
)

// mulMod is a sound product by division.
func mulMod() Modular {
	word := func(name string) modular.Word { return modular.Word{Name: name, Range: 1} }
	c := modular.Claim{
		Function: modular.Product, Bits: 64, Moduli: modular.Moduli{Min: 3, Max: 1<<61 - 1},
		In: []modular.Word{word("a"), word("b")}, Out: []modular.Word{word("z")},
	}
	return Modular{Name: "mykernel.MulMod", Claim: c, Run: func(q uint64, dst, src []uint64) error {
		if err := c.Moduli.Admits(q, 64); err != nil {
			return err
		}
		for i := range dst {
			dst[i] = oracle.MulMod(src[2*i], src[2*i+1], q)
		}
		return nil
	}}
}

// modularLaw returns a built-in law.
func modularLaw(t *testing.T, id model.LawID) ModularLaw {
	t.Helper()
	l, err := judge.LawByID(judge.ModularLaws(), id)
	require.NoError(t, err)
	return l
}

// modularMutant returns a mutant as a subject.
func modularMutant(t *testing.T, name string) Modular {
	t.Helper()
	m, ok := mutants.FindModular("mutants." + name)
	require.True(t, ok, name)
	return Modular{Name: m.Name, Claim: m.Claim, Run: m.Run}
}

// TestModularErrors: every mistake in the literal is named, with the field and what fixes it.
func TestModularErrors(t *testing.T) {
	for _, c := range []struct {
		change func(m *Modular)
		want   string
	}{
		{func(*Modular) {}, ""},
		{func(m *Modular) { m.Name = "" }, "has no Name; give it one"},
		{func(m *Modular) { m.Run = nil }, "sets no Run function; set Run, or for a device RunOn"},
		{func(m *Modular) { m.RunOn = func(Setting, uint64, []uint64, []uint64) error { return nil } }, "sets both Run and RunOn"},
		{func(m *Modular) { m.Claim = modular.Claim{} }, "Claim.Bits is 0; set it to the bits of a word"},
		{func(m *Modular) { m.Claim.Bits = 20 }, "Claim.Bits is 20"},
		{func(m *Modular) { m.Claim.In = m.Claim.In[:1] }, "Claim.In has 1 operands"},
		{func(m *Modular) { m.Claim.Out = nil }, "Claim.Out has 0 words"},
		{func(m *Modular) { m.Claim.Moduli.Min = 1 << 63 }, "Claim.Moduli"},
		{func(m *Modular) { m.Claim.Moduli = modular.Moduli{Min: 24, Max: 28, Prime: true} }, "Claim.Moduli admits no modulus that was found"},
		{func(m *Modular) { m.Device.MaxN = 5 }, "sets Device beside Run"},
		{func(m *Modular) { m.Laws = []ModularLaw{{}} }, "law 0 of its own has no ID"},
		{func(m *Modular) { m.Laws = []ModularLaw{{ID: "mont.mine"}} }, "has no Judge function"},
		{func(m *Modular) {
			m.Laws = []ModularLaw{{ID: model.MontValue, Judge: func(*ModularRow) Verdict { return Verdict{} }}}
		}, "has the ID of a built-in law"},
		{func(m *Modular) {
			m.Laws = []ModularLaw{{ID: "mont.mine", Families: []string{"nowhere"}, Judge: func(*ModularRow) Verdict { return Verdict{} }}}
		}, `draws from family "nowhere"`},
		{func(m *Modular) { hasOrder(&m.Device, t, m); m.Device.Admits.Order = "sideways" }, "Device.Admits.Order"},
		{func(m *Modular) {
			hasOrder(&m.Device, t, m)
			m.Device.Under = func(c model.Claim, _ model.Behaviour) model.Claim { return c }
		}, "Device.Under is set"},
		{func(m *Modular) {
			m.Claim.Recurrence = &modular.Recurrence{In: []string{"a", "b"}, Steps: []modular.Step{{Op: modular.Add, A: 0, B: 1}}, Out: []int{2}}
		}, "Claim.Recurrence does not keep the ranges"},
	} {
		m := mulMod()
		c.change(&m)
		_, err := m.Subject()
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
}

// TestModularBreaks: what a kernel may not do is noticed, and is a verdict.
func TestModularBreaks(t *testing.T) {
	var kept []uint64
	for _, c := range []struct {
		fault  func(dst, src []uint64) error
		reason string
	}{
		{func(_, _ []uint64) error { panic("no") }, "the kernel panicked: no"},
		{func(_, _ []uint64) error { return errors.New("not today") }, "the kernel returned an error: not today"},
		{func(_, src []uint64) error { src[1]++; return nil }, "the kernel changed word 1 of its operands"},
		{func(_, src []uint64) error {
			if kept != nil {
				kept[0]++
			}
			kept = src
			return nil
		}, "wrote to word 0 of its operands after it had returned"},
	} {
		m := mulMod()
		run := m.Run
		m.Run = func(q uint64, dst, src []uint64) error {
			if err := run(q, dst, src); err != nil {
				return err
			}
			return c.fault(dst, src)
		}
		f, _, err := foundAs[*ModularFailure](judge.Find(modularLaw(t, model.MontValue), m, 200))
		require.NoError(t, err)
		require.NotNil(t, f, c.reason)
		if !f.Flaky {
			require.Equal(t, Broken, f.Verdict.Outcome)
			require.Contains(t, f.Verdict.Reason, c.reason)
		}
		require.Contains(t, f.Text(), "mykernel.MulMod")
	}
	m := mulMod()
	m.Run = func(uint64, []uint64, []uint64) error { return nil } // writes nothing
	f, _, err := foundAs[*ModularFailure](judge.Find(modularLaw(t, model.MontValue), m, 200))
	require.NoError(t, err)
	require.NotNil(t, f)
	m = mulMod()
	m.Claim.Bits, m.Claim.Moduli.Max = 32, 1<<31-1
	run := m.Run
	m.Run = func(q uint64, dst, src []uint64) error {
		err := run(q, dst, src)
		dst[0] |= 1 << 40
		return err
	}
	f, _, err = foundAs[*ModularFailure](judge.Find(modularLaw(t, model.MontRange), m, 200))
	require.NoError(t, err)
	require.Equal(t, Broken, f.Verdict.Outcome)
	require.Contains(t, f.Verdict.Reason, "has more than 32 bits")
}

// reportsOfModulars are the mutants whose reports are on file.
var reportsOfModulars = []struct {
	mutant string
	law    model.LawID
}{
	{"MontgomeryHighCarryLost", model.MontValue},
	{"SquaredRadix", model.MontDistributes},
	{"SubGreater", model.MontRange},
	{"AddLazyDrifts", model.MontClosure},
	{"ShoupRoundedUp", model.MontConstants},
	{"AcceptsLarge", model.MontRefuses},
}

// TestModularReports holds the reports of mutants to those on file, and their JSON to the same.
func TestModularReports(t *testing.T) {
	home, err := os.Getwd()
	require.NoError(t, err)
	for _, c := range reportsOfModulars {
		t.Run(c.mutant, func(t *testing.T) {
			t.Chdir(t.TempDir())
			f := modularReport(t, modularMutant(t, c.mutant), c.law)
			text := f.Text()
			lines := strings.Split(text, "\n")
			require.Regexp(t, "^reproduce ", lines[len(lines)-2])
			require.Regexp(t, "^saved as ", lines[len(lines)-1])
			for _, l := range lines[:len(lines)-2] {
				require.LessOrEqual(t, utf8.RuneCountInString(l), report.ReportWidth, l)
			}
			dir, err := os.Getwd()
			require.NoError(t, err)
			text = strings.ReplaceAll(text, dir, "DIR") + "\n"
			text = strings.ReplaceAll(text, os.Args[0], "props.test")
			file := filepath.Join(home, "testdata/modular-reports", strings.ToLower(c.mutant)+".txt")
			if *updateReports {
				require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "run with -update to write it")
			require.Equal(t, string(want), text, "the report has changed; look at it, then run with -update")

			line, err := f.JSON()
			require.NoError(t, err)
			var j residues.JSONModularFailure
			require.NoError(t, json.Unmarshal(line, &j))
			require.Equal(t, string(c.law), j.Law)
			require.Equal(t, fmt.Sprint(f.Modulus), j.Modulus.Decimal)
			require.Len(t, j.Operands, len(f.Claim.In))
			require.Equal(t, f.Cause, j.Cause)
			require.NotEmpty(t, j.File)

			// The file shows it again, and a sound kernel of that name passes.
			m := modularMutant(t, c.mutant)
			require.ErrorContains(t, replaysModular(t, m), "violates "+string(c.law))
			m.Run = soundRun(m.Claim)
			require.NoError(t, replaysModular(t, m))
		})
	}
}

// soundRun computes a claim by division.
func soundRun(c modular.Claim) func(q uint64, dst, src []uint64) error {
	return func(q uint64, dst, src []uint64) error {
		r, err := oracle.NewResidues(&c, q)
		if err != nil {
			return err
		}
		n, m := len(c.In), len(c.Out)
		for i := range len(dst) / m {
			want, _, why := r.Row(src[i*n : (i+1)*n])
			if why != "" {
				return errors.New(why)
			}
			copy(dst[i*m:], want)
		}
		return nil
	}
}

// modularReport is the report of a fault, reduced and saved below the working directory.
func modularReport(t *testing.T, m Modular, id model.LawID) *ModularFailure {
	t.Helper()
	l := modularLaw(t, id)
	set, err := engine.ReadSettings()
	require.NoError(t, err)
	p, err := m.Subject()
	require.NoError(t, err)
	r := residues.NewModularRun(p, set)
	in, v, st, err := engine.New(r).Find(engine.Erase(&l), 20000)
	require.NoError(t, err)
	require.True(t, v.Fails(), "%s survives %s", m.Name, id)
	r.Set.Save = engine.SaveDirName
	r.Sum.Test = "TestProp"
	st.Cases = st.Holds + 1
	return r.Examine(&l, in.(*residues.ModularCase), st).(*ModularFailure)
}

// replaysModular replays what is on file for an operation and returns what fails.
func replaysModular(t *testing.T, m Modular) error {
	t.Helper()
	p, err := m.Subject()
	require.NoError(t, err)
	r := residues.NewModularRun(p, engine.Settings{})
	files, errs := r.OnFile(r.Owns)
	q := &check.QuietTB{}
	for i := range files {
		engine.New(r).ReplayFile(recorderTB{TB: t, q: q}, &files[i])
	}
	if q.HasFailed {
		errs = append(errs, errors.New(q.Text.String()))
	}
	return errors.Join(errs...)
}

// TestModularOpenFaults: a row that is expected to be violated fails the replay once it holds, and keeps the law from being searched.
func TestModularOpenFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	m := modularMutant(t, "AddGreater")
	_, err := corpus.Save(engine.SaveDirName, &corpus.Residues{
		Law: model.MontRange, Kernel: m.Name, Bits: 64, Modulus: 7,
		Rows: []corpus.ResidueRow{{Words: []uint64{3, 4}, Expect: corpus.ExpectViolated}, {Words: []uint64{3, 3}}},
	}, corpus.Options{})
	require.NoError(t, err)
	require.NoError(t, replaysModular(t, m))
	m.Run = soundRun(m.Claim)
	require.ErrorContains(t, replaysModular(t, m), "is on file as a known open fault, and the law does not fail it any more")

	for _, c := range []struct {
		text, want string
	}{
		{"law mont.range\nkernel K\nbits 64\nmodulus 8\nrow 3 4 holds\n", "modulus 8 is even"},
		{"law mont.range\nkernel K\nbits 64\nmodulus 7\nrow 3 holds\n", "are no 1 rows of 2"},
		{"law mont.range\nkernel K\nbits 64\nmodulus 7\nrow 3 7 holds\n", "word b is 7, and is to be below q = 7"},
		{"law mont.inverse\nkernel K\nbits 64\nmodulus 7\nrow 3 4 holds\n", "law mont.inverse says nothing"},
		{"law mont.nothing\nkernel K\nbits 64\nmodulus 7\nrow 3 4 holds\n", "no law of an operation on residues is called"},
		{"law mont.refuses\nkernel K\nbits 64\nmodulus 7\n", "modulus 7 is claimed"},
		{"law mont.range\nkernel K\nbehaviour rne ftz=on contract=off\nbits 64\nmodulus 7\nrow 3 4 holds\n", "runs on no device"},
	} {
		require.NoError(t, os.RemoveAll(engine.SaveDirName))
		require.NoError(t, os.MkdirAll(engine.SaveDirName, 0o777))
		text := "gamma residues v1\n" + strings.ReplaceAll(c.text, "K", m.Name)
		require.NoError(t, os.WriteFile(filepath.Join(engine.SaveDirName, "a.residues"), []byte(text), 0o666))
		require.ErrorContains(t, replaysModular(t, m), c.want)
	}
}

// TestModularBatchFault reduces a fault that only batches of some length show to the shortest one.
func TestModularBatchFault(t *testing.T) {
	t.Chdir(t.TempDir())
	m := mulMod()
	run := m.Run
	m.Run = func(q uint64, dst, src []uint64) error {
		err := run(q, dst, src)
		if len(dst) > 4 {
			dst[4] = (dst[4] + 1) % q
		}
		return err
	}
	f := modularReport(t, m, model.MontValue)
	require.Len(t, f.Rows, 5)
	require.Equal(t, 4, f.Row)
	require.Contains(t, f.Text(), "of a batch of 5; alone it does not fail")
	require.ErrorContains(t, replaysModular(t, m), "violates mont.value")
}

// TestModularCauses: mutants are recognised by what they compute, and sound kernels are none of them.
func TestModularCauses(t *testing.T) {
	for name, want := range map[string]string{
		"MontgomeryCarryDropped": "carry out of the low words of T+m·q is dropped", "MontgomeryCarryDropped32": "is dropped",
		"MontgomeryCarryGreater": "tested as lo > mq_lo", "MontgomeryCarryAlways": "wherever T is not 0",
		"MontgomeryHighCarryLost": "sum of the high words is lost", "MontgomeryUnreduced": "last conditional subtraction of Montgomery's reduction is missing",
		"MontgomeryGreater": "tests > q where >= q", "MontgomerySign": "q' has the wrong sign", "MontgomeryTwice": "lacks a factor R:",
		"IntoMontgomeryByOne": "lacks a factor R:", "PartialProducts": "% is used on partial products", "SquaredRadix": "(√R mod q)² in one word",
		"HighWordLeftOut": "the high word is left out", "ShoupQuotientUp": "Shoup's factor is too large", "ShoupUnreduced": "Shoup's product is missing",
		"ShoupGreater": "Shoup's product tests >", "AddGreater": "a sum tests >", "AddUnreduced": "subtraction of a sum is missing",
		"AddCarryLost": "a sum loses its carry", "SubGreater": "a difference tests >", "SubUnfolded": "a difference that is negative",
		"NegZero": "a negative is q-a for 0", "RadixUnreduced": "R mod q is computed as R-q", "RadixSquaredInWord": "R² mod q is computed",
		"NegativeInverseSign": "other sign", "ShoupRoundedUp": "rounded up", "InverseUnfolded": "an inverse",
		"PowerShort": "", "AddSticky": "", "ButterflySigns": "", "LimbCarryLost": "by halves of 32 bits loses a carry",
	} {
		m, ok := mutants.FindModular("mutants." + name)
		require.True(t, ok, name)
		f, _, err := foundAs[*ModularFailure](judge.Find(modularLaw(t, m.Kills), Modular{Name: m.Name, Claim: m.Claim, Run: m.Run}, 20000))
		require.NoError(t, err)
		require.NotNil(t, f, name)
		if want == "" {
			require.Empty(t, f.Cause, name)
		} else {
			require.Contains(t, f.Cause, want, name)
		}
	}
	for _, k := range montgomery.All() {
		p, err := Modular{Name: k.Name, Claim: k.Claim, Run: k.Run}.Subject()
		require.NoError(t, err)
		l := modularLaw(t, model.MontRange)
		r := residues.NewModularRun(p, engine.Settings{})
		d := residues.NewModularDrawer(p, &l, &r.Set)
		rng := draw.Splitmix(3)
		seed := rng.Next()
		c := d.Expand(int(rng.Next()&0xffff), uint8(rng.Next()), 1, seed, 1)
		fault, cause := r.Cause(&l, c, c.Batch.Q, nil)
		require.Empty(t, fault+cause, k.Name)
	}
}

// TestModularFamilies: every family gives words of the ranges for every claim, and those for carries make them.
func TestModularFamilies(t *testing.T) {
	kernels := montgomery.All()
	for i := range kernels {
		c := &kernels[i].Claim
		m := residues.NewModuli(c)
		var g residues.ModularGenerator
		rng := draw.Splitmix(uint64(i))
		for k := range 40 {
			q := m.Draw(uint8(k*17), &rng)
			require.NoError(t, residues.Admitted(c, q), kernels[i].Name)
			res, err := residues.NewResidues(c, q)
			require.NoError(t, err)
			g.Begin(c, q)
			g.Rng, g.B = draw.Splitmix(rng.Next()), k
			for _, f := range residues.AllFamilies {
				row := make([]uint64, len(c.In))
				f.Draw(&g, row)
				g.Fix(row)
				require.Empty(t, res.WrongWord(row), "%s of %s modulo %d: %d", f.Name, kernels[i].Name, q, row)
				_, claimed, why := res.Truth.Row(row)
				require.True(t, claimed, why)
			}
			if !c.Moduli.Refuses() {
				require.Empty(t, m.Refused, kernels[i].Name)
				continue
			}
			bad := m.Refuse(uint8(k*7), &rng)
			require.Error(t, residues.Admitted(c, bad), "%s: %d", kernels[i].Name, bad)
		}
	}
	c := mulMod().Claim
	c.Moduli.Max = 0
	var g residues.ModularGenerator
	low := map[uint64]int{}
	g.Begin(&c, 0xfffffffffffffff1)
	for range 4000 {
		row := make([]uint64, 2)
		g.Carries(row)
		low[row[0]*row[1]]++
	}
	require.Greater(t, low[0], 50)
	require.Greater(t, low[^uint64(0)], 50)
	require.Greater(t, low[1], 50)
}

// TestModularOnDevice judges a device whose faults show only when threads run in another order, and what its checkers find.
func TestModularOnDevice(t *testing.T) {
	m := mulMod()
	hasOrder(&m.Device, t, &m)
	run := m.RunOn
	m.RunOn = func(at Setting, q uint64, dst, src []uint64) error {
		err := run(at, q, dst, src)
		if at.Behaviour.Order == "reverse" {
			dst[0] = 0
		}
		if at.Launch.Threads.X > 32 && err == nil {
			return model.Findings{{Kind: model.FindingRace, Kernel: "mul", Text: "a race"}}
		}
		return err
	}
	m.Device.Admits = model.Behaviour{Order: "accesses", Poison: true, ULP: true}
	m.Device.Checked = true
	m.Device.MaxN = 40
	m.Device.Launches = func(rows int) []model.Launch {
		return []model.Launch{model.Launch1D((rows+31)/32, 32), model.Launch1D((rows+63)/64, 64)}
	}
	f, _, err := foundAs[*ModularFailure](judge.Find(modularLaw(t, model.MontValue), m, 5000))
	require.NoError(t, err)
	require.NotNil(t, f)
	require.Equal(t, model.Behaviour{Order: "reverse"}, f.Setting.Behaviour, "and nothing else matters")
	require.Contains(t, f.Text(), "behaviour   ")
	require.Contains(t, f.Text(), "launch      ")
	f, _, err = foundAs[*ModularFailure](judge.Find(modularLaw(t, model.KernelRace), m, 5000))
	require.NoError(t, err)
	require.NotNil(t, f)
	require.Contains(t, f.Text(), "a race")
	f, judged, err := foundAs[*ModularFailure](judge.Find(modularLaw(t, model.KernelBounds), m, 1000))
	require.NoError(t, err)
	require.Nil(t, f)
	require.Positive(t, judged)
	f, judged, err = foundAs[*ModularFailure](judge.Find(modularLaw(t, model.MontRefuses), m, 300))
	require.NoError(t, err)
	require.Nil(t, f)
	require.Positive(t, judged)
	_, _, err = foundAs[*ModularFailure](judge.Find(modularLaw(t, model.KernelBounds), mulMod(), 1000))
	require.ErrorContains(t, err, "the law is one of kernels on a device")
}

// TestJudgeResidues judges rows that are computed already, and one that is run.
func TestJudgeResidues(t *testing.T) {
	c := mulMod().Claim
	judged := func(id model.LawID, q uint64, in, out []uint64, more ...ModularRun) Verdict {
		t.Helper()
		v, err := JudgeResidues(modularLaw(t, id), c, q, in, out, more...)
		require.NoError(t, err)
		require.Equal(t, id, v.Law)
		return v
	}
	require.Equal(t, Holds, judged(model.MontValue, 7, []uint64{3, 4}, []uint64{5}).Outcome)
	require.Equal(t, Holds, judged(model.MontValue, 7, []uint64{3, 4}, []uint64{12}).Outcome, "the range is another law's")
	require.Equal(t, Violated, judged(model.MontValue, 7, []uint64{3, 4}, []uint64{6}).Outcome)
	require.Equal(t, Violated, judged(model.MontRange, 7, []uint64{3, 4}, []uint64{12}).Outcome)
	require.Equal(t, Vacuous, judged(model.MontConstants, 7, []uint64{3, 4}, []uint64{5}).Outcome)
	require.Equal(t, Vacuous, judged(model.MontIdentity, 7, []uint64{3, 4}, []uint64{5}, ModularRun{}).Outcome)
	require.Equal(t, Violated, judged(model.MontIdentity, 7, []uint64{3, 1}, []uint64{5}, ModularRun{}).Outcome)
	require.Equal(t, Violated, judged(model.MontIdentity, 7, []uint64{3, 4}, []uint64{5}, ModularRun{In: []uint64{4, 3}, Out: []uint64{6}}).Outcome)
	sum := []ModularRun{{In: []uint64{2, 4}, Out: []uint64{1}}, {In: []uint64{5, 4}, Out: []uint64{6}}}
	require.Equal(t, Holds, judged(model.MontDistributes, 7, []uint64{3, 4}, []uint64{5}, sum...).Outcome)
	sum[1].Out[0] = 5
	require.Equal(t, Violated, judged(model.MontDistributes, 7, []uint64{3, 4}, []uint64{5}, sum...).Outcome)

	for _, bad := range []struct {
		id      model.LawID
		q       uint64
		in, out []uint64
		want    string
	}{
		{model.MontValue, 8, []uint64{3, 4}, []uint64{5}, "modulus 8 is even"},
		{model.MontValue, 7, []uint64{3, 7}, []uint64{5}, "word b is 7, and is to be below q = 7"},
		{model.MontValue, 7, []uint64{3}, []uint64{5}, "a row of the claim has 2 words and 1 results"},
		{model.MontRefuses, 7, []uint64{3, 4}, []uint64{5}, "use Judge"},
		{model.MontIdentity, 7, []uint64{3, 4}, []uint64{5}, "asks for 1 rows more, and is given 0"},
		{model.KernelRace, 7, []uint64{3, 4}, []uint64{5}, "has no Judge function for rows"},
	} {
		v, err := JudgeResidues(modularLaw(t, bad.id), c, bad.q, bad.in, bad.out)
		require.ErrorContains(t, err, bad.want)
		require.Equal(t, Vacuous, v.Outcome)
	}
	v, err := judge.Judge(modularLaw(t, model.MontClosure), mulMod(), residueRow(11, 3, 4))
	require.NoError(t, err)
	require.Equal(t, Holds, v.Outcome)
	v, err = judge.Judge(modularLaw(t, model.MontRefuses), mulMod(), residueRow(10, 0, 0))
	require.NoError(t, err)
	require.Equal(t, Holds, v.Outcome)
	_, err = judge.Judge(modularLaw(t, model.MontRefuses), mulMod(), residueRow(11, 0, 0))
	require.ErrorContains(t, err, "modulus 11 is claimed")
	_, err = judge.LawByID(judge.ModularLaws(), "mont.nothing")
	require.ErrorContains(t, err, "is called \"mont.nothing\"")
	require.NotEmpty(t, residues.ModularFamilies())
}

// TestOwnModularLaw judges a law of the user's own.
func TestOwnModularLaw(t *testing.T) {
	m := mulMod()
	square := ModularLaw{
		ID: "mont.square", Statement: "a·a is no 2 modulo 5", Hypotheses: "q = 5", Source: "Euler's criterion",
		Again: []func(r *ModularRow) []uint64{func(r *ModularRow) []uint64 { return []uint64{r.In[0], r.In[0]} }},
		Judge: func(r *ModularRow) Verdict {
			switch {
			case r.Modulus != 5:
				return Verdict{Outcome: Vacuous, Reason: "the modulus is not 5"}
			case r.More[0].Out[0] == 2 || r.More[0].Out[0] == 3:
				return Verdict{Outcome: Violated, Reason: "2 is no square modulo 5"}
			}
			return Verdict{}
		},
	}
	m.Laws = []ModularLaw{square}
	f, judged, err := foundAs[*ModularFailure](judge.Find(square, m, 40000))
	require.NoError(t, err)
	require.Nil(t, f)
	require.Positive(t, judged)
}

// TestModularIsolation runs a hostile kernel in a child process: hangs, deaths, panics and spoilt operands become verdicts.
func TestModularIsolation(t *testing.T) {
	m := mulMod()
	run := m.Run
	m.Run = func(q uint64, dst, src []uint64) error {
		switch q {
		case 101:
			select {}
		case 103:
			os.Exit(7)
		case 107:
			panic("q is 107")
		case 109:
			src[0]++
		case 113:
			return errors.New("not 113")
		}
		return run(q, dst, src)
	}
	p, err := m.Subject()
	require.NoError(t, err)
	if mine, other := engine.IsChildFor(t.Name(), p.Name); mine {
		require.NoError(t, engine.Serve(residues.NewModularRun(p, engine.Settings{}).Served()))
		return
	} else if other {
		return
	}
	iso := engine.NewIsolation(t.Name(), p.Name, 3*time.Second)
	defer iso.Stop()
	p = residues.NewModularRun(p, engine.Settings{}).Isolated(iso.Ask).(*residues.Run).P
	l := modularLaw(t, model.MontValue)
	trial := residues.NewModularTrial(p)
	for _, c := range []struct {
		q      uint64
		reason string
	}{
		{7, ""},
		{1<<61 - 1, ""},
		{101, "did not return within 3s"},
		{9, ""},
		{103, "exit status 7"},
		{107, "panicked: q is 107"},
		{109, "changed word 0 of its operands"},
		{113, "the kernel returned an error: not 113"},
		{11, ""},
	} {
		v := trial.Judge(&l, &residues.ModularCase{Batch: &residues.ModularBatch{Q: c.q, In: []uint64{c.q - 1, c.q - 2}, Rows: 1}})
		if c.reason == "" {
			require.Equal(t, Holds, v.Outcome, "%v", v)
			continue
		}
		require.Equal(t, Broken, v.Outcome)
		require.Contains(t, v.Reason, c.reason)
	}
	refuses := modularLaw(t, model.MontRefuses)
	v := trial.Judge(&refuses, &residues.ModularCase{Batch: &residues.ModularBatch{Q: 8, In: []uint64{0, 0}, Rows: 1}})
	require.Equal(t, Holds, v.Outcome, "%v", v)
}

// TestModularBytes: every string of bytes is a batch that the operation takes.
func TestModularBytes(t *testing.T) {
	rng := draw.Splitmix(5)
	for _, k := range montgomery.All() {
		p, err := Modular{Name: k.Name, Claim: k.Claim, Run: k.Run}.Subject()
		require.NoError(t, err)
		r := residues.NewModularRun(p, engine.Settings{})
		laws := askedOf(r)
		for i := range 12 {
			data := make([]byte, rng.Below(80))
			for j := range data {
				data[j] = byte(rng.Next() >> 33)
			}
			if i == 0 {
				data = nil
			}
			b := engine.Decoder(data)
			l := &laws[i%len(laws)]
			c := r.Decode(&b, l)
			require.NoError(t, p.Accepts(l, c.Batch.At, c.Batch.Q, c.Batch.In, c.Batch.Rows), "%s %s %x", k.Name, l.ID, data)
			trial := residues.NewModularTrial(p)
			v := trial.Judge(l, c)
			require.False(t, v.Fails(), "%s: %v", k.Name, v)
		}
	}
}

// TestEmbeddedModulars judges every row of operations on residues that package corpus carries, and finds the kernel of each; those of
// shaders are for package device to judge.
func TestEmbeddedModulars(t *testing.T) {
	kernels := map[string]Modular{}
	for _, k := range montgomery.All() {
		kernels[k.Name] = Modular{Name: k.Name, Claim: k.Claim, Run: k.Run}
	}
	for _, m := range mutants.Modulars() {
		kernels[m.Name] = Modular{Name: m.Name, Claim: m.Claim, Run: m.Run}
	}
	for _, f := range embeddedOf[*corpus.Residues]() {
		c := f.Body
		if c.N != 0 || strings.HasPrefix(c.Kernel, "shaders/") || strings.HasPrefix(string(c.Law), "ntt.") {
			continue
		}
		m, ok := kernels[c.Kernel]
		if !ok {
			t.Errorf("%s: there is no kernel %s", f.Path, c.Kernel)
			continue
		}
		p, err := m.Subject()
		require.NoError(t, err)
		r := residues.NewModularRun(p, engine.Settings{})
		engine.New(r).ReplayFile(t, asFile(f))
	}
}

// TestModularCauseOfRanges: one conditional subtraction, or addition, where the ranges of the operands need two is named as that, and
// not as a lost carry, which gives the same results as long as nothing exceeds a word.
func TestModularCauseOfRanges(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	claim := func(f modular.Function) modular.Claim {
		return modular.Claim{
			Function: f, Bits: 32, In: []modular.Word{{Name: "a", Range: 1}, {Name: "b", Range: 2}}, Out: []modular.Word{{Name: "z", Range: 1}},
			Moduli: modular.Moduli{Max: 1<<30 - 1},
		}
	}
	for name, c := range map[string]struct {
		function modular.Function
		once     func(a, b, q uint64) uint64
		want     string
	}{
		"sum": {modular.Sum, func(a, b, q uint64) uint64 {
			if a += b; a >= q {
				a -= q
			}
			return a
		}, "a sum subtracts q once, and the ranges"},
		"difference": {modular.Difference, func(a, b, q uint64) uint64 {
			if a -= b; int64(a) < 0 {
				a += q
			}
			return a & 0xffffffff
		}, "a difference adds q once, and the ranges"},
	} {
		m := Modular{Name: "mine." + name, Claim: claim(c.function), Run: func(q uint64, dst, src []uint64) error {
			for i := range dst {
				dst[i] = c.once(src[2*i], src[2*i+1], q)
			}
			return nil
		}}
		f, _, err := foundAs[*ModularFailure](judge.Find(modularLaw(t, model.MontRange), m, 1000))
		require.NoError(t, err)
		require.NotNil(t, f, name)
		require.Contains(t, f.Cause, c.want, name)
	}
}
