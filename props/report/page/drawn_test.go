package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// drawn is one law on one subject of a run that a test makes.
type drawn struct {
	subject, device string
	law             string
	bound           string
	cases           int
	promise         *engine.Promise
	failures        []string
}

// line writes the line that a run leaves: inputs of all sizes whose errors grow with n, and a law without a bound if it names none.
func (d drawn) line(t testing.TB) string {
	t.Helper()
	st := &engine.LawStats{Law: model.LawID(d.law), Subject: d.subject, Violations: len(d.failures)}
	for i := range d.cases {
		n := 1 << (i % 14)
		v := verdict.Held(d.bound, 0)
		if d.bound != "" && i%5 != 0 {
			v.Ratio = 1 / float64(1+i%97)
		}
		if i%7 == 6 {
			v = verdict.NotMet("a sum may overflow")
		}
		st.Add(&v, "ill", n)
		if d.bound != "" && v.Outcome == verdict.Holds {
			r := engine.Reach{Unit: "u·Σ|x|", Error: v.Ratio * float64(n)}
			r.Bound(d.bound, float64(n))
			r.Bound("another", float64(2*n+1))
			st.Reached(n, &r)
		}
	}
	row := struct {
		Seed   string `json:"seed"`
		Device string `json:"device"`
		*engine.LawStats
		Promise  *engine.Promise   `json:"promise,omitempty"`
		Failures []json.RawMessage `json:"failures,omitempty"`
	}{Seed: "fixed", Device: d.device, LawStats: st, Promise: d.promise}
	for _, f := range d.failures {
		row.Failures = append(row.Failures, json.RawMessage(f))
	}
	text, err := json.Marshal(row)
	require.NoError(t, err)
	return string(text) + "\n"
}

// written writes a file of lines and returns its name.
func written(t testing.TB, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "summary.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600))
	return file
}

// failing is a report of a failure of a subject, as failures.jsonl has them.
func failing(t testing.TB, subject, law, reason string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"kind": "vectors", "subject": subject, "law": law, "statement": "|error| <= bound", "claim": "binary32 throughout", "outcome": "violated", "reason": reason, "flaky": false,
		"cases": 12, "seed": "fixed", "recipe": "ill n=4", "replayed": false, "command": "go test -run '^TestProp$' -gamma.case=1", "file": "testdata/gamma/" + law + "/x.case",
		"op": "sum", "n": 3, "rows": 1, "row": 0, "got": map[string]any{"hex": "0x1p+0", "decimal": "1", "bits": "0x3f800000"}, "ratio": 1.5,
		"leaves": []any{map[string]any{"leaf": 0, "x": map[string]any{"hex": "0x1p-24", "decimal": "5.96e-08"}}}, "cause": "kernel: the last leaf is dropped.", "case": "gamma 1\nlaw " + law + "\n",
	})
	require.NoError(t, err)
	return string(text)
}

// bigRun is a run as large as one over all of Gamma's own subjects.
func bigRun(t testing.TB, subjects, laws int) string {
	t.Helper()
	var lines []string
	for s := range subjects {
		for l := range laws {
			d := drawn{subject: fmt.Sprintf("kernels.Sum%d", s), device: []string{"cpu", "sim"}[s%2], law: fmt.Sprintf("sum.law%d", l), cases: 60}
			if l == 0 {
				d.promise = &engine.Promise{What: []string{"sum", "dot product", "formula"}[s%3], Claim: "binary32 throughout; tree lanes/8; height at most 12; repeats", Tree: fmt.Sprintf("lanes/%d", 1+s%9)}
			}
			if l%3 == 0 {
				d.bound = "order-free (n-1)v"
			}
			lines = append(lines, d.line(t))
		}
	}
	return written(t, lines...)
}

// made writes a page and returns it.
func made(t testing.TB, write func(b *bytes.Buffer) ([]Problem, error)) (text string, problems []Problem) {
	t.Helper()
	var b bytes.Buffer
	problems, err := write(&b)
	require.NoError(t, err)
	return b.String(), problems
}

// pageOf returns both pages of a run.
func pageOf(t testing.TB, r *Run, o Options) (html, md string, problems []Problem) {
	t.Helper()
	md, _ = made(t, func(b *bytes.Buffer) ([]Problem, error) { return Markdown(b, r, o) })
	html, problems = made(t, func(b *bytes.Buffer) ([]Problem, error) { return HTML(b, r, o) })
	return html, md, problems
}
