package device_test

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/kernels/ntt"
	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/judge"
	"gamma/shaders"
)

// The configuration of the seed, whose fix was tested by a round trip alone.
const (
	seedN       = 1024
	seedModulus = 1152921504606748673 // 2^60-98303
)

// narrowed returns a transform that claims the seed's configuration alone, and refuses all others.
func narrowed(n props.NTT) props.NTT {
	n.Claim.Moduli = modular.Moduli{Only: []uint64{seedModulus}}
	n.Claim.MinN, n.Claim.MaxN = seedN, seedN
	n.Device.MaxN = 0
	outside := func(t modular.Transform) error {
		if t.Modulus != seedModulus || t.N != seedN {
			return fmt.Errorf("%d points modulo %d are not the seed's configuration", t.N, t.Modulus)
		}
		return nil
	}
	if plan := n.Plan; plan != nil {
		n.Plan = func(t modular.Transform) (modular.Transforms, error) {
			if err := outside(t); err != nil {
				return modular.Transforms{}, err
			}
			return plan(t)
		}
		return n
	}
	plan := n.PlanOn
	n.PlanOn = func(at props.Setting, t modular.Transform) (modular.Transforms, error) {
		if err := outside(t); err != nil {
			return modular.Transforms{}, err
		}
		return plan(at, t)
	}
	return n
}

// seedSubjects returns the CPU's kernel, the seed's own way of one dispatch a stage, and the tiled one.
func seedSubjects(t testing.TB) []props.NTT {
	t.Helper()
	cpu, ok := ntt.Find("ntt.Plan.negacyclic")
	require.True(t, ok)
	list := []props.NTT{{Name: cpu.Name, Claim: cpu.Claim, Plan: cpu.Plan}}
	for _, name := range []string{"shaders/ntt.metal#stages", "shaders/ntt.metal#tiled"} {
		k, ok := shaders.FindNTT(name)
		require.True(t, ok, name)
		list = append(list, builtin.Shader(k, nil).(props.NTT))
	}
	for i := range list {
		list[i] = narrowed(list[i])
	}
	return list
}

// judgeSeed judges so many cases of each law that applies, on all cores.
func judgeSeed(t testing.TB, n props.NTT, cases int) (laws int) {
	t.Helper()
	var wait sync.WaitGroup
	cores := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, l := range judge.NTTLaws() {
		if _, _, err := judge.Find(l, n, 0); err != nil {
			continue // says nothing about the claim
		}
		laws++
		wait.Go(func() {
			cores <- struct{}{}
			defer func() { <-cores }()
			cases := cases
			if l.ID == model.NTTRefuses { // one size and one modulus are not asked to refuse others, so that some cases do not count
				cases = max(cases, 20)
			}
			switch f, judged, err := judge.Find(l, n, cases); {
			case err != nil:
				t.Errorf("%s of %s: %v", l.ID, n.Name, err)
			case f != nil:
				t.Errorf("%s", f.Text())
			case judged != cases && (l.ID != model.NTTRefuses || judged == 0):
				t.Errorf("%s of %s: %d cases judged", l.ID, n.Name, judged)
			}
		})
	}
	wait.Wait()
	return laws
}

// TestSeedConfiguration judges the seed's size and modulus by all laws on the CPU and on the simulator, one dispatch a stage: 200 cases
// a law at level thorough, within 30 s, and 10 else; and the tiled shader by fewer.
func TestSeedConfiguration(t *testing.T) {
	cases := 10
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		cases = 200
	}
	start := time.Now()
	for i, n := range seedSubjects(t) {
		begin := time.Now()
		if i == 2 { // the CPU and the seed's own way have been judged
			t.Logf("CPU and simulator in %.1f s", time.Since(start).Seconds())
			cases = min(cases, 40)
		}
		laws := judgeSeed(t, n, cases)
		least := 11
		if n.PlanOn != nil {
			least = 16 // those of the device's checkers
		}
		require.GreaterOrEqual(t, laws, least)
		t.Logf("%s: %d laws, %d cases each, in %.1f s", n.Name, laws, cases, time.Since(begin).Seconds())
	}
}

// TestSeedWords compares the words of device, CPU and oracle, for the seed's configuration and input after input: no difference.
func TestSeedWords(t *testing.T) {
	root, err := oracle.RootOfUnity(2*seedN, seedModulus)
	require.NoError(t, err)
	transform := modular.Transform{Modulus: seedModulus, N: seedN, Negacyclic: true, Root: root}
	truth, err := oracle.NewTransform(transform)
	require.NoError(t, err)
	inputs := [][]uint64{}
	for _, f := range []func(i int) uint64{
		func(int) uint64 { return seedModulus - 1 },
		func(i int) uint64 { return uint64(i%2) * (seedModulus - 1) },
		func(i int) uint64 { return oracle.PowMod(3, uint64(1000+i), seedModulus) },
		func(i int) uint64 { return uint64(i) },
		func(i int) uint64 { return uint64(i / (seedN - 1)) },
	} {
		x := make([]uint64, seedN)
		for i := range x {
			x[i] = f(i)
		}
		inputs = append(inputs, x)
	}
	for _, n := range seedSubjects(t) {
		plan := n.Plan
		if plan == nil {
			at := props.Setting{Launch: n.Device.Launches(seedN)[0]}
			plan = func(t modular.Transform) (modular.Transforms, error) { return n.PlanOn(at, t) }
		}
		k, err := plan(transform)
		require.NoError(t, err)
		for i, x := range inputs {
			got, want := make([]uint64, seedN), make([]uint64, seedN)
			require.NoError(t, k.Forward(got, x))
			truth.Forward(want, x)
			for j, v := range want {
				require.Equal(t, v, got[n.Claim.Forward.Out.Order.Place(j, seedN)], "%s, input %d, place %d", n.Name, i, j)
			}
			back := make([]uint64, seedN)
			require.NoError(t, k.Inverse(back, got))
			require.Equal(t, x, back, "%s, input %d, back", n.Name, i)
		}
	}
}

// BenchmarkSeedConfiguration judges one case of each law on each subject.
func BenchmarkSeedConfiguration(b *testing.B) {
	for _, n := range seedSubjects(b) {
		b.Run(n.Name, func(b *testing.B) {
			for b.Loop() {
				judgeSeed(b, n, 1)
			}
		})
	}
}
