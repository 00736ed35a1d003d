package sim_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

const reports = `#include <metal_stdlib>
#include <metal_logging>
namespace lib { using os_log = metal::os_log; }
using namespace metal;
constant lib::os_log logger("lib", "reports");
constexpr int positive(int x) { assert(x > 0); return x; }
constant int three = positive(3);
struct Item { int at; half2 v; operator float() const thread { return float(at) / 2; } };
void show(constant os_log& l, Item t) {
  l.log_info("item %+.2f at %v2f, 100%% %c", t, t.v, 'x');
}
kernel void talk(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i == 2) logger.log_debug("i = %d", i);
  os_log_default.log_error("%u %x %d %o %5.1f|%e " "%g %G %a", short(-1), short(-1), short(-1), uchar(8),
                           1.25f, half(3), 0.1f, 1e9f,
                           1.5f);
  assert(i < 3u);
  assert(x[i] >= 0u && (true, "never"[0]) == 'n');
  show(logger, Item{7, half2(1.5h, 2.0h)});
  logger.log("end");
  x[i] = uint("abc"[i % 3]) + uint(three);
}
`

// TestReports has a kernel log and assert on every engine: each place makes one note or finding, of the first thread that has it.
func TestReports(t *testing.T) {
	want := []string{
		"reports.metal:10:4: talk: note: thread (0,0,0): log_info: item +3.50 at 1.500000, 2.000000, 100% x",
		"reports.metal:13:21: talk: note: thread (2,0,0): log_debug: i = 2",
		"reports.metal:14:17: talk: note: thread (0,0,0): log_error: 65535 ffff -1 10 ",
		"reports.metal:15:28: talk: note: thread (0,0,0):   1.2|3.000000e+00 0.1 1E+09 ",
		"reports.metal:16:28: talk: note: thread (0,0,0): 0x1.8p+00",
		"reports.metal:17:3: talk: assertion: thread (3,0,0): the assertion i < 3u does not hold",
		"reports.metal:20:9: talk: note: thread (0,0,0): log: end",
	}
	for _, o := range []sim.Options{{Engine: sim.Fast}, {Engine: sim.Adversarial}, {Engine: sim.Fast, NoChecks: true}, {Engine: sim.Adversarial, NoChecks: true}} {
		d := sim.New(o)
		l, err := d.NewLibrary(reports, metal.CompileOptions{FileName: "reports.metal"})
		require.NoError(t, err)
		f, err := l.NewFunction("talk", nil)
		require.NoError(t, err)
		p, err := d.NewComputePipelineState(f)
		require.NoError(t, err)
		x := buffer(t, d, words(0, 0, 0, 0))
		dispatch := func(n int) error {
			e, c := encoder(t, d)
			require.NoError(t, e.SetComputePipelineState(p))
			require.NoError(t, e.SetBuffer(x, 0, 0))
			require.NoError(t, e.DispatchThreads(line(n), line(n)))
			return finish(t, e, c)
		}
		err = dispatch(4)
		require.Equal(t, []uint32{'a' + 3, 'b' + 3, 'c' + 3, 'a' + 3}, read(t, x))
		if o.NoChecks {
			require.NoError(t, err)
			require.Empty(t, d.Findings())
			continue
		}
		var faults model.Findings
		require.ErrorAs(t, err, &faults)
		require.Len(t, faults, 1, "notes are no faults: %v", faults)
		require.Equal(t, want[5], faults[0].String())
		var got []string
		for _, f := range d.Findings() {
			got = append(got, f.String())
		}
		slices.Sort(got)
		require.Equal(t, want, got, "%s", o.Engine)
		d.ResetFindings()
		require.NoError(t, dispatch(3), "notes alone stop nothing")
		require.Len(t, d.Findings(), len(want)-1)
	}
}

// TestReportsUnderEveryOrder: what a kernel says changes nothing of what it does, whatever the order of the threads.
func TestReportsUnderEveryOrder(t *testing.T) {
	for _, b := range anyOrder {
		d := sim.New(sim.Options{Engine: sim.Adversarial, Behaviour: b})
		l, err := d.NewLibrary(reports, metal.CompileOptions{FileName: "reports.metal"})
		require.NoError(t, err)
		f, err := l.NewFunction("talk", nil)
		require.NoError(t, err)
		p, err := d.NewComputePipelineState(f)
		require.NoError(t, err)
		x := buffer(t, d, make([]byte, 400))
		e, c := encoder(t, d)
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(x, 0, 0))
		require.NoError(t, e.DispatchThreads(line(100), line(50)))
		require.Error(t, finish(t, e, c))
		for i, v := range read(t, x) {
			require.Equal(t, uint32("abc"[i%3])+3, v)
		}
		require.Len(t, d.Findings(), 7, "%s", b)
	}
}

// TestReportOfWhatWasNeverWritten: to log or assert something is to use it.
func TestReportOfWhatWasNeverWritten(t *testing.T) {
	for text, op := range map[string]string{"assert(s[1] == 0u)": "assert", `os_log_default.log("%u", s[1])`: "note"} {
		for _, engine := range []sim.Engine{sim.Fast, sim.Adversarial} {
			d := sim.New(sim.Options{Engine: engine})
			source := "#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device uint *x [[buffer(0)]]) {\n  threadgroup uint s[2];\n  s[0] = 1u;\n  x[0] = s[0];\n  " + text + ";\n}\n"
			l, err := d.NewLibrary(source, metal.CompileOptions{})
			require.NoError(t, err)
			f, err := l.NewFunction("k", nil)
			require.NoError(t, err)
			p, err := d.NewComputePipelineState(f)
			require.NoError(t, err)
			e, c := encoder(t, d)
			require.NoError(t, e.SetComputePipelineState(p))
			require.NoError(t, e.SetBuffer(buffer(t, d, words(0)), 0, 0))
			require.NoError(t, e.DispatchThreads(line(1), line(1)))
			var found model.Findings
			require.ErrorAs(t, finish(t, e, c), &found, "%s", op)
			require.Equal(t, model.FindingUninitialised, found[0].Kind)
			require.Equal(t, 7, found[0].Pos.Line)
		}
	}
}
