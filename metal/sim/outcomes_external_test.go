package sim_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

// atStages are the results that the faulty transform may have when threads take turns at barriers, and atAccesses when they
// take turns at every access. The first is right.
var (
	atStages   = []string{"[10 15 7 6]", "[2 7 6 11]", "[6 6 7 6]"}
	atAccesses = []string{"[10 15 12 11]", "[10 15 15 11]", "[10 15 7 6]", "[2 7 6 11]", "[6 2 7 6]", "[6 6 7 6]"}
)

// faulty encodes the faulty transform of 1, 2, 3, 4 on groups threadgroups of threads threads.
func faulty(t testing.TB, d metal.Device, groups, threads int) (metal.ComputeCommandEncoder, metal.CommandBuffer, metal.Buffer) {
	t.Helper()
	x := buffer(t, d, words(1, 2, 3, 4))
	e, c := encoder(t, d)
	require.NoError(t, e.SetComputePipelineState(pipeline(t, d, source(t, "ntt.metal"), "ntt_all_stages")))
	require.NoError(t, e.SetBuffer(x, 0, 0))
	require.NoError(t, e.DispatchThreadgroups(line(groups), line(threads)))
	return e, c, x
}

// outcomes returns all that x may hold, as text, sorted.
func outcomes(t testing.TB, d *sim.Device, c metal.CommandBuffer, x metal.Buffer) []string {
	t.Helper()
	var list []string
	complete, err := d.Outcomes(c, 1<<16, func(o sim.Outcome) bool {
		raw := make([]byte, x.Length())
		require.NoError(t, o.Read(x, 0, raw))
		list = append(list, fmt.Sprint(numbers(raw)))
		return true
	})
	require.NoError(t, err)
	require.True(t, complete)
	slices.Sort(list)
	return list
}

func TestFaultyTransformIsARace(t *testing.T) {
	d := sim.New(sim.Options{})
	e, c, x := faulty(t, d, 2, 1)
	x.SetLabel("coefficients")
	err := finish(t, e, c)
	var found model.Findings
	require.ErrorAs(t, err, &found)
	require.Equal(t, metal.Failed, c.Status())
	for _, f := range found {
		require.Equal(t, model.FindingRace, f.Kind, "%s", f)
		require.ElementsMatch(t, []model.Size3{{}, {X: 1}}, f.Threads, "%s", f)
		require.Equal(t, "ntt_all_stages", f.Kernel)
		require.Equal(t, "test.metal", f.Pos.File)
		require.Positive(t, f.Other.Line)
		require.Contains(t, f.String(), `the buffer labelled "coefficients"`)
	}
	require.Equal(t, []model.Finding(found), d.Findings())
	require.Equal(t, []model.Finding(found), c.(metal.Checker).Findings())
	// The results can be read nevertheless, and are one of the possible ones.
	require.Contains(t, atAccesses, fmt.Sprint(read(t, x)))
	d.ResetFindings()
	require.Empty(t, d.Findings())

	// A buffer without a label has only its name.
	e, c, _ = faulty(t, d, 2, 1)
	require.Error(t, finish(t, e, c))
	require.NotContains(t, c.Error().Error(), "labelled")
	d.ResetFindings()

	// In one threadgroup the barrier orders both threads.
	e, c, x = faulty(t, d, 1, 2)
	require.NoError(t, finish(t, e, c))
	require.Equal(t, metal.Completed, c.Status())
	require.Equal(t, []uint32{10, 15, 7, 6}, read(t, x))
	require.Empty(t, d.Findings())
}

func TestFaultyTransformHasExactlyTheseOutcomes(t *testing.T) {
	d := sim.New(sim.Options{NoChecks: true})
	for _, test := range []struct {
		order           string
		groups, threads int
		want            []string
	}{
		{"stages", 2, 1, atStages},
		{"accesses", 2, 1, atAccesses},
		{"", 2, 1, []string{"[6 6 7 6]"}},
		{"stages", 1, 2, []string{"[10 15 7 6]"}},
		{"accesses", 1, 2, []string{"[10 15 7 6]"}},
	} {
		e, c, x := faulty(t, d, test.groups, test.threads)
		require.NoError(t, e.EndEncoding())
		require.Equal(t, test.want, outcomes(t, d.With(model.Behaviour{Order: test.order}), c, x), "%s, %d groups", test.order, test.groups)
		require.Equal(t, []uint32{1, 2, 3, 4}, read(t, x), "Outcomes changed the buffer")
		require.NoError(t, c.Commit(), "Outcomes used the command buffer up")
	}
}

