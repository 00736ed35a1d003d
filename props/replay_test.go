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
		sub, err := vectorSubject(subjectFor(k))
		require.NoError(t, err)
		runs[k.Name] = newRun(sub, settings{})
	}
	unlinked, shader := map[string]int{}, 0
	for _, f := range embeddedOf[*corpus.Case]() {
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
		t.Run(filepath.Base(f.Path), func(t *testing.T) { engineOf(r).replayFile(t, asFile(f)) })
	}
	if len(unlinked) == 0 {
		t.Logf("%d cases replayed, the kernels of all linked; %d of shaders are left to props/device", len(embeddedOf[*corpus.Case]())-shader, shader)
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
			sub, err := vectorSubject(subjectFor(m.Kernel))
			require.NoError(t, err)
			set := settings{seed: fixedSeed, maxN: 300, save: saveDirName}
			newR := func() *run {
				return newRun(sub, set)
			}
			r := newR()
			l, err := LawByID(Laws(), m.Kills)
			require.NoError(t, err)
			d, trial, rng := newDrawer(r, &l), newTrial(sub), splitmix(3)
			var c *corpus.Case
			for range 2000 {
				c = drawnWith(d, &rng)
				if v := trial.judge(&l, c); v.fails() {
					break
				}
				c = nil
			}
			require.NotNil(t, c, "no case drawn shows the fault")
			found++
			f := reduced(r, &l, keep(c), nil)
			require.Empty(t, f.NotSaved)
			replay := func(r *run) *quietTB {
				files, errs := r.onFile(r.owns)
				require.Empty(t, errs)
				require.Len(t, files, 1)
				require.Equal(t, f.File, files[0].Path)
				said := &quietTB{}
				engineOf(r).replayFile(recorderTB{TB: t, q: said}, &files[0])
				return said
			}
			said := replay(newR())
			require.True(t, said.failed, "the saved case does not show the fault")
			require.Contains(t, strings.Join(strings.Fields(said.text.String()), " "), f.headline())

			text, err := os.ReadFile(f.File)
			require.NoError(t, err)
			open := strings.Replace(string(text), "\nexpect holds\n", "\nexpect violated\n", 1)
			require.NotEqual(t, string(text), open)
			require.NoError(t, os.WriteFile(f.File, []byte(open), 0o644))
			r = newR()
			require.False(t, replay(r).failed, "an open fault that is there fails nothing")
			require.Equal(t, map[model.LawID]string{l.ID: f.File}, r.open)

			mended := newR()
			right := kernels.SumDouble
			if sub.op == OpSum && sub.claim.In == model.Binary32 && !sub.follows && !sub.rows {
				s, err := Reduction{Name: sub.name, Run: right}.subject()
				require.NoError(t, err)
				mended.sub = s
				require.Contains(t, replay(mended).text.String(), "If the fault is mended, write holds in the place of violated")
			}
		})
	}
	require.Greater(t, found, 5)
}
