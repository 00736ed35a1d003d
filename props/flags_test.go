package props

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/judge"
)

// setFlag sets a flag for the length of a test.
func setFlag(t *testing.T, name, value string) {
	t.Helper()
	f := flag.Lookup(name)
	require.NotNil(t, f, name)
	was := f.Value.String()
	require.NoError(t, f.Value.Set(value))
	t.Cleanup(func() { require.NoError(t, f.Value.Set(was)) })
}

// noOptions clears every option for the length of a test, whatever this run was given.
func noOptions(t *testing.T) {
	t.Helper()
	for _, o := range []*engine.Option{engine.OptChecks, engine.OptLevel, engine.OptSeed, engine.OptMaxN, engine.OptBudget, engine.OptTotal, engine.OptSweep, engine.OptShard, engine.OptLaw, engine.OptCase, engine.OptDir, engine.OptSave, engine.OptIsolate, engine.OptTimeout, engine.OptDevice} {
		setFlag(t, "gamma."+o.Name, "")
		t.Setenv(o.Env(), "")
	}
}

// TestOptions sets every option as a flag and as a variable, and both, when the flag counts.
func TestOptions(t *testing.T) {
	noOptions(t)
	std, err := engine.ReadSettings()
	require.NoError(t, err)
	require.Equal(t, engine.Settings{
		Checks: 2000, Seed: 1, SeedText: "fixed", MaxN: 70001, Budget: 5 * time.Second, Total: 32 * time.Second, Save: "testdata/gamma", Timeout: 10 * time.Second,
	}, std)
	for _, c := range []struct {
		o      *engine.Option
		value  string
		change func(s *engine.Settings)
		other  string // another right value
	}{
		{engine.OptChecks, "17", func(s *engine.Settings) { s.Checks, s.Total = 17, 0 }, "18"},
		{engine.OptLevel, "quick", func(s *engine.Settings) { s.Total = 0 }, "thorough"},
		{engine.OptLevel, "thorough", func(s *engine.Settings) { s.Thorough, s.Checks, s.Budget, s.Total = true, 20000, 5*time.Minute, 0 }, "quick"},
		{engine.OptSeed, "fixed", func(*engine.Settings) {}, "9"},
		{engine.OptSeed, "12345", func(s *engine.Settings) { s.Seed, s.SeedText = 12345, "12345" }, "fixed"},
		{engine.OptSeed, "18446744073709551615", func(s *engine.Settings) { s.Seed, s.SeedText = 1<<64-1, "18446744073709551615" }, "fixed"},
		{engine.OptMaxN, "100", func(s *engine.Settings) { s.MaxN = 100 }, "101"},
		{engine.OptBudget, "1m30s", func(s *engine.Settings) { s.Budget, s.Total = 90*time.Second, 0 }, "1s"},
		{engine.OptTotal, "3m", func(s *engine.Settings) { s.Total = 3 * time.Minute }, "none"},
		{engine.OptTotal, "none", func(s *engine.Settings) { s.Total = 0 }, "1m"},
		{engine.OptLaw, "sum.tree", func(s *engine.Settings) { s.Law = "sum.tree" }, "dot"},
		{engine.OptCase, "x.case", func(s *engine.Settings) { s.CaseFile = "x.case" }, "y.case"},
		{engine.OptSave, "off", func(s *engine.Settings) { s.Save = "off" }, "elsewhere"},
		{engine.OptSave, "a/b", func(s *engine.Settings) { s.Save = "a/b" }, "off"},
		{engine.OptIsolate, "true", func(s *engine.Settings) { s.Isolate = true }, "false"},
		{engine.OptIsolate, "1", func(s *engine.Settings) { s.Isolate = true }, "0"},
		{engine.OptIsolate, "off", func(*engine.Settings) {}, "on"},
		{engine.OptTimeout, "250ms", func(s *engine.Settings) { s.Timeout = 250 * time.Millisecond }, "1h"},
		{engine.OptDevice, "cpu", func(s *engine.Settings) { s.Devices = []string{"cpu"} }, "sim"},
		{engine.OptDevice, "cuda, sim,cuda", func(s *engine.Settings) { s.Devices = []string{"cuda", "sim"} }, "cpu"},
		{engine.OptShard, "3/16", func(s *engine.Settings) { s.Shard, s.Budget, s.Total = engine.Part{I: 3, Of: 16}, math.MaxInt64/2, 0 }, "1/1"},
		{engine.OptShard, "@7", func(s *engine.Settings) {
			s.Shard, s.Budget, s.Total = engine.Part{I: 7, Alone: true}, math.MaxInt64/2, 0
		}, "@0"},
		{engine.OptDir, "", func(*engine.Settings) {}, ""}, // read by RunDir
	} {
		t.Run(c.o.Name+"="+c.value, func(t *testing.T) {
			want := std
			c.change(&want)
			check := func() {
				t.Helper()
				got, err := engine.ReadSettings()
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			t.Run("variable", func(t *testing.T) {
				t.Setenv(c.o.Env(), c.value)
				check()
			})
			t.Run("flag", func(t *testing.T) {
				setFlag(t, "gamma."+c.o.Name, c.value)
				check()
			})
			t.Run("both", func(t *testing.T) {
				t.Setenv(c.o.Env(), c.other)
				setFlag(t, "gamma."+c.o.Name, c.value)
				check()
			})
		})
	}
}

// TestOptionErrors: a wrong value is an error that names the option both ways, and what would be right.
func TestOptionErrors(t *testing.T) {
	noOptions(t)
	for _, c := range []struct {
		o           *engine.Option
		value, want string
	}{
		{engine.OptChecks, "0", `props: -gamma.checks (or GAMMA_CHECKS) is "0"; it has to be a positive number`},
		{engine.OptChecks, "many", `props: -gamma.checks (or GAMMA_CHECKS) is "many"; it has to be a positive number`},
		{engine.OptLevel, "fast", `props: -gamma.level (or GAMMA_LEVEL) is "fast"; it has to be quick or thorough`},
		{engine.OptSeed, "lucky", `props: -gamma.seed (or GAMMA_SEED) is "lucky"; it has to be fixed, random or a number`},
		{engine.OptSeed, "-1", `props: -gamma.seed (or GAMMA_SEED) is "-1"; it has to be fixed, random or a number`},
		{engine.OptMaxN, "-5", `props: -gamma.maxn (or GAMMA_MAXN) is "-5"; it has to be a positive number of at most 268435456`},
		{engine.OptMaxN, "99999999999", `props: -gamma.maxn (or GAMMA_MAXN) is "99999999999"; it has to be a positive number of at most 268435456`},
		{engine.OptBudget, "10", `props: -gamma.budget (or GAMMA_BUDGET) is "10"; it has to be a duration such as 30s`},
		{engine.OptBudget, "-1s", `props: -gamma.budget (or GAMMA_BUDGET) is "-1s"; it has to be a duration such as 30s`},
		{engine.OptTotal, "0", `props: -gamma.total (or GAMMA_TOTAL) is "0"; it has to be a duration such as 30s`},
		{engine.OptTimeout, "soon", `props: -gamma.timeout (or GAMMA_TIMEOUT) is "soon"; it has to be a duration such as 30s`},
		{engine.OptDevice, "gpu", `props: -gamma.device (or GAMMA_DEVICE) is "gpu"; it has to be a comma list of cpu, sim, cuda, metal, opencl`},
		{engine.OptDevice, "cpu,", `props: -gamma.device (or GAMMA_DEVICE) is "cpu,"; it has to be a comma list of cpu, sim, cuda, metal, opencl`},
		{engine.OptShard, "0/4", `props: -gamma.shard (or GAMMA_SHARD) is "0/4"; it has to be I/N with 1 <= I <= N <= 65536, such as 3/16, or @K for block K alone`},
		{engine.OptShard, "@-1", `props: -gamma.shard (or GAMMA_SHARD) is "@-1"; it has to be I/N with 1 <= I <= N <= 65536, such as 3/16, or @K for block K alone`},
		{engine.OptIsolate, "yes", `props: -gamma.isolate (or GAMMA_ISOLATE) is "yes"; it has to be true or false`},
	} {
		t.Run(c.o.Name+"="+c.value, func(t *testing.T) {
			t.Run("variable", func(t *testing.T) {
				t.Setenv(c.o.Env(), c.value)
				_, err := engine.ReadSettings()
				require.EqualError(t, err, c.want)
			})
			setFlag(t, "gamma."+c.o.Name, c.value)
			_, err := engine.ReadSettings()
			require.EqualError(t, err, c.want)
		})
	}
}

// TestSeeds: a random seed is a number that is shown, and another one each time; laws and subjects
// have seeds of their own.
func TestSeeds(t *testing.T) {
	noOptions(t)
	setFlag(t, "gamma.seed", "random")
	a, err := engine.ReadSettings()
	require.NoError(t, err)
	b, err := engine.ReadSettings()
	require.NoError(t, err)
	require.NotEqual(t, a.Seed, b.Seed)
	require.Equal(t, fmt.Sprint(a.Seed), a.SeedText)
	setFlag(t, "gamma.seed", a.SeedText)
	again, err := engine.ReadSettings()
	require.NoError(t, err)
	require.Equal(t, a.Seed, again.Seed, "the number that was shown brings the run back")
	seeds := map[uint64]bool{}
	for _, law := range []string{"sum.tree", "sum.height"} {
		for _, subject := range []string{"k.Sum", "k.Dot"} {
			seeds[a.SeedFor(law, subject)] = true
			require.Equal(t, a.SeedFor(law, subject), again.SeedFor(law, subject))
		}
	}
	require.Len(t, seeds, 4)
}

// The tests below run this test binary again, on the subject that childSubject names.

// childSubject is the variable that tells TestChild what to judge.
const childSubject = "GAMMA_TEST_SUBJECT"

// asleep is what a kernel says before it sleeps; a test that waits for it ends its process then.
const asleep = "child: asleep"

// alarm is a buffer that calls a function when a kernel falls asleep.
type alarm struct {
	text bytes.Buffer // not embedded: its ReadFrom would go past Write
	ring func()
}

func (a *alarm) Write(p []byte) (int, error) {
	n, err := a.text.Write(p)
	if bytes.Contains(a.text.Bytes(), []byte(asleep)) {
		a.ring()
	}
	return n, err
}

// overflowed takes what overflow would return.
var overflowed int

// childSubjects are what TestChild can judge.
func childSubjects() map[string]Subject {
	when := func(bad func(x []float32) bool, act func()) func([]float32) float32 {
		return func(x []float32) float32 {
			if bad(x) {
				act()
			}
			return kernels.SumSerial(x)
		}
	}
	empty := func(x []float32) bool { return len(x) == 0 }
	seventh := func(x []float32) bool { return len(x) > 7 && x[6] > x[5] && x[7] < 0 }
	return map[string]Subject{
		"right": Reduction{Name: "child.Right", Run: kernels.SumSerial[float32], Claim: model.Claim{Repeats: true}},
		"wrong": Reduction{Name: "child.Wrong", Run: func(x []float32) float32 { return kernels.SumSerial(short(x)) }, Claim: model.Claim{Repeats: true}},
		"exits": Reduction{Name: "child.Exits", Run: when(seventh, func() { os.Exit(3) }), Claim: model.Claim{Repeats: true}},
		"hangs": Reduction{Name: "child.Hangs", Run: when(empty, func() { select {} }), Claim: model.Claim{Repeats: true}},
		"sleeps": Reduction{Name: "child.Sleeps", Run: when(seventh, func() {
			fmt.Fprintln(os.Stderr, asleep)
			time.Sleep(time.Hour)
		}), Claim: model.Claim{Repeats: true}},
		"dies": Reduction{Name: "child.Dies", Run: when(seventh, func() { overflowed = overflow(0) }), Claim: model.Claim{Repeats: true}},
		"dies by a goroutine": Reduction{Name: "child.Goroutine", Run: when(seventh, func() {
			go func() { panic("in a goroutine") }()
			time.Sleep(time.Minute)
		}), Claim: model.Claim{Repeats: true}},
		"broken option": Reduction{Run: kernels.SumSerial[float32]},
		"halfs":         childHalfs(),
	}
}

// sleepRow is the variable with the first operand at which childHalfs falls asleep.
const sleepRow = "GAMMA_TEST_SLEEP"

// childHalfs multiplies halfs, and says of each first operand that it comes to one.
func childHalfs() Arithmetic {
	sleep := os.Getenv(sleepRow)
	return Arithmetic{Name: "child.Halfs", Format: model.Binary16, Mul: func(x, y uint64) uint64 {
		if y == 0x3c00 {
			row := fmt.Sprintf("%04x", x)
			if fmt.Fprintf(os.Stderr, "row %s\n", row); row == sleep {
				fmt.Fprintln(os.Stderr, asleep)
				time.Sleep(time.Hour)
			}
		}
		return uint64(kernels.HalfFromFloat32(kernels.HalfToFloat32(uint16(x)) * kernels.HalfToFloat32(uint16(y)))) // products of halfs are exact in binary32
	}}
}

// TestChild does nothing but in a process that another test has started.
func TestChild(t *testing.T) {
	name, ok := os.LookupEnv(childSubject)
	if !ok {
		t.Skip(childSubject + " names no subject: only a child of another test runs this")
	}
	debug.SetMaxStack(8 << 20) // an overflow ends soon
	switch s := childSubjects()[name].(type) {
	case Reduction:
		if os.Getenv("GAMMA_TEST_REPLAY") != "" {
			s.Replay(t)
			return
		}
		s.Check(t)
	case Arithmetic:
		s.Check(t)
	default:
		t.Fatalf("no subject %q", name)
	}
}

// ended is how a child ended.
type ended struct {
	out    string
	failed bool
	killed bool // since it fell asleep, or took too long
	state  *os.ProcessState
}

// startChild judges a subject in a new process, in directory dir, with options as variables and flags.
func startChild(t *testing.T, dir, subject string, patience time.Duration, options ...string) ended {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	args := []string{"-test.run=^TestChild$", "-test.v"}
	env := []string{}
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "GAMMA_") {
			env = append(env, e)
		}
	}
	env = append(env, childSubject+"="+subject, "GAMMA_DIR="+filepath.Join(dir, "runs"))
	for _, o := range options {
		if strings.HasPrefix(o, "-") {
			args = append(args, o)
		} else {
			env = append(env, o)
		}
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir, cmd.Env = dir, env
	out := alarm{ring: cancel}
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second
	err = cmd.Run()
	return ended{out.text.String(), err != nil, ctx.Err() != nil, cmd.ProcessState}
}

