package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/reference"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/metal/sim/symbolic"
	"gamma/model"
)

// job is a kernel, and a launch of one threadgroup for every group of threads.
type job struct {
	k              *ir.Kernel
	threads, group int
	buffers        [][]uint32
}

// newJob compiles the kernel k of a source.
func newJob(t *testing.T, source string, threads, group int, buffers ...[]uint32) *job {
	t.Helper()
	lib, err := msl.Compile("#include <metal_stdlib>\nusing namespace metal;\n"+source, msl.Options{FileName: "k.metal"})
	require.NoError(t, err, source)
	k, err := lib.Kernel("k", nil)
	require.NoError(t, err)
	return &job{k: k, threads: threads, group: group, buffers: buffers}
}

func (j *job) dispatch() *engine.Dispatch {
	d := &engine.Dispatch{Kernel: j.k, Grid: line(j.threads), Group: line(j.group)}
	for _, b := range j.buffers {
		d.Args = append(d.Args, engine.Arg{Mem: &engine.Memory{Bytes: words(b...)}})
	}
	return d
}

// schedules are the engines and orders that run any kernel.
var schedules = []struct {
	name      string
	adversary bool
	o         engine.Options
}{
	{"fast", false, engine.Options{Checks: true, Workers: 1}},
	{"fast, unchecked", false, engine.Options{Workers: 1}},
	{"fast, three workers", false, engine.Options{Checks: true, Workers: 3}},
	{"fast, three workers, unchecked", false, engine.Options{Workers: 3}},
	{"adversary", true, engine.Options{Checks: true}},
	{"adversary, unchecked", true, engine.Options{}},
	{"reverse", true, engine.Options{Checks: true, Behaviour: model.Behaviour{Order: "reverse"}}},
	{"stages", true, engine.Options{Checks: true, Behaviour: model.Behaviour{Order: "stages", Seed: 2}}},
	{"accesses", true, engine.Options{Checks: true, Behaviour: model.Behaviour{Order: "accesses", Seed: 3}}},
	{"accesses, unchecked", true, engine.Options{Behaviour: model.Behaviour{Order: "accesses", Seed: 3}}},
}

// run runs the job under schedule n with a budget, and returns what the buffers hold after it.
func (j *job) run(t *testing.T, n int, steps int64) (engine.Result, []string) {
	t.Helper()
	s, d := &schedules[n], j.dispatch()
	var p engine.Program
	var err error
	if s.adversary {
		p, err = adversary.Compile(j.k)
	} else {
		p, err = fast.Compile(j.k)
	}
	require.NoError(t, err)
	o := s.o
	o.Steps = steps
	res, err := p.Run(d, o)
	require.NoError(t, err, s.name)
	var after []string
	for _, a := range d.Args {
		after = append(after, fmt.Sprint(numbers(a.Mem.Bytes)))
	}
	return res, after
}

// reference runs the job on the reference interpreter.
func (j *job) reference(steps int64) error {
	d := j.dispatch()
	l := reference.Launch{Groups: line(j.threads / j.group), Threads: line(j.group), Steps: steps}
	for _, a := range d.Args {
		l.Args = append(l.Args, a.Mem.Bytes)
	}
	return reference.Run(j.k, l)
}

func (j *job) symbolic(steps int64) (engine.Result, error) {
	return symbolic.New().Run(j.k, j.dispatch(), engine.Options{Steps: steps})
}

func ramp(n int, f func(i int) uint32) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

