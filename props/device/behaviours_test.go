package device_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/round"
	"gamma/model/word"
	"gamma/oracle"
	"gamma/props/device"
	"gamma/shaders"
)

var updateBehaviours = flag.Bool("update-behaviours", false, "rewrite shaders/BEHAVIOURS.md")

// mode is a column of the table: how a source without pragmas is compiled, and what the device does with it.
type mode struct {
	name    string
	options metal.CompileOptions
	b       model.Behaviour
	seeds   uint64 // how many seeds are tried: 0 is the one that takes every liberty
}

func modes() []mode {
	relaxed := metal.CompileOptions{MathMode: metal.MathRelaxed}
	fast := metal.CompileOptions{MathMode: metal.MathFast, MathFunctions: metal.FunctionsFast}
	algebra := model.Rewrites{Reassociate: true, NoSignedZeros: true}
	all := model.Rewrites{Reassociate: true, NoSignedZeros: true, Reciprocal: true, NoNaNs: true, NoInfs: true}
	return []mode{
		{"plain", metal.CompileOptions{}, model.Behaviour{}, 1},
		{"contract on", metal.CompileOptions{}, model.Behaviour{Contract: model.ContractStatement}, 4},
		{"contract fast", relaxed, model.Behaviour{Contract: model.ContractFast}, 4},
		{"reassociate", relaxed, model.Behaviour{Rewrites: algebra}, 4},
		{"reciprocal", relaxed, model.Behaviour{Rewrites: model.Rewrites{Reciprocal: true}}, 1},
		{"fast", fast, model.Behaviour{Contract: model.ContractFast, Rewrites: all, ULP: true}, 3},
		{"flush in", metal.CompileOptions{}, model.Behaviour{Flush: model.Flush{In: true}}, 1},
		{"flush out", metal.CompileOptions{}, model.Behaviour{Flush: model.Flush{Out: true}}, 1},
		{"flush both", metal.CompileOptions{}, model.Behaviour{Flush: model.Flush{In: true, Out: true}}, 1},
		{"toward zero", metal.CompileOptions{}, model.Behaviour{Rounding: model.TowardZero}, 1},
	}
}

// bitsOf is the judge's arithmetic in a format of 24 bits of precision.
type bitsOf struct {
	round.Arith
	one, splitter uint64
}

func arithmetic(f model.Format) bitsOf {
	from := func(x float32) uint64 {
		return round.Convert(round.Arith{F: f}, model.Binary32, uint64(math.Float32bits(x)))
	}
	return bitsOf{round.Arith{F: f}, from(1), from(4097)}
}

func (a bitsOf) One() uint64      { return a.one }
func (a bitsOf) Splitter() uint64 { return a.splitter }

var (
	narrowest = arithmetic(model.Binary32)
	unbounded = func() bitsOf {
		f := model.Binary32
		f.Name, f.Emin, f.Emax, f.ExpBits = "wide24", -1022, 1023, 11
		return arithmetic(f)
	}()
)

// inDomain reports whether every step of a program rounds as if exponents had no bounds, so that theorems which leave out underflow and
// overflow hold for the row. It returns what the program gives.
func inDomain(p *word.Program, row []float32) (out []float32, ok bool) {
	n := len(p.Inputs) + len(p.Steps)
	narrow, wide := make([]uint64, n), make([]uint64, n)
	for i, v := range row {
		narrow[i] = uint64(math.Float32bits(v))
		wide[i] = round.Convert(unbounded.Arith, model.Binary32, narrow[i])
	}
	results := make([]uint64, len(p.Results))
	word.Run(p, unbounded, wide, results)
	word.Run(p, narrowest, narrow, results)
	for i := range narrow {
		if round.Convert(unbounded.Arith, model.Binary32, narrow[i]) != wide[i] {
			return nil, false
		}
	}
	for _, v := range results {
		out = append(out, math.Float32frombits(uint32(v)))
	}
	return out, true
}