// inRuns returns a file of the one package whose tests ran in a directory.
func inRuns(t *testing.T, dir, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "runs", "*", name))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return files[0]
}

// jsonRows reads a summary, without the times.
func jsonRows(t *testing.T, dir string) (rows []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(inRuns(t, dir, "summary.jsonl"))
	require.NoError(t, err)
	require.True(t, bytes.HasSuffix(text, []byte("\n")))
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		row := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		require.Contains(t, row, "seconds")
		delete(row, "seconds")
		rows = append(rows, row)
	}
	return rows
}

const patience = 2 * time.Minute

// TestRunsRepeat: two runs find the same, to the bit; a random seed finds something else and shows
// its number, with which a third run finds that again. The summary is whole, and said to be where it is.
func TestRunsRepeat(t *testing.T) {
	t.Parallel()
	run := func(options ...string) (string, []map[string]any) {
		dir := t.TempDir()
		e := startChild(t, dir, "right", patience, append(options, "GAMMA_CHECKS=150", "GAMMA_BUDGET=1m", "GAMMA_MAXN=400")...)
		require.False(t, e.failed, e.out)
		rows := jsonRows(t, dir)
		summary := inRuns(t, dir, "summary.txt")
		text, err := os.ReadFile(summary)
		require.NoError(t, err)
		require.Contains(t, e.out, "summary in "+summary)
		require.Regexp(t, "(?m)^1 subjects?, ", string(text))
		sub, err := vectorSubject(childSubjects()["right"])
		require.NoError(t, err)
		applying := 0
		for _, l := range judge.Laws() {
			if sub.Applies(&l) != "" {
				continue
			}
			row := rows[applying]
			applying++
			require.Equal(t, string(l.ID), row["law"])
			require.Equal(t, "child.Right", row["subject"])
			cases := 150 / l.Every(150)
			require.EqualValues(t, cases, row["cases"])
			require.EqualValues(t, cases, row["holds"].(float64)+row["vacuous"].(float64))
			require.Contains(t, string(text), string(l.ID))
			require.Contains(t, e.out, fmt.Sprintf("%s: %d cases", l.ID, cases))
		}
		require.Len(t, rows, applying)
		left, err := filepath.Glob(filepath.Join(dir, "runs", "*", "running-*"))
		require.NoError(t, err)
		require.Empty(t, left, "records of a process that ended well")
		return e.out, rows
	}
	_, first := run()
	_, second := run("-gamma.seed=fixed")
	require.Equal(t, first, second)
	out, other := run("-gamma.seed=random")
	require.NotEqual(t, first, other)
	m := regexp.MustCompile(`seed (\d+); summary in`).FindStringSubmatch(out)
	require.NotNil(t, m, out)
	require.Equal(t, m[1], other[0]["seed"])
	_, again := run("GAMMA_SEED=" + m[1])
	require.Equal(t, other, again)
}

