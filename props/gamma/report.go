package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"gamma/model"
)

// record is what is known of one kernel, or of a source that was refused: a line of JSON.
type record struct {
	File, Kernel string
	Refused      string            `json:",omitempty"`
	Checks       map[string]string `json:",omitempty"` // ok, FOUND or -, by check
	Why          map[string]string `json:",omitempty"` // of -
	Findings     []finding         `json:",omitempty"`
	Launch       string            `json:",omitempty"`
	Sizes        map[string]string `json:",omitempty"` // in elements, of arrays whose size nobody gave
	Assumed      []string          `json:",omitempty"`
	Notes        []string          `json:",omitempty"` // what another guess of the launch gave
	Guessed      bool              `json:",omitempty"` // the launch, or the value of an integer
	Again        string            `json:",omitempty"`
	// Of a kernel with a claim: what is claimed, how each law came out, and the report of the first that is violated.
	Claim  string `json:",omitempty"`
	Laws   []law  `json:",omitempty"`
	Report string `json:",omitempty"`
	// Of suggest: the claim as Go, and what is no part of it, with the law that is against it.
	Suggested string   `json:",omitempty"`
	Against   []string `json:",omitempty"`
}

// finding is one fault.
type finding struct {
	Check, At, Other, Text string
	Statement              string `json:",omitempty"` // of a law
}

// add adds a finding, once for each place.
func (r *record) add(f finding) {
	same := func(g finding) bool {
		return g.Check == f.Check && g.At == f.At && g.Other == f.Other && (f.At != "" || g.Text == f.Text)
	}
	if !slices.ContainsFunc(r.Findings, same) {
		r.Findings = append(r.Findings, f)
	}
}

// describe says how the kernel was run.
func (k *kernel) describe(r *record) {
	r.Launch = fmt.Sprintf("n=%d %s", k.n, k.geometry())
	if k.piece != nil && k.piece.Grid != nil {
		r.Launch = fmt.Sprintf("n=%d grid=%s threads=%s", k.n, k.piece.size(k.piece.Grid), k.threads)
	}
	r.Assumed, r.Notes = slices.Clone(k.assumed), k.notes
	r.Guessed = k.launch == (model.Size3{}) || k.grid == nil && (k.piece == nil || k.piece.Grid == nil)
	for i := range k.params {
		p := &k.params[i]
		if (p.array() || p.Threadgroup) && p.size == nil {
			text := fmt.Sprint(p.elements)
			if !p.Threadgroup && p.elements%k.n == 0 {
				text = strings.TrimPrefix(fmt.Sprintf("%d·n", p.elements/k.n), "1·")
			}
			r.Sizes[p.Name] = text
		}
		if p.texture() {
			d := k.described(p)
			r.Guessed = true
			r.Assumed = append(r.Assumed, fmt.Sprintf("%s has %d·%d·%d·%d texels of %s", p.Name, d.Width, max(d.Height, 1), max(d.Depth, 1), max(d.ArrayLength, 1), d.Format))
			continue
		}
		if p.Sampler {
			r.Guessed = true
			r.Assumed = append(r.Assumed, p.Name+" is a sampler with Metal's defaults")
			continue
		}
		for _, f := range p.fields {
			name, t := p.named(&f), f.kind
			_, given := p.values[f.Name]
			switch {
			case p.array():
				if p.indices(&f) {
					r.Assumed = append(r.Assumed, name+map[bool]string{false: "[…] < n", true: "[…] < n, all different"}[k.apart])
				}
			case f.real() && !given && !p.Threadgroup:
				r.Assumed = append(r.Assumed, name+" drawn")
			case k.guessed(p, &f) && t == "bool":
				r.Assumed = append(r.Assumed, fmt.Sprintf("%s = %t", name, k.alone(p, &f) == 1))
			case k.guessed(p, &f):
				r.Guessed = true
				r.Assumed = append(r.Assumed, fmt.Sprintf("%s = %d", name, k.alone(p, &f)))
			}
		}
		if p.filled && p.suspect {
			r.Assumed = append(r.Assumed, p.Name+" is an input, since it is read and never written")
		}
	}
}