// witnesses are rows that come near their bounds, of shared/reference/double-word-and-fft.md, A2.
var witnesses = map[string][]float32{
	"DWPlusFP":         {1, 0x1p-24 - 0x1p-48, -0.5 * (1 - 0x1p-24)},
	"SloppyDWPlusDW":   {0x1.000002p0, -0x1.fffffep-25, 0x1.4p-22, -0x1.fffffep-47},
	"AccurateDWPlusDW": {1, 0x1p-24 - 0x1p-48, -0.5 + 0x1p-25, -0x1p-49 + 0x1p-72},
	"DWTimesFP1":       {0x1.000004p0, -0x1.aaaaaap-25, -0x1.fffffap-1},
	"DWTimesFP2":       {0x1.002182p0, -0x1.fffffep-25, 0x1.0007a4p2},
	"DWTimesFP3":       {0x1.000d38p0, -0x1p-24, -0x1.00135ep0},
	"DWTimesDW1":       {0x1.000002p0, 0x1.fffffep-25, -0x1.000004p0, -0x1.fffffep-25},
	"DWTimesDW2":       {0x1.000002p0, 0x1.fffffap-25, 0x1.000002p0, 0x1.fffffep-25},
	"DWTimesDW3":       {0x1.000002p0, 0x1.fffffap-25, 0x1.000002p0, 0x1.fffffcp-25},
	"DWDivFP1":         {0x1.00003ep1, 0x1.ffff7ep-24, 0x1.ff007ep0},
	"DWDivFP3":         {0x1.000002p1, 0x1.ffc01ap-24, -0x1.ffc006p0},
	"DWDivDW1":         {0x1.003fcep1, 0x1.fd05bcp-24, -0x1.000456p0, 0x1.fedf8ap-25},
	"DWDivDW3":         {0x1.0007e2p0, 0x1.ff10c2p-25, -0x1.ffbfd2p0, -0x1.fff014p-25},
	"SQRTDWtoDW":       {0x1.000006p0, 0x1.fffff4p-25},
}

// tableRows draws rows in the domain of an algorithm: its witness and those of algorithms of the same operation, structured
// ones around 1, wide exponents, and ones whose steps come down to subnormal numbers. It returns the results of the program too.
func tableRows(a *word.Algorithm, op word.Op, n int) (src []float32, plain []float32) {
	rng := rand.New(rand.NewPCG(1, 2))
	add := func(row []float32) {
		if out, ok := inDomain(a.Program, row); ok {
			src, plain = append(src, row...), append(plain, out...)
		}
	}
	for _, b := range word.Algorithms() {
		if w := witnesses[b.Name]; w != nil && b.Op.X == op.X && b.Op.Y == op.Y && b.Op.Function == op.Function {
			add(w)
		}
	}
	same := len(a.Bounds) > 0 && a.Bounds[0].Same
	for try := 0; len(src) < n*op.In() && try < 40*n; try++ {
		family := try % 3
		var row []float32
		negative := rng.IntN(2) == 0
		base := -rng.IntN(126)
		for k, words := range op.Operands() {
			e := rng.IntN(4) - 2
			switch {
			case family == 1:
				e = rng.IntN(60) - 30
			case family == 2 && (op.Function == word.Sum || op.Function == word.ComplexSum || k == 0 || op.Y == 0 || op.Complex() && k < 2):
				e = base + rng.IntN(12)
			}
			m := 1<<23 | rng.Uint32N(1<<23)&[]uint32{1<<23 - 1, 15, 1<<23 - 1<<19, 0, 1<<23 - 16}[rng.IntN(5)]
			h := float32(math.Ldexp(float64(m), e-23))
			if op.Function != word.Root && (same && negative || !same && rng.IntN(2) == 0) {
				h = -h
			}
			row = append(row, h)
			if words == 2 {
				low := []float64{0, 1, 1, -1, 1 - 0x1p-24, -1 + 0x1p-24, 2*rng.Float64() - 1, 1 - rng.Float64()*0x1p-8}[rng.IntN(8)]
				l := float32(math.Ldexp(low, e-24))
				if !oracle.NormalDW(model.Binary32, uint64(math.Float32bits(h)), uint64(math.Float32bits(l))) {
					l /= 2
				}
				row = append(row, l)
			}
		}
		if a.Ordered && math.Abs(float64(row[0])) < math.Abs(float64(row[1])) {
			row[0], row[1] = row[1], row[0]
		}
		add(row)
	}
	return src, plain
}

// cell is what became of an operation in a mode.
type cell struct {
	text    string
	fails   bool
	witness string // of the worst row, if the bound or normalisation fails
}

// measured is the judge of an operation without pragmas.
type measured struct {
	o          shaders.Operation
	a          *word.Algorithm
	judge      *oracle.WordJudge
	limit, inU *oracle.WordLimit // inU: errors in u, for claims of exactness and operations without a bound
	src, plain []float32
}

