package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props/judge"
)

// ladder is a list of what a claim may say besides, the tightest first: the first that survives is taken. unless names what has to be absent from the claim, and of a
// ladder that ends with nothing besides, a step has to survive.
type ladder struct {
	steps  []string
	unless []string
}

// ladders returns those of a kind. Of sums and dot products: what gives the bits, which is the exact result rounded or an order in an accumulator;
// how errors are compensated; the accumulator; how high the order's tree is; and promises of their own.
func ladders(s *subject) (list []ladder) {
	if s.words.formula != nil {
		steps := []string{}
		for _, u := range []string{"0.5", "1", "1.5", "2", "3", "4", "8", "16"} {
			steps = append(steps, "ulps="+u)
		}
		if len(functionsOf(s.words.formula)) == 0 {
			steps = nil
		}
		return []ladder{{[]string{""}, nil}, {steps, []string{"functions="}}, {[]string{"exactly unfused", "exactly"}, nil}, {[]string{"repeats"}, nil}}
	}
	accumulators := []string{"acc=binary64", ""}
	if t, _ := s.elements(); strings.Contains(s.Claim, "acc=") || t == reflect.Float64 {
		accumulators = accumulators[1:]
	}
	var trees, heights []string
	for _, acc := range accumulators {
		for _, t := range []string{
			"left", "right", "pairwise", "pairwise/8", "pairwise/128", "numpy", "halving", "lanes/2", "lanes/4", "lanes/8", "lanes/16", "lanes/32", "lanes/64",
			"blocked/4", "blocked/8", "blocked/16", "blocked/32", "chunks/4", "chunks/8",
		} {
			trees = append(trees, strings.TrimSpace(acc+" tree="+t))
		}
	}
	var compensations []string
	for _, c := range []string{"double-word", "sum2", "kahan"} { // which give NaN for infinities, as they are in textbooks
		compensations = append(compensations, "compensation="+c, "compensation="+c+" finite")
	}
	for _, h := range []string{"log2", "log2+4", "n/64+8", "n/32+8", "n/16+8", "n/8+8", "n/4+4", "n/2+2"} {
		heights = append(heights, "height="+h)
	}
	decided := []string{"compensation=", "tree="} // by what comes before
	list = []ladder{
		{[]string{"compensation=rounded"}, decided}, {trees, decided}, {compensations, decided}, {append(accumulators, "finite"), decided}, {heights, append(decided, "height=")},
	}
	for _, p := range []string{"commutes", "repeats", "signed-zero", "overflow-safe"} {
		list = append(list, ladder{[]string{p}, nil})
	}
	return list
}

// functionsOf returns the operations of a formula whose accuracy is a platform's.
func functionsOf(e *formula.Expr) (list []formula.Op) {
	for _, n := range e.Nodes() {
		if op := n.Node().Op; slices.Contains(formula.Functions(), op) && !slices.Contains(list, op) {
			list = append(list, op)
		}
	}
	return list
}

// survives reports whether no law finds a violation in so many inputs, and if not, which one does.
func (s *subject) survives(j judge.Subject, n int, until time.Time) (ok bool, by string) {
	switch s.words.op {
	case "sum", "dot":
		return among(judge.Laws(), j, n, until)
	case "fft":
		return among(judge.FFTLaws(), j, n, until)
	}
	return among(judge.FormulaLaws(), j, n, until)
}

// among is survives for the laws of one kind.
func among[J, C any](laws []judge.LawOf[J, C], j judge.Subject, n int, until time.Time) (ok bool, by string) {
	for _, l := range laws {
		if time.Now().After(until) {
			return false, "its time was over"
		}
		c, _, v, err := judge.Search(l, j, n)
		switch {
		case err != nil:
			return false, firstLine(err)
		case c != nil:
			return false, string(l.ID) + ": " + v.Reason
		}
	}
	return true, ""
}

