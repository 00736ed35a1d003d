package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
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
		{"tile", 0, []string{"testdata/tile.metal"}},
		{"rows", 0, []string{"testdata/rows.metal"}},
		{"textures", 1, []string{"testdata/textures.metal"}},
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
		if c.name == "faults" { // each is called as the check that finds it
			for _, k := range checks {
				if k.name != "repeat" {
					r := regexp.MustCompile(`(?m)^` + k.name + `, n=256 .*\n(  .*\n)*?  FOUND     ` + k.name + `: `)
					require.Regexp(t, r, out)
				}
			}
		}
	}
}

// TestResume: results are appended a line each, what is on file is not checked again, and the report has all.
func TestResume(t *testing.T) {
	folder, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "deep"), 0o755))
	for name, text := range map[string]string{
		"a.metal":      "kernel void a(device int* x) { x[0] = 1; }\nkernel void b(device int* x) { int y[2]; x[0] = y[1]; }",
		"deep/b.metal": "kernel void c(device int* x) { nosuch; }",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	code, first, _ := gamma(folder, "-json", "-resume", log)
	require.Equal(t, 1, code)
	all, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, string(all), first)
	require.Equal(t, 3, bytes.Count(all, []byte("\n")), "a line for each kernel and the refused source")

	code, again, _ := gamma(folder, "-json", "-resume", log)
	require.Equal(t, 1, code)
	require.Equal(t, first, again)
	same, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, all, same, "nothing was checked again")

	i := bytes.IndexByte(all, '\n') + 1
	require.NoError(t, os.WriteFile(log, all[:i+5], 0o644)) // as if it had been stopped while it wrote
	code, again, _ = gamma(folder, "-json", "-resume", log)
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
	code, out, _ := gamma("testdata/pointer.metal")
	require.Equal(t, 2, code)
	require.Contains(t, out, "parameter p has the pointer x: arrays in structures are not bound")
	var stdout, stderr bytes.Buffer
	require.Equal(t, 2, run(nil, &stdout, &stderr))
	require.Equal(t, 0, run([]string{"check", "-h"}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "gamma check -mlx piece.json")
}
