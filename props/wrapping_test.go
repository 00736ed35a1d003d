package props

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
	"gamma/props/judge"
)

// wrappingMutant is a sum with a planted fault: by which laws it is killed, and which it holds.
type wrappingMutant struct {
	name         string
	bits         int
	run          func() func(x []uint64) uint64 // each call returns a kernel with its own state
	kills, holds []model.LawID
}

// plainly returns a kernel without state, and term the sum of the terms as f changes them.
func plainly(f func(x []uint64) uint64) func() func([]uint64) uint64 {
	return func() func([]uint64) uint64 { return f }
}

func term(k int, f func(i, n int, v uint64) uint64) func() func([]uint64) uint64 {
	return plainly(func(x []uint64) (s uint64) {
		for i, v := range x {
			s += f(i, len(x), v)
		}
		return s & residues.GreatestWord(k)
	})
}

var wrappingMutants = []wrappingMutant{
	{"drops_last", 32, term(32, func(i, n int, v uint64) uint64 {
		if i == n-1 {
			return 0
		}
		return v
	}), []model.LawID{model.WrapExact, model.WrapPermute, model.WrapSplit}, []model.LawID{model.WrapRepeat}},
	{"drops_first_of_tail", 64, term(64, func(i, n int, v uint64) uint64 {
		if i == n&^3 {
			return 0
		}
		return v
	}), []model.LawID{model.WrapExact, model.WrapPermute, model.WrapSplit}, []model.LawID{model.WrapRepeat}},
	{"doubles_one", 8, term(8, func(i, n int, v uint64) uint64 {
		if i == 31 {
			return 2 * v
		}
		return v
	}), []model.LawID{model.WrapExact, model.WrapPermute, model.WrapSplit}, []model.LawID{model.WrapRepeat}},
	{
		"accumulator16", 32,
		plainly(func(x []uint64) uint64 {
			var s uint16
			for _, v := range x {
				s += uint16(v)
			}
			return uint64(s)
		}),
		[]model.LawID{model.WrapExact, model.WrapSplit},
		[]model.LawID{model.WrapPermute, model.WrapRepeat},
	},
	{
		"accumulator32", 64,
		plainly(func(x []uint64) uint64 {
			var s uint32
			for _, v := range x {
				s += uint32(v)
			}
			return uint64(s)
		}),
		[]model.LawID{model.WrapExact, model.WrapSplit},
		[]model.LawID{model.WrapPermute, model.WrapRepeat},
	},
	{
		"saturates", 16,
		plainly(func(x []uint64) (s uint64) {
			for _, v := range x {
				s = min(s+v, 1<<16-1)
			}
			return s
		}),
		[]model.LawID{model.WrapExact, model.WrapSplit},
		[]model.LawID{model.WrapPermute, model.WrapRepeat},
	},
	{
		"signed_shift", 64, term(64, func(_, _ int, v uint64) uint64 { return v>>32<<32 + uint64(int64(v<<32)>>32) }),
		[]model.LawID{model.WrapExact},
		[]model.LawID{model.WrapPermute, model.WrapSplit, model.WrapRepeat},
	},
	{
		"lost_carry", 64,
		plainly(func(x []uint64) uint64 {
			var lo, hi uint32
			for _, v := range x {
				lo += uint32(v)
				hi += uint32(v >> 32)
			}
			return uint64(hi)<<32 | uint64(lo)
		}),
		[]model.LawID{model.WrapExact, model.WrapSplit},
		[]model.LawID{model.WrapPermute, model.WrapRepeat},
	},
	{
		"stale", 32,
		func() func(x []uint64) uint64 {
			var s uint32
			return func(x []uint64) uint64 {
				if len(x) >= 64 { // its short path clears what the long one keeps
					s &= 0xff
				} else {
					s = 0
				}
				for _, v := range x {
					s += uint32(v)
				}
				return uint64(s)
			}
		},
		[]model.LawID{model.WrapExact, model.WrapRepeat},
		nil,
	},
}

func (m *wrappingMutant) subject() Wrapping {
	return Wrapping{Name: "mutants." + m.name, Bits: m.bits, Run: m.run()}
}

