package mutants_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/mutants"
	"gamma/kernels/nn"
	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/enclosure"
)

// call is one call of a kernel on arrays by name. Their memory is used again by the next call, and what lies beside them is junk.
type call struct {
	sizes  map[string]int
	arrays map[string]any
}

func (c *call) Size(axis string) int           { return c.sizes[axis] }
func (c *call) Float32(name string) []float32  { return c.arrays[name].([]float32) }
func (c *call) Encodings(name string) []uint16 { return c.arrays[name].([]uint16) }
func (c *call) Int8(name string) []int8        { return c.arrays[name].([]int8) }
func (c *call) Int32(name string) []int32      { return c.arrays[name].([]int32) }

// subject is a kernel with what judges it.
type subject struct {
	nn.Kernel
	program *enclosure.Program
	out     formula.Type
	memory  map[string]any
}

func newSubject(t *testing.T, k nn.Kernel) *subject {
	t.Helper()
	p, err := enclosure.Compile(k.Formula, k.Claim, k.Out)
	require.NoError(t, err, k.Name)
	out := k.Out
	if !out.IsStored() {
		out = formula.Float(model.Binary32)
	}
	return &subject{k, p, out, map[string]any{}}
}

// room returns n elements of the memory called name.
func room[T any](s *subject, name string, n int, junk func() T) []T {
	old, _ := s.memory[name].([]T)
	if len(old) < n+1 {
		old = make([]T, max(n+1, 2048))
		s.memory[name] = old
	}
	for i := range n + 1 {
		old[i] = junk()
	}
	return old[: n : n+1]
}

// families are the rows that inputs are filled with.
var families = []string{"normal", "shifted", "peak", "mean1000", "narrow", "knees", "ties", "huge", "blocks", "masked", "nonfinite"}

// fillRow fills a row with numbers of a family.
func fillRow(rng *rand.Rand, family string, x []float32) {
	mean, deviation := 0.0, 1.0
	switch family {
	case "shifted":
		mean = []float64{95, -95, 60}[rng.IntN(3)]
	case "mean1000":
		mean = []float64{1000, 10, -1000}[rng.IntN(3)]
	case "narrow":
		deviation = 1e-3
	case "huge":
		deviation = []float64{1e20, 1e-22, 1e30}[rng.IntN(3)]
	case "knees":
		mean = []float64{0.01, 1, 4, 9, 88, -88, -9, -4}[rng.IntN(8)]
		deviation = math.Abs(mean) * 0x1p-5
	}
	for i := range x {
		x[i] = float32(mean + deviation*rng.NormFloat64())
	}
	switch family {
	case "peak":
		x[rng.IntN(len(x))] = []float32{30, 60, 16}[rng.IntN(3)]
	case "ties":
		for i := range x {
			x[i] = float32(rng.IntN(7) - 3)
		}
	case "blocks":
		for i := range x {
			if i/64%2 == 1 || i/16%4 == 3 {
				x[i] = 0
			}
		}
	case "masked":
		for i := range x {
			if rng.IntN(3) == 0 {
				x[i] = float32(math.Inf(-1))
			}
		}
	case "nonfinite":
		x[rng.IntN(len(x))] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[rng.IntN(3)]
	}
}

// draw makes a case: sizes, and what the inputs hold.
func (s *subject) draw(rng *rand.Rand, family string) (c *call, in map[string]enclosure.Array) {
	c = &call{map[string]int{}, map[string]any{}}
	in = map[string]enclosure.Array{}
	size := func(most int) int { return min(most, int(math.Exp(rng.Float64()*math.Log(float64(most)+1)))) }
	for _, e := range s.Formula.Inputs() {
		for _, axis := range e.Axes() {
			if c.sizes[axis] > 0 {
				continue
			}
			most := 1000
			if len(s.Formula.Axes()) > 1 {
				most = map[string]int{"n": 300, "k": 300}[axis]
				if most == 0 || axis == "n" && slices.Contains([]string{"a", "b"}, e.Node().Name) {
					most = map[string]int{"s": 40, "d": 32}[axis]
				}
				if most == 0 {
					most = 6
				}
			}
			c.sizes[axis] = size(most)
		}
	}
	for i, e := range s.Formula.Inputs() {
		name, a := e.Node().Name, enclosure.Array{}
		n := 1
		for _, axis := range e.Axes() {
			a.Shape = append(a.Shape, c.sizes[axis])
			n *= c.sizes[axis]
		}
		row := n
		if len(a.Shape) > 1 {
			row = a.Shape[len(a.Shape)-1]
		}
		x := make([]float32, n)
		for at := 0; at < n; at += row {
			f := family
			if i > 0 && rng.IntN(2) > 0 {
				f = "normal"
			}
			fillRow(rng, f, x[at:at+row])
		}
		switch t := e.Type(); {
		case name == "gamma":
			for j := range x {
				x[j] = 1 + float32(rng.NormFloat64())/8
			}
		case name == "scaleA" || name == "scaleB":
			for j := range x {
				x[j] = float32(math.Exp(rng.NormFloat64()))
			}
		case t.Int:
			b := room(s, name, n, func() int8 { return int8(rng.IntN(256)) })
			c.arrays[name] = b
			for _, v := range b {
				a.Values = append(a.Values, float64(v))
			}
		case t.Float.P == 11:
			h := room(s, name, n, func() uint16 { return uint16(rng.Uint32()) })
			for j, v := range x {
				h[j] = kernels.HalfFromFloat32(v)
				a.Values = append(a.Values, float64(kernels.HalfToFloat32(h[j])))
			}
			c.arrays[name] = h
		}
		if c.arrays[name] == nil {
			y := room(s, name, n, rng.Float32)
			copy(y, x)
			c.arrays[name] = y
			for _, v := range x {
				a.Values = append(a.Values, float64(v))
			}
		}
		in[name] = a
	}
	return c, in
}