// measure returns the worst error over limit, in u where there is no other limit, and the row.
func (m *measured) measure(dst []float32) (worst float64, row int, within bool) {
	in, out := m.o.Claim.Op.In(), m.o.Claim.Op.Out()
	row, within = -1, true
	for i := range len(m.src) / in {
		x, z := m.src[i*in:][:in], dst[i*out:][:out]
		l := m.limit
		if l == nil {
			l = m.inU
		}
		v := m.judge.Judge32(x, z, l)
		if v.State == oracle.WordUndefined || v.State == oracle.WordOperand {
			continue
		}
		ratio := v.Ratio
		if m.limit != nil && m.limit.Factor() == nil && !v.Within {
			ratio = m.judge.Judge32(x, z, m.inU).Ratio
		}
		if math.IsNaN(ratio) {
			ratio = math.Inf(1)
		}
		if m.limit != nil && !v.Within {
			within = false
		}
		if row < 0 || ratio > worst {
			worst, row = ratio, i
		}
	}
	return worst, row, within
}

// results returns the words of a row of the algorithm that the operation returns.
func (m *measured) results(plain []float32) []float32 {
	if m.a.Op.Z == m.o.Claim.Op.Z {
		return plain
	}
	var list []float32
	for i := 0; i < len(plain); i += m.a.Op.Z {
		list = append(list, plain[i:i+m.o.Claim.Op.Z]...)
	}
	return list
}

// namesake returns the algorithm whose bits dst has in all rows, if it is another, or "".
func (m *measured) namesake(dst []float32) string {
	in, out := m.o.Claim.Op.In(), m.o.Claim.Op.Out()
	for _, b := range word.Algorithms() {
		if b.Op != m.o.Claim.Op || b.Name == m.a.Name {
			continue
		}
		same := true
		for i := 0; i < len(m.src)/in && same; i++ {
			z, _ := inDomain(b.Program, m.src[i*in:][:in])
			same = z != nil && equalBits(z, dst[i*out:][:out])
		}
		if same {
			return b.Name
		}
	}
	return ""
}

func equalBits(x, y []float32) bool {
	return slices.EqualFunc(x, y, func(a, b float32) bool {
		return math.Float32bits(a) == math.Float32bits(b) || a == 0 && b == 0 || a != a && b != b
	})
}

