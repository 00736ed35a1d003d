package props

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert/yaml"
	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/eft"
	"gamma/kernels/montgomery"
	"gamma/kernels/nn"
	"gamma/kernels/ntt"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/merge"
	"gamma/props/internal/own"
)

// readFile returns what a file holds.
func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return text
}

// ledgerIn returns the one file of blocks below a folder.
func ledgerIn(t *testing.T, dir string) string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if ok, _ := filepath.Match("blocks-*.jsonl", filepath.Base(path)); ok {
			files = append(files, path)
		}
		return err
	}))
	require.Len(t, files, 1)
	return files[0]
}

// Options that would make what is judged depend on time, or on the shard, are refused by name; one case on file is not cut.
func TestShardRefusesOptions(t *testing.T) {
	noOptions(t)
	t.Setenv("GAMMA_SHARD", "2/3")
	for o, value := range map[*engine.Option]string{engine.OptBudget: "1s", engine.OptTotal: "1m", engine.OptSeed: "random"} {
		t.Run(o.Name, func(t *testing.T) {
			t.Setenv(o.Env(), value)
			_, err := engine.ReadSettings()
			require.ErrorContains(t, err, "props: -gamma."+o.Name+" (or "+o.Env()+`) is "`+value+`", which does not go with -gamma.shard: `)
		})
	}
	t.Setenv("GAMMA_TOTAL", "none")
	t.Setenv("GAMMA_CASE", "x.case")
	s, err := engine.ReadSettings()
	require.NoError(t, err)
	require.False(t, s.Shard.On())
}

// The parts of the blocks of any law are disjoint and whole, whatever their number is.
func TestPartsAreWhole(t *testing.T) {
	for _, of := range []int{1, 2, 3, 16} {
		for hash := range uint64(5) {
			for k := range 40 {
				n := 0
				for i := range of {
					if (engine.Part{I: i + 1, Of: of}).Has(hash*0x9e3779b97f4a7c15, k) {
						n++
					}
				}
				require.Equal(t, 1, n, "block %d of %d parts", k, of)
			}
		}
	}
}

// shardedSubjects are subjects of several kinds, each with little to judge.
func shardedSubjects(t *testing.T) (list []Subject) {
	t.Helper()
	op, m, tr, f := eft.All()[0], montgomery.All()[0], ntt.All()[0], nn.All()[0]
	return []Subject{
		Reduction{Name: "shards.SumSerial", Run: kernels.SumSerial[float32], Claim: model.Claim{Repeats: true}},
		Operation{Name: op.Name, Claim: op.Claim, Run: op.Run32},
		Modular{Name: m.Name, Claim: m.Claim, Run: m.Run},
		NTT{Name: tr.Name, Claim: tr.Claim, Plan: tr.Plan},
		own.Formula(f),
		own.FFTs()[0],
		Wrapping{Name: "shards.Sum", Bits: 32, Run: func(x []uint64) (s uint64) {
			for _, v := range x {
				s += v
			}
			return s & (1<<32 - 1)
		}},
	}
}

// merged returns the lines of what the files of shards below a folder come to, without times.
func merged(t *testing.T, dir string) (lines []string) {
	t.Helper()
	files, err := merge.Files([]string{dir})
	require.NoError(t, err)
	r := merge.Read(files)
	require.Empty(t, r.Problems)
	for _, s := range r.Subjects {
		for _, l := range s.Laws {
			l.Seconds = 0
			line, err := s.MergedLine(l, nil)
			require.NoError(t, err)
			lines = append(lines, string(line))
		}
	}
	return lines
}

// What n shards judge is what one judges, for each kind of subject.
func TestShardsAreOneRun(t *testing.T) {
	noOptions(t)
	t.Setenv("GAMMA_CHECKS", "2100") // two blocks, the last of which is short
	t.Setenv("GAMMA_MAXN", "130")
	var one []string
	for _, n := range []int{1, 3, 16} {
		dir := t.TempDir()
		t.Setenv("GAMMA_DIR", dir)
		for i := range n {
			t.Setenv("GAMMA_SHARD", fmt.Sprintf("%d/%d", i+1, n))
			CheckAll(t, shardedSubjects(t)...)
			require.NoError(t, engine.EndShards(0))
		}
		lines := merged(t, dir)
		if n == 1 {
			one = lines
			require.Greater(t, len(lines), 20)
			for _, s := range shardedSubjects(t) {
				j, err := s.Judged(settingsOf(t))
				require.NoError(t, err)
				require.Contains(t, strings.Join(lines, ""), `"subject":"`+j.Base().Name+`","cases":`, "it is judged")
			}
			continue
		}
		require.Equal(t, one, lines, "%d shards", n)
	}
}