// TestSeedsReachAllOutcomes runs the same launch under many seeds: every outcome shows, and nothing else.
func TestSeedsReachAllOutcomes(t *testing.T) {
	d := sim.New(sim.Options{NoChecks: true})
	for order, want := range map[string][]string{"stages": atStages, "accesses": atAccesses} {
		got := map[string]bool{}
		for seed := range uint64(400) {
			e, c, x := faulty(t, d.With(model.Behaviour{Order: order, Seed: seed}), 2, 1)
			require.NoError(t, finish(t, e, c))
			got[fmt.Sprint(read(t, x))] = true
		}
		var list []string
		for s := range got {
			list = append(list, s)
		}
		slices.Sort(list)
		require.Equal(t, want, list, order)
	}
}

// TestOutcomesOfSeveralDispatches: one stage a dispatch has one outcome; the fault followed by a dispatch keeps its outcomes apart.
func TestOutcomesOfSeveralDispatches(t *testing.T) {
	d := sim.New(sim.Options{NoChecks: true}).With(model.Behaviour{Order: "stages"})
	e, c, x := faulty(t, d, 2, 1)
	require.NoError(t, e.SetComputePipelineState(pipeline(t, d, `
		kernel void add(device uint *x [[buffer(0)]], constant uint &by [[buffer(1)]], uint i [[thread_position_in_grid]]) { x[i] += by; }`, "add")))
	require.NoError(t, e.SetBytes(words(100), 1))
	require.NoError(t, e.DispatchThreads(line(4), line(2)))
	require.NoError(t, e.EndEncoding())
	require.Equal(t, []string{"[102 107 106 111]", "[106 106 107 106]", "[110 115 107 106]"}, outcomes(t, d, c, x))
}

func TestOutcomesRefuses(t *testing.T) {
	d := sim.New(sim.Options{})
	all := func(c metal.CommandBuffer, limit int, want string) {
		t.Helper()
		complete, err := d.Outcomes(c, limit, func(sim.Outcome) bool { return true })
		require.ErrorContains(t, err, want)
		require.False(t, complete)
	}
	e, c, x := faulty(t, d, 2, 1)
	all(c, 100, "still open; call its EndEncoding")
	require.NoError(t, e.EndEncoding())
	all(c, 0, "nothing to explore")
	all(nil, 100, "another device")
	_, err := d.Outcomes(c, 100, nil)
	require.ErrorContains(t, err, "there is no function to call")
	// Too few states, and a caller who has seen enough: not complete, no error.
	fine := d.With(model.Behaviour{Order: "accesses"})
	for _, limit := range []int{3, 1 << 16} {
		complete, err := fine.Outcomes(c, limit, func(sim.Outcome) bool { return limit == 3 })
		require.NoError(t, err)
		require.False(t, complete)
	}
	_, other, _ := faulty(t, sim.New(sim.Options{}), 2, 1)
	all(other, 100, "another device")
	require.NoError(t, c.Commit())
	all(c, 100, "was committed")
	require.NotNil(t, x)

	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	c, err = q.CommandBuffer()
	require.NoError(t, err)
	e, err = c.ComputeCommandEncoder(metal.Concurrent)
	require.NoError(t, err)
	require.NoError(t, e.SetComputePipelineState(pipeline(t, d, source(t, "ntt.metal"), "ntt_all_stages")))
	require.NoError(t, e.SetBuffer(x, 0, 0))
	require.NoError(t, e.DispatchThreadgroups(line(1), line(2)))
	require.NoError(t, e.DispatchThreadgroups(line(1), line(2)))
	require.NoError(t, e.EndEncoding())
	all(c, 100, "put a MemoryBarrier between each two")
}

func TestOutcomeRead(t *testing.T) {
	d := sim.New(sim.Options{})
	e, c, x := faulty(t, d, 1, 2)
	require.NoError(t, e.EndEncoding())
	complete, err := d.Outcomes(c, 100, func(o sim.Outcome) bool {
		var word [4]byte
		require.NoError(t, o.Read(x, 4, word[:]))
		require.Equal(t, words(15), word[:])
		require.ErrorContains(t, o.Read(x, 14, word[:]), "stay inside")
		require.ErrorContains(t, o.Read(x, -1, word[:]), "stay inside")
		require.ErrorContains(t, o.Read(buffer(t, d, words(1)), 0, word[:]), "no dispatch of the command buffer uses")
		require.ErrorContains(t, o.Read(nil, 0, word[:]), "another device")
		return true
	})
	require.NoError(t, err)
	require.True(t, complete)
}
