package props

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/transforms"
	"gamma/props/judge"
)

// nttMutant returns a mutant as a subject.
func nttMutant(t *testing.T, name string) NTT {
	t.Helper()
	m, ok := mutants.FindNTT("mutants." + name)
	require.True(t, ok, name)
	return NTT{Name: m.Name, Claim: m.Claim, Plan: m.Plan}
}

// soundNTT returns the mutants' kernel without a fault.
func soundNTT(t *testing.T) NTT {
	t.Helper()
	m := mutants.SoundNTTs()[0]
	return NTT{Name: m.Name, Claim: m.Claim, Plan: m.Plan}
}

// TestNTTReports compares reports of planted faults with those on file: what they look like to who has planted them.
func TestNTTReports(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	for _, c := range []struct {
		mutant string
		law    model.LawID
	}{
		{"NTTNoReversal", model.NTTShift},
		{"NTTCyclicRoot", model.NTTConvolution},
		{"NTTCubedRoot", model.NTTExact},
		{"NTTLastStageMissing", model.NTTImpulse},
		{"NTTNoScale", model.NTTFactor},
		{"NTTFactorLeft", model.NTTFactor},
		{"NTTAddGreater", model.NTTButterfly},
		{"NTTSubGreater", model.NTTRange},
		{"NTTCarryDropped", model.NTTRoundtrip},
		{"NTTIdentity", model.NTTEval},
		{"NTTLazyUnreduced", model.NTTRange},
		{"NTTLargeAccepted", model.NTTRefuses},
		{"NTTSourceChanged", model.NTTLinear},
	} {
		l, err := judge.LawByID(judge.NTTLaws(), c.law)
		require.NoError(t, err)
		f, _, err := foundAs[*NTTFailure](judge.Find(l, nttMutant(t, c.mutant), 200))
		require.NoError(t, err)
		require.NotNil(t, f, c.mutant)
		f.Test = "TestPropMine"
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
		var j transforms.JSONNTTFailure
		require.NoError(t, json.Unmarshal(raw, &j))
		require.Equal(t, string(c.law), j.Law)
		require.Equal(t, f.Hints, j.Hints)

		file := filepath.Join("testdata", "ntt-reports", strings.ToLower(strings.TrimPrefix(c.mutant, "NTT"))+".txt")
		if *updateReports {
			require.NoError(t, corpus.WriteFile(file, []byte(text)))
			continue
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err, "run with -update to write it")
		require.Equal(t, string(want), text, "the report has changed; look at it, then run with -update")
	}
}

// TestNTTSavesAndReplays lets Check find a fault, saves it, and replays the file: with the fault it fails, without it holds, and as a
// known open fault that has gone it fails again.
func TestNTTSavesAndReplays(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GAMMA_DIR", dir)
	t.Setenv("GAMMA_SAVE", filepath.Join(dir, "saved"))
	for _, c := range []struct {
		mutant string
		law    model.LawID
	}{{"NTTCubedRoot", model.NTTShift}, {"NTTProductCyclic", model.NTTConvolution}, {"NTTRootAccepted", model.NTTRefuses}} {
		n := nttMutant(t, c.mutant)
		r := nttRunOf(t, n)
		l, err := judge.LawByID(judge.NTTLaws(), c.law)
		require.NoError(t, err)
		_, _, in := kills(r, &l, transforms.NewNTTDrawer(r.Own, r.Pool, &l, 1), 200)
		require.NotNil(t, in)
		f := r.Examine(&l, in, &engine.LawStats{Cases: 1}).(*NTTFailure)
		require.Empty(t, f.NotSaved)
		require.FileExists(t, f.File)
		require.Contains(t, f.Text(), "saved as    "+f.File)
		require.Contains(t, f.Text(), "-gamma.case=")

		text, err := os.ReadFile(f.File)
		require.NoError(t, err)
		again, err := corpus.Canonical(text)
		require.NoError(t, err)
		require.Equal(t, string(again), string(text), "the file is canonical")

		t.Setenv("GAMMA_CASE", f.File)
		replay := func(n NTT) string {
			r := nttRunOf(t, n)
			files, errs := r.OnFile(r.Owns)
			require.Empty(t, errs)
			require.Len(t, files, 1)
			l := lawOf(t, r.Laws(), files[0].Body.Head().Law)
			in, err := r.FromFile(&l, files[0].Body.(*corpus.Residues))
			if err != nil {
				return err.Error()
			}
			if v := r.Own.Judge(&l, in); v.Fails() {
				return v.String()
			}
			return ""
		}
		require.Contains(t, replay(n), string(c.law)+": violated")
		fixed := soundNTT(t)
		if n.Claim.Product {
			m := mutants.SoundNTTs()[2]
			fixed = NTT{Claim: m.Claim, Plan: m.Plan}
		}
		fixed.Name = n.Name
		require.Empty(t, replay(fixed))
		t.Setenv("GAMMA_CASE", "")
	}
}

