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
	"gamma/props/internal/check"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/own"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
)

// TestReplayCorpus replays every case that package corpus embeds, a subtest a file, with the kernels
// of this module. A case whose kernel is not linked, or whose law nobody knows, fails by its name.
func TestReplayCorpus(t *testing.T) {
	_, errs := corpus.Load[*corpus.Case](corpus.Files, engine.ReplayOptions)
	require.Empty(t, errs)
	require.NotEmpty(t, engine.Embedded(""))
	runs := map[string]*vectors.Run{}
	for _, k := range own.Vectors() {
		sub, err := vectorSubject(own.Vector(k))
		require.NoError(t, err)
		runs[k.Name] = vectors.NewRun(sub, engine.Settings{})
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
		t.Run(filepath.Base(f.Path), func(t *testing.T) { engine.New(r).ReplayFile(t, asFile(f)) })
	}
	if len(unlinked) == 0 {
		t.Logf("%d cases replayed, the kernels of all linked; %d of shaders are left to props/device", len(embeddedOf[*corpus.Case]())-shader, shader)
	}
}

// TestReplayFindsMutants replays what is saved of a broken kernel: as long as the fault is there the
// replay fails, with `expect violated` it passes, and when the fault is fixed the other way round.
func TestReplayFindsMutants(t *testing.T) {
	found := 0
	for _, m := range mutants.All() {
		if m.Kills != model.SumEnclosure && m.Kills != model.DotEnclosure || m.MinN > 300 {
			continue
		}
		t.Run(m.Kernel.Name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			sub, err := vectorSubject(own.Vector(m.Kernel))
			require.NoError(t, err)
			set := engine.Settings{Seed: engine.FixedSeed, MaxN: 300, Save: engine.SaveDirName}
			newR := func() *vectors.Run {
				return vectors.NewRun(sub, set)
			}
			r := newR()
			l, err := judge.LawByID(judge.Laws(), m.Kills)
			require.NoError(t, err)
			d, trial, rng := vectors.NewDrawer(r, &l), vectors.NewTrial(sub), draw.Splitmix(3)
			var c *corpus.Case
			for range 2000 {
				c = drawnWith(d, &rng)
				if v := trial.Judge(&l, c); v.Fails() {
					break
				}
				c = nil
			}
			require.NotNil(t, c, "no case drawn shows the fault")
			found++
			f := reduced(r, &l, keep(c), nil)
			require.Empty(t, f.NotSaved)
			replay := func(r *vectors.Run) *check.QuietTB {
				files, errs := r.OnFile(r.Owns)
				require.Empty(t, errs)
				require.Len(t, files, 1)
				require.Equal(t, f.File, files[0].Path)
				said := &check.QuietTB{}
				engine.New(r).ReplayFile(recorderTB{TB: t, q: said}, &files[0])
				return said
			}
			said := replay(newR())
			require.True(t, said.HasFailed, "the saved case does not show the fault")
			require.Contains(t, strings.Join(strings.Fields(said.Text.String()), " "), f.Headline())

			text, err := os.ReadFile(f.File)
			require.NoError(t, err)
			open := strings.Replace(string(text), "\nexpect holds\n", "\nexpect violated\n", 1)
			require.NotEqual(t, string(text), open)
			require.NoError(t, os.WriteFile(f.File, []byte(open), 0o644))
			r = newR()
			require.False(t, replay(r).HasFailed, "an open fault that is there fails nothing")
			require.Equal(t, map[model.LawID]string{l.ID: f.File}, r.Open)

			fixed := newR()
			right := kernels.SumDouble
			if sub.Op == OpSum && sub.Claim.In == model.Binary32 && !sub.Follows && !sub.Rows {
				s, err := Reduction{Name: sub.Name, Run: right}.Kernel()
				require.NoError(t, err)
				fixed.Sub = s
				require.Contains(t, replay(fixed).Text.String(), "If the fault is fixed, write holds in the place of violated")
			}
		})
	}
	require.Greater(t, found, 5)
}
