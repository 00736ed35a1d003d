package device_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/device"
	"gamma/props/judge"
	"gamma/shaders"
)

// restless is hardware on which the order of threads is another one in every command buffer.
type restless struct{ *fake }

func (r restless) NewCommandQueue() (metal.CommandQueue, error) {
	q, err := r.fake.NewCommandQueue()
	return restlessQueue{q, r}, err
}

type restlessQueue struct {
	metal.CommandQueue
	r restless
}

func (q restlessQueue) CommandBuffer() (metal.CommandBuffer, error) {
	b := q.r.sim.Behaviour()
	b.Order, b.Seed = "accesses", q.r.queues.Add(1)
	other, err := q.r.sim.With(b).NewCommandQueue()
	if err != nil {
		return nil, err
	}
	return other.CommandBuffer()
}

// TestHardwareLaws judges shaders by the laws of hardware on devices that do what they say, in another order of threads at every run: none
// violates a law, and sums by atomics have several results.
func TestHardwareLaws(t *testing.T) {
	t.Setenv("GAMMA_DEVICE", "")
	t.Setenv("GAMMA_LAW", "device.")
	t.Setenv("GAMMA_CHECKS", "60")
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	for _, d := range []struct {
		name string
		says model.Behaviour
	}{
		{"plain", model.Behaviour{}},
		{"flushing", model.Behaviour{Flush: model.Flush{In: true, Out: true}, Flush16: model.Flush{In: true, Out: true}}},
		{"rewriting", model.Behaviour{Contract: model.ContractFast, Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true}}},
	} {
		t.Run(d.name, func(t *testing.T) {
			var dev metal.Device = restless{newFake(d.says)}
			if d.says.Contract != model.ContractOff {
				dev = newFake(d.says) // its seed would choose what is fused as well, which compiled code does not change from run to run
			}
			for _, k := range shaders.All() {
				t.Run(k.Name, func(t *testing.T) { builtin.Shader(k, dev).(interface{ Check(t *testing.T) }).Check(t) })
			}
			for i, o := range shaders.Operations() {
				if i%8 == 0 {
					t.Run(o.Name, func(t *testing.T) { builtin.Shader(o, dev).(props.Operation).Check(t) })
				}
			}
			for _, f := range shaders.FFTs() {
				if f.Strict || d.name != "rewriting" {
					t.Run(f.Name, func(t *testing.T) { builtin.Shader(f, dev).(props.FFT).Check(t) })
				}
			}
			for _, f := range shaders.Formulas() {
				// Of rewrites and of half numbers that are flushed a formula's claim says nothing.
				if d.name == "plain" || d.name == "flushing" && f.Out.Float.IsZero() {
					t.Run(f.Name, func(t *testing.T) { builtin.Shader(f, dev).(props.Kernel).Check(t) })
				}
			}
			if d.name != "plain" {
				return // no arithmetic of floating point changes integers
			}
			for i, m := range shaders.Modulars() {
				if i%24 == 0 {
					t.Run(m.Name, func(t *testing.T) { builtin.Shader(m, dev).(props.Modular).Check(t) })
				}
			}
			for i, n := range shaders.NTTs() {
				if i%6 == 0 {
					t.Run(n.Name, func(t *testing.T) { builtin.Shader(n, dev).(props.NTT).Check(t) })
				}
			}
		})
	}
	text := props.Summary()
	t.Log(text)
	lines := regexp.MustCompile(`(?m)^shaders/sum\.metal#atomic +fake +device\.repeat .*up to (\d+) results, .*$`).FindAllStringSubmatch(text, -1)
	require.Len(t, lines, 2, "each of the restless devices")
	for _, l := range lines {
		most, err := strconv.Atoi(l[1])
		require.NoError(t, err)
		require.Greater(t, most, 1)
	}
	require.NotRegexp(t, `(?m)^shaders/\S+ +fake +device\.\S+ +\d+ +0 .*$`, text, "every law judged something of every shader that it applies to")
}

// roundedToHalf matches shaders that compute in float, and err by too little there for results in half to leave what they may be.
var roundedToHalf = regexp.MustCompile(`^(softmax_online|attention.*|silu|leaky_relu|elu|sigmoid|tanh|rms_norm|product|product_simdgroup)_half$`)

