package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden outputs")

// gamma runs the command, with few cases and no limit that a slow machine reaches.
func gamma(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = run(append([]string{"check", "-cases", "6", "-time", "10m"}, args...), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// TestGolden: right kernels give exit code 0, kernels with a planted fault are found by the check that says so and pass when they are fixed, and a source
// that the front end refuses is listed and stops nothing.
func TestGolden(t *testing.T) {
	fixed := []string{"testdata/faults.metal", "-n", "256", "-buffer", "each=float:n", "-buffer", "sum=float:n:inout", "-define", "FIXED"}
	for _, c := range []struct {
		name string
		code int
		args []string
	}{
		{"right", 0, []string{"testdata/right.metal", "-kernel", "rms_norm", "-kernel", "gather"}},
		{"structure", 0, []string{"testdata/right.metal", "-kernel", "axpy", "-scalar", "p.stride=1", "-scalar", "p.scale=0.5"}},
		{"faults", 1, []string{"testdata/refused.metal", "testdata/faults.metal", "-n", "256", "-buffer", "each=float:n", "-buffer", "sum=float:n:inout"}},
		{"fixed", 0, fixed},
		{"outside", 1, []string{"testdata/outside.metal"}},
		{"refused", 2, []string{"testdata/refused.metal"}},
		{"piece", 0, []string{"-mlx", "testdata/piece.json"}},
	} {
		code, out, errs := gamma(c.args...)
		require.Equal(t, c.code, code, "%s: %s%s", c.name, out, errs)
		require.Empty(t, errs, c.name)
		file := filepath.Join("testdata", c.name+".txt")
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(out), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), out, c.name)
	}
}

// TestFaults: each kernel of faults.metal is called as the check that finds it.
func TestFaults(t *testing.T) {
	_, out, _ := gamma("testdata/faults.metal", "-n", "256", "-buffer", "each=float:n", "-buffer", "sum=float:n:inout", "-json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 7)
	for _, line := range lines {
		var r record
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		require.Equal(t, "FOUND", r.Checks[r.Kernel], line)
		for _, f := range r.Findings {
			if f.Check == r.Kernel && f.Check != "order" && f.Check != "unwritten" {
				require.Regexp(t, `^testdata/faults\.metal:\d+:\d+$`, f.At)
			}
		}
	}
}

// TestResume: results are appended a line each, what is on file is not checked again, and the report has all.
func TestResume(t *testing.T) {
	folder, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	for _, name := range []string{"outside.metal", "refused.metal"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(folder, "deep"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "deep", name), text, 0o644))
	}
	code, first, _ := gamma(folder, "-resume", log)
	require.Equal(t, 1, code)
	all, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, 3, bytes.Count(all, []byte("\n")), "a line for each kernel and the refused source")

	code, again, _ := gamma(folder, "-resume", log)
	require.Equal(t, 1, code)
	require.Equal(t, first, again)
	same, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, all, same, "nothing was checked again")

	i := bytes.IndexByte(all, '\n') + 1
	require.NoError(t, os.WriteFile(log, all[:i+5], 0o644)) // as if it had been stopped while it wrote
	code, again, _ = gamma(folder, "-resume", log)
	require.Equal(t, 1, code)
	require.Equal(t, first, again)
}

// TestUsage: what is wrong with a call is said, with what there is.
func TestUsage(t *testing.T) {
	right := "testdata/right.metal"
	for want, args := range map[string][]string{
		"no file is named": {}, "-nosuch": {right, "-nosuch"}, "there are: axpy, gather, rms_norm": {right, "-kernel", "norm"},
		"there are: eps, index, n, out, p, p.rows, p.scale, p.stride, table, x, y": {right, "-scalar", "m=3"},
		"-threads is": {right, "-threads", "axb"}, "-math is": {right, "-math", "exact"}, "-n has": {right, "-n", "many"},
		"names no parameter": {right, "-bind", "x"}, "unknown field \"body\"": {"-mlx", "testdata/wrong.json"}, "no such file": {"testdata/nosuch.metal"},
	} {
		code, out, errs := gamma(args...)
		require.Equal(t, 2, code, want)
		require.Empty(t, out)
		require.Contains(t, errs, want)
	}
	for want, args := range map[string][]string{
		"its elements are int, and they are half": {"-buffer", "table=int:n"}, "is neither an axis": {"-bind", "table=rows"},
		"takes inout or such as <8": {"-buffer", "table=half:n:out"}, "asks for 2048 threads": {"-threads", "2048"},
	} {
		code, out, _ := gamma(append(args, right, "-kernel", "gather")...)
		require.Equal(t, 2, code, want)
		require.Contains(t, out, want)
	}
	var stdout, stderr bytes.Buffer
	require.Equal(t, 2, run(nil, &stdout, &stderr))
	require.Equal(t, 0, run([]string{"check", "-h"}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "gamma check -mlx piece.json")
}
