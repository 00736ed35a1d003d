package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
		{"launch", 0, []string{"testdata/launch.metal", "-constant", "window=0"}},
		{"constant", 1, []string{"testdata/launch.metal", "-kernel", "blocks", "-constant", "width=16", "-constant", "twice=true", "-buffer", "x=float:n"}},
		{"range", 1, []string{"testdata/launch.metal", "-kernel", "fours", "-n", "1000..1024", "-buffer", "x=float:n"}},
		{"plane", 1, []string{"testdata/launch.metal", "-kernel", "last", "-grid", "n/8 4", "-threads", "8x8"}},
		{"rows", 0, []string{"testdata/rows.metal"}},
		{"guessed", 1, []string{"testdata/guessed.metal", "-n", "64"}},
		{"textures", 1, []string{"testdata/textures.metal"}},
		{"refused", 2, []string{"testdata/refused.metal"}},
		{"pointer", 2, []string{"testdata/pointer.metal"}},
		{"pointed", 1, []string{"testdata/pointer.metal", "-kernel", "scaled", "-kernel", "parts", "-define", "FAULT", "-buffer", "p.x[1]=float:n", "-buffer", "p.dst=float:n"}},
		{"vectors", 1, []string{"testdata/launch.metal", "-kernel", "shifted", "-constant", "window=1,2", "-constant", "scales=0.5, 2, 1, 1", "-buffer", "x=float:n"}},
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

// TestShortTimeAccusesNobody: kernels that are right for a number of threads and a stride, for a large n, or for a grid of one dimension, are not called faulty where the time to find that out is up.
func TestShortTimeAccusesNobody(t *testing.T) {
	for _, args := range [][]string{{"testdata/guessed.metal", "-kernel", "columns", "-n", "64"}, {"testdata/launch.metal", "-kernel", "columns", "-kernel", "last"}} {
		refused := 0
		limits := []string{"1ns", "1ms", "4ms", "16ms", "64ms", "256ms", "1s", "10m"}
		for _, limit := range limits {
			code, out, errs := gamma(append(args, "-time", limit)...)
			require.NotEqual(t, 1, code, "%s: %s%s", limit, out, errs)
			if code == 2 {
				require.Contains(t, out, "were not found in the time that -time gives", limit)
				refused++
			}
		}
		require.Positive(t, refused, "the time was never short")
		require.Less(t, refused, len(limits))
	}
}

// TestHeadersOfFolder: a source in a folder of the folder that is named finds headers in both, and its own first.
func TestHeadersOfFolder(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "deep"), 0o755))
	for name, text := range map[string]string{
		"a.h": "#define A 1\n", "b.h": "#error not this one\n", "deep/b.h": "#define B 2\n",
		"deep/k.metal": "#include \"a.h\"\n#include \"b.h\"\nkernel void k(device int* x) { x[0] = A + B; }",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	code, out, errs := gamma(folder, "-n", "1")
	require.Contains(t, out, "kernels checked: 1,", "%s%s", out, errs)
	require.NotEqual(t, 2, code)
	code, _, _ = gamma(filepath.Join(folder, "deep"), "-n", "1")
	require.Equal(t, 2, code)
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
		"there are: eps, index, n, out, p, p.rows, p.scale, p.stride, table, x, y":                                  {right, "-scalar", "m=3"},
		"there is no function constant \"tall\" in what is checked; there are: scales, twice, unset, width, window": {"testdata/launch.metal", "-constant", "tall=1"}, "-constant takes name=value": {right, "-constant", "tall"},
		"-n has \"9..8\"": {right, "-n", "9..8"}, "-n has \"9..\"": {right, "-n", "9.."},
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
	code, out, _ := gamma("testdata/launch.metal", "-kernel", "blocks", "-constant", "width=wide")
	require.Equal(t, 2, code)
	require.Contains(t, out, "function constant 0: its value is a string")
	code, out, _ = gamma("testdata/launch.metal", "-kernel", "shifted", "-constant", "window=1,2,3")
	require.Equal(t, 2, code)
	require.Contains(t, out, "function constant window (index 3) is of type uint2: give it a Go [2]uint32, not [3]uint32")
	code, out, _ = gamma("testdata/launch.metal", "-kernel", "shifted", "-constant", "window=1,x")
	require.Equal(t, 2, code)
	require.Contains(t, out, "its value is a string")
	var stdout, stderr bytes.Buffer
	require.Equal(t, 2, run(nil, &stdout, &stderr))
	require.Equal(t, 0, run([]string{"check", "-h"}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "gamma check -mlx piece.json")
}

// TestSizesOfRanges: a short range has all its sizes, and a long one both ends, powers of two with what is next to them, and no more than 32.
func TestSizesOfRanges(t *testing.T) {
	require.Equal(t, []int{7}, readSizes("7"))
	require.Equal(t, []int{7, 8, 9}, readSizes("7..9"))
	for _, text := range []string{"", "x", "0", "9..8", "9..", "..9", "1..65537", "1.5", "-3"} {
		require.Nil(t, readSizes(text), text)
	}
	for _, c := range [][2]int{{1000, 1024}, {1, 65536}, {1, 33}, {100, 200}, {65000, 65536}, {3, 5000}} {
		list := readSizes(fmt.Sprintf("%d..%d", c[0], c[1]))
		require.LessOrEqual(t, len(list), mostSizes)
		require.GreaterOrEqual(t, len(list), min(c[1]-c[0]+1, mostSizes)-1, "%v", list)
		require.True(t, slices.IsSorted(list))
		require.Equal(t, slices.Compact(slices.Clone(list)), list)
		require.Equal(t, c, [2]int{list[0], list[len(list)-1]})
	}
	require.Subset(t, readSizes("100..5000"), []int{1023, 1024, 1025, 4095, 4096, 4097})
}