// in runs the operation in a mode and looks at every claim.
func (m *measured) in(d *sim.Device, c mode) (cell, error) {
	in, out := m.o.Claim.Op.In(), m.o.Claim.Op.Out()
	rows := len(m.src) / in
	var worst cell
	most, names := -1.0, []string{}
	for seed := range c.seeds {
		b := c.b
		b.Seed = seed
		options := c.options
		options.Macros = map[string]string{"GAMMA_OPEN": "1"}
		r := shaders.NewRunnerWith(d.With(b), options)
		dst := make([]float32, rows*out)
		err := m.o.Run(r, model.Launch1D((rows+63)/64, 64), dst, m.src)
		r.Release()
		if err != nil {
			return cell{}, err
		}
		ratio, row, within := m.measure(dst)
		var bad []int
		if m.a.Normal && m.a.Op.Z == 2 && m.o.Claim.Op.Z == 2 {
			bad = oracle.NormalRows32(dst, nil)
		}
		name := "="
		if !equalBits(m.results(m.plain), dst) {
			if name = m.namesake(dst); name == "" {
				name = "≠"
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		fails := !within || len(bad) > 0
		if ratio > most || fails && !worst.fails {
			most = max(ratio, most)
			text := fmt.Sprintf("%.4g", ratio)
			if m.limit == nil || m.limit.Factor() == nil {
				text += "u"
			}
			switch {
			case math.IsInf(ratio, 1):
				text = "∞"
			case m.limit != nil && m.limit.Factor() == nil && within:
				text = "exact"
			}
			if len(bad) > 0 {
				text += " ¬n"
				if within {
					row = bad[0] * 2 / out
				}
			}
			worst = cell{text: text, fails: fails}
			if fails {
				worst.text = "**" + text + "**"
				worst.witness = fmt.Sprintf("%s gives %s", hexes(m.src[row*in:][:in]), hexes(dst[row*out:][:out]))
			}
		}
	}
	if names = slices.DeleteFunc(names, func(s string) bool { return s == "=" }); len(names) > 0 {
		worst.text += " " + strings.Join(names, " ")
	}
	return worst, nil
}

func hexes(x []float32) string {
	list := make([]string, len(x))
	for i, v := range x {
		list[i] = fmt.Sprintf("%x", v)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// newMeasured returns nil for an operation that no algorithm names.
func newMeasured(t *testing.T, o shaders.Operation, n int) *measured {
	a, ok := word.ByName(o.Claim.Algorithm)
	if !ok {
		return nil
	}
	m := &measured{o: o, a: a}
	var err error
	m.judge, err = oracle.NewWordJudge(o.Claim.Op, model.Binary32)
	require.NoError(t, err)
	factor := word.U(24)
	if o.Claim.Op.Complex() {
		factor = new(big.Rat).Mul(factor, factor)
	}
	m.inU = oracle.NewWordLimit(word.Bound{Text: "u", Factor: func(int) *big.Rat { return factor }, Normwise: o.Claim.Op.Complex()}, 24)
	if len(a.Bounds) > 0 {
		m.limit = oracle.NewWordLimit(a.Bounds[0], 24)
		if a.Op.Z != o.Claim.Op.Z {
			m.limit = oracle.NewRoundedLimit(a.Bounds[0], model.Binary32)
		}
	}
	m.src, m.plain = tableRows(a, o.Claim.Op, n)
	return m
}

const behavioursHead = `# What devices and compilers leave of the claims

Every operation of package shaders on words, compiled **without** the pragmas of eft.h (GAMMA_OPEN), under what Metal allows a
device. With the pragmas, the columns from *contract on* to *fast* are as *plain*: TestOperationBits holds every bit to that.

Computed by

    go test ./props/device -run TestBehaviours -update-behaviours

A number is the worst error found over the proved bound; of error-free transforms, and where no bound is known, the worst relative error in
u = 2^-24 (of complex numbers, normwise). **Bold** fails: the bound is exceeded, or with ¬n a result is not normalised though
the algorithm's are. ≠ or a name: the bits are not the algorithm's in every row, and those of another one in every row if it is
named. All rows lie in the domain of the theorems: no step of the algorithm is touched by the range of exponents under gradual underflow.
A number below 1 is what these rows found, and no proof; bounds are proved for *plain* alone. A fail is one: its row is in the list below.
`

// TestBehaviours computes which claims survive which mode, and holds the table in shaders/BEHAVIOURS.md to it.
func TestBehaviours(t *testing.T) {
	columns := modes()
	d := sim.New(sim.Options{NoChecks: true, Workers: 1})
	defer d.Release()
	var list []*measured
	for _, o := range shaders.Operations() {
		if m := newMeasured(t, o, 300); m != nil {
			list = append(list, m)
		}
	}
	cells := make([][]cell, len(list))
	errs := make([]error, len(list))
	var wait sync.WaitGroup
	for i, m := range list {
		wait.Go(func() {
			for _, c := range columns {
				x, err := m.in(d, c)
				if err != nil {
					errs[i] = fmt.Errorf("%s, %s: %w", m.o.Name, c.name, err)
					return
				}
				cells[i] = append(cells[i], x)
			}
		})
	}
	wait.Wait()
	var b, w bytes.Buffer
	b.WriteString(behavioursHead)
	file := ""
	for i, m := range list {
		require.NoError(t, errs[i])
		require.False(t, cells[i][0].fails, "%s fails on a plain device: %s %s", m.o.Name, cells[i][0].text, cells[i][0].witness)
		name := strings.TrimPrefix(m.o.Name, "shaders/")
		source, function, _ := strings.Cut(name, "#")
		if source != file {
			file = source
			fmt.Fprintf(&b, "\n## %s\n\n| function | algorithm | bound |", file)
			for _, c := range columns {
				fmt.Fprintf(&b, " %s |", c.name)
			}
			fmt.Fprintf(&b, "\n|%s\n", strings.Repeat("---|", 3+len(columns)))
		}
		bound := "none known"
		if m.limit != nil {
			if bound = m.limit.String(); m.limit.Factor() == nil {
				bound = "exact"
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |", function, m.a.Name, bound)
		for k, c := range cells[i] {
			fmt.Fprintf(&b, " %s |", c.text)
			if c.witness != "" {
				fmt.Fprintf(&w, "* %s, %s: %s\n", name, columns[k].name, c.witness)
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n## Rows that fail\n\nOperands and results as word.Op lays them out.\n\n%s", w.String())

	const path = "../../shaders/BEHAVIOURS.md"
	if *updateBehaviours {
		require.NoError(t, corpus.WriteFile(path, b.Bytes()))
		return
	}
	want, err := device.FromTree(t, path)
	require.NoError(t, err, "run with -update-behaviours to write it")
	require.Equal(t, string(want), b.String(), "the table of behaviours has changed; look at it, then run with -update-behaviours")
}
