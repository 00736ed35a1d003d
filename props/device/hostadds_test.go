package device

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
	"gamma/props"
	"gamma/props/judge"
	"gamma/sumtree"
)

// partials has a partial sum a thread, of every W-th leaf or term.
const partials = `#include <metal_stdlib>
using namespace metal;
#pragma METAL fp contract(off)
kernel void sum(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]], uint g [[thread_position_in_grid]], uint W [[threads_per_grid]]) {
  float v = x[g]; for (uint i = g + W; i < n; i += W) v += x[i]; out[g] = v; }
kernel void dot(device const float* x [[buffer(0)]], device const float* y [[buffer(1)]], device float* out [[buffer(2)]], constant uint& n [[buffer(3)]], uint g [[thread_position_in_grid]], uint W [[threads_per_grid]]) {
  float v = x[g] * y[g]; for (uint i = g + W; i < n; i += W) v += x[i] * y[i]; out[g] = v; }
kernel void halves(device const half* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]], uint g [[thread_position_in_grid]], uint W [[threads_per_grid]]) {
  float v = float(x[g]); for (uint i = g + W; i < n; i += W) v += float(x[i]); out[g] = v; }
`

// lanes is the schedule of partials: each lane from the left, then the lanes from the left.
func lanes(n int, l model.Launch) *sumtree.Tree {
	b := &sumtree.Builder{}
	var total sumtree.Ref
	for g := range l.Threads.X {
		v := b.Leaf(g)
		for i := g + l.Threads.X; i < n; i += l.Threads.X {
			v = b.Add(v, b.Leaf(i))
		}
		if g == 0 {
			total = v
		} else {
			total = b.Add(total, v)
		}
	}
	tree, err := b.Build(total)
	if err != nil {
		panic(err)
	}
	return tree
}

func fourThreads(int) []model.Launch { return []model.Launch{model.Launch1D(1, 4)} }

// add is how host code adds partial sums.
type add func(s, v float32) float32

func nearest(s, v float32) float32 { return s + v }

// upward adds as no processor does by default.
func upward(s, v float32) float32 {
	a := round.Arith{F: model.Binary32, R: model.TowardPositive}
	return math.Float32frombits(uint32(a.Add(uint64(math.Float32bits(s)), uint64(math.Float32bits(v)))))
}

// collect runs a kernel and adds its partial sums in the order of order.
func collect(r *Run, kernel string, n int, add add, order []int, inputs ...any) (s float32, err error) {
	var args []any
	for _, x := range inputs {
		b, err := r.Buffer("in", x)
		if err != nil {
			return 0, err
		}
		args = append(args, b)
	}
	out, err := r.Empty("out", 4*r.Threads())
	err = errors.Join(err, r.Dispatch(kernel, r.Launch(), append(args, out, uint32(n))...))
	for i, g := range order {
		v, e := r.Float(out, g)
		if err = errors.Join(err, e); i > 0 {
			v = add(s, v)
		}
		s = v
	}
	return s, err
}

// hostSums are sums and dot products whose partial results host code adds, on a device that rounds toward zero, flushes and changes the order of
// threads as it likes.
func hostSums(t *testing.T, add add, copies bool, order ...int) []props.Subject {
	t.Helper()
	may := model.Behaviour{Rounding: model.TowardZero, Flush: model.Flush{In: true, Out: true}, Order: "accesses"}
	claim := model.Claim{MinN: 4}
	var list []props.Subject
	keep := func(s props.Subject, err error) {
		require.NoError(t, err)
		list = append(list, s)
	}
	sum := func(r *Run, x []float32) (float32, error) { return collect(r, "sum", len(x), add, order, Floats(x)) }
	keepSum := func(s Reduction) { p, err := Props(s); keep(p, err) }
	keepDot := func(s Dot) { p, err := Props(s); keep(p, err) }
	keepSum(Reduction{Name: "host#any", Source: partials, Claim: claim, Admits: &may, Launches: fourThreads, HostCopies: copies, Host: sum})
	keepSum(Reduction{Name: "host#lanes", Source: partials, Claim: claim, Admits: &may, Launches: fourThreads, HostCopies: copies, Schedule: lanes, Host: sum})
	mean := claim
	mean.Mean = true
	keepSum(Reduction{
		Name: "host#mean", Source: partials, Claim: mean, Admits: &may, Launches: fourThreads, HostCopies: copies, Schedule: lanes,
		Host: func(r *Run, x []float32) (float32, error) {
			s, err := sum(r, x)
			return s / float32(len(x)), err
		},
	})
	narrow := claim
	narrow.In, narrow.Acc, narrow.Out = model.Binary16, model.Binary32, model.Binary16
	keepSum(Reduction{
		Name: "host#halves", Source: partials, Claim: narrow, Admits: &may, Launches: fourThreads, HostCopies: copies, Schedule: lanes,
		HostBits: func(r *Run, x []uint16) (uint64, error) {
			s, err := collect(r, "halves", len(x), add, order, x)
			return round.Convert(round.Arith{F: model.Binary16}, model.Binary32, uint64(math.Float32bits(s))), err
		},
	})
	dot := func(r *Run, x, y []float32) (float32, error) {
		return collect(r, "dot", len(x), add, order, Floats(x), Floats(y))
	}
	keepDot(Dot{Name: "host#dot", Source: partials, Claim: claim, Admits: &may, Launches: fourThreads, HostCopies: copies, Host: dot})
	keepDot(Dot{Name: "host#dotlanes", Source: partials, Claim: claim, Admits: &may, Launches: fourThreads, HostCopies: copies, Schedule: lanes, Host: dot})
	return list
}