// hides reports whether what a device does besides what it says does not show in a kernel's results.
func hides(f shaders.Formula, is model.Behaviour) bool {
	switch toward := is.Rounding == model.TowardZero; {
	case f.Function == "relu_half":
		return true // it rounds nothing, and no half number is subnormal in float
	case f.Function == "argmax", f.Function == "relu":
		return toward && !is.Flush.In // they round nothing, and compute no number
	case f.Out.Float == model.Binary16 && roundedToHalf.MatchString(f.Function):
		return true // a float becomes a half to nearest whatever the device's rounding (MSL 8.6): that of float shows in no result of 3,000 cases
	case f.Out.Float == model.Binary16:
		return !toward // no intermediate result of half numbers in range is subnormal in float
	case f.Function == "sort_digit":
		return true // it moves integers
	case strings.HasPrefix(f.Function, "log_sum_exp"):
		return !toward // exponentials that are flushed are nothing beside the sum, which is at least 1
	case strings.HasPrefix(f.Name, "shaders/trig.metal#") && f.Function != "sine_half_turns":
		return !toward // a cosine is no subnormal number, and a flushed x is 0, whose sine is x itself
	case f.Function == "tanh", f.Function == "elu", f.Function == "leaky_relu" && !is.Flush.Out:
		return toward // their functions may err by several ulp, or a constant is rounded besides the product
	case f.Function == "spectrum_product_extended":
		return !toward // its claim leaves room for numbers that are flushed
	case f.Function == "product_groups_int8":
		return toward && !is.Flush.Out // sums of integers are exact, and in 3,000 cases the few roundings that are left lie inside its claim
	case strings.HasPrefix(f.Function, "attention"):
		return toward && !is.Flush.Out // its enclosures are so wide, by exponentials of 4 ulp, that 3,000 cases of this rounding lie inside
	}
	return false
}

// TestLiars: a device whose arithmetic is not what its self-test found is found out by device.equal on every kind of shader of floating
// point, and by device.order where a tree is claimed; by no law of residues.
func TestLiars(t *testing.T) {
	kernels := map[string]shaders.Kernel{}
	for _, k := range shaders.All() {
		kernels[k.Name] = k
	}
	for _, is := range []model.Behaviour{
		{Flush: model.Flush{In: true, Out: true}}, {Rounding: model.TowardZero}, {Rounding: model.TowardZero, Flush: model.Flush{Out: true}},
	} {
		dev := newLiar(model.Behaviour{}, is)
		finds := func(id model.LawID, name string) bool {
			l, err := judge.LawByID(judge.Laws(), id)
			require.NoError(t, err)
			k, ok := kernels[name]
			require.True(t, ok, name)
			c, cases, v, err := judge.Search(l, builtin.Shader(k, dev), 300)
			require.NoError(t, err)
			require.NotZero(t, cases, "%s on %s: %v", id, name, v)
			return c != nil
		}
		for _, name := range []string{"shaders/sum.metal#tree", "shaders/sum.metal#kahan", "shaders/dot.metal#fma", "shaders/layers.metal#sum"} {
			require.True(t, finds(model.DeviceEqual, name), "%s passes device.equal on a device with %s", name, is)
			require.False(t, finds(model.DeviceRepeat, name), "%s on a device with %s", name, is)
		}
		require.True(t, finds(model.DeviceOrder, "shaders/sum.metal#tree"), "%s", is)
		l, err := judge.LawByID(judge.WordLaws(), model.DeviceEqual)
		require.NoError(t, err)
		for i, o := range shaders.Operations() {
			if i%16 == 0 {
				f, _, err := judge.Find(l, builtin.Shader(o, dev).(props.Operation), 20000)
				require.NoError(t, err)
				require.NotNil(t, f, "%s passes device.equal on a device with %s", o.Name, is)
				require.Contains(t, strings.Join(strings.Fields(f.Text()), " "), "on sim")
			}
		}
		for _, f := range shaders.Formulas() {
			if hides(f, is) {
				continue
			}
			requireViolated(t, judge.FormulaLaws(), builtin.Shader(f, dev), model.DeviceEqual, "%s on a device with %s", f.Name, is)
		}
		for i, f := range shaders.FFTs() {
			subject := builtin.Shader(f, dev) // compiled once
			requireViolated(t, judge.FFTLaws(), subject, model.DeviceEqual, "%s on a device with %s", f.Name, is)
			if i == 0 { // it is reduced and explained, too
				text := findBy(t, judge.FFTLaws(), subject, string(model.DeviceEqual), 3000)
				require.Contains(t, text, "violates device.equal")
				require.Contains(t, strings.Join(strings.Fields(text), " "), "on sim")
			}
			require.Empty(t, findBy(t, judge.FFTLaws(), subject, string(model.DeviceRepeat), 10), "%s on a device with %s", f.Name, is)
		}
		residues, err := judge.LawByID(judge.ModularLaws(), model.DeviceEqual)
		require.NoError(t, err)
		f, judged, err := judge.Find(residues, builtin.Shader(shaders.Modulars()[0], dev).(props.Modular), 500)
		require.NoError(t, err)
		require.Nil(t, f)
		require.NotZero(t, judged)
	}
}

