package props

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/word"
	"gamma/props/internal/engine"
)

func firstLeaf(x []float32) float32 { return x[0] }

// TestNamesInFiles: a name that no case file can hold is refused when the subject is opened in a test, and so is that of a law of its own.
func TestNamesInFiles(t *testing.T) {
	open := func(name string, law model.LawID) error {
		r := Reduction{Name: name, Run: firstLeaf}
		if law != "" {
			r.Laws = []Law{{ID: law, Statement: "it holds", Judge: func(*Trial) Verdict { return Verdict{} }}}
		}
		_, err := engine.Named(engine.Settings{}, r.Judged)
		return err
	}
	for _, name := range []string{"mykernel.Sum", "shaders/sum.metal#tree", "a b", "../up", strings.Repeat("x", 300), "日本"} {
		require.NoError(t, open(name, ""), name)
	}
	require.NoError(t, open("k", "mine.law"))
	for name, why := range map[string]string{" a": "white space", "a\nb": "does not print", "a\x00b": "does not print", "a #b": "comment", "a\xffb": "UTF-8"} {
		err := open(name, "")
		require.ErrorContains(t, err, why)
		require.ErrorContains(t, err, `give it another, such as "mykernel.Sum"`)
	}
	for _, law := range []model.LawID{"a b", "../up", "a/b", "Mine"} {
		err := open("k", law)
		require.ErrorContains(t, err, "is not a law's name")
		require.ErrorContains(t, err, `give it another, such as "sum.mine"`)
	}
	_, err := engine.Named(engine.Settings{}, Battery{Name: "a\nb", Format: model.Binary32, Laws: []ScalarLaw{{ID: "x", Operands: 1, Judge: func([]uint64) Verdict { return Verdict{} }}}}.Judged)
	require.ErrorContains(t, err, "does not print")
}

// TestNamesakes: two subjects of one name are refused, and one that several tests judge is not.
func TestNamesakes(t *testing.T) {
	unique := func(test string, open engine.Opener) error {
		j, err := engine.Named(engine.Settings{}, open)
		require.NoError(t, err)
		return j.Base().Unique(test)
	}
	const name = "namesake"
	kernel := func(add float32) func([]float32) float32 { return func(x []float32) float32 { return x[0] + add } }
	require.NoError(t, unique("TestA", Reduction{Name: name, Run: firstLeaf}.Judged))
	written := func() Reduction { return Reduction{Name: name + "3", Run: func(x []float32) float32 { return x[0] }} }
	require.NoError(t, unique("TestWritten", written().Judged))
	require.NoError(t, unique("FuzzWritten", written().Judged), "a literal that is inlined twice is one")
	require.NoError(t, unique("FuzzA", Reduction{Name: name, Run: firstLeaf}.Judged))
	require.NoError(t, unique("TestOther", Reduction{Name: name + "2", Run: kernel(1)}.Judged))
	require.NoError(t, unique("TestOther", Reduction{Name: name + "2", Run: kernel(2)}.Judged), "closures of one function cannot be told apart")
	for what, open := range map[string]engine.Opener{
		"function": Reduction{Name: name, Run: kernel(1)}.Judged,
		"claim":    Reduction{Name: name, Run: firstLeaf, Claim: model.Claim{Tree: "left"}}.Judged,
		"kind":     Dot{Name: name, Run: func(x, _ []float32) float32 { return x[0] }}.Judged,
	} {
		require.EqualError(t, unique("TestB", open), "props: TestA and TestB judge two subjects, which are both called \"namesake\": cases on file and summaries would "+
			"not tell one from the other. Give one of them another Name", what)
	}
	double := Operation{Name: name, Claim: word.Claim{Op: word.TwoSum}, Run: func(dst, _ []float32) { clear(dst) }}
	wide := Operation{Name: name, Claim: word.Claim{Op: word.TwoSum}, Run64: func(dst, _ []float64) { clear(dst) }}
	require.NoError(t, unique("TestDouble", double.Judged), "files of operations belong to a format, too")
	require.NoError(t, unique("TestWide", wide.Judged))
	on := Reduction{Name: name, RunOn: func(Setting, []float32) (float32, error) { return 0, nil }, Device: DeviceClaim{Cost: 1}}
	require.NoError(t, unique("TestSim", on.Judged), "it runs elsewhere")
	on.Device.Cost = 2
	require.NoError(t, unique("TestSim", on.Judged), "devices claim different things of one kernel")
}