// What a block says of an attack, which one block begins with, does not depend on the blocks before it in its process.
func TestShardsOfAnAttack(t *testing.T) {
	noOptions(t)
	t.Setenv("GAMMA_CHECKS", "4100")
	t.Setenv("GAMMA_LAW", string(model.FormulaEnclosure))
	var one []string
	for _, n := range []int{1, 3} {
		dir := t.TempDir()
		t.Setenv("GAMMA_DIR", dir)
		for i := range n {
			t.Setenv("GAMMA_SHARD", fmt.Sprintf("%d/%d", i+1, n))
			for _, f := range nn.All() {
				if f.Name == "nn.Sigmoid" {
					CheckAll(t, Kernel(own.Formula(f)))
				}
			}
			require.NoError(t, engine.EndShards(0))
		}
		lines := merged(t, dir)
		if one == nil {
			one = lines
			require.Len(t, regexp.MustCompile(`whose orders and roundings the attack chooses, error/bound reached [\d.]+"`).FindAllString(strings.Join(lines, ""), -1), 1)
		}
		require.Equal(t, one, lines)
	}
}

// A shard that is killed, again and again, goes on where it was, and comes to what one run comes to.
func TestShardGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it starts processes, and kills them")
	}
	options := []string{"GAMMA_CHECKS=12000", "GAMMA_MAXN=500", "GAMMA_SHARD=1/1"}
	whole, killed := t.TempDir(), t.TempDir()
	began := time.Now()
	require.False(t, startChild(t, t.TempDir(), "right", time.Minute, append(options, "GAMMA_DIR="+whole)...).failed)
	patience := time.Since(began) / 3
	deaths := 0
	for ; ; deaths++ {
		require.Less(t, deaths, 100)
		if e := startChild(t, t.TempDir(), "right", patience, append(options, "GAMMA_DIR="+killed)...); !e.killed {
			require.False(t, e.failed, e.out)
			break
		}
		patience += patience / 8
	}
	require.Positive(t, deaths)
	require.Equal(t, merged(t, whole), merged(t, killed))
}

// A violation has its case and the command that shows it again in the line of its block, fails the shard each time that it is run, and is in the merged
// report.
func TestShardViolates(t *testing.T) {
	dir, runs := t.TempDir(), t.TempDir()
	for range 2 {
		e := startChild(t, dir, "wrong", time.Minute, "GAMMA_CHECKS=3000", "GAMMA_LAW=sum.enclosure", "GAMMA_SHARD=1/1", "GAMMA_SAVE=off", "GAMMA_DIR="+runs)
		require.True(t, e.failed)
		require.Contains(t, e.out, "child.Wrong violates sum.enclosure")
	}
	file := ledgerIn(t, runs)
	require.Equal(t, 2, bytes.Count(readFile(t, file), []byte(`"violations":1`)), "each block is judged, whatever others find")
	r := merge.Read([]string{file})
	require.Empty(t, r.Problems)
	l := r.Subjects[0].Laws[0]
	require.Equal(t, 2, l.Violations)
	require.Len(t, r.Failures[l], 1)
	var f engine.JSONViolation
	require.NoError(t, json.Unmarshal(r.Failures[l][0], &f))
	require.Contains(t, f.Command, "-gamma.shard=@")
	for _, o := range strings.FieldsFunc(f.Command, func(r rune) bool { return strings.ContainsRune(" ()'", r) }) { // the command finds it
		if strings.HasPrefix(o, "-gamma.shard=") {
			e := startChild(t, dir, "wrong", time.Minute, "GAMMA_LAW=sum.enclosure", "GAMMA_CHECKS=3000", "GAMMA_SAVE=off", o)
			require.Contains(t, e.out, "child.Wrong violates sum.enclosure")
		}
	}
}

// A full disk is an error that names the file, and no block is lost in silence.
func TestShardOnFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	l, err := engine.OpenLedger(t.TempDir(), "p", "s", engine.Part{I: 1, Of: 1})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink("/dev/full", filepath.Join(dir, filepath.Base(l.Name()))))
	_, err = engine.OpenLedger(dir, "p", "s", engine.Part{I: 1, Of: 1})
	require.ErrorContains(t, err, "no space left on device")
	require.ErrorContains(t, err, l.Name()[strings.LastIndexByte(l.Name(), '/'):])
}

// A disk that is full in the middle of a run: the shard fails with status 2 and names the file, which holds whole lines alone; gamma merge misses the rest, and a second process, with
// room, comes to what one run comes to.
func TestShardGoesOnAfterFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it starts processes")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skipf("no bash here, whose ulimit stands for a full disk: %v", err)
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	options := []string{"GAMMA_CHECKS=30000", "GAMMA_MAXN=100", "GAMMA_SHARD=1/1", "GAMMA_SAVE=off"}
	whole, full := t.TempDir(), t.TempDir()
	require.False(t, startChild(t, t.TempDir(), "right", patience, append(options, "GAMMA_DIR="+whole)...).failed)
	size := len(readFile(t, ledgerIn(t, whole)))
	cmd := exec.Command("bash", "-c", fmt.Sprintf(`ulimit -f %d && exec "$0" -test.run='^TestChild$' -test.v`, size/2/1024), exe)
	cmd.Dir = t.TempDir()
	cmd.Env = append(append(os.Environ(), options...), childSubject+"=right", "GAMMA_DIR="+full)
	out, err := cmd.CombinedOutput()
	require.Error(t, err, string(out))
	require.Equal(t, 2, cmd.ProcessState.ExitCode(), string(out))
	file := ledgerIn(t, full)
	require.Contains(t, string(out), file+" could not be written, and no other block is judged: ")
	text := readFile(t, file)
	require.Greater(t, len(text), size/3)
	require.True(t, bytes.HasSuffix(text, []byte("\n")))
	require.Contains(t, strings.Join(merge.Read([]string{file}).Problems, "\n"), "shard 1/1 of gamma/props.test has not ended")
	require.False(t, startChild(t, t.TempDir(), "right", patience, append(options, "GAMMA_DIR="+full)...).failed)
	require.Equal(t, merged(t, whole), merged(t, full))
}

