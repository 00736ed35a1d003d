package wrapping

import (
	"fmt"
	"slices"
	"strconv"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
	"gamma/props/internal/verdict"
)

// Wrapping is a sum of unsigned integers of k bits, modulo 2^k, to be judged. Every order of the additions gives one result. Set Name,
// Bits and one of the functions.
type Wrapping struct {
	// Name is package and function, such as "mykernel.Checksum"; reports and case files use it.
	Name string
	// Bits is k: 8, 16, 32 or 64. Terms and results are below 2^k.
	Bits int

	// Run returns the sum of x. It must neither keep nor change x; the judge notices if it does.
	Run func(x []uint64) uint64
	// RunErr also says why there is no result. RunOn runs on a device as at says, and may return a model.Findings.
	RunErr func(x []uint64) (uint64, error)
	RunOn  func(at verdict.Setting, x []uint64) (uint64, error)
	// Device goes with RunOn. Its Under and Schedule are not for integers.
	Device engine.DeviceClaim

	// MinN and MaxN are the fewest and the most terms that are claimed. MaxN 0: any number. Multiple, if above 1, says that numbers of terms are
	// its multiples, as of a kernel without a tail.
	MinN, MaxN, Multiple int
	// Laws are theorems of the user's own, judged beside the built-in ones.
	Laws []WrappingLaw
}

// Judged checks the fields and names the one that is wrong.
func (w Wrapping) Judged(s engine.Settings) (engine.Judged, error) {
	set, err := engine.Chosen(w, "a Wrapping", "mykernel.Checksum", "Run, RunErr, or for a device RunOn", "Run", "RunErr", "RunOn")
	if err != nil {
		return nil, err
	}
	d, err := w.Device.OfResidues("RunOn", set, "a sum of integers")
	switch {
	case err != nil:
	case !slices.Contains([]int{8, 16, 32, 64}, w.Bits):
		err = fmt.Errorf(": Bits is %d; set 8, 16, 32 or 64", w.Bits)
	case w.MinN < 0 || w.MaxN < 0 || w.Multiple < 0 || w.MaxN > 0 && w.MaxN < w.lengths(0).Least:
		err = fmt.Errorf(": MinN and MaxN are %d and %d, and Multiple is %d; none is negative, and MaxN is 0 or at least the first multiple from MinN on", w.MinN, w.MaxN, w.Multiple)
	default:
		err = engine.CheckOwn(w.Laws, wrappingLaws, "wrap.mine", map[string]int{})
	}
	if err != nil {
		return nil, fmt.Errorf("props: Wrapping %s%w", w.Name, err)
	}
	p := &wrappingRun{w: w}
	p.run = func(at verdict.Setting, _ uint64, dst, src []uint64) (err error) {
		switch set {
		case "Run":
			dst[0] = w.Run(src)
		case "RunErr":
			dst[0], err = w.RunErr(src)
		default:
			dst[0], err = w.RunOn(at, src)
		}
		return err
	}
	p.Lawful = engine.Lawful[*WrappingTrial, Wrapping]{BuiltIn: wrappingLaws, Own: w.Laws, Says: func(l *WrappingLaw) string { return l.AboutClaim(d, &p.w) }}
	p.Session = engine.NewSession(s.For(w), w.Name, d, fmt.Sprintf("sum modulo 2^%d", w.Bits), "case", "a sum of integers modulo 2^k")
	p.Format = strconv.Itoa(w.Bits)
	p.run = p.run.Guarded(p.Guard)
	return engine.New(p), nil
}

// lengths returns the numbers of terms that are claimed, at most limit.
func (w *Wrapping) lengths(limit int) draw.Lengths {
	return draw.LengthsOf(w.MinN, draw.Most(limit, w.MaxN), w.Multiple)
}

// wrappingRun is the kind of sums of integers modulo 2^k.
type wrappingRun struct {
	engine.Bodies[*WrappingTrial, Wrapping, corpus.Integers, *corpus.Integers]
	w   Wrapping
	run residues.Words
}

func (r *wrappingRun) Trial() engine.Trial[*WrappingTrial, Wrapping, *corpus.Integers] {
	return &WrappingTrial{wrappingRun: r}
}

func (r *wrappingRun) Setting(c *corpus.Integers) (at verdict.Setting, n int) {
	return r.At(c), len(c.X)
}

