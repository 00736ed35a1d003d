package props

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
)

// TestRecordSurvives lets a kernel end its process, or hang until the process is killed, in the middle
// of a search: the next run reports the case that was running, saves it, and with -gamma.isolate the
// saved case becomes a verdict.
func TestRecordSurvives(t *testing.T) {
	for _, c := range []struct {
		subject, name string
		timeout       string
		verdict       string
	}{
		{"exits", "child.Exits", "20s", "the kernel's process died: exit status 3"},
		{"sleeps", "child.Sleeps", "1s", "the kernel did not return within 1s"},
		{"dies", "child.Dies", "20s", "the kernel's process died: exit status 2: runtime: goroutine stack exceeds 67108864-byte limit"},
		{"dies by a goroutine", "child.Goroutine", "20s", "the kernel's process died: exit status 2: panic: in a goroutine"},
	} {
		t.Run(c.subject, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			options := []string{"GAMMA_LAW=sum.enclosure", "GAMMA_MAXN=64", "GAMMA_CHECKS=2000", "GAMMA_BUDGET=10m"}
			e := startChild(t, dir, c.subject, patience, options...)
			require.True(t, e.failed, "the process lives: %s", e.out)
			require.Equal(t, c.subject == "sleeps", e.killed)
			records, err := filepath.Glob(filepath.Join(dir, "runs", "*", "running-*"))
			require.NoError(t, err)
			require.Len(t, records, 1, e.out)
			text, err := os.ReadFile(records[0])
			require.NoError(t, err)
			law, name, body, err := engine.ParseRecord(text, engine.New(vectors.NewRun(&vectors.Kernel{}, engine.Settings{})).Recall)
			require.NoError(t, err)
			require.Equal(t, c.name, name)
			require.Equal(t, "sum.enclosure", law)
			c1 := body.(*corpus.Case)
			x := c1.X.F32
			require.Greater(t, len(x), 7)
			require.True(t, x[6] > x[5] && x[7] < 0, "the record is not of the case that killed the process: %v", x)

			// A process that is right about the options and does not meet the fault: it reports.
			e = startChild(t, dir, c.subject, patience, "GAMMA_LAW=sum.enclosure", "GAMMA_MAXN=5", "GAMMA_CHECKS=5")
			require.False(t, e.failed, e.out)
			require.Contains(t, e.out, "an earlier process died while law sum.enclosure ran "+c.name)
			m := regexp.MustCompile(`The case is (\S+); replay it with (-gamma\.case=\S+)`).FindStringSubmatch(e.out)
			require.NotNil(t, m, e.out)
			text, err = os.ReadFile(m[1])
			require.NoError(t, err)
			c2, err := corpus.Parse[*corpus.Case](text, engine.ReplayOptions)
			require.NoError(t, err)
			require.True(t, c1.X.Equal(c2.X))
			records, err = filepath.Glob(filepath.Join(dir, "runs", "*", "running-*"))
			require.NoError(t, err)
			require.Empty(t, records)
			again := startChild(t, dir, c.subject, patience, "GAMMA_LAW=sum.enclosure", "GAMMA_MAXN=5", "GAMMA_CHECKS=5")
			require.NotContains(t, again.out, "an earlier process died", "it is reported once")

			e = startChild(t, dir, c.subject, patience, m[2], "GAMMA_TIMEOUT="+c.timeout)
			require.True(t, e.failed)
			require.Contains(t, e.out, c.name+" breaks under sum.enclosure")
			require.Contains(t, unwrap(e.out), c.verdict)
			require.Contains(t, e.out, "TestChild/replay")
		})
	}
}

// unwrap joins the lines of a report.
func unwrap(s string) string { return regexp.MustCompile(`\s+`).ReplaceAllString(s, " ") }

// TestIsolateOption searches kernels that hang or die, in isolation: each law that runs into it fails
// with a report and a saved case, the laws after it run too, and the process ends as it should.
func TestIsolateOption(t *testing.T) {
	for _, c := range []struct {
		subject, name, verdict, law string
		smallest                    int
	}{
		{"exits", "child.Exits", "the kernel's process died: exit status 3", "", 8},
		{"hangs", "child.Hangs", "the kernel did not return within 500ms", "sum.enclosure", 0}, // others would take as long
		{"dies by a goroutine", "child.Goroutine", "the kernel's process died: exit status 2: panic: in a goroutine", "", 8},
	} {
		t.Run(c.subject, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			timeout := "20s"
			if c.subject == "hangs" {
				timeout = "500ms"
			}
			e := startChild(t, dir, c.subject, patience, "GAMMA_ISOLATE=true", "GAMMA_TIMEOUT="+timeout, "GAMMA_LAW="+c.law, "GAMMA_MAXN=12", "GAMMA_CHECKS=40", "GAMMA_BUDGET=1m")
			require.True(t, e.failed)
			require.False(t, e.killed, e.out)
			require.Contains(t, e.out, c.name+" breaks under sum.enclosure")
			require.Contains(t, unwrap(e.out), c.verdict)
			require.Contains(t, e.out, "--- FAIL: TestChild/sum.enclosure")
			for _, law := range []string{"sum.integers", "sum.special", "sum.repeat"} {
				if c.law != "" {
					break
				}
				require.Regexp(t, `--- (FAIL|PASS): TestChild/`+regexp.QuoteMeta(law), e.out, "the laws after it")
			}
			names, err := filepath.Glob(filepath.Join(dir, engine.SaveDirName, "sum.enclosure", "*.case"))
			require.NoError(t, err)
			require.Len(t, names, 1, e.out)
			text, err := os.ReadFile(names[0])
			require.NoError(t, err)
			saved, err := corpus.Parse[*corpus.Case](text, engine.ReplayOptions)
			require.NoError(t, err)
			require.Equal(t, c.smallest, saved.N(), "the smallest case that shows the fault")
			rows := jsonRows(t, dir)
			require.EqualValues(t, 1, rows[0]["violations"])
			left, err := filepath.Glob(filepath.Join(dir, "runs", "*", "running-*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
	t.Run("right", func(t *testing.T) {
		t.Parallel()
		here, there := t.TempDir(), t.TempDir()
		options := []string{"GAMMA_CHECKS=100", "GAMMA_MAXN=300", "GAMMA_BUDGET=1m"}
		e := startChild(t, here, "right", patience, options...)
		require.False(t, e.failed, e.out)
		e = startChild(t, there, "right", patience, append(options, "-gamma.isolate=true")...)
		require.False(t, e.failed, e.out)
		require.Equal(t, jsonRows(t, here), jsonRows(t, there), "isolation changes what is found")
	})
}