// sibling changes one element, but the first, the middle and the last, of an input of binary32 numbers.
func sibling(rng *rand.Rand, c *call, in map[string]enclosure.Array) {
	for name, a := range in {
		x, ok := c.arrays[name].([]float32)
		if !ok || len(x) < 4 {
			continue
		}
		i := 1 + rng.IntN(len(x)/2-1)
		x[i] = x[i]/2 + 1
		a.Values[i] = float64(x[i])
	}
}

// reach is the largest distance from the exact value, over what is allowed.
type reach struct {
	ratio float64
	n     int
}

// judge runs the kernel, and returns what is wrong, "" if nothing is.
func (s *subject) judge(rng *rand.Rand, c *call, in map[string]enclosure.Array, most *reach) string {
	r, err := s.program.Run(in)
	if err != nil {
		return err.Error()
	}
	got := make([]float64, len(r.Lo))
	switch {
	case s.out.Int:
		dst := room(s, "dst", len(r.Lo), func() int32 { return int32(rng.Uint32()) })
		c.arrays["dst"] = dst
		s.Run(c)
		for i, v := range dst {
			got[i] = float64(v)
		}
	case s.out.Float.P < 24:
		dst := room(s, "dst", len(r.Lo), func() uint16 { return uint16(rng.Uint32()) })
		c.arrays["dst"] = dst
		s.Run(c)
		for i, v := range dst {
			if s.out.Float.P == 8 {
				got[i] = float64(kernels.BFloatToFloat32(v))
			} else {
				got[i] = float64(nn.E4M3ToFloat32(uint8(v)))
			}
		}
	default:
		dst := room(s, "dst", len(r.Lo), rng.Float32)
		c.arrays["dst"] = dst
		s.Run(c)
		for i, v := range dst {
			got[i] = float64(v)
		}
	}
	for name, a := range in {
		if x, ok := c.arrays[name].([]float32); ok {
			for i, v := range x {
				if float64(v) != a.Values[i] && v == v {
					return fmt.Sprintf("element %d of input %s was written", i, name)
				}
			}
		}
	}
	for i, v := range got {
		if !r.Allows(i, v) {
			return fmt.Sprintf("sizes %v: element %d is %v, allowed [%v, %v], NaN may %v must %v, exact [%v, %v]", c.sizes, i, v, r.Lo[i], r.Hi[i], r.MayBeNaN(i), r.MustBeNaN(i), r.ExactLo[i], r.ExactHi[i])
		}
		if most != nil && v == v && r.Hi[i] > r.Lo[i] && !math.IsInf(r.Hi[i], 0) && !math.IsInf(r.Lo[i], 0) {
			most.n++
			if v > r.ExactHi[i] && r.Hi[i] > r.ExactHi[i] {
				most.ratio = max(most.ratio, (v-r.ExactHi[i])/(r.Hi[i]-r.ExactHi[i]))
			} else if v < r.ExactLo[i] && r.Lo[i] < r.ExactLo[i] {
				most.ratio = max(most.ratio, (r.ExactLo[i]-v)/(r.ExactLo[i]-r.Lo[i]))
			}
		}
	}
	return ""
}

// search judges so many cases, and returns the first that is wrong: its number from 1, and what.
func (s *subject) search(cases int, most *reach) (at int, family, wrong string) {
	rng := rand.New(rand.NewPCG(14, 1))
	for at = 1; at <= cases; at++ {
		family = families[(at-1)%len(families)]
		if s.Claim.Finite && (family == "masked" || family == "nonfinite") {
			continue
		}
		c, in := s.draw(rng, family)
		if wrong = s.judge(rng, c, in, most); wrong != "" {
			return at, family, wrong
		}
		if at%2 == 0 {
			sibling(rng, c, in)
			if wrong = s.judge(rng, c, in, most); wrong != "" {
				return at, family, wrong
			}
		}
	}
	return at, "", ""
}

// TestFormulasHold holds every right kernel to the enclosure of its formula.
func TestFormulasHold(t *testing.T) {
	cases := 2200
	if testing.Short() {
		cases = 220
	}
	for _, k := range nn.All() {
		t.Run(k.Name, func(t *testing.T) {
			var most reach
			at, family, wrong := newSubject(t, k).search(cases, &most)
			require.Empty(t, wrong, "case %d of family %s", at, family)
			t.Logf("%s: %d cases, %d elements with an error, largest error/bound %.2f", k.Name, cases, most.n, most.ratio)
		})
	}
}

// TestFormulaMutantsAreOutside holds that each mutant leaves the enclosure of what it claims on some case.
func TestFormulaMutantsAreOutside(t *testing.T) {
	const cases = 4000
	needed := map[string][]string{}
	var counts []int
	for _, m := range mutants.Formulas() {
		at, family, wrong := newSubject(t, m.Kernel).search(cases, nil)
		if wrong == "" {
			t.Errorf("%s survives %d cases: %s", m.Kernel.Name, cases, m.Fault)
			continue
		}
		counts = append(counts, at)
		needed[m.Of] = append(needed[m.Of], fmt.Sprintf("%s %d (%s)", strings.TrimPrefix(m.Kernel.Name, "mutants."), at, family))
	}
	sort.Ints(counts)
	for _, k := range nn.All() {
		t.Logf("%s: %s", k.Name, strings.Join(needed[k.Name], ", "))
	}
	t.Logf("%d mutants, median %d cases, most %d", len(counts), counts[len(counts)/2], counts[len(counts)-1])
}
