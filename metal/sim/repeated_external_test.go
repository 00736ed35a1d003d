package sim_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// TestRepeatedFaultIsCheap: a fault that every turn of a loop repeats is one finding, whose text is written once. To write that of every access took
// two microseconds and several pieces of memory each.
func TestRepeatedFaultIsCheap(t *testing.T) {
	const elements = 1 << 19
	for _, c := range []struct {
		kind model.FindingKind
		does string // in a loop over j
		text string
	}{
		{model.FindingOutOfBounds, "s[j] = j;", "at byte 256 of threadgroup s, which has 256"},
		{model.FindingOutOfBounds, "x += s[j | 64];", "of threadgroup s, which has 256"},
		{model.FindingMisaligned, "uint2 v = ((threadgroup uint2 *)(s + 1))[j % 16]; x += v.x + v.y;", "a multiple of 8 is needed"},
		{model.FindingUninitialised, "x += u[j & 63] | 1u;", "was never written"},
		{model.FindingInteger, "x += uint(int(j | 0x40000000u) * 4);", "signed overflow"},
	} {
		source := "kernel void k(device uint *o [[buffer(0)]], constant uint &n [[buffer(1)]], uint i [[thread_index_in_threadgroup]]) {\n" +
			"threadgroup uint s[64], u[64]; s[i] = i; if (n == 0) u[i] = i; threadgroup_barrier(mem_flags::mem_threadgroup); uint x = 0;\nfor (uint j = i; j < n; j += 64) { " + c.does + " }\no[i] = x;\n}"
		for n, s := range schedules {
			if !s.o.Checks || s.o.Behaviour.Order != "" {
				continue
			}
			j := newJob(t, source, 64, 64, make([]uint32, 64), []uint32{elements})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			res, _ := j.run(t, n, 0)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			require.Len(t, res.Findings, 1, "%s: %s: %s", s.name, c.does, res.Findings)
			require.Equal(t, c.kind, res.Findings[0].Kind)
			require.Contains(t, res.Findings[0].Text, c.text)
			require.Less(t, after.Mallocs-before.Mallocs, uint64(elements/16), "%s: %s", s.name, c.does)
			t.Logf("%s: %s: %s", s.name, c.does, took)
		}
	}
}
