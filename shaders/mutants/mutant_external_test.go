package mutants_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/round"
	"gamma/shaders"
	"gamma/shaders/mutants"
	"gamma/sumtree/eval"
)

// steps ends kernels that do not end.
const steps = 1 << 20

// outcome runs k on a case: the bits of its results and the kinds of what was found.
func outcome(t *testing.T, d *sim.Device, k shaders.Kernel, c mutants.Case) (bits []uint32, kinds []model.FindingKind) {
	t.Helper()
	r := shaders.NewRunnerWith(d, k.Options)
	defer r.Release()
	var v float32
	var err error
	switch {
	case k.Sum32 != nil:
		v, err = k.Sum32(r, c.Launch, c.X)
	case k.SumBits != nil:
		var h []uint16
		for _, x := range c.X {
			h = append(h, uint16(round.Convert(round.Arith{F: k.Claim.In}, model.Binary32, uint64(math.Float32bits(x)))))
		}
		var b uint64
		b, err = k.SumBits(r, c.Launch, h)
		v = math.Float32frombits(uint32(b))
	case k.Rows32 != nil:
		dst := make([]float32, len(c.X)/c.Row)
		err = k.Rows32(r, c.Launch, dst, c.X, c.Row)
		for _, v := range dst {
			bits = append(bits, math.Float32bits(v))
		}
	default:
		v, err = k.Dot32(r, c.Launch, c.X, c.Y)
	}
	var found model.Findings
	if err != nil && !errors.As(err, &found) {
		t.Fatalf("%s: %v", k.Name, err)
	}
	for _, f := range found {
		kinds = append(kinds, f.Kind)
	}
	slices.Sort(kinds)
	if bits == nil {
		bits = []uint32{math.Float32bits(v)}
	}
	return bits, slices.Compact(kinds)
}

// byLaw are the findings that violate the laws of kernels.
var byLaw = map[model.LawID][]model.FindingKind{
	model.KernelRace:     {model.FindingRace},
	model.KernelBounds:   {model.FindingOutOfBounds, model.FindingMisaligned},
	model.KernelInit:     {model.FindingUninitialised},
	model.KernelBarrier:  {model.FindingBarrier},
	model.KernelIntegers: {model.FindingInteger, model.FindingInactiveLane},
	model.KernelAssert:   {model.FindingAssertion},
}

// TestShows runs every mutant and its twin on the case that shows the fault: what the laws of kernels look for is found in the mutant, or
// else its result is wrong, and neither is so of the twin. Laws of kernels that the mutant survives find nothing.
func TestShows(t *testing.T) {
	for _, m := range mutants.All() {
		t.Run(m.Kernel.Name, func(t *testing.T) {
			d := sim.New(sim.Options{Steps: steps, Behaviour: m.Shows.Behaviour})
			defer d.Release()
			twin, ok := shaders.Find(m.Twin)
			require.True(t, ok)
			require.NoError(t, twin.Fits(len(m.Shows.X), twinLaunch(m)), m.Twin)
			require.NoError(t, m.Kernel.Fits(len(m.Shows.X), m.Shows.Launch))
			c := m.Shows
			c.Launch = twinLaunch(m)
			want, found := outcome(t, d, twin, c)
			require.Empty(t, found, "the twin")
			if m.Kernel.Schedule != nil && twin.Schedule == nil {
				// The claim is the fault: its schedule says what is right.
				v, err := eval.Bits(m.Kernel.Tree(len(c.X), m.Shows.Launch), round.Arith{F: model.Binary32}, eval.Bits32(c.X))
				require.NoError(t, err)
				want = []uint32{uint32(v)}
			}
			got, found := outcome(t, d, m.Kernel, m.Shows)
			t.Logf("%s: %08x for %08x, findings %v", m.Fault, got, want, found)
			require.GreaterOrEqual(t, len(m.Shows.X), m.MinN)
			require.NotEmpty(t, m.Kills)
			byValue := false
			for _, law := range m.Kills {
				if law == model.KernelSchedule {
					requireOrders(t, m, twin)
				} else if kinds, ok := byLaw[law]; ok {
					require.True(t, slices.ContainsFunc(kinds, func(k model.FindingKind) bool { return slices.Contains(found, k) }), "%s finds nothing", law)
				} else {
					byValue = true
				}
			}
			if byValue && !slices.Contains(found, model.FindingSteps) {
				require.NotEqual(t, want, got)
			}
			for _, law := range m.Survives {
				for _, k := range byLaw[law] {
					require.NotContains(t, found, k, "%s is said to find nothing", law)
				}
			}
		})
	}
}

