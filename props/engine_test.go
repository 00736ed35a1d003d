package props

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/transforms"
	"gamma/props/internal/vectors"
)

// vectorSubject returns the subject of a kernel that takes vectors.
func vectorSubject(s Subject) (*vectors.Kernel, error) {
	return s.(interface {
		Kernel() (*vectors.Kernel, error)
	}).Kernel()
}

// askedOf returns the laws that say something about a subject of a kind.
func askedOf[J, C, I any](k engine.Kind[J, C, I]) []LawOf[J, C] {
	return slices.DeleteFunc(k.Laws(), func(l LawOf[J, C]) bool { return k.Applies(&l) != "" })
}

// drawnWith draws a case from a generator of numbers.
func drawnWith(d *vectors.Drawer, rng *draw.Splitmix) *corpus.Case {
	c, _ := d.Next(rng)
	return c
}

// keep returns a copy of a drawn case.
func keep(c *corpus.Case) *corpus.Case { return (&Trial{}).Kept(c) }

// embeddedOf returns the embedded files with bodies of one kind.
func embeddedOf[B corpus.Body]() (list []corpus.File[B]) {
	for _, f := range engine.Embedded("") {
		if b, ok := f.Body.(B); ok {
			list = append(list, corpus.File[B]{Path: f.Path, Body: b})
		}
	}
	return list
}

// asFile returns a file of any kind.
func asFile[B corpus.Body](f corpus.File[B]) *engine.CaseFile {
	return &engine.CaseFile{Path: f.Path, Body: f.Body}
}

// reduced reduces and explains a case that fails; st may be nil.
func reduced(r *vectors.Run, l *Law, c *corpus.Case, st *engine.LawStats) *Failure {
	if st == nil {
		st = &engine.LawStats{}
	}
	return r.Examine(l, c, st).(*Failure)
}

// nttRunOf returns the run of a transform, outside of a test.
func nttRunOf(t testing.TB, n NTT) *transforms.NttRun {
	t.Helper()
	s, err := n.Subject()
	require.NoError(t, err)
	return transforms.NewNTTRun(s, settingsOf(t))
}

// kills judges cases, and returns which was the first that fails, how many do, and the first.
func kills(r *transforms.NttRun, l *NTTLaw, d *transforms.NttDrawer, cases int) (first, killed int, failing *transforms.NttInput) {
	rng := draw.Splitmix(d.Seed)
	for i := 1; i <= cases; i++ {
		in, _ := d.Next(&rng)
		if v := r.Own.Judge(l, in); v.Fails() {
			if killed++; first == 0 {
				first, failing = i, in
			}
		}
	}
	return first, killed, failing
}

// settingsOf returns the settings of the test's own run.
func settingsOf(t testing.TB) engine.Settings {
	t.Helper()
	set, err := engine.ReadSettings()
	require.NoError(t, err)
	return set
}

// foundAs returns what Find returns, the report as what it is in fact.
func foundAs[F engine.Failure](r Report, judged int, err error) (f F, n int, e error) {
	f, _ = r.(F)
	return f, judged, err
}

// rowOf returns a row of an operation on words, as Judge takes it, under a setting.
func rowOf(at Setting, words ...uint64) *corpus.Table {
	return &corpus.Table{Behaviour: at.Behaviour, Launch: at.Launch, Rows: []corpus.TableRow{{Words: words}}}
}

// residueRow returns a row of an operation on residues, as Judge takes it.
func residueRow(q uint64, words ...uint64) *corpus.Residues {
	return &corpus.Residues{Modulus: q, Rows: []corpus.ResidueRow{{Words: words}}}
}

// TestLeastCases: a search whose share of the time is over after one case judges eight, of which one at least has to say something.
func TestLeastCases(t *testing.T) {
	t.Setenv("GAMMA_LAW", string(model.FormulaEnclosure))
	t.Setenv("GAMMA_TOTAL", "1ms")
	name := "mykernel.Slow"
	require.True(t, t.Run("slow", Kernel{Name: name, Formula: formula.Sum(formula.Vector("x")), Call: func(c *KernelCall) error {
		time.Sleep(3 * time.Millisecond) // which is longer than the least share
		s := float32(0)
		for _, x := range c.Float32("x") {
			s += x
		}
		c.Float32("dst")[0] = s
		return nil
	}}.Check))
	m := regexp.MustCompile(name + ` +cpu +formula.enclosure +(\d+) `).FindStringSubmatch(Summary())
	require.NotNil(t, m)
	require.Equal(t, "8", m[1])
}