// TestMisaligned: an access to a vector at an address that is right for its elements only is found on every engine and in every order.
func TestMisaligned(t *testing.T) {
	for _, c := range []struct{ body, needs string }{
		{"device float4 *p = (device float4 *)(o + i * 6);\n*p = float4(1.0f);", "16"},
		{"device float4 *p = (device float4 *)(o + i * 6);\n*p += 1.0f;", "16"},
		{"device float2 *p = (device float2 *)(o + i * 6 + 1);\n*p = float2(1.0f, 2.0f);", "8"},
		{"device ushort4 *p = (device ushort4 *)(o + i);\n*p = ushort4(1, 2, 3, 4);", "8"},
		{"device half2 *p = (device half2 *)((device half *)o + i * 3);\n*p = half2(1.0h);", "4"},
		{"device ulong2 *p = (device ulong2 *)((device ulong *)o + i);\n*p = ulong2(1, 2);", "16"},
		{"device float3 *p = (device float3 *)(o + i * 3);\n*p = float3(1.0f);", "16"},
		{"threadgroup float s[64]; threadgroup float4 *p = (threadgroup float4 *)(s + i * 6);\n*p = float4(i); o[i] = p->x;", "16"},
		{"float s[8]; s[7] = i; thread float4 *p = (thread float4 *)(s + (i & 1));\n*p = float4(i); o[i] = p->x + s[7];", "16"},
		{"device uint *p = (device uint *)((device uchar *)o + i * 6);\n*p = i;", "4"},
	} {
		j := newJob(t, "kernel void k(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"+c.body+"\n}", 8, 8, make([]uint32, 64))
		for n, s := range schedules {
			res, _ := j.run(t, n, 0)
			if !s.o.Checks {
				require.Empty(t, res.Findings, "%s: %s", s.name, c.body)
				continue
			}
			require.NotEmpty(t, res.Findings, "%s: %s", s.name, c.body)
			f := res.Findings[0]
			require.Equal(t, model.FindingMisaligned, f.Kind, "%s: %s: %s", s.name, c.body, f)
			require.Equal(t, 5, f.Pos.Line, "%s: %s: %s", s.name, c.body, f)
			require.Contains(t, f.Text, "a multiple of "+c.needs+" is needed")
		}
		require.ErrorContains(t, j.reference(0), "no multiple of "+c.needs, c.body)
		_, err := j.symbolic(0)
		require.ErrorContains(t, err, "a multiple of "+c.needs+" is needed", c.body)
	}
}

// TestPackedIsAligned: vectors that are packed need the alignment of their elements and no more, on every engine.
func TestPackedIsAligned(t *testing.T) {
	for _, body := range []string{
		"device packed_float4 *p = (device packed_float4 *)(o + i * 6); *p = float4(1.0f);",
		"device packed_float3 *p = (device packed_float3 *)(o + i * 3); *p = float3(1.0f) + float3(*p);",
		"device packed_ushort4 *p = (device packed_ushort4 *)((device ushort *)o + i * 5); *p = ushort4(1, 2, 3, 4);",
		"device packed_uchar3 *p = (device packed_uchar3 *)((device uchar *)o + i * 3); *p = uchar3(1, 2, 3);",
		"device float4 *p = (device float4 *)(o + i * 4); *p = float4(1.0f);",
	} {
		j := newJob(t, "kernel void k(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"+body+"\n}", 8, 8, make([]uint32, 64))
		var want []string
		for n, s := range schedules {
			res, got := j.run(t, n, 0)
			require.Empty(t, res.Findings, "%s: %s", s.name, body)
			if want == nil {
				want = got
			}
			require.Equal(t, want, got, "%s: %s", s.name, body)
		}
		require.NoError(t, j.reference(0), body)
		_, err := j.symbolic(0)
		require.NoError(t, err, body)
	}
}

// stepKernels are kernels whose steps the engines have to count alike: with loops, branches, returns, barriers, SIMD operations, constants, calls.
var stepKernels = []string{
	"uint x = i; for (uint j = 0; j < n; j++) { x = x * 3u + j; x ^= x >> 3; } o[i] = x;",
	"o[i] = 7;",
	"",
	"if (i & 1) o[i] = 9; else o[i] = i * 3 / (i + 1);",
	"if (i > n) return; o[i] = 5; if (i == 3) return; o[i] += i;",
	"uint x = 0; do { x += 2; if (x == 10) break; if (x & 4) continue; x += i; } while (x < n + i); o[i] = x;",
	"threadgroup uint s[16]; s[i & 15] = i; threadgroup_barrier(mem_flags::mem_threadgroup); for (uint d = 8; d > 0; d /= 2) { if ((i & 15) < d) s[i & 15] += s[(i & 15) + d]; threadgroup_barrier(mem_flags::mem_threadgroup); } o[i] = s[0];",
	"o[i] = simd_sum(i) + simd_prefix_inclusive_sum(i & 3); if (i & 2) o[i] += simd_ballot_count(i > n);",
	"uint a[4]; for (uint j = 0; j < 4; j++) a[j] = i + j; uint s = 0; for (uint j = 0; j < n; j++) s += a[j & 3]; o[i] = s;",
	"while (true) { if (o[i] == 7) break; o[i] = 7; }",
	"int x = int(i) - 4; o[i] = x < 0 ? -x : x * x;",
	"float f = i; for (uint j = 0; j < n; j++) f = f * 0.5f + exp(-f); o[i] = uint(f);",
}

