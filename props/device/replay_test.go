package device_test

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/internal/spectra"
	"gamma/props/judge"
	"gamma/shaders"
	"gamma/shaders/mutants"
)

var updateCases = flag.Bool("update-cases", false, "write the reduced cases of the broken shaders, for their sound twins, below corpus")

var loading = corpus.Options{Expand: props.ExpandGen}

// TestReplayCorpus replays every case of a shader that package corpus embeds, and sees that none is left out.
func TestReplayCorpus(t *testing.T) {
	files, errs := corpus.Load[*corpus.Case](corpus.Files, loading)
	require.Empty(t, errs)
	replayed := 0
	for _, f := range files {
		if !strings.HasPrefix(f.Body.Kernel, "shaders/") {
			continue
		}
		k, ok := shaders.Find(f.Body.Kernel)
		if !ok {
			t.Errorf("%s: no kernel here is called %s, so that the case is not judged", f.Path, f.Body.Kernel)
			continue
		}
		l, err := judge.LawByID(judge.Laws(), f.Body.Law)
		require.NoError(t, err, f.Path)
		v, err := judge.Judge(l, builtin.Shader(k, nil), f.Body)
		require.NoError(t, err, f.Path)
		require.Equal(t, props.Holds, v.Outcome, "%s: %v", f.Path, v)
		replayed++
	}
	require.GreaterOrEqual(t, replayed, 20)
	t.Logf("%d cases of shaders replayed", replayed)
}

// TestArraysHaveSubjects sees that no case of a transform that package corpus embeds is left out: TestPropShaderFFT of props/builtin replays those of
// each transform in shaders.FFTs.
func TestArraysHaveSubjects(t *testing.T) {
	files, errs := corpus.Load[*corpus.Arrays](corpus.Files, loading)
	require.Empty(t, errs)
	found := 0
	for _, f := range files {
		if !strings.HasPrefix(f.Body.Kernel, "shaders/fft") {
			continue
		}
		require.True(t, slices.ContainsFunc(shaders.FFTs(), func(k shaders.FFT) bool { return k.Name == f.Body.Kernel }),
			"%s: no kernel here is called %s, so that the case is not judged", f.Path, f.Body.Kernel)
		_, err := judge.LawByID(judge.FFTLaws(), f.Body.Law)
		require.NoError(t, err, f.Path)
		found++
	}
	require.GreaterOrEqual(t, found, 20)
}

// broken is a shader with a fault, the law that must kill it, and its sound twin.
type broken struct {
	name, fault, twin string
	kills             model.LawID
	subject, sound    props.Subject
}

// file returns the name of the mutant's file.
func (b *broken) file() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(b.name, "shaders/mutants/"), ".metal")
	name, _, _ = strings.Cut(name, "#")
	return name
}

// TestCasesOnFile: each case on file that came of a broken shader still shows its fault. With -update-cases it searches anew,
// reduces what it finds, and writes it for the sound twin, which must hold it.
func TestCasesOnFile(t *testing.T) {
	var sums, transforms []broken
	for _, m := range mutants.All() {
		twin, ok := shaders.Find(m.Twin)
		require.True(t, ok)
		sums = append(sums, broken{m.Kernel.Name, m.Fault, m.Twin, m.Kills[0], mutantSubject(m), builtin.Shader(twin, nil)})
	}
	for _, m := range mutants.FFTs() {
		twin, ok := shaders.FindFFT(m.Twin)
		require.True(t, ok)
		transforms = append(transforms, broken{m.FFT.Name, m.Fault, m.Twin, m.Kills[0], builtin.Shader(m.FFT, sim.New(sim.Options{Workers: 1, Steps: mutantSteps})), builtin.Shader(twin, nil)})
	}
	casesOnFile[*corpus.Case](t, judge.Laws(), sums)
	casesOnFile[*corpus.Arrays](t, judge.FFTLaws(), transforms)
}

func casesOnFile[B corpus.Body, J, C any](t *testing.T, laws []props.LawOf[J, C], list []broken) {
	t.Helper()
	files, errs := corpus.Load[B](corpus.Files, loading)
	require.Empty(t, errs)
	for _, m := range list {
		note := "Shows the fault of shaders/mutants/" + m.file() + ".metal: "
		if *updateCases {
			l, err := judge.LawByID(laws, m.kills)
			require.NoError(t, err)
			writeCase(t, l, &m, note)
			continue
		}
		for _, f := range files {
			head := f.Body.Head()
			if len(head.Comments) == 0 || !strings.HasPrefix(head.Comments[0], note) {
				continue
			}
			l, err := judge.LawByID(laws, head.Law)
			require.NoError(t, err, f.Path)
			v, err := judge.Judge(l, m.subject, f.Body)
			require.NoError(t, err, f.Path)
			require.True(t, v.Outcome == props.Violated || v.Outcome == props.Broken, "%s does not show the fault of %s any more: %v", f.Path, m.name, v)
		}
	}
}

func writeCase[J, C any](t *testing.T, l props.LawOf[J, C], m *broken, note string) {
	t.Helper()
	c, _, _, err := judge.Search(l, m.subject, killChecks)
	require.NoError(t, err)
	require.NotNil(t, c, m.name)
	f, err := judge.Examine(l, m.subject, c)
	require.NoError(t, err)
	var small corpus.Body
	switch f := f.(type) {
	case *props.Failure:
		small = f.Case
	case *spectra.Failure:
		small = f.Case
	}
	head := small.Head()
	head.Law, head.Kernel, head.Expect = l.ID, m.twin, ""
	head.Comments = []string{note + m.fault}
	small.SetHead(head)
	switch v, err := judge.Judge(l, m.sound, small); {
	case err != nil:
		t.Logf("%s: no case for its twin: %v", m.name, err)
	case v.Outcome != props.Holds:
		t.Logf("%s: no case for its twin: %v", m.name, v)
	default:
		_, err := corpus.Save("../../corpus", small, loading)
		require.NoError(t, err)
	}
}
