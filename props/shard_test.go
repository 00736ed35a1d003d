package props

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	for _, n := range []int{1, 2, 3, 16} {
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

// A shard that is killed, again and again, goes on where it was, and comes to what one run comes to.
func TestShardGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it starts processes, and kills them")
	}
	options := []string{"GAMMA_CHECKS=30000", "GAMMA_MAXN=500", "GAMMA_SHARD=1/1"}
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