// TestWrappingMutants holds each law to the mutants that it kills, and to those that it does not.
func TestWrappingMutants(t *testing.T) {
	for _, m := range wrappingMutants {
		for _, id := range append(m.kills, m.holds...) {
			l, err := judge.LawByID(judge.WrappingLaws(), id)
			require.NoError(t, err)
			_, n, v, err := judge.Search(l, m.subject(), 3000)
			require.NoError(t, err)
			want := Violated
			for _, h := range m.holds {
				if h == id {
					want = Holds
				}
			}
			require.Equal(t, want, v.Outcome, "%s of %s: %v", id, m.name, v)
			if want == Violated {
				t.Logf("%-20s %-12s killed after %d", m.name, id, n)
			}
		}
	}
}

// TestWrappingReports compares the reports of the mutants with those on file.
func TestWrappingReports(t *testing.T) {
	for _, m := range wrappingMutants {
		f, _, err := judge.Find(lawNamed(t, m.kills[0]), m.subject(), 3000)
		require.NoError(t, err)
		require.NotNil(t, f, m.name)
		requireReport(t, f, "wrapping", m.name)
	}
}

// requireReport compares the text of a report, without its command, with that on file below testdata, and looks at its JSON.
func requireReport(t *testing.T, f Report, kind, name string) {
	t.Helper()
	text := f.Text()
	text = text[:strings.LastIndex(text, "reproduce")]
	file := filepath.Join("testdata", kind+"-reports", name+".txt")
	if *updateReports {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
	line, err := f.JSON()
	require.NoError(t, err)
	require.Contains(t, string(line), `"kind":"`+kind+`"`)
}

func lawNamed(t *testing.T, id model.LawID) WrappingLaw {
	t.Helper()
	l, err := judge.LawByID(judge.WrappingLaws(), id)
	require.NoError(t, err)
	return l
}

// TestWrappingRight holds the right kernel of each width to every law, by five seeds.
func TestWrappingRight(t *testing.T) {
	for _, k := range kernels.Integers() {
		for _, seed := range []string{"1", "2", "3", "4", "5"} {
			t.Run(k.Name+"/"+seed, func(t *testing.T) {
				t.Setenv("GAMMA_SEED", seed)
				t.Setenv("GAMMA_CHECKS", "300")
				Wrapping{Name: k.Name, Bits: k.Bits, Run: k.Sum}.Check(t)
			})
		}
	}
}

// TestWrappingCase judges cases given as files hold them.
func TestWrappingCase(t *testing.T) {
	w := Wrapping{Name: "k", Bits: 8, MinN: 2, MaxN: 4, Run: func(x []uint64) uint64 { return (x[0] + x[1]) & 255 }}
	exact, split := lawNamed(t, model.WrapExact), lawNamed(t, model.WrapSplit)
	v, err := judge.Judge(exact, w, &corpus.Integers{X: []uint64{200, 100}})
	require.NoError(t, err)
	require.Equal(t, Holds, v.Outcome)
	v, err = judge.Judge(exact, w, &corpus.Integers{X: []uint64{200, 100, 1}})
	require.NoError(t, err)
	require.Equal(t, "the sum is 0x2c, and Σx_i mod 2^k is 0x2d", v.Reason)
	v, err = judge.Judge(split, w, &corpus.Integers{X: []uint64{200, 100, 1}})
	require.NoError(t, err)
	require.Equal(t, Vacuous, v.Outcome)
	for _, wrong := range []corpus.Body{&corpus.Integers{X: []uint64{1}}, &corpus.Integers{X: []uint64{1, 256}}, &corpus.Case{}, nil, (*corpus.Integers)(nil)} {
		_, err = judge.Judge(exact, w, wrong)
		require.Error(t, err)
	}
	w.Run = func(x []uint64) uint64 { return x[0] + x[1] }
	v, err = judge.Judge(exact, w, &corpus.Integers{X: []uint64{200, 100}})
	require.NoError(t, err)
	require.Equal(t, Broken, v.Outcome)
	r, err := judge.Examine(exact, w, &corpus.Integers{X: []uint64{200, 100, 0}})
	require.NoError(t, err)
	require.Contains(t, r.Text(), "which has more than 8 bits")
}

// TestWrappingFields names the field that is wrong.
func TestWrappingFields(t *testing.T) {
	run := func([]uint64) uint64 { return 0 }
	runOn := func(Setting, []uint64) (uint64, error) { return 0, nil }
	for text, w := range map[string]Wrapping{
		"has no Name":                              {Bits: 8, Run: run},
		"Bits is 12":                               {Name: "k", Bits: 12, Run: run},
		"sets no Run function":                     {Name: "k", Bits: 8},
		"sets both Run and RunOn":                  {Name: "k", Bits: 8, Run: run, RunOn: runOn},
		"sets Device beside Run":                   {Name: "k", Bits: 8, Run: run, Device: DeviceClaim{Checked: true}},
		"MinN and MaxN are 3 and 2":                {Name: "k", Bits: 8, Run: run, MinN: 3, MaxN: 2},
		"Device.MaxN and Cost are -1":              {Name: "k", Bits: 8, RunOn: runOn, Device: DeviceClaim{MaxN: -1}},
		"law \"wrap.exact\" of its own has the ID": {Name: "k", Bits: 8, Run: run, Laws: []WrappingLaw{{ID: model.WrapExact, Judge: func(*WrappingTrial) Verdict { return Verdict{} }}}},
	} {
		_, err := w.Judged(settingsOf(t))
		require.ErrorContains(t, err, text)
	}
}

// TestWrappingHardware compares hardware with its reference, and its runs with each other.
func TestWrappingHardware(t *testing.T) {
	for _, id := range []model.LawID{model.DeviceEqual, model.DeviceRepeat, model.KernelRace} {
		for _, faulty := range []bool{false, true} {
			calls := 0
			w := Wrapping{
				Name: "k", Bits: 32, Device: DeviceClaim{Hardware: true, Kind: "cuda", Reference: "sim", Checked: true, MaxN: 100},
				RunOn: func(at Setting, x []uint64) (s uint64, err error) {
					for _, v := range x {
						s += v
					}
					calls++
					if faulty && (id == model.DeviceEqual && !at.Reference || id == model.DeviceRepeat && calls%7 == 0) {
						s++
					}
					if faulty && id == model.KernelRace {
						err = model.Findings{{Kind: model.FindingRace}}
					}
					return s & (1<<32 - 1), err
				},
			}
			_, n, v, err := judge.Search(lawNamed(t, id), w, 50)
			require.NoError(t, err)
			require.Positive(t, n)
			require.Equal(t, faulty, v.Fails(), "%s: %v", id, v)
		}
	}
}

// FuzzWrapping judges the right kernels on terms that Go's fuzzer makes.
func FuzzWrapping(f *testing.F) {
	var list []Wrapping
	for _, k := range kernels.Integers() {
		list = append(list, Wrapping{Name: k.Name, Bits: k.Bits, Run: k.Sum})
	}
	FuzzAll(f, list...)
}

// TestWrappingLaunches judges a kernel on a device whose launches depend on the number of terms, and one that loses the last thread.
func TestWrappingLaunches(t *testing.T) {
	for _, lost := range []int{0, 1} {
		w := Wrapping{
			Name: "k", Bits: 16, MinN: 1,
			Device: DeviceClaim{
				Cost: 1, MaxN: 600, Admits: model.Behaviour{Order: "reverse"},
				Launches: func(n int) []model.Launch { return []model.Launch{model.Launch1D((n+31)/32, 32)} },
			},
			RunOn: func(at Setting, x []uint64) (s uint64, err error) {
				threads := at.Launch.Groups.X*at.Launch.Threads.X - lost
				for _, v := range x[:min(threads, len(x))] {
					s += v
				}
				return s & 0xffff, nil
			},
		}
		for _, id := range []model.LawID{model.WrapExact, model.WrapPermute, model.WrapSplit, model.WrapRepeat} {
			_, n, v, err := judge.Search(lawNamed(t, id), w, 300)
			require.NoError(t, err)
			require.Equal(t, lost == 1 && id != model.WrapRepeat, v.Fails(), "%s: %v", id, v)
			require.Positive(t, n)
		}
	}
}

// TestWrappingCauseOfWhatWasDrawn: that the reduced sum lacks a term is no cause where the terms that were drawn refute it: of one term 1 the
// result 0 is a sum without it, and of all others it is one too small.
func TestWrappingCauseOfWhatWasDrawn(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	l, err := judge.LawByID(judge.WrappingLaws(), model.WrapExact)
	require.NoError(t, err)
	for want, run := range map[string]func(x []uint64) uint64{
		"": func(x []uint64) uint64 { // by 1, and no term is 1
			s := uint64(0)
			for _, v := range x {
				s += v
			}
			return (s - min(1, s)) & 0xffffffff
		},
		"without x": func(x []uint64) uint64 {
			s := uint64(0)
			for _, v := range x[min(1, len(x)):] {
				s += v
			}
			return s & 0xffffffff
		},
	} {
		w := Wrapping{Name: "mine.Checksum", Bits: 32, Run: run}
		c := &corpus.Integers{Bits: 32, X: []uint64{3, 70000, 9, 1 << 31}}
		f, err := judge.Examine(l, w, c)
		require.NoError(t, err)
		cause := f.Common().Cause
		if want == "" {
			require.Empty(t, cause, f.Text())
		} else {
			require.Contains(t, cause, want)
		}
	}
}

// TestWrappingMultiple: a kernel without a tail is judged at multiples alone, by every law, by drawn terms and by a fuzzer's, and what it does
// wrong there is found and reduced to one of them.
func TestWrappingMultiple(t *testing.T) {
	const lanes = 8
	asked := map[int]bool{}
	byLanes := func(lost int) func(x []uint64) uint64 {
		return func(x []uint64) (s uint64) {
			asked[len(x)] = true
			for i := 0; i+lanes <= len(x); i += lanes {
				for k, v := range x[i : i+lanes] {
					if k != lost {
						s += v
					}
				}
			}
			return s & residues.GreatestWord(32)
		}
	}
	for name, w := range map[string]Wrapping{
		"any":   {MinN: 3},
		"few":   {MaxN: 20},
		"fixed": {MinN: 2 * lanes, MaxN: 2*lanes + 3},
	} {
		t.Run(name, func(t *testing.T) {
			clear(asked)
			w.Name, w.Bits, w.Multiple, w.Run = "wrapping.Lanes", 32, lanes, byLanes(-1)
			for _, l := range judge.WrappingLaws() {
				if l.Found == nil && !l.Hardware {
					_, _, v, err := judge.Search(l, w, 300)
					require.NoError(t, err)
					require.False(t, v.Fails(), "%s: %v", l.ID, v)
				}
			}
			j, err := w.Judged(engine.Settings{MaxN: 300})
			require.NoError(t, err)
			for _, seed := range j.Seeds() {
				b := engine.Decoder(seed)
				j.Fuzz(t, 0, &b)
			}
			for n := range asked {
				require.True(t, n%lanes == 0 && n >= w.MinN && (w.MaxN == 0 || n <= w.MaxN), n)
			}
			if name == "fixed" {
				require.Len(t, asked, 1)
			} else {
				require.Greater(t, len(asked), 2)
			}
			w.Run = byLanes(5)
			f, _, err := judge.Find(lawNamed(t, model.WrapExact), w, 300)
			require.NoError(t, err)
			require.NotNil(t, f)
			require.Contains(t, f.Text(), "sums modulo 2^32 of multiples of 8 terms")
			require.Len(t, f.(*WrappingFailure).Case.X, lanes*max(1, w.MinN/lanes))

			w.Multiple, w.Run = 0, byLanes(-1)
			f, _, err = judge.Find(lawNamed(t, model.WrapExact), w, 300)
			require.NoError(t, err)
			require.NotNil(t, f, "without Multiple the tail is missed")
		})
	}
	_, err := Wrapping{Name: "w", Bits: 8, MinN: 3, MaxN: 7, Multiple: 8, Run: byLanes(-1)}.Judged(engine.Settings{})
	require.ErrorContains(t, err, "MinN and MaxN are 3 and 7, and Multiple is 8")
	_, err = judge.Judge(lawNamed(t, model.WrapExact), Wrapping{Name: "w", Bits: 8, Multiple: 8, Run: byLanes(-1)}, &corpus.Integers{Bits: 8, X: make([]uint64, 9)})
	require.ErrorContains(t, err, "by multiples of 8, and not 9")
}
