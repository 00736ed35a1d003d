package behaviours_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/word"
	"gamma/props"
)

// several is the name that a process of TestSubjects is started by.
const several = "several"

// TestSubjects judges subjects together: one that is wrong, one that panics, two of one name in two formats of which the second is wrong, and right ones.
func TestSubjects(t *testing.T) {
	if os.Getenv(entry) != several+" " {
		t.Skip("TestCheckAll runs it in processes of its own")
	}
	sum := func(x []float32) (s float32) {
		for _, v := range x {
			s += v
		}
		return s
	}
	reduction := func(name string, run func(x []float32) float32) props.Reduction {
		return props.Reduction{Name: name, Run: run}
	}
	operation := func(o props.Operation) props.Operation {
		o.Name, o.Claim = "all.TwoSum", word.Claim{Op: word.TwoSum}
		return o
	}
	props.CheckAll[props.Subject](t,
		reduction("all.Right", sum),
		reduction("all.Wrong", func(x []float32) float32 { return sum(x[min(1, len(x)):]) }),
		reduction("all.Panics", func(x []float32) float32 { panic("boom") }),
		reduction("all.Right2", sum),
		operation(props.Operation{Run: func(dst, src []float32) {
			for i := 0; i < len(src); i += 2 {
				a, b := src[i], src[i+1]
				s := a + b
				z := s - a
				dst[i], dst[i+1] = s, (a-(s-z))+(b-z)
			}
		}}),
		operation(props.Operation{Run64: func(dst, src []float64) {
			for i := 0; i < len(src); i += 2 {
				dst[i], dst[i+1] = src[i]+src[i+1], 0
			}
		}}),
	)
}

// TestCheckAll: subjects that are judged together give a line each, the wrong ones a report each and a line at the end, and none keeps another from being
// judged. -run and -skip choose among them, and a process of its own serves the right one of two with one name.
func TestCheckAll(t *testing.T) {
	p := &processes{root: t.TempDir(), once: map[spec]func() *outcome{}}
	run := func(pattern string, args string) *outcome {
		return p.run(t, spec{kind: several, test: "TestSubjects", pattern: pattern, args: "-gamma.checks=100 -gamma.save=off -gamma.maxn=100 " + args})
	}
	o := run("", "")
	require.Equal(t, 1, o.code, o.out)
	for _, name := range []string{"all.Right ", "all.Right2 ", "all.Wrong ", "all.Panics ", "all.TwoSum "} {
		require.Regexp(t, `(?m)^ .*: `+name+` +\d+ laws +\d+ cases  error/bound`, o.out)
	}
	require.Contains(t, o.out, "6 subjects in ")
	require.NotContains(t, o.out, "=== RUN   TestSubjects/", "subjects are no subtests")
	require.Contains(t, o.flat(), "all.Panics breaks under sum.enclosure: the kernel panicked: boom")
	last := o.out[strings.Index(o.out, "6 subjects in "):]
	for _, name := range []string{"all.Wrong ", "all.Panics ", "all.TwoSum "} {
		require.Regexp(t, name+`.*VIOLATED: `, last)
	}
	require.NotRegexp(t, `all\.Right`, last)

	o = run("/^all.Right", "")
	require.Equal(t, 0, o.code, o.out)
	require.Contains(t, o.out, "2 subjects in ")
	o = run("/^all.Right2", "")
	require.Contains(t, o.out, "1 subject in ")
	o = run("", "-test.skip=TestSubjects/(Wrong|Panics|#01)")
	require.Equal(t, 0, o.code, o.out)
	require.Contains(t, o.out, "3 subjects in ")
	o = run("/^all.TwoSum$", "-gamma.isolate=true")
	require.Equal(t, 0, o.code, o.out)
	o = run("/^all.TwoSum#01$", "-gamma.isolate=true")
	require.Equal(t, 1, o.code, o.out)
	require.Contains(t, o.line("reproduce"), `TestSubjects$/^all\.TwoSum#01$`)
	o = run("/^all.Wrnog$", "")
	require.Equal(t, "SKIP", o.status("TestSubjects"), o.out)
	require.Contains(t, o.out, "-run and -skip choose none of 6 subjects")
	o = p.run(t, spec{kind: several, test: "TestSubjects", pattern: "/^all.Right$", args: "-gamma.total=1ns -gamma.save=off"})
	for _, law := range o.lines {
		require.GreaterOrEqual(t, law["cases"], 8.0, "%v", law) // however little time there is
		require.Positive(t, law["holds"], "%v", law)
		require.Less(t, law["cases"], 2000.0, "%v", law)
	}
	require.NotEmpty(t, o.lines)
	o = run("", "-gamma.device=sim")
	require.Equal(t, "SKIP", o.status("TestSubjects"), o.out)
	require.Contains(t, o.out, "left out: 6 subjects, since each runs on cpu")
}
