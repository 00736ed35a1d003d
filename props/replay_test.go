package props

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels"
	"gamma/kernels/mutants"
	"gamma/model"
)

// TestReplayCorpus replays every case that package corpus embeds, a subtest a file, with the kernels
// of this module. A case whose kernel is not linked, or whose law nobody knows, fails by its name.
func TestReplayCorpus(t *testing.T) {
	_, errs := corpus.Load[*corpus.Case](corpus.Files, replayOptions)
	require.Empty(t, errs)
	require.NotEmpty(t, embedded())
	runs := map[string]*run{}
	for _, k := range everyKernel() {
		sub, err := subjectFor(k).subject()
		require.NoError(t, err)
		runs[k.Name] = &run{sub: sub, sum: &SubjectSummary{Test: t.Name()}, rec: &recorder{}, open: map[model.LawID]string{}}
	}
	unlinked, shader := map[string]int{}, 0
	for _, f := range embedded() {
		r := runs[f.Body.Kernel]
		if strings.HasPrefix(f.Body.Kernel, "shaders/") {
			shader++
			continue // package props/device replays it, and names those that it cannot
		}
		if r == nil {
			unlinked[f.Body.Kernel]++
			t.Errorf("%s: no kernel here is called %s, so that the case is not judged", f.Path, f.Body.Kernel)
			continue
		}
		t.Run(filepath.Base(f.Path), func(t *testing.T) { r.replayFile(t, f) })
	}
	if len(unlinked) == 0 {
		t.Logf("%d cases replayed, the kernels of all linked; %d of shaders are left to props/device", len(embedded())-shader, shader)
	}
}

// TestReplayFindsMutants replays what is saved of a broken kernel: as long as the fault is there the
// replay fails, with `expect violated` it passes, and when the fault is mended the other way round.
func TestReplayFindsMutants(t *testing.T) {
	found := 0
	for _, m := range mutants.All() {
		if m.Kills != model.SumEnclosure && m.Kills != model.DotEnclosure || m.MinN > 300 {
			continue
		}
		t.Run(m.Kernel.Name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			sub, err := subjectFor(m.Kernel).subject()
			require.NoError(t, err)
			set := settings{seed: fixedSeed, maxN: 300, save: saveDirName}
			newR := func() *run {
				return &run{sub: sub, set: set, sum: &SubjectSummary{}, rec: &recorder{}, open: map[model.LawID]string{}}
			}
			r := newR()
			l, err := LawByID(m.Kills)
			require.NoError(t, err)
			d, trial, rng := newDrawer(r, &l), newTrial(sub), splitmix(3)
			var c *corpus.Case
			for range 2000 {
				c = d.drawWith(&rng)
				if v := trial.judge(&l, c); v.fails() {
					break
				}
				c = nil
			}
			require.NotNil(t, c, "no case drawn shows the fault")
			found++
			f := r.examine(&l, d.keep(c), nil)
			require.NoError(t, f.SaveError)
			replay := func(r *run) (v Verdict, err error) {
				files, errs := r.casesOnFile()
				require.Empty(t, errs)
				require.Len(t, files, 1)
				require.Equal(t, f.File, files[0].Path)
				j, err := r.judgeFile(files[0])
				return j.v, err
			}
			v, err := replay(newR())
			require.NoError(t, err)
			require.True(t, v.fails(), "the saved case does not show the fault: %v", v)
			require.Equal(t, f.Verdict.Outcome, v.Outcome)

			text, err := os.ReadFile(f.File)
			require.NoError(t, err)
			open := strings.Replace(string(text), "\nexpect holds\n", "\nexpect violated\n", 1)
			require.NotEqual(t, string(text), open)
			require.NoError(t, os.WriteFile(f.File, []byte(open), 0o644))
			v, err = replay(newR())
			require.NoError(t, err)
			require.True(t, v.fails())

			mended := newR()
			right := kernels.SumDouble
			if sub.op == OpSum && sub.claim.In == model.Binary32 && !sub.follows && !sub.rows {
				s, err := Reduction{Name: sub.name, Run: right}.subject()
				require.NoError(t, err)
				mended.sub = s
				_, err = replay(mended)
				require.ErrorContains(t, err, "If the fault is mended, change the file to 'expect holds'")
			}
		})
	}
	require.Greater(t, found, 5)
}