// Two processes at the same shard at once: the second is told so, with status 2, and the first is not disturbed.
func TestShardIsDoubled(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GAMMA_DIR", dir)
	first, err := engine.OpenLedger(dir, "p.test", "checks=1", engine.Part{I: 1, Of: 2})
	require.NoError(t, err)
	_, err = engine.OpenLedger(dir, "p.test", "checks=1", engine.Part{I: 1, Of: 2})
	require.ErrorContains(t, err, "another process is at the same shard, and writes "+first.Name())
	other, err := engine.OpenLedger(dir, "p.test", "checks=1", engine.Part{I: 2, Of: 2})
	require.NoError(t, err)
	require.NoError(t, errors.Join(first.End(0), other.End(0)))
	again, err := engine.OpenLedger(dir, "p.test", "checks=1", engine.Part{I: 1, Of: 2})
	require.NoError(t, err)
	require.NoError(t, again.End(0))
}

// The command of the job file for Kubernetes, run for each index with the variables that the job sets: a violation is no failure of a pod, a killed pod is one, which is started again, and
// all indices come to what one run comes to.
func TestKubernetesJob(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it starts a process for each of 16 indices")
	}
	for _, tool := range []string{"/bin/sh", "/bin/kill"} {
		if _, err := os.Stat(tool); err != nil {
			t.Skipf("no %s here, which stands for the one in a pod: %v", tool, err)
		}
	}
	var job struct {
		Spec struct {
			CompletionMode           string `yaml:"completionMode"`
			Completions, Parallelism int
			Template                 struct {
				Spec struct {
					RestartPolicy string `yaml:"restartPolicy"`
					Containers    []struct {
						Command []string
						Env     []struct{ Name, Value string }
					}
				}
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(readFile(t, "gamma/testdata/jobs/kubernetes.yaml"), &job))
	require.Equal(t, "Indexed", job.Spec.CompletionMode)
	require.Equal(t, job.Spec.Completions, job.Spec.Parallelism)
	require.Equal(t, "OnFailure", job.Spec.Template.Spec.RestartPolicy)
	pod := job.Spec.Template.Spec.Containers[0]
	require.Equal(t, []string{"/bin/sh", "-c"}, pod.Command[:2])
	exe, err := os.Executable()
	require.NoError(t, err)
	line := strings.NewReplacer("/gamma/mine.test", exe, "'^TestProp'", "'^TestChild$'").Replace(pod.Command[2])
	require.Contains(t, line, exe+" -test.run '^TestChild$' ")
	run := func(dir, subject string, index int, before string) (code int, out string) {
		cmd := exec.Command(pod.Command[0], "-c", before+line)
		cmd.Dir = t.TempDir()
		for _, e := range pod.Env {
			cmd.Env = append(cmd.Env, e.Name+"="+strings.Replace(strings.Replace(e.Value, "/results", dir, 1), "1000000", "20000", 1))
		}
		cmd.Env = append(cmd.Env, fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index), "PATH="+os.Getenv("PATH"), childSubject+"="+subject, "GAMMA_LAW=sum.", "GAMMA_MAXN=100", "TMPDIR="+t.TempDir())
		text, err := cmd.CombinedOutput()
		require.NotNil(t, cmd.ProcessState, err)
		return cmd.ProcessState.ExitCode(), string(text)
	}
	for subject, violates := range map[string]bool{"right": false, "wrong": true} {
		dir, whole := t.TempDir(), t.TempDir()
		for i := range job.Spec.Completions {
			if i == 5 { // its pod dies before it has done anything, and is started again
				code, _ := run(dir, subject, i, "kill -KILL $$; ")
				require.NotZero(t, code)
			}
			code, out := run(dir, subject, i, "")
			require.Zero(t, code, out)
		}
		startChild(t, t.TempDir(), subject, patience, "GAMMA_SHARD=1/1", "GAMMA_CHECKS=20000", "GAMMA_SAVE=off", "GAMMA_LAW=sum.", "GAMMA_MAXN=100", "GAMMA_DIR="+whole)
		lines := merged(t, dir)
		require.Equal(t, merged(t, whole), lines)
		require.Equal(t, violates, regexp.MustCompile(`"violations":[1-9]`).MatchString(strings.Join(lines, "")), subject)
	}
	code, out := run("/dev/null/none", "right", 0, "")
	require.NotZero(t, code, "results that cannot be written are a failure of the pod: %s", out)
}
