package msl_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	_ "gamma/metal/cuda"
	"gamma/metal/internal/reference"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	_ "gamma/metal/opencl"
	"gamma/metal/sim"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// A random program in Metal and, beside every piece of its text, a Go function that does what the text says: functions with
// reference and pointer parameters, structs, vectors, arrays, loops, switches, early returns and side effects in operands.

// memo is the variables of one call: pointers to their cells, so that references share them.
type memo map[string]*uint32

type expr struct {
	text string
	eval func(m memo) uint32
}

type lval struct {
	text string
	cell func(m memo) *uint32
}

// outcome is how a statement ends.
type outcome int

const (
	goesOn outcome = iota
	breaks
	continues
	gives
)

type stmt struct {
	text string
	run  func(m memo) outcome
}

type function struct {
	name string
	body []stmt
}

type generator struct {
	r     *rand.Rand
	funcs []*function
	names int
	// scope holds the cells that may be written, fixed those that may only be read.
	scope   []string
	fixed   []string
	arrays  []string
	dynamic bool
	rich    bool // with the helpers
	loops   int
	depth   int
	inFunc  bool
}

func (g *generator) pick(n int) int { return g.r.IntN(n) }

func (g *generator) name(p string) string {
	g.names++
	return fmt.Sprintf("%s%d", p, g.names)
}

func cell(name string) lval {
	return lval{name, func(m memo) *uint32 { return m[name] }}
}

func (g *generator) lvalue() lval {
	if len(g.arrays) > 0 && g.pick(4) == 0 {
		a := g.arrays[g.pick(len(g.arrays))]
		if g.dynamic && g.pick(2) == 0 {
			i := g.pure(1)
			return lval{fmt.Sprintf("%s[%s & 3u]", a, i.text), func(m memo) *uint32 { return m[fmt.Sprintf("%s[%d]", a, i.eval(m)&3)] }}
		}
		return cell(fmt.Sprintf("%s[%d]", a, g.pick(4)))
	}
	return cell(g.scope[g.pick(len(g.scope))])
}

// bindable is an lvalue that a reference may be bound to: no part of a vector.
func (g *generator) bindable() lval {
	for {
		if l := g.lvalue(); !strings.HasSuffix(l.text, ".x") && !strings.HasSuffix(l.text, ".y") {
			return l
		}
	}
}

var binaryOps = []struct {
	text string
	f    func(a, b uint32) uint32
}{
	{"+", func(a, b uint32) uint32 { return a + b }},
	{"-", func(a, b uint32) uint32 { return a - b }},
	{"*", func(a, b uint32) uint32 { return a * b }},
	{"^", func(a, b uint32) uint32 { return a ^ b }},
	{"&", func(a, b uint32) uint32 { return a & b }},
	{"|", func(a, b uint32) uint32 { return a | b }},
}

// pure makes an expression without side effects.
func (g *generator) pure(depth int) expr {
	if g.rich && depth > 0 && g.pick(3) == 0 {
		return g.callable(depth - 1)
	}
	switch k := g.pick(8); {
	case depth <= 0 && k < 3:
		c := uint32(g.pick(20))
		if k == 0 {
			c = g.r.Uint32()
		}
		return expr{fmt.Sprintf("%du", c), func(memo) uint32 { return c }}
	case depth <= 0 && k < 5 && len(g.fixed) > 0:
		n := g.fixed[g.pick(len(g.fixed))]
		return expr{n, func(m memo) uint32 { return *m[n] }}
	case depth <= 0:
		l := g.scope[g.pick(len(g.scope))]
		return expr{l, func(m memo) uint32 { return *m[l] }}
	case k == 0:
		c, a, b := g.cond(depth-1), g.pure(depth-1), g.pure(depth-1)
		return expr{fmt.Sprintf("(%s ? %s : %s)", c.text, a.text, b.text), func(m memo) uint32 {
			if c.eval(m) != 0 {
				return a.eval(m)
			}
			return b.eval(m)
		}}
	case k == 1:
		a, n := g.pure(depth-1), uint32(g.pick(32))
		return expr{fmt.Sprintf("(%s >> %du)", a.text, n), func(m memo) uint32 { return a.eval(m) >> n }}
	case k == 2:
		a, n := g.pure(depth-1), uint32(1+g.pick(20))
		return expr{fmt.Sprintf("(%s %% %du)", a.text, n), func(m memo) uint32 { return a.eval(m) % n }}
	}
	op := binaryOps[g.pick(len(binaryOps))]
	a, b := g.pure(depth-1), g.pure(depth-1)
	return expr{fmt.Sprintf("(%s %s %s)", a.text, op.text, b.text), func(m memo) uint32 {
		x := a.eval(m)
		return op.f(x, b.eval(m))
	}}
}

