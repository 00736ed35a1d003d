package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/props/internal/engine"
)

// shards writes the files of n shards of a run of one law below a folder.
func shards(t *testing.T, dir string, n int, stats engine.LawStats) (files []string) {
	t.Helper()
	for i := range n {
		part := engine.Part{I: i + 1, Of: n}
		l, err := engine.OpenLedger(dir, "p.test", "checks=1", part)
		require.NoError(t, err)
		w := engine.Work{Where: engine.Where{Test: "TestPropSum/k", Device: "cpu", Subject: "k", Law: "sum.a"}, Of: 6, Op: "sum", Seed: "1"}
		require.NoError(t, l.Plan(w))
		for k := range w.Of {
			if part.Has(w.Hash(), k) {
				own := stats
				b := &engine.Block{Test: w.Test, Device: w.Device, Number: k}
				b.LawStats = &own
				require.NoError(t, l.Add(b))
			}
		}
		require.NoError(t, l.End(0))
		files = append(files, l.Name())
	}
	return files
}

// mergeOf runs gamma merge.
func mergeOf(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = run(append([]string{"merge"}, args...), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// The report is written whole or not at all, and the exit code says what was found.
func TestMerge(t *testing.T) {
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "merged.jsonl")
	good := engine.LawStats{Law: "sum.a", Subject: "k", Cases: 10, Holds: 9, Vacuous: 1}
	files := shards(t, dir, 3, good)
	code, out, errs := mergeOf("-o", to, dir)
	require.Equal(t, 0, code, errs)
	require.Contains(t, out, "1 subject, 60 cases drawn and 0 replayed: 54 hold, 6 vacuous, 0 violations\n")
	old, err := os.ReadFile(to)
	require.NoError(t, err)
	require.Equal(t, `{"v":1,"seed":"1","device":"cpu","law":"sum.a","subject":"k","cases":60,"holds":54,"vacuous":6,"violations":0,"max_ratio":0,"seconds":0}`+"\n", string(old))

	code, out, errs = mergeOf("-o", to, files[0], files[2])
	require.Equal(t, 2, code)
	require.Empty(t, out, "there is no table of a part")
	require.Contains(t, errs, "gamma merge: shard 2/3 of p.test is missing: no file is of it; 2 blocks are of it missing")
	same, err := os.ReadFile(to)
	require.NoError(t, err)
	require.Equal(t, old, same, "a good report stays")

	bad := good
	bad.Violations = 1
	code, out, _ = mergeOf(shards(t, t.TempDir(), 2, bad)...)
	require.Equal(t, 1, code)
	require.Contains(t, out, "VIOLATED")
	rare := engine.LawStats{Law: "sum.a", Subject: "k", Cases: 100, Vacuous: 100, Reasons: map[string]int{"too long": 100}, Tally: engine.Tally{Enough: 5, Lacks: true}}
	code, out, _ = mergeOf(shards(t, t.TempDir(), 2, rare)...)
	require.Equal(t, 1, code)
	require.Contains(t, out, "sum.a on k judged 0 of 600 cases, 0 of them drawn towards its hypotheses; in the others one was not met, most often: too long")

	for want, args := range map[string][]string{"no file is named": {}, "no such file": {"nosuch"}, "-nosuch": {"-nosuch"}, "has no file of a shard": {t.TempDir()}} {
		code, out, errs := mergeOf(args...)
		require.Equal(t, 2, code, want)
		require.Empty(t, out)
		require.Contains(t, errs, want)
	}
}

// On a full disk a good report stays, and the error names what could not be written.
func TestMergeOnFullDisk(t *testing.T) {
	if dir := os.Getenv("GAMMA_TEST_MERGE"); dir != "" { // the process whose files may not grow
		code, _, errs := mergeOf("-o", filepath.Join(dir, "merged.jsonl"), dir)
		require.Equal(t, 2, code)
		require.Contains(t, errs, "-o: ")
		require.Contains(t, errs, "file too large; it is as it was")
		return
	}
	dir := t.TempDir()
	shards(t, dir, 2, engine.LawStats{Law: "sum.a", Subject: "k", Cases: 1, Holds: 1, Remarks: []string{strings.Repeat("long ", 1000)}})
	to := filepath.Join(dir, "merged.jsonl")
	require.NoError(t, os.WriteFile(to, []byte("good\n"), 0o644))
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command("bash", "-c", `ulimit -f 1 && exec "$0" -test.run '^TestMergeOnFullDisk$'`, exe)
	cmd.Env = append(os.Environ(), "GAMMA_TEST_MERGE="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(to)
	require.NoError(t, err)
	require.Equal(t, "good\n", string(text))
	left, err := filepath.Glob(filepath.Join(dir, ".gamma-*"))
	require.NoError(t, err)
	require.Empty(t, left)
	if _, err := os.Stat("/dev/full"); err == nil {
		code, _, errs := mergeOf("-o", "/dev/full", dir)
		require.Equal(t, 2, code)
		require.Contains(t, errs, "-o: write /dev/full: no space left on device")
	}
}

// An array of 16 tasks on a real Slurm, two of which are killed and submitted again, comes to what one run comes to.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it starts Slurm, and takes minutes")
	}
	script, err := filepath.Abs("../../.ci/slurm")
	require.NoError(t, err)
	if _, err := os.Stat(script); err != nil {
		t.Skip("no source tree here: this test runs .ci/slurm")
	}
	out, err := exec.Command("bash", script).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skip(strings.TrimSpace(string(out)))
	}
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "16 tasks, 2 killed")
	require.Contains(t, string(out), "equal to one run")
}

// TestShardsOfKernels: the kernels of some sources, cut into three, are what one call finds once they are merged; a shard that is started again checks nothing twice.
func TestShardsOfKernels(t *testing.T) {
	files := []string{"testdata/right.metal", "testdata/faults.metal", "testdata/refused.metal", "-n", "64", "-cases", "2"}
	dir := t.TempDir()
	code, one, errs := gamma(files...)
	require.Empty(t, errs)
	require.Equal(t, 1, code)
	shard := func(part string) (string, string) {
		_, out, errs := gamma(append(files, "-shard", part, "-dir", dir)...)
		return out, errs
	}
	first, errs := shard("1/3")
	require.Empty(t, errs)
	merged := func(args ...string) (int, string, string) {
		var out, errs strings.Builder
		code := run(append([]string{"merge"}, args...), &out, &errs)
		return code, out.String(), errs.String()
	}
	code, out, errs := merged(dir)
	require.Equal(t, 2, code)
	require.Empty(t, out)
	require.Contains(t, errs, "2/3")
	for _, part := range []string{"3/3", "2/3"} {
		_, errs = shard(part)
		require.Empty(t, errs)
	}
	was, err := os.ReadDir(dir)
	require.NoError(t, err)
	again, errs := shard("1/3")
	require.Empty(t, errs)
	require.Equal(t, first, again)
	is, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, is, len(was))
	code, out, errs = merged(dir)
	require.Equal(t, 1, code, errs)
	require.Equal(t, one, out)
	for want, args := range map[string][]string{
		"it is I/N": {"-shard", "4/3", "-dir", dir}, "needs -dir": {"-shard", "1/3"}, "-resume says nothing": {"-shard", "1/3", "-dir", dir, "-resume", dir + "/x"},
	} {
		code, _, errs := gamma(append(files, args...)...)
		require.Equal(t, 2, code)
		require.Contains(t, errs, want)
	}
}