// requireOrders runs m's case in many orders: its bits change, and those of the twin do not if it claims so.
func requireOrders(t *testing.T, m mutants.Mutant, twin shaders.Kernel) {
	base := sim.New(sim.Options{Steps: steps})
	defer base.Release()
	results, twins := map[string]bool{}, map[string]bool{}
	for seed := range uint64(24) {
		d := base.With(model.Behaviour{Order: "accesses", Seed: seed})
		bits, _ := outcome(t, d, m.Kernel, m.Shows)
		results[fmt.Sprint(bits)] = true
		bits, _ = outcome(t, d, twin, m.Shows)
		twins[fmt.Sprint(bits)] = true
	}
	require.True(t, m.Kernel.Claim.Repeats || !slices.Contains(m.Kills, model.KernelSchedule), "the law asks for Repeats")
	require.Greater(t, len(results), 1, "every order gives the same bits")
	if twin.Claim.Repeats {
		require.Len(t, twins, 1, "the twin")
	}
}

// twinLaunch returns the launch for the twin of m: the mutant's own, if the twin can be launched so.
func twinLaunch(m mutants.Mutant) model.Launch {
	twin, _ := shaders.Find(m.Twin)
	if twin.Fits(len(m.Shows.X), m.Shows.Launch) != nil {
		return twin.Launches(len(m.Shows.X))[0]
	}
	return m.Shows.Launch
}

// TestSurvives runs every mutant on cases of all kinds: no law of kernels that it survives finds anything, and where a mutant survives
// them all and is killed by values, plain sums of small integers are right wherever SumIntegers is survived.
func TestSurvives(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	base := sim.New(sim.Options{Steps: steps})
	defer base.Release()
	behaviours := []model.Behaviour{{}, {Order: "accesses", Seed: 3}, {Order: "stages", Seed: 4, Poison: true}, {Order: "reverse"}}
	for _, m := range mutants.All() {
		for _, b := range behaviours {
			d := base.With(b)
			for _, n := range []int{1, 2, 7, 40, 300} {
				for _, l := range m.Kernel.Launches(n) {
					if m.Kernel.Fits(n, l) != nil || l.Threads.X*l.Groups.X > 300 && b.Order != "" {
						continue
					}
					c := mutants.Case{Launch: l, Row: n}
					var sum float32
					for range n {
						v := float32(rng.IntN(9) - 4)
						c.X, c.Y = append(c.X, v), append(c.Y, 1)
						sum += v
					}
					got, found := outcome(t, d, m.Kernel, c)
					for _, law := range m.Survives {
						for _, k := range byLaw[law] {
							require.NotContains(t, found, k, "%s on %d leaves, %s, %s: %s is said to find nothing", m.Kernel.Name, n, l, b, law)
						}
						if law == model.SumIntegers || law == model.DotIntegers {
							require.Equal(t, []uint32{math.Float32bits(sum)}, got, "%s on %d leaves, %s, %s", m.Kernel.Name, n, l, b)
						}
					}
				}
			}
		}
	}
}

// TestSimdOrder: in program order the simulator adds as the mutant claims, so that only another order gives it away.
func TestSimdOrder(t *testing.T) {
	m, ok := mutants.Find("shaders/mutants/simd_order.metal#simd")
	require.True(t, ok)
	d := sim.New(sim.Options{})
	defer d.Release()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 3, 8, 20, 32, 77} {
		for _, l := range m.Kernel.Launches(n) {
			c := mutants.Case{Launch: l}
			for range n {
				c.X = append(c.X, float32(rng.NormFloat64()))
			}
			got, found := outcome(t, d, m.Kernel, c)
			require.Empty(t, found)
			want, err := eval.Bits(m.Kernel.Tree(n, l), round.Arith{F: model.Binary32}, eval.Bits32(c.X))
			require.NoError(t, err)
			require.Equal(t, []uint32{uint32(want)}, got, "%d leaves, %s", n, l)
		}
	}
}

// modes are the math modes.
var modes = []metal.MathMode{metal.MathSafe, metal.MathRelaxed, metal.MathFast}

