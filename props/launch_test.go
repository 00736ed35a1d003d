package props

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels/eft"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/judge"
)

// foursOf are the launches of these tests: threadgroups of four threads, one thread an element.
func foursOf(n int) []model.Launch { return []model.Launch{model.Launch1D(max(1, (n+3)/4), 4)} }

// launchKind is a subject of one kind, wrong wherever there are two threadgroups or more, and what a report on it says of the reduced case.
type launchKind struct {
	name    string
	subject Subject
	search  func(t *testing.T) Report
	reduced func(f Report) (launch model.Launch, n int)
	least   int // elements that two threadgroups take
	runs    *int
}

// launchKinds returns a subject of each kind that runs on a device. Each fails the test if it is launched as none of foursOf.
func launchKinds(t *testing.T, bad bool) []launchKind {
	dev := DeviceClaim{Cost: 1, MaxN: 64, Launches: foursOf}
	runs := 0
	wrong := func(at Setting, n int) bool {
		t.Helper()
		runs++
		if !slices.Contains(foursOf(n), at.Launch) {
			t.Errorf("launched as %s for %d elements", at.Launch, n)
		}
		return bad && at.Launch.Groups.X > 1
	}
	sum := Reduction{Name: "launch.Sum", Device: dev, RunOn: func(at Setting, x []float32) (float32, error) {
		s := serial32(x)
		if wrong(at, len(x)) {
			s++
		}
		return s, nil
	}}
	two := eft.All()[0]
	words := Operation{Name: "launch.TwoSum", Claim: two.Claim, Device: dev, RunOn: func(at Setting, dst, src []float32) error {
		two.Run32(dst, src)
		if wrong(at, len(src)/2) {
			dst[len(dst)-2]++
		}
		return nil
	}}
	product := mulMod()
	residues := Modular{Name: "launch.MulMod", Claim: product.Claim, Device: dev, RunOn: func(at Setting, q uint64, dst, src []uint64) error {
		err := product.Run(q, dst, src)
		if wrong(at, len(dst)) && err == nil {
			dst[len(dst)-1] = (dst[len(dst)-1] + 1) % q
		}
		return err
	}}
	sound := mutants.SoundNTTs()[0]
	ntt := NTT{Name: "launch.NTT", Claim: sound.Claim, Device: dev, PlanOn: func(at Setting, tr modular.Transform) (modular.Transforms, error) {
		k, err := sound.Plan(tr)
		if err != nil {
			return k, err
		}
		forward := k.Forward
		k.Forward = func(dst, src []uint64) error {
			err := forward(dst, src)
			if wrong(at, tr.N) {
				dst[0] = (dst[0] + 1) % tr.Modulus
			}
			return err
		}
		return k, nil
	}}
	integers := Wrapping{Name: "launch.Integers", Bits: 16, Device: dev, RunOn: func(at Setting, x []uint64) (s uint64, err error) {
		for _, v := range x {
			s += v
		}
		if wrong(at, len(x)) {
			s++
		}
		return s & 0xffff, nil
	}}
	return []launchKind{
		{"Reduction", sum, searches(lawNamedOf(t, judge.Laws(), model.SumIntegers), sum), func(f Report) (model.Launch, int) {
			c := f.(*Failure).Case
			return c.Launch, c.N()
		}, 5, &runs},
		{"Operation", words, searches(lawNamedOf(t, judge.WordLaws(), model.EFTSum), words), func(f Report) (model.Launch, int) {
			w := f.(*WordFailure)
			return w.Setting.Launch, len(w.Rows)
		}, 5, &runs},
		{"Modular", residues, searches(lawNamedOf(t, judge.ModularLaws(), model.MontValue), residues), func(f Report) (model.Launch, int) {
			m := f.(*ModularFailure)
			return m.Setting.Launch, len(m.Rows)
		}, 5, &runs},
		{"NTT", ntt, searches(lawNamedOf(t, judge.NTTLaws(), model.NTTExact), ntt), func(f Report) (model.Launch, int) {
			n := f.(*NTTFailure)
			return n.Setting.Launch, n.Transform.N
		}, 8, &runs},
		{"Wrapping", integers, searches(lawNamedOf(t, judge.WrappingLaws(), model.WrapExact), integers), func(f Report) (model.Launch, int) {
			w := f.(*WrappingFailure)
			return w.Case.Launch, len(w.Case.X)
		}, 5, &runs},
	}
}

