package opencl_test

import (
	"fmt"
	"strings"
	"testing"

	"gamma/metal/opencl"
	"gamma/model"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/judge"
	"gamma/shaders"
)

// TestOpenCLLaws judges shaders by the laws of values that judge them on the simulator. What the simulator's checkers find, and what it finds
// in orders that are drawn, is left to it.
func TestOpenCLLaws(t *testing.T) {
	dev := open(t, opencl.Options{})
	cases := 5
	if thorough() {
		cases = 40
	}
	total, laws, subjects := 0, 0, 0
	subject := func(name string, f func(t *testing.T)) {
		if thorough() || few[name] {
			t.Run(name, func(t *testing.T) {
				before := total
				if f(t); total == before { // not reached where the kernel is refused
					t.Error("no law judged anything of it")
				}
				subjects++
			})
		}
	}
	// law notes what one law said of one subject; an error may be a law that says nothing about it.
	law := func(t *testing.T, id model.LawID, report string, judged int, err error) {
		t.Helper()
		switch {
		case strings.HasPrefix(string(id), "kernel.") || err != nil && strings.Contains(err.Error(), "says nothing about"):
			return
		case strings.Contains(report, "is refused in OpenCL C"):
			t.Skip("the printer refuses it in OpenCL C")
		case err != nil:
			t.Error(err)
		case report != "":
			t.Error("\n" + report)
		}
		if total += judged; judged > 0 {
			laws++
		}
	}
	for _, k := range shaders.All() {
		s := builtin.Shader(k, dev)
		subject(k.Name, func(t *testing.T) {
			for _, l := range judge.Laws() {
				c, judged, last, err := judge.Search(l, s, cases)
				report := ""
				if why := fmt.Sprint(last); strings.Contains(why, "refuses the kernel") {
					report = why
				} else if c != nil && err == nil {
					var f props.Report
					if f, err = judge.Examine(l, s, c); err == nil {
						report = f.Text()
					}
				}
				law(t, l.ID, report, judged, err)
			}
		})
	}
	for _, o := range builtin.Subjects[props.Operation](dev) {
		subject(o.Name, func(t *testing.T) {
			for _, l := range judge.WordLaws() {
				f, judged, err := judge.Find(l, o, 20*cases)
				report := ""
				if f != nil {
					report = f.Text()
				}
				law(t, l.ID, report, judged, err)
			}
		})
	}
	for _, m := range builtin.Subjects[props.Modular](dev) {
		subject(m.Name, func(t *testing.T) {
			for _, l := range judge.ModularLaws() {
				f, judged, err := judge.Find(l, m, 20*cases)
				report := ""
				if f != nil {
					report = f.Text()
				}
				law(t, l.ID, report, judged, err)
			}
		})
	}
	for _, n := range builtin.Subjects[props.NTT](dev) {
		subject(n.Name, func(t *testing.T) {
			for _, l := range judge.NTTLaws() {
				f, judged, err := judge.Find(l, n, cases)
				report := ""
				if f != nil {
					report = f.Text()
				}
				law(t, l.ID, report, judged, err)
			}
		})
	}
	t.Logf("%d shaders, %d pairs of a law and a shader that it applies to, %d cases and rows drawn", subjects, laws, total)
}