// TestNames: names are unique and say where the source is; each source has a mutant, and a fault in words; each compiles in
// one of the math modes, in turn, beside that in which kill matrices compile all.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	d := sim.New(sim.Options{})
	for i, m := range mutants.All() {
		require.False(t, seen[m.Kernel.Name], m.Kernel.Name)
		seen[m.Kernel.Name] = true
		found, ok := mutants.Find(m.Kernel.Name)
		require.True(t, ok)
		require.Equal(t, m.Fault, found.Fault)
		require.Greater(t, len(m.Fault), 20)
		file, _, _ := strings.Cut(m.Kernel.Name, "#")
		text, err := os.ReadFile(strings.TrimPrefix(file, "shaders/mutants/"))
		require.NoError(t, err)
		require.Equal(t, string(text), m.Kernel.Source)
		r := shaders.NewRunnerWith(d, metal.CompileOptions{MathMode: modes[i%len(modes)]})
		_, err = r.Pipeline(m.Kernel.Program)
		require.NoError(t, err)
		r.Release()
	}
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".metal"); ok {
			require.True(t, slices.ContainsFunc(mutants.All(), func(m mutants.Mutant) bool {
				return strings.HasPrefix(m.Kernel.Name, "shaders/mutants/"+name+".metal#")
			}) || slices.ContainsFunc(mutants.Operations(), func(m mutants.Operation) bool {
				return strings.HasPrefix(m.Operation.Name, "shaders/mutants/"+name+".metal#")
			}) || slices.ContainsFunc(mutants.Modulars(), func(m mutants.Modular) bool {
				return strings.HasPrefix(m.Modular.Name, "shaders/mutants/"+name+".metal#")
			}) || slices.ContainsFunc(mutants.Formulas(), func(m mutants.Formula) bool {
				return strings.HasPrefix(m.Formula.Name, "shaders/mutants/"+name+".metal#")
			}) || slices.ContainsFunc(mutants.NTTs(), func(m mutants.NTT) bool {
				return strings.HasPrefix(m.NTT.Name, "shaders/mutants/"+name+".metal#")
			}), f.Name())
		}
	}
	_, ok := mutants.Find("shaders/sum.metal#tree")
	require.False(t, ok)
}

// TestFFTNames: mutants of Fourier transforms have names of their own, a fault in words and the twin's claim, and compile in one of
// the math modes, in turn, beside that in which the kill matrix compiles all.
func TestFFTNames(t *testing.T) {
	seen := map[string]bool{}
	d := sim.New(sim.Options{})
	for i, m := range mutants.FFTs() {
		require.False(t, seen[m.FFT.Name], m.FFT.Name)
		seen[m.FFT.Name] = true
		found, ok := mutants.FindFFT(m.FFT.Name)
		require.True(t, ok)
		require.Equal(t, m.Fault, found.Fault)
		require.Greater(t, len(m.Fault), 20)
		require.NotEmpty(t, m.Kills)
		twin, ok := shaders.FindFFT(m.Twin)
		require.True(t, ok)
		require.Equal(t, twin.Claim, m.FFT.Claim)
		r := shaders.NewRunnerWith(d, metal.CompileOptions{MathMode: modes[i%len(modes)]})
		_, err := r.Pipeline(m.FFT.Program)
		r.Release()
		require.NoError(t, err, m.FFT.Name)
	}
	_, ok := mutants.FindFFT("shaders/fft.metal#stages")
	require.False(t, ok)
}

// TestOperationShows runs every mutant of an operation and its twin on the row that shows the fault: the bits differ, or something is
// found, and nothing is in the twin.
func TestOperationShows(t *testing.T) {
	for _, m := range mutants.Operations() {
		t.Run(m.Operation.Name, func(t *testing.T) {
			d := sim.New(sim.Options{Steps: steps, Behaviour: m.Behaviour})
			defer d.Release()
			twin, ok := shaders.FindOperation(m.Twin)
			require.True(t, ok)
			r := shaders.NewRunner(d)
			defer r.Release()
			want, got := make([]float32, m.Operation.Claim.Op.Out()), make([]float32, m.Operation.Claim.Op.Out())
			require.NoError(t, twin.Run(r, m.Launch, want, m.Row))
			err := m.Operation.Run(r, m.Launch, got, m.Row)
			var found model.Findings
			if err != nil && !errors.As(err, &found) {
				t.Fatal(err)
			}
			t.Logf("%s: %x for %x, findings %v", m.Fault, got, want, found)
			require.NotEmpty(t, m.Kills)
			require.Greater(t, len(m.Fault), 20)
			byValue := false
			for _, law := range m.Kills {
				kinds, ok := byLaw[law]
				if byValue = byValue || !ok; ok {
					require.True(t, slices.ContainsFunc(found, func(f model.Finding) bool { return slices.Contains(kinds, f.Kind) }), "%s finds nothing", law)
				}
			}
			if byValue {
				require.NotEqual(t, want, got)
			}
			for _, law := range m.Survives {
				for _, k := range byLaw[law] {
					require.False(t, slices.ContainsFunc(found, func(f model.Finding) bool { return f.Kind == k }), "%s is said to find nothing", law)
				}
			}
			again, ok := mutants.FindOperation(m.Operation.Name)
			require.True(t, ok)
			require.Equal(t, m.Fault, again.Fault)
			file, _, _ := strings.Cut(m.Operation.Name, "#")
			text, err := os.ReadFile(strings.TrimPrefix(file, "shaders/mutants/"))
			require.NoError(t, err)
			require.Equal(t, string(text), m.Operation.Source)
		})
	}
	_, ok := mutants.FindOperation("shaders/dd.metal#plus_dw")
	require.False(t, ok)
}