// cond makes a condition, 0 or 1.
func (g *generator) cond(depth int) expr {
	switch g.pick(5) {
	case 0:
		if depth > 0 {
			a, b := g.cond(depth-1), g.cond(depth-1)
			return expr{fmt.Sprintf("(%s && %s)", a.text, b.text), func(m memo) uint32 { return a.eval(m) & b.eval(m) }}
		}
	case 1:
		if depth > 0 {
			a, b := g.cond(depth-1), g.cond(depth-1)
			return expr{fmt.Sprintf("(%s || !%s)", a.text, b.text), func(m memo) uint32 { return a.eval(m) | (b.eval(m) ^ 1) }}
		}
	}
	a, b := g.pure(depth-1), g.pure(depth-1)
	return expr{fmt.Sprintf("(%s < %s)", a.text, b.text), func(m memo) uint32 {
		if a.eval(m) < b.eval(m) {
			return 1
		}
		return 0
	}}
}

// effectful makes an expression whose operands may write variables; operands are evaluated from the left.
func (g *generator) effectful(depth int) expr {
	switch k := g.pick(6); {
	case k == 0 && len(g.funcs) > 0:
		return g.call()
	case k == 1:
		l := g.lvalue()
		return expr{l.text + "++", func(m memo) uint32 { p := l.cell(m); *p++; return *p - 1 }}
	case k == 2:
		l, x := cell(g.scope[g.pick(len(g.scope))]), g.pure(1)
		return expr{fmt.Sprintf("(%s = %s)", l.text, x.text), func(m memo) uint32 { v := x.eval(m); p := l.cell(m); *p = v; return v }}
	case k < 5 && depth > 0:
		op := binaryOps[g.pick(len(binaryOps))]
		a, b := g.effectful(depth-1), g.effectful(depth-1)
		return expr{fmt.Sprintf("(%s %s %s)", a.text, op.text, b.text), func(m memo) uint32 {
			x := a.eval(m)
			return op.f(x, b.eval(m))
		}}
	}
	return g.pure(1)
}

// call calls f(uint p, uint k, thread uint &r, thread uint *q, S s).
func (g *generator) call() expr {
	f := g.funcs[g.pick(len(g.funcs))]
	p, k, r, q, a, b := g.pure(1), g.pure(0), g.bindable(), g.bindable(), g.pure(1), g.pure(0)
	return expr{fmt.Sprintf("%s(%s, %s, %s, &%s, S{%s, uint2(%s)})", f.name, p.text, k.text, r.text, q.text, a.text, b.text), func(m memo) uint32 {
		n := memo{}
		set := func(name string, v uint32) { n[name] = &v }
		set("p", p.eval(m))
		set("k", k.eval(m))
		n["r"] = r.cell(m)
		n["(*q)"] = q.cell(m)
		set("s.a", a.eval(m))
		v := b.eval(m)
		set("s.v.x", v)
		set("s.v.y", v)
		set("result", 0)
		runAll(f.body, n)
		return *n["result"]
	}}
}