func (r *wrappingRun) Accepts(_ *WrappingLaw, c *corpus.Integers) error {
	at, n := r.Setting(c)
	switch {
	case n < r.w.MinN || r.w.MaxN > 0 && n > r.w.MaxN || n%max(1, r.w.Multiple) != 0:
		return fmt.Errorf("props: %s claims %d terms to %d, where 0 is any number, by multiples of %d, and not %d", r.Name, r.w.MinN, r.w.MaxN, max(1, r.w.Multiple), n)
	case slices.ContainsFunc(c.X, func(v uint64) bool { return v > residues.GreatestWord(r.w.Bits) }):
		return fmt.Errorf("props: a term for %s has more than %d bits", r.Name, r.w.Bits)
	}
	return r.Device.Runs("terms for "+r.Name, n, at)
}

func (r *wrappingRun) Owns(f *engine.CaseFile) bool {
	return r.Bodies.Owns(f) && f.Body.(*corpus.Integers).Bits == r.w.Bits
}

func (r *wrappingRun) Served() engine.Server { return r.run.Served() }

func (r *wrappingRun) Isolated(ask engine.Asker) engine.Kind[*WrappingTrial, Wrapping, *corpus.Integers] {
	own := *r
	own.run = r.run.Elsewhere(ask)
	return &own
}

// Record writes the seed and the terms of a sum.
func (r *wrappingRun) Record(b []byte, c *corpus.Integers) []byte {
	return engine.AppendWords(engine.AppendWords(b, c.Seed), c.X...)
}

func (r *wrappingRun) Recorded(text []byte) (*corpus.Integers, error) {
	words, err := engine.CutWords(text, 1)
	if err != nil {
		return nil, err
	}
	return &corpus.Integers{Header: corpus.Header{Seed: words[0]}, Bits: r.w.Bits, X: words[1:]}, nil
}

// WrappingTrial is one sum as a law sees it: the first result, and those of the further runs that the law asked for by Again.
type WrappingTrial struct {
	*wrappingRun
	Got  uint64
	More []WrappingSum

	c     *corpus.Integers
	law   *WrappingLaw
	at    verdict.Setting
	call  residues.ModularCall
	found model.Findings
}

// WrappingSum is terms and their sum. X is nil where the terms were none that the kernel takes.
type WrappingSum struct {
	X   []uint64
	Got uint64
}

// X returns the terms. Do not write to them.
func (t *WrappingTrial) X() []uint64 { return t.c.X }

func (t *WrappingTrial) Judge(l *WrappingLaw, c *corpus.Integers) (v verdict.Verdict) {
	defer verdict.Catch(&v, l.ID, verdict.LawPanicked, "the law panicked: %v")
	at, _ := t.Setting(c)
	t.law, t.c, t.at, t.found, t.More = l, c, t.Device.Setting(at), nil, nil
	var b *verdict.Breakage
	if t.Got, b = t.sum(t.at, c.X); b != nil {
		return verdict.Breaks(b)
	}
	if l.Found != nil {
		return l.Found(t.found)
	}
	for _, again := range l.Again {
		m, next := WrappingSum{}, *c
		if next.X = again(t); t.Accepts(l, &next) == nil {
			m.X = append([]uint64{}, next.X...)
			if m.Got, b = t.sum(t.at, m.X); b != nil {
				return verdict.Breaks(b)
			}
		}
		t.More = append(t.More, m)
	}
	return l.Judge(t)
}

// sum runs the kernel once.
func (t *WrappingTrial) sum(at verdict.Setting, x []uint64) (uint64, *verdict.Breakage) {
	var dst [1]uint64
	err := t.Device.Findings("the kernel", t.call.Run(t.run, at, 0, dst[:], x, t.c.Seed, false), t.law.Found != nil, &t.found)
	if err == nil && dst[0] > residues.GreatestWord(t.w.Bits) {
		err = verdict.Spoilt("the kernel returned %#x, which has more than %d bits", dst[0], t.w.Bits)
	}
	return dst[0], verdict.BreakageOf("the kernel", err)
}

// hardware judges the sum beside other runs.
func (t *WrappingTrial) hardware() verdict.Verdict {
	return t.Device.Beside(t.at, t.law.Compares, func(at verdict.Setting, where string) verdict.Verdict {
		got, b := t.sum(at, t.X())
		if b != nil {
			return verdict.Breaks(b)
		}
		return t.compare("the sum", t.Got, got, "that "+where)
	})
}

func (t *WrappingTrial) Kept(c *corpus.Integers) *corpus.Integers {
	own := *c
	own.X = slices.Clone(c.X)
	return &own
}