// TestNTTRecipes expands recipes twice, and reads them back.
func TestNTTRecipes(t *testing.T) {
	s, err := soundNTT(t).Subject()
	require.NoError(t, err)
	tr := transforms.NewNTTTrial(s)
	transform, ok := transforms.WithRoot(&s.Claim, 97, 16)
	require.True(t, ok)
	for _, f := range transforms.NTTFamilies() {
		for _, batch := range []int{1, 3} {
			r := transforms.NTTRecipe{Family: f.Name, A: 3, B: 201, Seed: 99, Batch: batch}
			back, err := transforms.ParseNTTRecipe(r.String())
			require.NoError(t, err)
			require.Equal(t, r, back)
			x, y := tr.Expand(r, transform, true)
			x2, y2 := transforms.NewNTTTrial(s).Expand(back, transform, true)
			require.Equal(t, x, x2)
			require.Equal(t, y, y2)
			require.Len(t, x, 16*batch)
		}
	}
	for _, bad := range []string{"", "random", "random/1/2", "random/1/2/3/4", "random/256/2/3", "nothing/1/2/3", "random/1/2/3/x1", "random/1/2/-3"} {
		_, err := transforms.ParseNTTRecipe(bad)
		require.Error(t, err, bad)
	}
}

// TestNTTStates holds the states between stages to the transform: all stages are the transform, and each level has its inverse. After
// a stage by frequency are the remainders of the polynomial by its factors.
func TestNTTStates(t *testing.T) {
	for _, negacyclic := range []bool{false, true} {
		c := &modular.TransformClaim{Bits: 64, Negacyclic: negacyclic, Forward: modular.Direction{In: modular.Side{Range: 1}, Out: modular.Side{Range: 1}}}
		tr := transforms.NewNTTTrial(&transforms.Subject{Name: "mine", Claim: *c})
		for _, n := range []int{1, 2, 8, 32} {
			transform, ok := transforms.WithRoot(c, 193, n)
			require.True(t, ok)
			x := make([]uint64, n)
			for i := range x {
				x[i] = draw.Mix(uint64(i)) % 193
			}
			o, err := oracle.NewTransform(transform)
			require.NoError(t, err)
			want := make([]uint64, n)
			o.Forward(want, x)
			for level := range transforms.Levels(transform) + 1 {
				z := append([]uint64(nil), x...)
				transforms.ByFrequency(transform, z, level)
				m := n >> level
				for i, e := range transforms.FactorsOf(transform, level) {
					root := oracle.PowMod(transform.Root, e, 193) // x^m - root
					for j := range m {
						sum := uint64(0)
						for k := n/m - 1; k >= 0; k-- {
							sum = (sum*root + x[j+k*m]) % 193
						}
						require.Equal(t, sum, z[i*m+j])
					}
				}
				if level == transforms.Levels(transform) {
					for i, v := range z {
						require.Equal(t, want[modular.BitReversed.Place(i, n)], v)
					}
				}
				transforms.FromFrequency(transform, z, level)
				require.Equal(t, x, z)
				z = tr.ByTime(transform, x, level)
				if level == transforms.Levels(transform) {
					require.Equal(t, want, z)
				}
				require.Equal(t, x, tr.FromTime(transform, z, level))
			}
		}
	}
}

// TestNTTBoundary holds the family to its word: in its inputs a butterfly of the chosen stage gives 0 where neither of its operands
// does, most often.
func TestNTTBoundary(t *testing.T) {
	s, err := soundNTT(t).Subject()
	require.NoError(t, err)
	tr := transforms.NewNTTTrial(s)
	transform, ok := transforms.WithRoot(&s.Claim, 1152921504606748673, 64)
	require.True(t, ok)
	for level := 1; level <= 6; level++ {
		x, _ := tr.Expand(transforms.NTTRecipe{Family: "boundary", A: uint8(2 * level), B: 1, Seed: 5}, transform, false)
		before := append([]uint64(nil), x...)
		transforms.ByFrequency(transform, before, level-1)
		after := append([]uint64(nil), x...)
		transforms.ByFrequency(transform, after, level)
		met := 0
		for i, v := range after {
			m := 64 >> level
			if pair := i / (2 * m) * 2 * m; v == 0 && before[pair+i%m] != 0 && before[pair+m+i%m] != 0 {
				met++
			}
		}
		require.Positive(t, met, "stage %d", level)
	}
}