// TestLawOption: laws are chosen by how they begin; a beginning that none has is an error, one that
// does not concern the subject a skip.
func TestLawOption(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := startChild(t, dir, "right", patience, "GAMMA_CHECKS=20", "-gamma.law=sum.enc")
	require.False(t, e.failed, e.out)
	rows := jsonRows(t, dir)
	require.Len(t, rows, 1)
	require.Equal(t, "sum.enclosure", rows[0]["law"])
	require.NotContains(t, e.out, "TestChild/sum.special")
	e = startChild(t, dir, "right", patience, "GAMMA_LAW=sum.enclosed")
	require.True(t, e.failed)
	require.Contains(t, e.out, `props: -gamma.law (or GAMMA_LAW) is "sum.enclosed", and no law begins so; judge.Laws`)
	e = startChild(t, dir, "right", patience, "GAMMA_LAW=dot")
	require.False(t, e.failed)
	require.Contains(t, e.out, `SKIP: TestChild`)
	require.Contains(t, e.out, `no law that begins with "dot" says anything about child.Right: the law is one of a dot`)
}

// TestBadOptionFailsTheTest: a wrong option or a wrong subject fails the test, and says so.
func TestBadOptionFailsTheTest(t *testing.T) {
	t.Parallel()
	e := startChild(t, t.TempDir(), "right", patience, "GAMMA_CHECKS=none")
	require.True(t, e.failed)
	require.Contains(t, e.out, `-gamma.checks (or GAMMA_CHECKS) is "none"`)
	e = startChild(t, t.TempDir(), "broken option", patience)
	require.True(t, e.failed)
	require.Contains(t, e.out, "a Reduction has no Name")
}