// TestStepsAgree: every engine, in every order, with checks and without, counts the same steps; and a budget of so many is enough and one less is
// not.
func TestStepsAgree(t *testing.T) {
	for _, body := range stepKernels {
		body = strings.ReplaceAll(body, "simd_ballot_count(i > n)", "popcount(ulong(simd_ballot(i > n)))")
		j := newJob(t, "kernel void k(device uint *o [[buffer(0)]], constant uint &n [[buffer(1)]], uint i [[thread_position_in_grid]]) {\n"+body+"\n}",
			48, 16, ramp(48, func(i int) uint32 { return uint32(i) }), []uint32{11})
		requireSteps(t, j, body)
	}
	// Constants that the adversarial engine holds ready, more than one of its instructions counts, before a loop and in it.
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(&b, "%%%d:u32 = const %d\n", 10+i, i)
	}
	k, err := ir.Parse("kernel \"k\"\nbuffer %1 \"o\" index=0 device elem=4 align=4\ninput %2 u32 thread_position_in_grid.0\nreg %9:bool\n{\n" + b.String() +
		"%5:u32 = const 0\n%6:u32 = const 3\n%7:u32 = const 1\n%3:u32 = mov %5\nloop 1 {\n" + strings.ReplaceAll(b.String(), ":u32", "") +
		"%9 = lt u32 %6, %3\nif %9 {\nleave 1\n}\n%3 = add %3, %7\nif %9 {\n%4:u32 = const 8\n}\n%8:u32 = const 8\n}\nstore u32 [%1 + u32 %2*4], %3\n}\n")
	require.NoError(t, err)
	requireSteps(t, &job{k: k, threads: 48, group: 16, buffers: [][]uint32{make([]uint32, 48)}}, "constants")
}

func requireSteps(t *testing.T, j *job, name string) {
	t.Helper()
	require.NoError(t, j.reference(1<<40), name)
	first, _ := j.run(t, 0, 0)
	steps := first.Steps
	require.Positive(t, steps)
	for n, s := range schedules {
		res, _ := j.run(t, n, steps)
		require.Empty(t, res.Findings, "%s: %s", s.name, name)
		require.Equal(t, steps, res.Steps, "%s: %s", s.name, name)
		res, _ = j.run(t, n, steps-1)
		spent := slices.ContainsFunc(res.Findings, func(f model.Finding) bool { return f.Kind == model.FindingSteps })
		require.True(t, spent, "%s: %s: one step less", s.name, name)
	}
	require.NoError(t, j.reference(steps), name)
	require.ErrorContains(t, j.reference(steps-1), "steps are spent", name)
	if strings.Contains(name, "simd") || strings.Contains(name, "float") {
		return // of leaves alone
	}
	res, err := j.symbolic(steps)
	require.NoError(t, err, name)
	require.Equal(t, steps, res.Steps, name)
	_, err = j.symbolic(steps - 1)
	require.ErrorContains(t, err, "budget of steps is spent", name)
}

// TestBudgetHolds: a run that would not end makes its steps and less than a tenth more, on every engine and with any number of workers.
func TestBudgetHolds(t *testing.T) {
	for _, body := range []string{
		"uint x = i; while (x != 1u << 31) { x = x * 3u + 7u; x ^= x >> 3; if (x == 5u) x = 0; o[i] = x; }",
		"while (true) { }",
		"for (uint j = 0; j < 100000u; j++) o[i] += j;",
	} {
		for _, budget := range []int64{10000, 300000} {
			j := newJob(t, "kernel void k(device uint *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"+body+"\n}", 256, 8, make([]uint32, 256))
			for n, s := range schedules {
				res, _ := j.run(t, n, budget)
				require.NotEmpty(t, res.Findings, "%s: %s", s.name, body)
				require.Equal(t, model.FindingSteps, res.Findings[0].Kind)
				require.LessOrEqual(t, res.Steps, budget+budget/10, "%s: %s", s.name, body)
				require.Greater(t, res.Steps, budget-budget/10, "%s: %s", s.name, body)
			}
		}
	}
}