// TestNTTLiterals says what is wrong with a literal.
func TestNTTLiterals(t *testing.T) {
	good := soundNTT(t)
	for _, c := range []struct {
		change func(n *NTT)
		want   string
	}{
		{func(n *NTT) { n.Name = "" }, "has no Name"},
		{func(n *NTT) { n.Plan = nil }, "sets no Run function; set Plan"},
		{func(n *NTT) {
			n.PlanOn = func(Setting, modular.Transform) (modular.Transforms, error) { return modular.Transforms{}, nil }
		}, "sets both"},
		{func(n *NTT) { n.Claim.Bits = 12 }, ".Bits is 12"},
		{func(n *NTT) { n.Claim = modular.TransformClaim{Bits: 64} }, "offers nothing"},
		{func(n *NTT) { n.Device.MaxN = 3 }, "sets Device beside Plan"},
		{func(n *NTT) { n.Laws = []NTTLaw{{}} }, "has no ID"},
		{func(n *NTT) { n.Laws = []NTTLaw{{ID: "ntt.mine"}} }, "has no Judge"},
		{func(n *NTT) { n.Laws = []NTTLaw{{ID: model.NTTExact, Judge: transforms.JudgeNTTExact}} }, "ID of a built-in law"},
		{func(n *NTT) {
			n.Laws = []NTTLaw{{ID: "ntt.mine", Judge: transforms.JudgeNTTExact, Families: []string{"none"}}}
		}, "which there is not"},
		{func(n *NTT) {
			m := mutants.SoundNTTs()[1]
			n.Claim, n.Plan = m.Claim, m.Plan
			n.Claim.Moduli.Max = 1<<62 + 1000
		}, "the greatest modulus for which they are proved to stay is 4611686018427387904"},
	} {
		n := good
		c.change(&n)
		_, err := n.Subject()
		require.ErrorContains(t, err, c.want)
	}
	_, err := good.Subject()
	require.NoError(t, err)
}

// TestNTTHostileKernels breaks in every way that a kernel can, and each is a verdict that says which.
func TestNTTHostileKernels(t *testing.T) {
	good := soundNTT(t)
	exact, err := judge.LawByID(judge.NTTLaws(), model.NTTExact)
	require.NoError(t, err)
	refuses, err := judge.LawByID(judge.NTTLaws(), model.NTTRefuses)
	require.NoError(t, err)
	wrapped := func(f func(k *modular.Transforms)) NTT {
		n := good
		n.Plan = func(t modular.Transform) (modular.Transforms, error) {
			k, err := good.Plan(t)
			f(&k)
			return k, err
		}
		return n
	}
	for _, c := range []struct {
		n    NTT
		law  NTTLaw
		want string
	}{
		{wrapped(func(k *modular.Transforms) { k.Forward = nil }), exact, "the claim offers the forward transform, and Plan returns none"},
		{wrapped(func(k *modular.Transforms) { k.Forward = func(_, _ []uint64) error { panic("boo") } }), exact, "the forward transform panicked: boo"},
		{wrapped(func(k *modular.Transforms) { k.Inverse = func(_, _ []uint64) error { return errors.New("no") } }), exact, "the inverse transform returned an error: no"},
		{wrapped(func(k *modular.Transforms) {
			k.Forward = func(dst, _ []uint64) error { _ = append(dst[:len(dst):len(dst)+1], 0); return nil }
		}), exact, "panicked"},
		{wrapped(func(k *modular.Transforms) {
			f := k.Forward
			k.Forward = func(dst, src []uint64) error {
				if err := f(dst, src); err != nil {
					return err
				}
				src[0]++
				return nil
			}
		}), exact, "changed word 0 of src"},
		{wrapped(func(k *modular.Transforms) { k.Forward = func(_, _ []uint64) error { return nil } }), exact, "forward transform"},
		{wrapped(func(k *modular.Transforms) {
			f := k.Forward
			k.Forward = func(dst, src []uint64) error {
				*(*uint64)(unsafe.Add(unsafe.Pointer(&dst[0]), -8)) = 1 // as assembly may
				return f(dst, src)
			}
		}), exact, "wrote outside of dst"},
		{wrapped(func(k *modular.Transforms) {
			f := k.Inverse
			k.Inverse = func(dst, src []uint64) error {
				*(*uint64)(unsafe.Add(unsafe.Pointer(&src[0]), 8*len(src))) = 1
				return f(dst, src)
			}
		}), exact, "wrote outside of src"},
		{NTT{Name: "mine", Claim: good.Claim, Plan: func(modular.Transform) (modular.Transforms, error) { panic("boo") }}, exact, "Plan panicked: boo"},
		{NTT{Name: "mine", Claim: good.Claim, Plan: func(modular.Transform) (modular.Transforms, error) { panic("boo") }}, refuses, "Plan panicked: boo"},
		{NTT{Name: "mine", Claim: good.Claim, Plan: func(modular.Transform) (modular.Transforms, error) { return modular.Transforms{}, errors.New("no") }}, exact, "Plan refuses a transform that the claim admits"},
		{NTT{Name: "mine", Claim: good.Claim, Plan: func(t modular.Transform) (modular.Transforms, error) {
			k, err := good.Plan(t)
			if err != nil {
				err = errors.New("no")
			}
			return k, err
		}}, refuses, "the error does not name what is wrong"},
	} {
		found := ""
		for i := range 40 { // some faults show in place alone, or not in place alone
			transform, ok := transforms.WithRoot(&good.Claim, 97, 8)
			require.True(t, ok)
			s, err := c.n.Subject()
			require.NoError(t, err)
			in := &transforms.NttInput{T: transform, X: []uint64{1, 2, 3, 4, 5, 6, 7, 96}, Y: make([]uint64, 8), Seed: uint64(i)}
			if c.law.Refuses {
				in.T.Root = 5 + uint64(i)
			}
			tr := transforms.NewNTTTrial(s)
			if v := tr.Judge(&c.law, in); v.Fails() && strings.Contains(v.Reason, c.want) {
				found = v.Reason
			}
		}
		require.NotEmpty(t, found, c.want)
	}
}