// suggest finds the tightest claim that survives, and judges the kernel by it. It adds to what the claim says already.
func (s *subject) suggest(o *options) *record {
	r := &record{File: cmp.Or(s.File, s.Process, s.MLX), Kernel: s.function()}
	if s.Claim == "" && s.Formula == "" && isLibrary(s.File) {
		s.Claim = s.guess()
	}
	if op, _, _ := strings.Cut(s.Claim, " "); slices.Contains([]string{"operation", "modular", "ntt"}, op) {
		r.Refused = "suggest looks for claims of sums, dot products, transforms called fft, and formulas; a claim that begins with " + op + " is judged by gamma check"
		return r
	}
	var c closing
	defer c.close()
	open, err := s.open(&c)
	if err == nil {
		_, err = open()
	}
	if err != nil {
		r.Refused = firstLine(err)
		return r
	}
	until, n := time.Now().Add(o.limit), 500
	if o.casesGiven {
		n = o.cases
	}
	var reasons []string
	steps := map[string][]string{} // that each of these is against
	try := func(claim string) bool {
		old := s.Claim
		s.Claim = strings.TrimSpace(claim)
		err := s.settle()
		var j judge.Subject
		if err == nil {
			j, err = open()
		}
		ok, by := false, ""
		if err == nil {
			ok, by = s.survives(j, n, until)
		} else {
			by = firstLine(err)
		}
		if !ok {
			if steps[by] == nil {
				reasons = append(reasons, by)
			}
			steps[by] = append(steps[by], strings.TrimSpace(strings.TrimPrefix(s.Claim, old)))
			s.Claim = old
		}
		return ok
	}
	for _, l := range ladders(s) {
		if slices.ContainsFunc(l.unless, func(word string) bool { return strings.Contains(s.Claim, word) }) {
			continue
		}
		if !slices.ContainsFunc(l.steps, func(step string) bool { return try(s.Claim + " " + step) }) && slices.Contains(l.steps, "") {
			break
		}
	}
	if err := s.settle(); err != nil {
		r.Refused = firstLine(err)
		return r
	}
	*r = *s.judge(o)
	if r.Report == "" && r.Refused == "" {
		r.Suggested = s.source()
		for _, by := range reasons {
			r.Against = append(r.Against, strings.Join(steps[by], ", ")+": "+by)
		}
	}
	return r
}

// guess returns the claim that a declaration in C leads to: a function of one array sums it, one of two returns their dot product.
func (s *subject) guess() string {
	if strings.Count(s.Kernel, "*")+strings.Count(s.Kernel, "[") == 2 {
		return "dot"
	}
	return "sum"
}

// source returns the claim as Go, to be pasted into a test.
func (s *subject) source() string {
	var fields []string
	add := func(name, value string) { fields = append(fields, name+": "+value) }
	w := &s.words
	if w.formula != nil {
		for _, x := range []struct {
			name string
			set  bool
		}{{"Exactly", w.rounding.Exactly}, {"Unfused", w.rounding.Unfused}, {"Finite", w.rounding.Finite}} {
			if x.set {
				add(x.name, "true")
			}
		}
		if name, ok := strings.CutSuffix(w.rounding.Functions.Name, " ulp"); ok {
			text := fmt.Sprintf("formula.Accuracy{Name: %q}", w.rounding.Functions.Name)
			for _, op := range functionsOf(w.formula) {
				if name != "0.5" { // else it is rounded correctly, the zero value
					text += fmt.Sprintf(".With(formula.Op%s%s, formula.Promise{Ulps: %s})", strings.ToUpper(op.String()[:1]), op.String()[1:], name)
				}
			}
			add("Functions", text)
		}
		text := "Claim: formula.Claim{" + strings.Join(fields, ", ") + "}"
		if w.claim.Repeats {
			text += ", Repeats: true"
		}
		return s.literal(text)
	}
	c := &w.claim
	for _, x := range []struct{ name, value string }{{"In", c.In.Name}, {"Acc", c.Acc.Name}, {"Out", c.Out.Name}} {
		if x.value != "" {
			add(x.name, "model."+map[string]string{"binary64": "Binary64", "binary32": "Binary32", "binary16": "Binary16", "bfloat16": "BFloat16"}[x.value])
		}
	}
	if c.Tree != "" {
		add("Tree", fmt.Sprintf("%q", c.Tree))
	}
	if c.Height != nil {
		add("Height", heightSource(s.Claim))
	}
	if c.Compensation != "" {
		add("Compensation", fmt.Sprintf("%q", string(c.Compensation)))
	}
	if c.Fusion != "" {
		add("Fusion", fmt.Sprintf("%q", string(c.Fusion)))
	}
	for _, x := range []struct {
		name string
		set  bool
	}{
		{"Mean", c.Mean}, {"Commutes", c.Commutes}, {"Repeats", c.Repeats}, {"SignedZero", c.SignedZero}, {"OverflowSafe", c.OverflowSafe}, {"Finite", c.Finite},
	} {
		if x.set {
			add(x.name, "true")
		}
	}
	return s.literal("Claim: model.Claim{" + strings.Join(fields, ", ") + "}")
}