func runAll(list []stmt, m memo) outcome {
	for _, s := range list {
		if o := s.run(m); o != goesOn {
			return o
		}
	}
	return goesOn
}

func text(list []stmt) string {
	var s strings.Builder
	for _, x := range list {
		s.WriteString(x.text)
		s.WriteByte('\n')
	}
	return s.String()
}

// block makes n statements in a scope of their own.
func (g *generator) block(n int) []stmt {
	scope, arrays, fixed := len(g.scope), len(g.arrays), len(g.fixed)
	g.depth++
	var list []stmt
	for range n {
		list = append(list, g.stmt())
	}
	g.depth--
	g.scope, g.arrays, g.fixed = g.scope[:scope], g.arrays[:arrays], g.fixed[:fixed]
	return list
}

func (g *generator) stmt() stmt {
	k := g.pick(16)
	if g.depth > 4 {
		k = g.pick(6)
	}
	switch k {
	case 0:
		l, x := g.lvalue(), g.effectful(2)
		return stmt{fmt.Sprintf("%s = %s;", l.text, x.text), func(m memo) outcome { v := x.eval(m); *l.cell(m) = v; return goesOn }}
	case 1, 2, 3:
		l, x := g.lvalue(), g.effectful(2)
		op := binaryOps[g.pick(len(binaryOps))]
		return stmt{fmt.Sprintf("%s %s= %s;", l.text, op.text, x.text), func(m memo) outcome {
			v := x.eval(m)
			p := l.cell(m)
			*p = op.f(*p, v)
			return goesOn
		}}
	case 4:
		if g.loops > 0 {
			c, o := g.cond(1), breaks
			word := "break"
			if g.pick(2) == 0 {
				o, word = continues, "continue"
			}
			return stmt{fmt.Sprintf("if (%s) %s;", c.text, word), func(m memo) outcome {
				if c.eval(m) != 0 {
					return o
				}
				return goesOn
			}}
		}
	case 5:
		if g.inFunc {
			c, x := g.cond(1), g.pure(2)
			return stmt{fmt.Sprintf("if (%s) return %s;", c.text, x.text), func(m memo) outcome {
				if c.eval(m) != 0 {
					*m["result"] = x.eval(m)
					return gives
				}
				return goesOn
			}}
		}
	case 6, 7:
		c := g.cond(2)
		a, b := g.block(1+g.pick(3)), g.block(g.pick(3))
		return stmt{fmt.Sprintf("if (%s) {\n%s} else {\n%s}", c.text, text(a), text(b)), func(m memo) outcome {
			if c.eval(m) != 0 {
				return runAll(a, m)
			}
			return runAll(b, m)
		}}
	case 8:
		return g.loop()
	case 9:
		return g.switchStmt()
	case 10:
		n, x := g.name("x"), g.effectful(1)
		g.scope = append(g.scope, n)
		return declare("uint "+n+" = "+x.text+";", []string{n}, func(m memo) []uint32 { return []uint32{x.eval(m)} })
	case 11:
		n, x := g.name("c"), g.effectful(1)
		g.fixed = append(g.fixed, n)
		return declare("const uint "+n+" = "+x.text+";", []string{n}, func(m memo) []uint32 { return []uint32{x.eval(m)} })
	case 12:
		// No initialiser: both sides of a branch write.
		n, c, x, y := g.name("u"), g.cond(1), g.pure(1), g.pure(1)
		g.scope = append(g.scope, n)
		return declare(fmt.Sprintf("uint %s; if (%s) { %s = %s; } else %s = %s;", n, c.text, n, x.text, n, y.text), []string{n}, func(m memo) []uint32 {
			if c.eval(m) != 0 {
				return []uint32{x.eval(m)}
			}
			return []uint32{y.eval(m)}
		})
	case 13:
		n, x, y := g.name("s"), g.pure(1), g.pure(1)
		cells := []string{n + ".a", n + ".v.x", n + ".v.y"}
		g.scope = append(g.scope, cells...)
		return declare(fmt.Sprintf("S %s = {%s, {%s, 7u}};", n, x.text, y.text), cells, func(m memo) []uint32 { return []uint32{x.eval(m), y.eval(m), 7} })
	case 14:
		n, x := g.name("a"), g.pure(1)
		g.arrays = append(g.arrays, n)
		cells := []string{n + "[0]", n + "[1]", n + "[2]", n + "[3]"}
		return declare(fmt.Sprintf("uint %s[4] = {%s, 2u};", n, x.text), cells, func(m memo) []uint32 { return []uint32{x.eval(m), 2, 0, 0} })
	}
	l := g.bindable()
	x := g.effectful(1)
	return stmt{fmt.Sprintf("{ thread uint &ref = %s; ref ^= %s; ref += 1u; }", l.text, x.text), func(m memo) outcome {
		p := l.cell(m)
		v := x.eval(m)
		*p = (*p ^ v) + 1
		return goesOn
	}}
}