func lawNamedOf[J, C any](t *testing.T, list []LawOf[J, C], id model.LawID) LawOf[J, C] {
	t.Helper()
	l, err := judge.LawByID(list, id)
	require.NoError(t, err)
	return l
}

func searches[J, C any](l LawOf[J, C], s Subject) func(t *testing.T) Report {
	return func(t *testing.T) Report {
		t.Helper()
		f, _, err := judge.Find(l, s, 3000)
		require.NoError(t, err)
		return f
	}
}

// TestLaunchesOfEveryKind: drawing and reducing keep to the launches that a subject declares, and length and launch get smaller together.
func TestLaunchesOfEveryKind(t *testing.T) {
	for _, k := range launchKinds(t, true) {
		t.Run(k.name, func(t *testing.T) {
			f := k.search(t)
			require.NotNil(t, f)
			launch, n := k.reduced(f)
			require.Equal(t, k.least, n)
			require.Equal(t, model.Launch1D(2, 4), launch)
		})
	}
	for _, k := range launchKinds(t, false) {
		require.Nil(t, k.search(t), k.name)
	}
}

// TestLaunchOnFileThatIsNotDeclared: a case on file with a launch that the subject does not declare any more is refused by its name, with
// what to do, and the kernel does not run.
func TestLaunchOnFileThatIsNotDeclared(t *testing.T) {
	for _, k := range launchKinds(t, true) {
		t.Run(k.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("GAMMA_DIR", dir)
			t.Setenv("GAMMA_SAVE", dir)
			body := bodyOf(t, k.search(t))
			for launch, refused := range map[model.Launch]bool{model.Launch1D(2, 4): false, model.Launch1D(1, 1): true, model.Launch1D(4, 2): true} {
				head := body.Head()
				head.Launch = launch
				body.SetHead(head)
				file, err := corpus.Save(dir, body, engine.ReplayOptions)
				require.NoError(t, err)
				t.Setenv("GAMMA_CASE", file)
				set, err := engine.ReadSettings()
				require.NoError(t, err)
				j, err := k.subject.Judged(set)
				require.NoError(t, err)
				tb := &saidTB{TB: t}
				before := *k.runs
				j.Replay(tb, func(_ string, part func(t engine.TB)) { part(tb) })
				require.Len(t, tb.errs, 1)
				if !refused {
					require.Contains(t, tb.errs[0], "violates")
					continue
				}
				require.Equal(t, before, *k.runs, "a case that is refused does not run")
				for _, part := range []string{file, "launch " + launch.String(), "declares no such launch", "Launches", "delete the case"} {
					require.Contains(t, tb.errs[0], part)
				}
			}
		})
	}
}

// bodyOf returns the case that a report is about, as a file holds it.
func bodyOf(t *testing.T, f Report) corpus.Body {
	t.Helper()
	_, text, ok := strings.Cut(f.Text(), "saved as")
	require.False(t, ok, text)
	switch f := f.(type) {
	case *Failure:
		c := *f.Case
		c.Law, c.Kernel, c.Expect = f.Law.ID, f.Subject, corpus.ExpectHolds
		return &c
	case *WordFailure:
		b := &corpus.Table{Law: f.Law.ID, Kernel: f.Subject, Batch: true, Format: f.Format, Words: len(f.Rows[0])}
		for _, row := range f.Rows {
			b.Rows = append(b.Rows, corpus.TableRow{Words: row, Expect: corpus.ExpectHolds})
		}
		return b
	case *ModularFailure:
		b := &corpus.Residues{Law: f.Law.ID, Kernel: f.Subject, Bits: f.Claim.Bits, Modulus: f.Modulus, Batch: true}
		for _, row := range f.Rows {
			b.Rows = append(b.Rows, corpus.ResidueRow{Words: row, Expect: corpus.ExpectHolds})
		}
		return b
	case *NTTFailure:
		return &corpus.Residues{
			Law: f.Law.ID, Kernel: f.Subject, Bits: f.Claim.Bits, Modulus: f.Transform.Modulus, N: f.Transform.N, Root: f.Transform.Root,
			Ring: corpus.Ring(map[bool]string{true: "negacyclic", false: "cyclic"}[f.Transform.Negacyclic]), X: f.X, Y: f.Y,
		}
	case *WrappingFailure:
		return f.Case
	}
	t.Fatalf("%T is of no kind", f)
	return nil
}