// killers returns the laws that find a fault in a subject, in n cases each.
func killers(t *testing.T, s props.Subject, n int) []model.LawID {
	t.Helper()
	t.Setenv("GAMMA_DIR", t.TempDir())
	var ids []model.LawID
	for _, l := range judge.Laws() {
		c, _, v, err := judge.Search(l, s, n)
		require.NoError(t, err)
		if c != nil {
			t.Logf("%s: %s", l.ID, v.Reason)
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// TestHostAdds: additions, quotients and conversions by host code are right where they round to nearest, whatever the device does; other
// roundings, another order than the claimed one, and a host that says that it computes nothing are found, under the same behaviours.
func TestHostAdds(t *testing.T) {
	const n = 150
	for _, s := range hostSums(t, nearest, false, 0, 1, 2, 3) {
		require.Empty(t, killers(t, s, n), subjectName(s))
	}
	wrong := func(what string, list []props.Subject, want ...model.LawID) {
		for i, s := range list {
			if want[i] != "" {
				require.Contains(t, killers(t, s, n), want[i], "%s: %s", what, subjectName(s))
			}
		}
	}
	wrong("rounds up", hostSums(t, upward, false, 0, 1, 2, 3), model.SumMember, model.SumTree, model.SumTree, "", model.DotMember, model.DotTree)
	wrong("adds in another order", hostSums(t, nearest, false, 3, 1, 2, 0), "", model.SumTree, model.SumTree, "", "", model.DotTree)
	wrong("leaves a lane out", hostSums(t, nearest, false, 0, 1, 2), model.SumEnclosure, model.SumTree, model.SumTree, model.SumTree, model.DotEnclosure, model.DotTree)
	// 1 and three quarters of the way to the next number: to nearest it is that, toward zero 1, in every order.
	x := corpus.Float32s([]float32{1, 0x1.8p-24, 0, 0})
	halves := corpus.Values{Format: model.Binary16, Bits: []uint16{0x3c00, 0x1200, 0, 0}}
	ones := corpus.Float32s([]float32{1, 1, 1, 1})
	for copies, outcome := range map[bool]props.Outcome{false: props.Holds, true: props.Violated} {
		for i, s := range hostSums(t, nearest, copies, 0, 1, 2, 3) {
			c := &corpus.Case{X: x, Behaviour: model.Behaviour{Rounding: model.TowardZero}, Launch: model.Launch1D(1, 4)}
			if i == 3 {
				c.X = halves
			}
			if i > 3 {
				c.Y = ones
			}
			l, err := judge.LawByID(judge.Laws(), []model.LawID{model.SumMember, model.SumTree, model.SumTree, model.SumTree, model.DotMember, model.DotTree}[i])
			require.NoError(t, err)
			v, err := judge.Judge(l, s, c)
			require.NoError(t, err)
			require.Equal(t, outcome, v.Outcome, "%s copies=%v: %s", subjectName(s), copies, v.Reason)
		}
	}
}

func subjectName(s props.Subject) string {
	switch s := s.(type) {
	case props.Reduction:
		return s.Name
	case props.Dot:
		return s.Name
	}
	return ""
}