func declare(text string, cells []string, init func(m memo) []uint32) stmt {
	return stmt{text, func(m memo) outcome {
		for i, v := range init(m) {
			m[cells[i]] = &v
		}
		return goesOn
	}}
}

func (g *generator) loop() stmt {
	i, n := g.name("i"), uint32(1+g.pick(5))
	fixed := len(g.fixed)
	g.fixed = append(g.fixed, i)
	g.loops++
	body := g.block(1 + g.pick(4))
	g.loops--
	g.fixed = g.fixed[:fixed]
	if g.pick(3) == 0 {
		return stmt{fmt.Sprintf("{ uint %s = 0; do {\n%s} while (++%s < %du); }", i, text(body), i, n), func(m memo) outcome {
			var v uint32
			m[i] = &v
			for {
				switch runAll(body, m) {
				case breaks:
					return goesOn
				case gives:
					return gives
				}
				v++
				if v >= n {
					return goesOn
				}
			}
		}}
	}
	return stmt{fmt.Sprintf("for (uint %s = 0; %s < %du; %s++) {\n%s}", i, i, n, i, text(body)), func(m memo) outcome {
		var v uint32
		m[i] = &v
		for ; v < n; v++ {
			switch runAll(body, m) {
			case breaks:
				return goesOn
			case gives:
				return gives
			}
		}
		return goesOn
	}}
}

func (g *generator) switchStmt() stmt {
	x := g.pure(2)
	loops := g.loops
	g.loops = 0 // break and continue are tried in loops
	var bodies [4][]stmt
	var stops [4]bool
	var s strings.Builder
	fmt.Fprintf(&s, "switch (%s & 3u) {\n", x.text)
	for i := range bodies {
		bodies[i] = g.block(g.pick(3))
		stops[i] = g.pick(3) > 0
		label := fmt.Sprintf("case %d", i)
		if i == 2 {
			label = "default"
		}
		fmt.Fprintf(&s, "%s: {\n%s}\n", label, text(bodies[i]))
		if stops[i] {
			s.WriteString("break;\n")
		}
	}
	s.WriteString("}")
	g.loops = loops
	return stmt{s.String(), func(m memo) outcome {
		for i := x.eval(m) & 3; i < 4; i++ {
			if o := runAll(bodies[i], m); o != goesOn {
				return o
			}
			if stops[i] {
				break
			}
		}
		return goesOn
	}}
}

