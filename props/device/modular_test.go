package device_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/metal/sim"
	"gamma/model/modular"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/device"
	"gamma/props/judge"
	"gamma/shaders"
	"gamma/shaders/mutants"
)

const mulModSource = `#include <metal_stdlib>
using namespace metal;

kernel void mul(device const ulong2* x, device ulong* z, constant ulong& q, constant ulong& neg, constant uint& rows, uint i [[thread_position_in_grid]])
{
    if (i < rows) {
        ulong lo = x[i].x * x[i].y, m = lo * neg;
        ulong s = mulhi(x[i].x, x[i].y) + mulhi(m, q) + ulong(lo != 0);
        z[i] = s >= q ? s - q : s;
    }
}
`

// mulModular is a product of Montgomery's by a shader of one's own.
func mulModular(source string) device.Modular {
	word := func(name string) modular.Word { return modular.Word{Name: name, Power: 1, Range: 1} }
	return device.Modular{
		Name: "mymod.metal#mul", Source: source, Function: "mul",
		Claim: modular.Claim{
			Function: modular.Product, Bits: 64, Moduli: modular.Moduli{Min: 3, Max: 1<<63 - 1},
			In: []modular.Word{word("a"), word("b")}, Out: []modular.Word{word("z")},
		},
		Parameters: func(q uint64) map[string]any {
			x := q
			for range 5 {
				x *= 2 - q*x
			}
			return map[string]any{"neg": -x}
		},
	}
}

// findModular returns the report of a law's violation by an operation, or "".
func findModular(t *testing.T, m device.Modular, law string) string {
	t.Helper()
	p, err := device.Props(m)
	require.NoError(t, err)
	for _, l := range judge.ModularLaws() {
		if string(l.ID) == law {
			f, judged, err := judge.Find(l, p, 4000)
			require.NoError(t, err)
			require.Positive(t, judged)
			if f == nil {
				return ""
			}
			return strings.Join(strings.Fields(f.Text()), " ") // without the breaks of lines
		}
	}
	t.Fatalf("no law is called %s", law)
	return ""
}

// TestModular: a shader is bound by the types and names of its arguments, and its faults are found and named.
func TestModular(t *testing.T) {
	for _, law := range []string{"mont.value", "mont.range", "mont.closure", "mont.refuses", "kernel.bounds"} {
		require.Empty(t, findModular(t, mulModular(mulModSource), law), law)
	}
	with := func(pairs ...string) device.Modular {
		return mulModular(strings.NewReplacer(pairs...).Replace(mulModSource))
	}
	text := findModular(t, with(" + ulong(lo != 0)", ""), "mont.value")
	require.Contains(t, text, "mymod.metal#mul violates mont.value")
	require.Contains(t, text, "the carry out of the low words of T+m·q is dropped")
	require.Contains(t, findModular(t, with("s >= q ?", "s > q ?"), "mont.range"), "tests > q where >= q is needed")
	require.Contains(t, findModular(t, with("i < rows", "true"), "kernel.bounds"), "mymod.metal:")
	large := mulModular(mulModSource)
	large.Claim.Moduli.Max = 0
	require.Contains(t, findModular(t, large, "mont.value"), "sum of the high words is lost")

	host := mulModular(mulModSource)
	host.Host = func(*device.Run, uint64, []uint64, []uint64) error { return fmt.Errorf("no host today") }
	require.Contains(t, findModular2(t, host), "no host today")

	for _, c := range []struct {
		change func(m *device.Modular)
		want   string
	}{
		{func(m *device.Modular) { m.Name = "" }, "a Modular has no Name"},
		{func(m *device.Modular) { m.Claim.Bits = 12 }, "Claim.Bits is 12"},
		{func(m *device.Modular) { m.Parameters = nil }, "has an argument rows"},
		{func(m *device.Modular) { m.Source = strings.Replace(m.Source, "ulong2*", "ulong3*", 1) }, "reads elements of 32 bytes"},
		{func(m *device.Modular) {
			m.Source = strings.NewReplacer("constant ulong& q", "constant uint& q", "mulhi(m, q)", "mulhi(m, ulong(q))").Replace(m.Source)
		}, "takes the modulus q in 4 bytes"},
		{func(m *device.Modular) {
			m.Source = strings.Replace(m.Source, "constant uint& rows", "constant uint& rows, device ulong* more", 1)
		}, "has an argument more of type"},
		{func(m *device.Modular) { m.Source = strings.Replace(m.Source, "void mul", "void times", 1) }, "mul"},
	} {
		m := mulModular(mulModSource)
		c.change(&m)
		if c.want == "has an argument rows" { // q and rows are known by their names, neg by nothing
			c.want = "neg"
		}
		_, err := device.Props(m)
		require.ErrorContains(t, err, c.want)
	}
	m := mulModular(mulModSource)
	m.Parameters = func(uint64) map[string]any { return nil }
	require.Contains(t, findModular2(t, m), "Parameters gives <nil> for the argument neg")
	require.Len(t, builtin.Subjects[props.Modular](nil), len(shaders.Modulars()))
}

