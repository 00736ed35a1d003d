package props

import (
	"testing"

	"gamma/corpus"

	"github.com/stretchr/testify/require"
)

// vectorSubject returns the subject of a kernel that takes vectors.
func vectorSubject(s Subject) (*subject, error) {
	return s.(interface{ subject() (*subject, error) }).subject()
}

// engineOf returns the engine of a run, and so for the other kinds.
func engineOf(r *run) *vectorsEngine { return &vectorsEngine{kind: r} }

// drawnWith draws a case from a generator of numbers.
func drawnWith(d *drawer, rng *splitmix) *corpus.Case {
	c, _ := d.next(rng)
	return c
}

// keep returns a copy of a drawn case.
func keep(c *corpus.Case) *corpus.Case { return (&Trial{}).kept(c) }

// embeddedOf returns the embedded files with bodies of one kind.
func embeddedOf[B corpus.Body]() (list []corpus.File[B]) {
	for _, f := range embedded() {
		if b, ok := f.Body.(B); ok {
			list = append(list, corpus.File[B]{Path: f.Path, Body: b})
		}
	}
	return list
}

// asFile returns a file of any kind.
func asFile[B corpus.Body](f corpus.File[B]) *caseFile { return &caseFile{Path: f.Path, Body: f.Body} }

// reduced reduces and explains a case that fails.
func reduced(r *run, l *Law, c *corpus.Case, st *lawStats) *Failure {
	return r.examine(l, c, st).(*Failure)
}

// nttRunOf returns the run of a transform, outside of a test.
func nttRunOf(t testing.TB, n NTT) *nttRun {
	t.Helper()
	s, err := n.ntt()
	require.NoError(t, err)
	return newNTTRun(s, settingsOf(t))
}

// kills judges cases, and returns which was the first that fails, how many do, and the first.
func kills(r *nttRun, l *NTTLaw, d *nttDrawer, cases int) (first, killed int, failing *nttInput) {
	rng := splitmix(d.seed)
	for i := 1; i <= cases; i++ {
		in, _ := d.next(&rng)
		if v := r.own.judge(l, in); v.fails() {
			if killed++; first == 0 {
				first, failing = i, in
			}
		}
	}
	return first, killed, failing
}

// settingsOf returns the settings of the test's own run.
func settingsOf(t testing.TB) settings {
	t.Helper()
	set, err := readSettings()
	require.NoError(t, err)
	return set
}

// foundAs returns what Find returns, the report as what it is in fact.
func foundAs[F failure](r Report, judged int, err error) (f F, n int, e error) {
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