// TestCaseOption: a wrong kernel fails, saves its case, prints a report, and -gamma.case replays that
// case alone; -gamma.save says where, or that nowhere.
func TestCaseOption(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	saved := func() []string {
		names, err := filepath.Glob(filepath.Join(dir, engine.SaveDirName, "*", "*.case"))
		require.NoError(t, err)
		return names
	}
	e := startChild(t, dir, "wrong", patience, "GAMMA_CHECKS=200", "GAMMA_SAVE=off", "GAMMA_LAW=sum.integers", "GAMMA_MAXN=100")
	require.True(t, e.failed)
	require.Contains(t, e.out, "child.Wrong violates sum.integers")
	require.Empty(t, saved())

	e = startChild(t, dir, "wrong", patience, "GAMMA_CHECKS=200", "GAMMA_LAW=sum.integers", "GAMMA_MAXN=100")
	require.True(t, e.failed)
	require.Len(t, saved(), 1)
	file, err := filepath.Rel(dir, saved()[0])
	require.NoError(t, err)
	require.Contains(t, e.out, "saved as    "+file)
	text, err := os.ReadFile(saved()[0])
	require.NoError(t, err)
	c, err := corpus.Parse[*corpus.Case](text, engine.ReplayOptions)
	require.NoError(t, err)
	require.Equal(t, 5, c.N(), "the smallest case that shows the fault")

	short := file[len(file)-len("01234567.case") : len(file)-len(".case")]
	for _, name := range []string{file, short} {
		e = startChild(t, dir, "wrong", patience, "-gamma.case="+name)
		require.True(t, e.failed)
		require.Contains(t, e.out, "on file, and replayed")
		require.Contains(t, e.out, "TestChild/replay")
		require.NotContains(t, e.out, "TestChild/sum.", "the search ran")
	}
	require.Len(t, saved(), 1)
	e = startChild(t, dir, "right", patience, "GAMMA_CASE="+file)
	require.False(t, e.failed, e.out)
	require.Contains(t, e.out, "SKIP")
	require.Contains(t, e.out, "is not one of child.Right")
	e = startChild(t, dir, "right", patience, "GAMMA_CASE=nowhere.case")
	require.True(t, e.failed)
	require.Contains(t, e.out, "nowhere.case")

	// Without the option the case on file is replayed first, and the search goes on.
	e = startChild(t, dir, "wrong", patience, "GAMMA_CHECKS=50", "GAMMA_MAXN=100")
	require.Contains(t, e.out, "on file, and replayed")
	require.Contains(t, e.out, "TestChild/sum.special")
	require.Less(t, strings.Index(e.out, "TestChild/replay"), strings.Index(e.out, "TestChild/sum."))
	e = startChild(t, dir, "wrong", patience, "GAMMA_TEST_REPLAY=1")
	require.True(t, e.failed)
	require.NotContains(t, e.out, "TestChild/sum.", "Replay searches")

	other := filepath.Join(dir, "elsewhere")
	e = startChild(t, dir, "wrong", patience, "GAMMA_CHECKS=200", "GAMMA_LAW=sum.enclosure", "GAMMA_MAXN=100", "-gamma.save="+other)
	require.True(t, e.failed)
	names, err := filepath.Glob(filepath.Join(other, "sum.enclosure", "*.case"))
	require.NoError(t, err)
	require.Len(t, names, 1)
}