// findModular2 returns how an operation breaks.
func findModular2(t *testing.T, m device.Modular) string {
	t.Helper()
	p, err := device.Props(m)
	require.NoError(t, err)
	l, err := judge.LawByID(judge.ModularLaws(), "mont.value")
	require.NoError(t, err)
	v, err := judge.Judge(l, p, &corpus.Residues{Launch: p.Device.Launches(1)[0], Modulus: 7, Rows: []corpus.ResidueRow{{Words: []uint64{3, 4}}}})
	require.NoError(t, err)
	require.Equal(t, props.Broken, v.Outcome)
	return v.Reason
}

// TestModularMutants lets every law of residues look at every mutant of such an operation on a device.
func TestModularMutants(t *testing.T) {
	all, laws := mutants.Modulars(), judge.ModularLaws()
	type row struct {
		cells []string
		text  string
	}
	rows := make([]row, len(all))
	var wait sync.WaitGroup
	for i, m := range all {
		wait.Go(func() {
			var errs strings.Builder
			o := builtin.Shader(m.Modular, sim.New(sim.Options{Workers: 1, Steps: mutantSteps})).(props.Modular)
			for _, l := range laws {
				must := slices.Contains(m.Kills, l.ID)
				n := passRows
				if must {
					n = killRows
				}
				if l.Refuses {
					n /= 32
				}
				f, judged, err := judge.Find(l, o, n)
				mark := "passes"
				switch {
				case err != nil && !must && strings.Contains(err.Error(), "says nothing about"):
					mark = ""
				case err != nil:
					fmt.Fprintf(&errs, "%s, %s: %v\n", m.Modular.Name, l.ID, err)
				case f != nil:
					mark = "kills"
				case judged == 0:
					mark = ""
				}
				if must {
					mark = strings.ToUpper(mark)
				}
				if must && f == nil {
					fmt.Fprintf(&errs, "%s passes %s, which must kill it: %s\n", m.Modular.Name, l.ID, m.Fault)
				}
				if f != nil && slices.Contains(m.Survives, l.ID) {
					fmt.Fprintf(&errs, "%s is killed by %s, which it passes by construction: %s\n%s\n", m.Modular.Name, l.ID, m.Fault, f.Text())
				}
				rows[i].cells = append(rows[i].cells, mark)
			}
			rows[i].text = errs.String()
		})
	}
	wait.Wait()
	var b bytes.Buffer
	for i, m := range all {
		if rows[i].text != "" {
			t.Error(strings.TrimSpace(rows[i].text))
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(m.Modular.Name, "shaders/mutants/"), ".metal")
		fmt.Fprintf(&b, "%-24s", name)
		for k, l := range laws {
			if mark := rows[i].cells[k]; mark != "" {
				fmt.Fprintf(&b, " %s:%s", mark, l.ID)
			}
		}
		b.WriteString("\n")
	}
	const file = "testdata/kill-matrix-modular.txt"
	if *updateMatrix {
		require.NoError(t, corpus.WriteFile(file, b.Bytes()))
		return
	}
	want, err := device.FromTree(t, file)
	require.NoError(t, err, "run with -update-matrix to write it")
	require.Equal(t, string(want), b.String(), "the kill matrix has changed; look at it, then run with -update-matrix")
}