// TestNTTPanicReport names the place where a kernel panicked.
func TestNTTPanicReport(t *testing.T) {
	n := soundNTT(t)
	n.Plan = func(modular.Transform) (modular.Transforms, error) {
		return modular.Transforms{
			Forward: func(dst, _ []uint64) error { return deepPanic(dst) },
			Inverse: func(dst, src []uint64) error { copy(dst, src); return nil },
		}, nil
	}
	l, err := judge.LawByID(judge.NTTLaws(), model.NTTRoundtrip)
	require.NoError(t, err)
	f, _, err := foundAs[*NTTFailure](judge.Find(l, n, 5))
	require.NoError(t, err)
	require.NotNil(t, f)
	require.Equal(t, Broken, f.Verdict.Outcome)
	require.Len(t, f.Stack, 2)
	require.Contains(t, f.Text(), "panicked at ntt_test.go:")
	require.Contains(t, f.Text(), "deepPanic")
	require.Equal(t, 1, f.Transform.N)
}

//go:noinline
func deepPanic(x []uint64) error { return fmt.Errorf("none: %d", x[len(x)]) }

// TestNTTOwnLaw judges a user's law beside the built-in ones.
func TestNTTOwnLaw(t *testing.T) {
	n := soundNTT(t)
	n.Laws = []NTTLaw{{
		ID: "ntt.parseval", Statement: "Σ a_j·b_j of the reversed is in the values", Source: "mine", Pair: true,
		Judge: func(c *NTTCase) Verdict {
			if c.N() < 4 {
				return Verdict{Outcome: Vacuous, Reason: "too small"}
			}
			return c.Equal("twice", c.Forward(c.X), c.Forward(c.Y))
		},
	}}
	f, judged, err := foundAs[*NTTFailure](judge.Find(n.Laws[0], n, 50))
	require.NoError(t, err)
	require.NotNil(t, f)
	require.Positive(t, judged)
	require.Equal(t, 4, f.Transform.N, "the smallest that is not vacuous")
	v, err := judge.Judge(n.Laws[0], n, fileOf(f.Transform, f.X, f.Y))
	require.NoError(t, err)
	require.Equal(t, Violated, v.Outcome)
	_, err = judge.Judge(n.Laws[0], n, fileOf(f.Transform, f.X[:1], f.Y))
	require.ErrorContains(t, err, "1 numbers")
	f.Transform.Root++
	_, err = judge.Judge(n.Laws[0], n, fileOf(f.Transform, f.X, f.Y))
	require.ErrorContains(t, err, "does not claim")
}

