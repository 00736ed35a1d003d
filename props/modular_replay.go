package props

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gamma/corpus"
)

// replay judges every row on file for the operation, those of the file of -gamma.case alone if set.
func (r *modularRun) replay(t *testing.T) {
	t.Helper()
	files, errs := residuesOnFile(&r.set, func(c *corpus.Residues) bool { return c.N == 0 && c.Kernel == r.p.name && c.Bits == r.p.claim.Bits })
	for _, err := range errs {
		t.Error(err)
	}
	if len(files) == 0 {
		if r.set.caseFile != "" && len(errs) == 0 {
			t.Skipf("the case %s is not one of %s", r.set.caseFile, r.p.name)
		}
		return
	}
	t.Run("replay", func(t *testing.T) {
		rows := 0
		for _, f := range files {
			rows += max(1, len(f.Body.Rows))
			r.replayFile(t, f)
		}
		t.Log(r.sum.replayedLine(rows, "row"))
	})
}

// residuesOnFile loads the files of residues that are a subject's, of a law that is asked for.
func residuesOnFile(set *settings, is func(*corpus.Residues) bool) (mine []corpus.File[*corpus.Residues], errs []error) {
	if name := set.caseFile; name != "" {
		if hexName.MatchString(name) {
			mine, other := residuesNamed(name, is)
			if len(mine) > 0 || other {
				return mine, nil
			}
		}
		name, err := set.namedCase(".residues")
		if name == "" {
			return nil, onlyErr(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, []error{fmt.Errorf("props: -gamma.case is no file of residues that can be read: %w", err)}
		}
		c, err := corpus.Parse[*corpus.Residues](text, corpus.Options{File: name})
		if err != nil {
			return nil, []error{err}
		}
		if is(c) {
			mine = append(mine, corpus.File[*corpus.Residues]{Path: name, Body: c})
		}
		return mine, nil
	}
	files, errs := corpus.Load[*corpus.Residues](os.DirFS(saveDirName), corpus.Options{})
	for i := range errs {
		errs[i] = fmt.Errorf("%s/%w", saveDirName, errs[i])
	}
	for i := range files {
		files[i].Path = filepath.Join(saveDirName, files[i].Path)
		onFile.Store(files[i].Path, files[i].Body.Kernel)
	}
	for _, f := range append(files, embeddedResidues()...) {
		if is(f.Body) && strings.HasPrefix(string(f.Body.Law), set.law) {
			mine = append(mine, f)
		}
	}
	return mine, errs
}

// hexName matches the hex digits in the names of case files.
var hexName = regexp.MustCompile(`^[0-9a-f]{8}$`)

// residuesNamed returns the files whose names end in the hex digits, and whether there are others of residues.
func residuesNamed(digits string, is func(*corpus.Residues) bool) (mine []corpus.File[*corpus.Residues], others bool) {
	files, _ := corpus.Load[*corpus.Residues](os.DirFS(saveDirName), corpus.Options{})
	for i := range files {
		files[i].Path = filepath.Join(saveDirName, files[i].Path)
	}
	for _, f := range append(files, embeddedResidues()...) {
		switch {
		case !strings.HasSuffix(f.Path, "-"+digits+".residues"):
		case is(f.Body):
			mine = append(mine, f)
		default:
			others = true
		}
	}
	return mine, others
}

// modularPiece is what one call of a file runs: rows, and what is expected of them.
type modularPiece struct {
	rows   []corpus.ResidueRow
	expect corpus.Expect
	place  string
}

// piecesOf parts a file into calls: rows alone, or all in one if the file is a batch, or a modulus without rows.
func piecesOf(f corpus.File[*corpus.Residues]) (list []modularPiece) {
	c := f.Body
	if len(c.Rows) == 0 {
		return []modularPiece{{expect: c.Expect, place: f.Path}}
	}
	step := 1
	if c.Batch {
		step = len(c.Rows)
	}
	for i := 0; i < len(c.Rows); i += step {
		p := modularPiece{rows: c.Rows[i : i+step], expect: corpus.ExpectHolds, place: fmt.Sprintf("%s:%d", f.Path, c.Rows[i].Line)}
		for _, row := range p.rows {
			if row.Expect == corpus.ExpectViolated {
				p.expect = row.Expect
			}
		}
		list = append(list, p)
	}
	return list
}

// replayFile judges what one file holds.
func (r *modularRun) replayFile(t testing.TB, f corpus.File[*corpus.Residues]) {
	t.Helper()
	if why := r.p.device.foreign(f.Body.Law); why != "" {
		r.stats(f.Body.Law).leaveOut(why, max(1, len(f.Body.Rows)))
		return
	}
	l, err := r.lawFor(f.Body)
	if err != nil && l.ID != "" && r.p.device.onHardware() {
		r.stats(l.ID).leaveOut(r.p.applies(&l), max(1, len(f.Body.Rows)))
		return
	}
	if err != nil {
		t.Errorf("%s: %v", f.Path, err)
		return
	}
	st := r.stats(l.ID)
	trial := newModularTrial(r.p)
	for _, piece := range piecesOf(f) {
		b := &modularBatch{at: Setting{Behaviour: f.Body.Behaviour, Launch: f.Body.Launch}, q: f.Body.Modulus, seed: f.Body.Seed, rows: max(1, len(piece.rows))}
		for _, row := range piece.rows {
			b.in = append(b.in, row.Words...)
		}
		if len(piece.rows) == 0 { // of a law that wants a modulus alone
			b.in = make([]uint64, len(r.p.claim.In))
		}
		if d := r.p.device; d != nil && d.Launches != nil && b.at.Launch.IsZero() { // a file without a launch runs in the first one there is
			if list := d.Launches(b.rows); len(list) > 0 {
				b.at.Launch = list[0]
			}
		}
		if why := r.p.device.leftOutOf(b.at, b.rows); why != "" {
			st.leaveOut(why, b.rows)
			continue
		}
		b.at = r.p.device.setting(b.at)
		if err := r.p.accepts(&l, b.at, b.q, b.in, b.rows); err != nil {
			t.Errorf("%s: %v", piece.place, err)
			continue
		}
		st.Replayed += b.rows
		v := insist(l.hardware != nil && r.set.caseFile != "", func() Verdict { return trial.judge(&l, b) })
		switch {
		case strings.HasPrefix(v.Reason, reasonRefused):
			st.Replayed -= b.rows
			st.leaveOut(v.Reason, b.rows)
		case piece.expect == corpus.ExpectViolated && !v.fails() && r.p.device.onHardware():
			st.leaveOut(notHere, b.rows)
		case piece.expect == corpus.ExpectViolated && !v.fails():
			t.Errorf("%s: the row is on file as a known open fault, and the law does not fail it any more: %v. If the fault is mended, write holds in the place of violated", piece.place, v)
		case piece.expect == corpus.ExpectViolated:
			r.open[l.ID] = piece.place
			t.Logf("%s: still open: %v", piece.place, v)
		case v.fails():
			fl := r.failure(&l, &modularCase{batch: b, row: trial.failing}, v)
			fl.Cause = r.cause(&l, &modularCase{batch: b, row: trial.failing}, b.q)
			fl.File, fl.Replayed = piece.place, true
			st.Violations++
			publishText(fl.JSON)
			t.Error("\n" + fl.Text())
		}
	}
}

// lawFor finds the law of a file.
func (r *modularRun) lawFor(c *corpus.Residues) (ModularLaw, error) {
	for _, l := range r.p.all() {
		if l.ID != c.Law {
			continue
		}
		if why := r.p.applies(&l); why != "" {
			return l, fmt.Errorf("law %s says nothing about %s any more: %s. Claim it again, or delete the file", l.ID, r.p.name, why)
		}
		return l, nil
	}
	return ModularLaw{}, fmt.Errorf("no law of operations on residues is called %q: if it was one of %s's own that is gone, delete the file", c.Law, r.p.name)
}

// save writes the rows to a file below the directory of the settings.
func (f *ModularFailure) save(s settings, seed uint64) {
	switch {
	case s.save == "off":
		f.NotSaved = "-gamma.save=off"
		return
	case f.Flaky:
		f.NotSaved = "the rows passed when they were judged again, so that a file would show nothing"
		return
	}
	c := &corpus.Residues{
		Law: f.Law.ID, Kernel: f.Subject, Behaviour: f.Setting.Behaviour, Launch: f.Setting.Launch, Bits: f.Claim.Bits, Modulus: f.Modulus,
		Batch: len(f.Rows) > 1,
	}
	if c.Batch {
		c.Seed = seed // where the batch lies in memory may matter
	}
	text := f.Verdict.Reason
	if f.Recipe != "" {
		text += "; drawn as " + f.Recipe
	}
	for _, on := range foundOn(f.Device) {
		text += "; " + on
	}
	if len(f.Claim.In) == 0 || f.Law.Refuses {
		c.Comments = []string{text}
	} else {
		for i, row := range f.Rows {
			r := corpus.ResidueRow{Words: row, Expect: corpus.ExpectHolds}
			if i == f.Row {
				r.Comment = text
			}
			c.Rows = append(c.Rows, r)
		}
	}
	file, err := corpus.Save(s.save, c, corpus.Options{})
	if err != nil {
		f.NotSaved = err.Error()
		return
	}
	f.File = file
}
