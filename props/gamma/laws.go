package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gamma/model"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/judge"
)

// law is how one law came out on a subject.
type law struct {
	Law     string
	Verdict string  // ok, FOUND or -
	Cases   int     // judged, those included of which the law says nothing
	Ratio   float64 `json:",omitempty"` // the largest error/bound
	Bound   string  `json:",omitempty"` // by which
	Why     string  `json:",omitempty"` // of -
}

// judge judges a subject by all laws that say something of its claim.
func (s *subject) judge(o *options) *record {
	r := &record{File: cmp.Or(s.File, s.Process, s.MLX), Kernel: s.function(), Claim: s.described(), Again: s.again(o)}
	var c closing
	defer c.close()
	of, err := s.open(&c)
	var j judge.Subject
	if err == nil {
		j, err = of()
	}
	if err != nil {
		r.Refused = firstLine(err)
		return r
	}
	sum, parts, err := check.Alone(func(set engine.Settings) (engine.Judged, error) {
		set.Again, set.Shard = r.Again, engine.Part{} // kernels are cut by number
		return j.Judged(set)
	}, o.limit)
	if err != nil {
		r.Refused = firstLine(err)
		return r
	}
	r.Checks, r.Why, r.Sizes = nil, nil, nil
	for _, st := range sum.Laws {
		r.law(st, parts[string(st.Law)], s)
	}
	return r
}

// law notes how a law came out.
func (r *record) law(st *engine.LawStats, b *check.Bench, s *subject) {
	l := law{Law: string(st.Law), Verdict: "ok", Cases: st.Cases, Ratio: st.MaxRatio, Bound: st.MaxBound}
	switch {
	case st.Violations > 0:
		l.Verdict = "FOUND"
	case b != nil && len(b.Errors) > 0:
		l.Verdict, l.Why = "-", b.Errors[0]
	case b != nil && b.Skipped != "":
		l.Verdict, l.Why = "-", b.Skipped
	case st.Holds == 0:
		l.Verdict, l.Why = "-", st.Common()
	}
	r.Laws = append(r.Laws, l)
	if st.Failure == nil {
		return
	}
	text := st.Failure.Text()
	first, _, _ := strings.Cut(text, "\n\n")
	first = strings.Join(strings.Fields(first), " ")
	var theorem struct{ Statement string }
	if line, err := st.Failure.JSON(); err == nil {
		_ = json.Unmarshal(line, &theorem) // without it the finding has its law's name alone
	}
	v := st.Failure.Common()
	found := v.Found
	if v.Verdict.Witness != nil {
		found = append(found, v.Verdict.Witness.Findings...)
	}
	for _, f := range found {
		r.add(finding{Check: l.Law, At: f.Pos.String(), Other: other(f), Text: f.Text, Statement: theorem.Statement})
	}
	if len(found) == 0 {
		r.add(finding{Check: l.Law, At: s.place(), Text: first, Statement: theorem.Statement})
	}
	if r.Report == "" {
		r.Report = text
	}
}

// place returns where the kernel is defined, as file:line:column; the file alone where that is not known.
func (s *subject) place() string {
	file := s.of()
	_, name, _ := strings.Cut(s.Name, "#")
	text, err := os.ReadFile(file)
	if ext := filepath.Ext(file); err != nil || ext != ".py" && ext != ".cu" && ext != ".metal" {
		return file
	}
	definition := regexp.MustCompile(`(?m)^[^\n;]*\b` + regexp.QuoteMeta(name) + `\s*\(`)
	if filepath.Ext(file) == ".py" {
		definition = regexp.MustCompile(`(?m)^[ \t]*def[ \t]+` + regexp.QuoteMeta(name) + `\s*\(`)
	}
	if at := definition.FindIndex(text); at != nil {
		return model.Position{File: file, Line: 1 + strings.Count(string(text[:at[0]]), "\n"), Column: 1}.String()
	}
	return file
}

// again is the command that judges the subject once more.
func (s *subject) again(o *options) string {
	if s.list != "" {
		return "gamma check " + quoted(s.list) + " -only " + quoted(s.Name) + o.again
	}
	text := "gamma check"
	for _, x := range [][2]string{
		{"", s.File}, {" -process", s.Process}, {" -mlx", s.MLX}, {" -kernel", s.Kernel}, {" -claim", s.Claim}, {" -formula", s.Formula},
	} {
		if x[1] != "" {
			text += x[0] + " " + quoted(x[1])
		}
	}
	return text + o.again
}