// TestNTTDecoder makes a case of every byte string.
func TestNTTDecoder(t *testing.T) {
	for _, n := range []NTT{soundNTT(t), nttMutant(t, "NTTProductCyclic"), nttMutant(t, "NTTLazyClaim")} {
		r := nttRunOf(t, n)
		rng := draw.Splitmix(7)
		for i := range 300 {
			data := make([]byte, rng.Below(40))
			for k := range data {
				data[k] = byte(rng.Next())
			}
			laws := askedOf(r)
			l := &laws[i%len(laws)]
			d := engine.Decoder(data)
			in := r.Decode(&d, l)
			require.NoError(t, r.Own.Accepts(l, in), "%v", in.T)
		}
	}
}

// TestNTTCheckMeetsEverySize: a search leaves no size to chance, and Check finds a transform that is wrong at one size alone.
func TestNTTCheckMeetsEverySize(t *testing.T) {
	for _, n := range []int{1 << 3, 1 << 10} {
		k := mutants.SoundNTTs()[0]
		s := NTT{Name: "mine", Claim: k.Claim, Plan: func(tr modular.Transform) (modular.Transforms, error) {
			f, err := k.Plan(tr)
			if forward := f.Forward; err == nil && tr.N == n {
				f.Forward = func(dst, src []uint64) error {
					err := forward(dst, src)
					dst[len(dst)-1] = (dst[len(dst)-1] + 1) % tr.Modulus
					return err
				}
			}
			return f, err
		}}
		sub, err := s.Subject()
		require.NoError(t, err)
		set, err := engine.ReadSettings()
		require.NoError(t, err)
		pool := transforms.NewNTTPool(sub, &set)
		l, err := judge.LawByID(judge.NTTLaws(), model.NTTExact)
		require.NoError(t, err)
		require.Contains(t, pool.Each(&l), n)
		tr := transforms.NewNTTTrial(sub)
		d := transforms.NewNTTDrawer(tr, pool, &l, 1)
		d.First = func() []int { return pool.Each(&l) }
		met, wrong := map[int]bool{}, map[int]bool{}
		for range pool.Each(&l) {
			in := d.Expand(0, 0, 0, 0) // what an engine draws that likes small numbers
			met[in.T.N] = true
			if v := tr.Judge(&l, in); v.Fails() {
				wrong[in.T.N] = true
			}
		}
		require.Equal(t, map[int]bool{n: true}, wrong)
		require.Len(t, met, len(pool.Each(&l)))
	}
}

// fileOf returns a case of a transform, as Judge takes it.
func fileOf(t modular.Transform, x, y []uint64) *corpus.Residues {
	return &corpus.Residues{Bits: 64, Modulus: t.Modulus, N: t.N, Ring: corpus.Ring(transforms.RingName(t.Negacyclic)), Root: t.Root, X: x, Y: y}
}

// TestNTTNeeds: a failure that only calls in place show, or only calls that are not, or only some addresses, is named as that; nothing
// is said of results that are wrong in every call, and none of the reports says that the smallest case looks like something else.
func TestNTTNeeds(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	same := func(dst, src []uint64) bool { return &dst[0] == &src[0] }
	for want, wrong := range map[string]func(dst, src []uint64) bool{
		"wrong in place alone": same,
		"right in place alone": func(dst, src []uint64) bool { return !same(dst, src) },
		"depend on an address": func(dst, _ []uint64) bool { return uintptr(unsafe.Pointer(&dst[0]))&63 == 0 },
		"":                     func(dst, src []uint64) bool { return true },
	} {
		k := soundNTT(t)
		n := NTT{Name: "mine.Transform", Claim: k.Claim, Plan: func(t modular.Transform) (modular.Transforms, error) {
			p, err := k.Plan(t)
			if forward := p.Forward; forward != nil {
				p.Forward = func(dst, src []uint64) error {
					off := wrong(dst, src)
					if err := forward(dst, src); err != nil || !off {
						return err
					}
					dst[len(dst)-1] = (dst[len(dst)-1] + 1) % t.Modulus
					return nil
				}
			}
			return p, err
		}}
		l, err := judge.LawByID(judge.NTTLaws(), model.NTTEval)
		require.NoError(t, err)
		f, _, err := foundAs[*NTTFailure](judge.Find(l, n, 200))
		require.NoError(t, err)
		require.NotNil(t, f, want)
		if want == "" {
			require.Empty(t, f.Cause)
		} else {
			require.Contains(t, strings.Join(strings.Fields(f.Text()), " "), want)
		}
		require.Empty(t, f.Hints, want)
	}
}