// requireViolated requires that a law, by its ID, finds a violation by a subject in 3,000 cases.
func requireViolated[J, C any](t *testing.T, laws []props.LawOf[J, C], s props.Subject, id model.LawID, text string, args ...any) {
	t.Helper()
	l, err := judge.LawByID(laws, id)
	require.NoError(t, err)
	_, _, v, err := judge.Search(l, s, 3000)
	require.NoError(t, err)
	require.Equal(t, props.Violated, v.Outcome, append([]any{text}, args...)...)
}

const totalSource = `#include <metal_stdlib>
using namespace metal;
kernel void total(device const float* x, device ATOMIC* dst, constant uint& n, uint i [[thread_position_in_grid]])
{
    BODY
}
`

// totals returns shaders that add a vector, in any order by atomics, and in order.
func totals(dev metal.Device) (atomics, ordered device.Kernel) {
	make := func(name, atomic, body string) device.Kernel {
		return device.Kernel{
			Name: "mine.metal#" + name, Source: strings.NewReplacer("ATOMIC", atomic, "BODY", body).Replace(totalSource), Function: "total",
			Formula: formula.Sum(formula.Vector("x")), Claim: formula.Claim{Finite: true}, Grid: "1", Threads: []model.Size3{{X: 64, Y: 1, Z: 1}}, MaxN: 64, Device: dev,
		}
	}
	return make("atomics", "atomic_float", `if (i == 0) { atomic_store_explicit(dst, 0.0f, memory_order_relaxed); }
    threadgroup_barrier(mem_flags::mem_device);
    if (i < n) { atomic_fetch_add_explicit(dst, x[i], memory_order_relaxed); }`),
		make("ordered", "float", "if (i == 0) { float s = 0.0f; for (uint k = 0; k < n; k++) { s += x[k]; } dst[0] = s; }")
}

// TestChoice: a formula whose claim leaves no choice has one result on every device, in every order and every run. A sum by atomics is inside the claim of an
// open order, and neither inside that of one result nor inside one that names the order.
func TestChoice(t *testing.T) {
	finds := func(k device.Kernel, law model.LawID) string { return findFormula(t, k, string(law)) }
	exactly := func(k device.Kernel) device.Kernel {
		k.Formula = formula.Sum(formula.Vector("x")).Ordered(formula.Sequential)
		k.Claim.Exactly, k.Claim.Unfused, k.Strict = true, true, true
		return k
	}
	dev := restless{newFake(model.Behaviour{})}
	atomics, ordered := totals(dev)
	for _, law := range []model.LawID{model.DeviceEqual, model.DeviceRepeat} {
		require.Empty(t, finds(atomics, law), law)
		require.Empty(t, finds(ordered, law), law)
		require.Empty(t, finds(exactly(ordered), law), law)
		require.Contains(t, finds(exactly(atomics), law), "the claim leaves no choice", law)
	}
	repeats := atomics
	repeats.Repeats = true
	require.Contains(t, finds(repeats, model.DeviceRepeat), "of run ")

	atomics, ordered = totals(nil)
	atomics, ordered = exactly(atomics), exactly(ordered)
	atomics.Admits, ordered.Admits = &model.Behaviour{Order: "accesses"}, &model.Behaviour{Order: "accesses"}
	require.Contains(t, finds(atomics, model.KernelSchedule), "other bits than in program order")
	require.Empty(t, finds(ordered, model.KernelSchedule))

	// Without a formula every byte is claimed in every call, and nothing of other devices.
	free, _ := totals(dev)
	free.Formula, free.Claim, free.Bind = nil, formula.Claim{}, "dst=1"
	require.Contains(t, finds(free, model.DeviceRepeat), "byte ")
	p, err := device.Props(free)
	require.NoError(t, err)
	l, err := judge.LawByID(judge.FormulaLaws(), model.DeviceEqual)
	require.NoError(t, err)
	_, _, err = judge.Find(l, p, 10)
	require.ErrorContains(t, err, "the kernel has no formula")
}