// program makes a kernel that reads x[0] to x[3] and writes y[0] to y[4]; run does the same.
func (g *generator) program() (src string, run func(in [4]uint32) [5]uint32) {
	var s strings.Builder
	s.WriteString("#include <metal_stdlib>\nusing namespace metal;\nstruct S { uint a; uint2 v; };\n")
	if g.rich {
		s.WriteString(helpers)
	}
	for range g.pick(4) {
		f := &function{name: g.name("f")}
		g.scope, g.arrays, g.fixed = []string{"p", "r", "(*q)", "s.a", "s.v.x", "s.v.y"}, nil, []string{"k"}
		g.inFunc = true
		f.body = g.block(2 + g.pick(6))
		last := g.pure(2)
		f.body = append(f.body, stmt{"return " + last.text + ";", func(m memo) outcome { *m["result"] = last.eval(m); return gives }})
		fmt.Fprintf(&s, "uint %s(uint p, uint k, thread uint &r, thread uint *q, S s) {\n%s}\n", f.name, text(f.body))
		g.funcs = append(g.funcs, f)
	}
	g.inFunc = false
	g.scope, g.arrays, g.fixed = []string{"v0", "v1", "w.x", "w.y", "z.a", "z.v.x", "z.v.y"}, []string{"arr"}, nil
	body := g.block(4 + g.pick(12))
	s.WriteString("kernel void k(device const uint *x, device uint *y) {\n")
	s.WriteString("uint v0 = x[0], v1 = x[1]; uint2 w = uint2(x[2], x[3]); S z = {1u, w}; uint arr[4] = {v0, 1u, 2u, v1};\n")
	s.WriteString(text(body))
	s.WriteString("y[0] = v0; y[1] = v1; y[2] = w.x ^ w.y * 3u; y[3] = z.a + z.v.x * 5u - z.v.y; y[4] = arr[0] ^ arr[1] * 3u ^ arr[2] * 5u ^ arr[3] * 7u;\n}\n")
	return s.String(), func(in [4]uint32) [5]uint32 {
		m := memo{}
		set := func(name string, v uint32) { m[name] = &v }
		set("v0", in[0])
		set("v1", in[1])
		set("w.x", in[2])
		set("w.y", in[3])
		set("z.a", 1)
		set("z.v.x", in[2])
		set("z.v.y", in[3])
		for i, v := range []uint32{in[0], 1, 2, in[1]} {
			set(fmt.Sprintf("arr[%d]", i), v)
		}
		runAll(body, m)
		v := func(n string) uint32 { return *m[n] }
		return [5]uint32{
			v("v0"), v("v1"), v("w.x") ^ v("w.y")*3, v("z.a") + v("z.v.x")*5 - v("z.v.y"),
			v("arr[0]") ^ v("arr[1]")*3 ^ v("arr[2]")*5 ^ v("arr[3]")*7,
		}
	}
}

// seedsOf returns the seeds of random programs: the first few, or those that GAMMA_PROGRAMS names, such as 1000:2000 from one to below the other,
// so that several processes share a long run.
func seedsOf(t *testing.T, few, thorough uint64) (from, to uint64) {
	t.Helper()
	if text := os.Getenv("GAMMA_PROGRAMS"); text != "" {
		_, err := fmt.Sscanf(text, "%d:%d", &from, &to)
		require.NoError(t, err, "GAMMA_PROGRAMS=%s is not such as 1000:2000", text)
		require.Less(t, from, to, "GAMMA_PROGRAMS=%s names no seed", text)
		return from, to
	}
	if os.Getenv("GAMMA_LEVEL") == "thorough" {
		return 0, thorough
	}
	return 0, few
}

// timeLimit returns what says that GAMMA_PROGRAMS_TIME, such as 500s, has passed, so that a long run ends by itself and says how far it came. Where it is set, garbage is
// collected more rarely: a program's is gone with it.
func timeLimit(t *testing.T) (ends func() bool) {
	t.Helper()
	text := os.Getenv("GAMMA_PROGRAMS_TIME")
	if text == "" {
		return func() bool { return false }
	}
	limit, err := time.ParseDuration(text)
	require.NoError(t, err, "GAMMA_PROGRAMS_TIME=%s is not such as 500s", text)
	before := debug.SetGCPercent(800)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	start := time.Now()
	return func() bool { return time.Since(start) > limit }
}