// report writes all results, and returns the exit code.
func (c *command) report() (code int) {
	found, refused := 0, 0
	for _, r := range c.records {
		if len(r.Findings) > 0 {
			found++
		}
		if r.Refused != "" {
			refused++
		}
	}
	if c.sarif != "" {
		if err := c.writeSARIF(); err != nil {
			fmt.Fprintf(c.stderr, "gamma: -sarif: %v\n", err)
			return 2
		}
	}
	switch {
	case c.sarif == "-":
	case c.json:
		e := json.NewEncoder(c.stdout)
		e.SetEscapeHTML(false)
		for _, r := range c.records {
			if err := e.Encode(r); err != nil {
				return 2
			}
		}
	default:
		c.table()
		c.laws()
		c.details()
		fmt.Fprintf(c.stdout, "kernels checked: %d, with findings: %d; sources or kernels refused: %d\n", len(c.records)-refused, found, refused)
	}
	switch {
	case found > 0:
		return 1
	case refused > 0:
		return 2
	}
	return 0
}

// table writes a line for each kernel, below its file.
func (c *command) table() {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	file := ""
	for _, r := range c.records {
		if r.Refused != "" || r.Laws != nil {
			continue
		}
		if r.File != file {
			file = r.File
			fmt.Fprintf(w, "%s", file)
			for _, k := range checks {
				fmt.Fprintf(w, "\t%s", k.name)
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "  %s", r.Kernel)
		for _, k := range checks {
			fmt.Fprintf(w, "\t%s", r.Checks[k.name])
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// laws writes a line for each law of each kernel with a claim, below it.
func (c *command) laws() {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	for _, r := range c.records {
		if r.Laws == nil {
			continue
		}
		fmt.Fprintf(c.stdout, "%s: %s; claim: %s\n", r.File, r.Kernel, cmp.Or(r.Claim, "none"))
		fmt.Fprintln(w, "  law\tverdict\tcases\tlargest error/bound")
		for _, l := range r.Laws {
			worst := l.Why
			if l.Ratio > 0 {
				worst = fmt.Sprintf("%.3g, of %s", l.Ratio, l.Bound)
			}
			fmt.Fprintf(w, "  %s\t%s\t%d\t%s\n", l.Law, l.Verdict, l.Cases, worst)
		}
		w.Flush()
	}
}

// violated writes the first report of a kernel with a claim, and one sentence of each other violation.
func (c *command) violated(r *record) {
	if r.Suggested != "" {
		fmt.Fprintf(c.stdout, "\n%s: no case was found against the claim %q, in Go\n\n%s\n\n", r.Kernel, r.Claim, r.Suggested)
		fmt.Fprintln(c.stdout, "It rests on the cases above, with their seeds, and on no proof: promise it if you mean it.")
		for _, a := range r.Against {
			fmt.Fprintf(c.stdout, "  not %s\n", a)
		}
	}
	if r.Report == "" {
		return
	}
	fmt.Fprintf(c.stdout, "\n%s\n", r.Report)
	also := false
	for _, f := range r.Findings {
		if also = also || f.Check != r.Findings[0].Check; also {
			fmt.Fprintf(c.stdout, "also        %s\n", f.Text)
		}
	}
}

// details writes what the table leaves out.
func (c *command) details() {
	for _, r := range c.records {
		if r.Refused != "" {
			fmt.Fprintf(c.stdout, "\nrefused: %s %s\n  %s\n", r.File, r.Kernel, r.Refused)
			continue
		}
		if r.Laws != nil {
			c.violated(r)
			continue
		}
		fmt.Fprintf(c.stdout, "\n%s, %s\n", r.Kernel, r.Launch)
		line := func(name string, parts []string) {
			if len(parts) > 0 {
				fmt.Fprintf(c.stdout, "  %-9s %s\n", name, strings.Join(parts, "; "))
			}
		}
		var sizes []string
		for _, name := range slices.Sorted(maps.Keys(r.Sizes)) {
			sizes = append(sizes, name+": "+r.Sizes[name]+" elements")
		}
		line("sizes", sizes)
		line("assumed", r.Assumed)
		line("note", r.Notes)
		for _, k := range checks {
			if why := r.Why[k.name]; why != "" {
				line("-", []string{k.name + ": " + why})
			}
		}
		for _, f := range r.Findings {
			at := f.At
			if f.Other != "" {
				at += " and " + f.Other
			}
			if at != "" {
				at += ": "
			}
			line("FOUND", []string{f.Check + ": " + at + f.Text})
		}
		if len(r.Findings) > 0 {
			if r.Guessed {
				line("note", []string{"launch and sizes are assumed where nobody said them; what is found may come of that: say -threads, -grid, -scalar and -buffer"})
			}
			line("again", []string{r.Again})
		}
	}
	fmt.Fprintln(c.stdout)
}