// elements returns the type of a kernel's leaves, and whether it takes increments.
func (s *subject) elements() (t reflect.Kind, strided bool) {
	if isLibrary(s.File) && s.Process == "" {
		t, strided, _ = library{declaration: s.Kernel}.elements()
		return t, strided
	}
	switch in := s.words.claim.In; {
	case in == model.Binary64:
		t = reflect.Float64
	case in.Bits() <= 16 && !in.IsZero():
		t = reflect.Uint16
	}
	return t, s.words.strided
}

// heightSource returns the function of a word height= of a claim.
func heightSource(claim string) string {
	_, text, _ := strings.Cut(claim, "height=")
	text, _, _ = strings.Cut(text, " ")
	var f formulaOfN
	if f.read(text) != nil {
		return "nil"
	}
	sum := fmt.Sprint(f.further)
	switch {
	case f.log:
		sum = fmt.Sprintf("bits.Len(uint(max(n-1, 0))) + %d", f.further)
	case f.n > 0:
		sum = fmt.Sprintf("(n+%d)/%d + %d", f.n-1, f.n, f.further)
	}
	return "func(n int) int { return " + sum + " }"
}

// literal returns a subject with a claim, as Go.
func (s *subject) literal(claim string) string {
	t, strided := s.elements()
	wide, bits, apart := "", "", ""
	if t == reflect.Float64 {
		wide = "64"
	} else if t == reflect.Uint16 {
		bits = "Bits"
	}
	if strided {
		apart = "Strided"
	}
	kind, run := "props.Reduction", "Run"+wide+bits+apart+"Err: "
	method := "Sum" + bits + apart + wide
	switch {
	case s.words.formula != nil:
		kind, run, method = "props.Kernel", "Formula: f, Call: ", "Kernel"
	case s.words.op == "dot":
		kind, method = "props.Dot", "Dot"+bits+apart+wide
	case s.words.op == "fft":
		kind, run, method = "props.FFT", "Plan"+wide+": ", "FFT"+wide
	}
	head := ""
	switch ext := filepath.Ext(s.File); {
	case ext == ".metal", ext == ".cu":
		return fmt.Sprintf("%s{Name: %q, Source: source, Function: %q, %s}.Check(t)", "device"+strings.TrimPrefix(kind, "props"), s.Name, s.Kernel, claim)
	case ext == ".py":
		head = fmt.Sprintf("k := process.Python(t, %q)\n", s.File)
	case s.Process != "":
		words := strings.Fields(s.Process)
		head = fmt.Sprintf("k := process.Start(t, %q)\n", words)
		head = strings.NewReplacer("[", "", "]", "", `" "`, `", "`).Replace(head)
	default:
		head = fmt.Sprintf("k := foreign.Load(t, %q)\n", s.File)
	}
	return head + fmt.Sprintf("%s{Name: %q, %sk.%s(%q), %s}.Check(t)", kind, s.Name, run, method, s.Kernel, claim)
}