// randomProgram returns the program of a seed, its kernel, and what it gives for some inputs; no program where its kernel is longer than the compiler takes.
func randomProgram(t *testing.T, seed uint64) (src string, k *ir.Kernel, gives func(in [4]uint32) [5]uint32) {
	t.Helper()
	g := &generator{r: rand.New(rand.NewPCG(seed, 1)), dynamic: seed%3 == 0, rich: seed%4 == 3}
	src, gives = g.program()
	lib, err := msl.Compile(src, msl.Options{})
	require.NoError(t, err, "seed %d\n%s", seed, src)
	if k, err = lib.Kernel("k", nil); err != nil && strings.Contains(err.Error(), "instructions with its calls inlined") {
		return "", nil, nil
	}
	require.NoError(t, err, "seed %d\n%s", seed, src)
	return src, k, gives
}

var randomInputs = [][4]uint32{{1, 2, 3, 4}, {0xffffffff, 0, 7, 0x80000000}}

// randomLine is a run of a random program: what is read, and what its text says is written.
func randomLine(in [4]uint32, gives func(in [4]uint32) [5]uint32) *runLine {
	one := model.Size3{X: 1, Y: 1, Z: 1}
	line := &runLine{name: "k", groups: one, threads: one, in: map[int][]byte{0: {}, 1: make([]byte, 20)}, want: map[int][]byte{1: {}}}
	for _, v := range in {
		line.in[0] = binary.LittleEndian.AppendUint32(line.in[0], v)
	}
	for _, v := range gives(in) {
		line.want[1] = binary.LittleEndian.AppendUint32(line.want[1], v)
	}
	return line
}

// TestRandomProgramsDoWhatTheirTextSays: the reference interpreter and both engines of the simulator give what the text of a program says.
func TestRandomProgramsDoWhatTheirTextSays(t *testing.T) {
	from, to := seedsOf(t, 160, 4000)
	ran, tried := uint64(0), uint64(0)
	ends := timeLimit(t)
	for seed := from; seed < to && !ends(); seed++ {
		tried++
		src, k, gives := randomProgram(t, seed)
		if k == nil {
			continue
		}
		if seed%8 == 0 {
			found, err := msl.Lint(src, msl.LintOptions{Repeatable: true})
			require.NoError(t, err, "seed %d\n%s", seed, src)
			require.Empty(t, found, "programs on integers of 32 bits: seed %d\n%s", seed, src)
		}
		f, err := fast.Compile(k)
		require.NoError(t, err, "seed %d\n%s", seed, src)
		a, err := adversary.Compile(k)
		require.NoError(t, err, "seed %d\n%s", seed, src)
		for i, in := range randomInputs {
			line := randomLine(in, gives)
			args := line.args(k)
			err := reference.Run(k, reference.Launch{Groups: line.groups, Threads: line.threads, Args: args, Steps: 1 << 20})
			if err != nil && strings.Contains(err.Error(), "the steps are spent") {
				continue
			}
			require.NoError(t, err, "seed %d\n%s\n%s", seed, src, k)
			ran++
			require.Equal(t, show(line.want[1]), show(args[1]), "seed %d\n%s\n%s", seed, src, k)
			if (seed+uint64(i))%2 == 0 {
				line.on(t, fmt.Sprintf("seed %d, fast", seed), f, k, model.Behaviour{})
			} else {
				line.on(t, fmt.Sprintf("seed %d, adversary", seed), a, k, model.Behaviour{Order: []string{"", "accesses"}[seed/2%2]})
			}
		}
	}
	t.Logf("%d runs of programs from %d to below %d", ran, from, from+tried)
	require.Greater(t, ran, tried, "most programs ran")
}

