package mutants_test

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/shaders"
	"gamma/shaders/mutants"
)

// findings returns the kinds of what was found, and fails the test for any other error.
func findings(t *testing.T, err error) (kinds []model.FindingKind) {
	t.Helper()
	var found model.Findings
	if err != nil && !errors.As(err, &found) {
		t.Fatal(err)
	}
	for _, f := range found {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

// requireShown holds what was found in a mutant, and whether its results are the twin's, to the laws that kill it and those it survives.
func requireShown(t *testing.T, kills, survives []model.LawID, found []model.FindingKind, differs bool) {
	t.Helper()
	require.NotEmpty(t, kills)
	byValue := false
	for _, law := range kills {
		require.NotContains(t, survives, law)
		kinds, ok := byLaw[law]
		if byValue = byValue || !ok; ok {
			require.True(t, slices.ContainsFunc(found, func(k model.FindingKind) bool { return slices.Contains(kinds, k) }), "%s finds nothing", law)
		}
	}
	if byValue {
		require.True(t, differs, "the results are the twin's")
	}
	for _, law := range survives {
		for _, k := range byLaw[law] {
			require.NotContains(t, found, k, "%s is said to find nothing", law)
		}
	}
}

// source requires that a program's source is the file that its name says, or its twin's with an edit where it says none, with a fault, and that it compiles in every math mode.
func source(t *testing.T, d metal.Device, p shaders.Program, fault string) {
	t.Helper()
	require.Greater(t, len(fault), 20)
	file, _, _ := strings.Cut(p.Name, "#")
	if strings.HasSuffix(file, ".metal") {
		text, err := os.ReadFile(strings.TrimPrefix(file, "shaders/mutants/"))
		require.NoError(t, err)
		require.Equal(t, string(text), p.Source)
	}
	for _, mode := range []metal.MathMode{metal.MathSafe, metal.MathFast} {
		r := shaders.NewRunnerWith(d, metal.CompileOptions{MathMode: mode})
		_, err := r.Pipeline(p)
		require.NoError(t, err, p.Name)
		r.Release()
	}
}

// TestModularShows runs every mutant of an operation on residues and its twin on the row that shows the fault.
func TestModularShows(t *testing.T) {
	d := sim.New(sim.Options{Steps: steps, Workers: 1})
	defer d.Release()
	seen := map[string]bool{}
	for _, m := range mutants.Modulars() {
		require.False(t, seen[m.Modular.Name], m.Modular.Name)
		seen[m.Modular.Name] = true
		twin, ok := shaders.FindModular(m.Twin)
		require.True(t, ok)
		source(t, d, m.Modular.Program, m.Fault)
		r := shaders.NewRunner(d)
		want, got := make([]uint64, len(m.Modular.Claim.Out)), make([]uint64, len(m.Modular.Claim.Out))
		require.NoError(t, twin.Run(r, m.Launch, m.Modulus, want, m.Row), m.Twin)
		found := findings(t, m.Modular.Run(r, m.Launch, m.Modulus, got, m.Row))
		t.Logf("%s: %s: %d for %d, %v", m.Modular.Name, m.Fault, got, want, found)
		requireShown(t, m.Kills, m.Survives, found, !slices.Equal(want, got))
		if slices.Contains(m.Survives, model.MontValue) {
			for i := range got {
				require.Equal(t, want[i]%m.Modulus, got[i]%m.Modulus)
			}
		}
		if slices.Contains(m.Survives, model.MontRange) {
			for i := range got {
				require.Less(t, got[i], m.Modulus)
			}
		}
		again, ok := mutants.FindModular(m.Modular.Name)
		require.True(t, ok)
		require.Equal(t, m.Fault, again.Fault)
		r.Release()
	}
	_, ok := mutants.FindModular("shaders/modular.metal#mont_mul")
	require.False(t, ok)
}

// TestNTTShows runs every mutant of transforms and its twin, forward and back, on the case that shows the fault.
func TestNTTShows(t *testing.T) {
	base := sim.New(sim.Options{Steps: steps, Workers: 1})
	defer base.Release()
	seen := map[string]bool{}
	for _, m := range mutants.NTTs() {
		t.Run(m.NTT.Name, func(t *testing.T) {
			require.False(t, seen[m.NTT.Name])
			seen[m.NTT.Name] = true
			source(t, base, m.NTT.Program, m.Fault)
			require.NoError(t, m.NTT.Claim.Check())
			twin, ok := shaders.FindNTT(m.Twin)
			require.True(t, ok)
			c := m.Shows
			require.Len(t, c.X, c.Transform.N)
			require.GreaterOrEqual(t, c.Transform.N, m.MinN)
			r := shaders.NewRunner(base.With(c.Behaviour))
			defer r.Release()
			run := func(k shaders.NTT) (words []uint64, found []model.FindingKind) {
				require.NoError(t, k.Fits(c.Transform.N, c.Launch))
				x, err := k.Plan(r, c.Launch, c.Transform)
				require.NoError(t, err)
				forward, back := make([]uint64, len(c.X)), make([]uint64, len(c.X))
				found = findings(t, x.Forward(forward, c.X))
				// The inverse of lazy or wrong words is that of reduced ones.
				reduced := slices.Clone(forward)
				for i := range reduced {
					reduced[i] %= c.Transform.Modulus
				}
				found = append(found, findings(t, x.Inverse(back, reduced))...)
				return slices.Concat(forward, back), found
			}
			want, found := run(twin)
			require.Empty(t, found)
			require.Equal(t, c.X, want[len(c.X):])
			got, found := run(m.NTT)
			t.Logf("%s: %d for %d, %v", m.Fault, got, want, found)
			requireShown(t, m.Kills, m.Survives, found, !slices.Equal(want, got))
			if slices.Contains(m.Survives, model.NTTRoundtrip) {
				require.Equal(t, c.X, got[len(c.X):])
			}
			again, ok := mutants.FindNTT(m.NTT.Name)
			require.True(t, ok)
			require.Equal(t, m.Fault, again.Fault)
		})
	}
	_, ok := mutants.FindNTT("shaders/ntt.metal#stages")
	require.False(t, ok)
}

// TestNTTMinN: below MinN points a mutant is as its twin, word by word and without findings, and no law of kernels that it survives
// finds anything in any size.
func TestNTTMinN(t *testing.T) {
	d := sim.New(sim.Options{Steps: steps, Workers: 1})
	defer d.Release()
	const q = 2305843009211596801
	rng := rand.New(rand.NewPCG(1, 1))
	for _, m := range mutants.NTTs() {
		twin, _ := shaders.FindNTT(m.Twin)
		for _, n := range []int{1, 2, 4, 8, 32} {
			tr := m.Shows.Transform
			tr.Modulus, tr.N = q, n
			tr.Root = rootOf(uint64(2*n), q)
			for _, l := range m.NTT.Launches(n) {
				if m.NTT.Fits(n, l) != nil {
					continue
				}
				r := shaders.NewRunner(d)
				x := make([]uint64, 2*n)
				for i := range x {
					x[i] = rng.Uint64N(q)
				}
				var results [2][]uint64
				for i, k := range []shaders.NTT{twin, m.NTT} {
					p, err := k.Plan(r, l, tr)
					require.NoError(t, err)
					out := make([]uint64, len(x))
					found := findings(t, p.Forward(out, x))
					results[i] = append(results[i], out...)
					found = append(found, findings(t, p.Inverse(out, x))...)
					results[i] = append(results[i], out...)
					if n < m.MinN || i == 0 {
						require.Empty(t, found, "%s of %d points, %s", k.Name, n, l)
					}
					for _, law := range m.Survives {
						for _, kind := range byLaw[law] {
							require.NotContains(t, found, kind, "%s of %d points, %s: %s is said to find nothing", k.Name, n, l, law)
						}
					}
				}
				if n < m.MinN {
					require.Equal(t, results[0], results[1], "%s of %d points, %s", m.NTT.Name, n, l)
				}
				r.Release()
			}
		}
	}
}

// rootOf returns a root of unity modulo a prime.
func rootOf(order, q uint64) uint64 {
	for g := uint64(2); ; g++ {
		if r := powMod(g, (q-1)/order, q); powMod(r, order/2, q) == q-1 {
			return r
		}
	}
}

func powMod(a, e, q uint64) uint64 {
	p := uint64(1)
	for ; e > 0; e /= 2 {
		if e&1 == 1 {
			p = mulMod(p, a, q)
		}
		a = mulMod(a, a, q)
	}
	return p
}

func mulMod(a, b, q uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, r := bits.Div64(hi, lo, q)
	return r
}

// TestNTTOrders: what the seed's single dispatch computes depends on the order of its threads, and a stage a dispatch does not.
func TestNTTOrders(t *testing.T) {
	m, ok := mutants.FindNTT("shaders/mutants/ntt_one_dispatch.metal#stages")
	require.True(t, ok)
	twin, ok := shaders.FindNTT(m.Twin)
	require.True(t, ok)
	base := sim.New(sim.Options{Steps: steps, Workers: 1})
	defer base.Release()
	for _, order := range []string{"stages", "accesses"} {
		results := map[string]map[string]bool{m.NTT.Name: {}, twin.Name: {}}
		for seed := range uint64(12) {
			r := shaders.NewRunner(base.With(model.Behaviour{Order: order, Seed: seed}))
			for _, k := range []shaders.NTT{m.NTT, twin} {
				x, err := k.Plan(r, m.Shows.Launch, m.Shows.Transform)
				require.NoError(t, err)
				out := make([]uint64, len(m.Shows.X))
				require.Empty(t, findings(t, x.Forward(out, m.Shows.X))) // this engine shows what races lead to
				results[k.Name][fmt.Sprint(out)] = true
			}
			r.Release()
		}
		require.Greater(t, len(results[m.NTT.Name]), 1, order)
		require.Len(t, results[twin.Name], 1, order)
	}
}