// TestRandomProgramsOnDevices runs random programs, many kernels in a library, on the simulator and by the compiler of OpenCL, where there is one, or else on the device of the kind
// that GAMMA_DEVICE names, such as cuda: it gives what their text says.
func TestRandomProgramsOnDevices(t *testing.T) {
	onDevices(t, 64, 2048, func(_ string, seed uint64) (string, []*runLine) {
		src, k, gives := randomProgram(t, seed)
		var lines []*runLine
		for _, in := range randomInputs {
			// A device has no budget of steps: programs that take many are left out.
			if line := randomLine(in, gives); k != nil && reference.Run(k, reference.Launch{Groups: line.groups, Threads: line.threads, Args: line.args(k), Steps: 1 << 16}) == nil {
				lines = append(lines, line)
			}
		}
		return src, lines
	})
}

// onDevices runs the programs of some seeds, few of them or with GAMMA_LEVEL=thorough many, on each device there is, or on that which GAMMA_DEVICE names. program returns one for
// a kind of device, with runs of it; of one without runs nothing is compiled.
func onDevices(t *testing.T, few, many uint64, program func(kind string, seed uint64) (src string, lines []*runLine)) {
	t.Helper()
	on := func(t *testing.T, kind string, dev metal.Device) {
		const together = 32
		from, to := seedsOf(t, few, many)
		ends := timeLimit(t)
		ran, seed := 0, from
		for ; seed < to && !ends(); seed = min(seed+together, to) {
			var text strings.Builder
			lines := map[string][]*runLine{}
			for s := seed; s < min(seed+together, to); s++ {
				if src, list := program(kind, s); len(list) > 0 {
					lines[fmt.Sprintf("p%d::k", s)] = list
					fmt.Fprintf(&text, "namespace p%d {\n%s\n}\n", s, src)
				}
			}
			ran += onDevice(t, dev, text.String(), lines)
		}
		t.Logf("%s: %d runs of programs from %d to below %d", dev.Properties().Name, ran, from, seed)
		require.Greater(t, ran, 0)
	}
	if kind := os.Getenv("GAMMA_DEVICE"); kind != "" {
		dev, err := metal.Open(kind)
		require.NoError(t, err)
		on(t, kind, dev)
		return
	}
	t.Run("sim", func(t *testing.T) { on(t, "sim", sim.New(sim.Options{})) })
	t.Run("opencl", func(t *testing.T) {
		dev, err := metal.Open("opencl")
		if err != nil {
			t.Skip(err)
		}
		on(t, "opencl", dev)
	})
}

// onDevice runs lines of kernels of one library.
func onDevice(t *testing.T, dev metal.Device, src string, lines map[string][]*runLine) (ran int) {
	t.Helper()
	lib, err := dev.NewLibrary(src, metal.CompileOptions{})
	require.NoError(t, err, src)
	defer lib.Release()
	q, err := dev.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	for name, list := range lines {
		f, err := lib.NewFunction(name, nil)
		require.NoError(t, err, name)
		p, err := dev.NewComputePipelineState(f)
		require.NoError(t, err, "%s\n%s", name, src)
		for _, line := range list {
			c, err := q.CommandBuffer()
			require.NoError(t, err)
			e, err := c.ComputeCommandEncoder(metal.Serial)
			require.NoError(t, err)
			require.NoError(t, e.SetComputePipelineState(p))
			var out metal.Buffer
			for i := range line.in {
				if i >= textureSlots {
					continue
				}
				b, err := dev.NewBuffer(len(line.in[i]))
				require.NoError(t, err)
				defer b.Release()
				require.NoError(t, errors.Join(b.Write(0, line.in[i]), e.SetBuffer(b, 0, i)))
				if i == 1 {
					out = b
				}
			}
			require.NoError(t, errors.Join(e.DispatchThreadgroups(line.groups, line.threads), e.EndEncoding(), c.Commit(), c.WaitUntilCompleted()), "%s\n%s", name, src)
			got := make([]byte, len(line.want[1]))
			require.NoError(t, out.Read(0, got))
			require.Equal(t, show(line.want[1]), show(got), "%s\n%s", name, src)
			ran++
		}
		p.Release()
		f.Release()
	}
	return ran
}
