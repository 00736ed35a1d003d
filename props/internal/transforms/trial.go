package transforms

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"gamma/model"
	"gamma/model/modular"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// NttInput is a case: plain data.
type NttInput struct {
	at verdict.Setting
	T  modular.Transform
	// X and y are vectors in natural order, one or more transforms one after the other. A number is a residue plus a multiple of
	// the modulus, of which a kernel gets as much as its range admits.
	X, Y   []uint64
	Seed   uint64 // says where in memory vectors lie, and whether dst is src
	recipe NTTRecipe
}

// NTTCase is one case as a law sees it: a transform, its inputs, and the kernel ready to run.
//
// Forward, Inverse and Product run the kernel. They take and give residues in natural order, whatever order, domain and range its
// words have; a number that is not reduced reaches the kernel as it is, as far as its range admits. If the kernel breaks they do
// not return, and the case is judged as broken.
type NTTCase struct {
	Claim     modular.TransformClaim
	Transform modular.Transform // with the root that the kernel takes
	X, Y      []uint64

	p     *nttPlan
	trial *nttTrial
	at    verdict.Setting
}

// Q returns the modulus.
func (c *NTTCase) Q() uint64 { return c.Transform.Modulus }

// N returns the points of a transform.
func (c *NTTCase) N() int { return c.Transform.N }

// Scale returns what the claimed inverse of the forward transform multiplies by: 1, or N if it is unscaled.
func (c *NTTCase) Scale() uint64 {
	if c.Claim.Inverse.Unscaled {
		return uint64(c.N()) % c.Q()
	}
	return 1 % c.Q()
}

// nttPlan is a transform that is ready to run, in the kernel and in the oracle.
type nttPlan struct {
	t     modular.Transform
	k     modular.Transforms
	err   error
	found model.Findings
	o     *oracle.Transform
	// powers and inverses are R^p and R^-p modulo q.
	powers, inverses [9]uint64
	bounds           [2]*stageBounds
}

type nttKey struct {
	at verdict.Setting
	t  modular.Transform
}

// nttTrial runs and judges cases of one subject. It keeps plans and memory from case to case.
type nttTrial struct {
	s       *Subject
	plans   map[nttKey]*nttPlan
	oracles map[modular.Transform]*oracle.Transform
	words   int // that the plans take, about

	arena [][]uint64
	taken int
	seed  uint64
	found model.Findings
	diff  *nttDifference
	reach []nttReach

	lent engine.Lending
}

// NewNTTTrial returns a trial that plans, runs and judges transforms of one subject.
func NewNTTTrial(s *Subject) *nttTrial {
	return &nttTrial{s: s, plans: map[nttKey]*nttPlan{}, oracles: map[modular.Transform]*oracle.Transform{}}
}

// maxPlanned is about how many words the plans may take that are kept.
const maxPlanned = 1 << 21

// take returns n words that are the case's until it is judged.
func (tr *nttTrial) take(n int) []uint64 {
	if tr.taken == len(tr.arena) {
		tr.arena = append(tr.arena, nil)
	}
	s := draw.Grow(tr.arena[tr.taken], n)
	tr.arena[tr.taken] = s
	tr.taken++
	return s[:n:n]
}

// transform returns the oracle's transform.
func (tr *nttTrial) transform(t modular.Transform) (*oracle.Transform, error) {
	if o := tr.oracles[t]; o != nil {
		return o, nil
	}
	o, err := oracle.NewTransform(t)
	if err != nil {
		return nil, err
	}
	tr.account(2 * t.N)
	tr.oracles[t] = o
	return o, nil
}

// account forgets all plans if they take too much memory.
func (tr *nttTrial) account(n int) {
	if tr.words += n + 64; tr.words > maxPlanned {
		clear(tr.plans)
		clear(tr.oracles)
		tr.words = n
	}
}

// breakage returns what the error of a plan that is not ready says of the kernel.
func (p *nttPlan) breakage() *verdict.Breakage {
	var b *verdict.Breakage
	if errors.As(p.err, &b) {
		return &verdict.Breakage{Cause: b.Cause, Reason: p.err.Error(), Stack: b.Stack}
	}
	return &verdict.Breakage{Cause: verdict.KernelFailed, Reason: p.err.Error()}
}

// plan returns the plan for a transform that the claim admits.
func (tr *nttTrial) plan(at verdict.Setting, t modular.Transform) *nttPlan {
	key := nttKey{at, t}
	if p := tr.plans[key]; p != nil {
		tr.found = append(tr.found, p.found...)
		return p
	}
	p := &nttPlan{t: t}
	tr.account(2 * t.N)
	tr.plans[key] = p
	p.k, p.found, p.err = tr.ask(at, t)
	tr.found = append(tr.found, p.found...)
	if verdict.Refused(p.err) {
		p.err = verdict.BreakageOf("the kernel", p.err)
		return p
	}
	if p.err != nil {
		p.err = fmt.Errorf("the kernel's Plan refuses a transform that the claim admits, the %s: %w", t, p.err)
		return p
	}
	if tr.s.Claim.OwnRoot {
		if p.t.Root = p.k.Root; !oracle.HasOrder(p.t.Root, p.t.RootOrder(), t.Modulus) || p.t.Root >= t.Modulus {
			p.err = fmt.Errorf("the kernel's Plan takes the root %d, which does not have order %d modulo %d", p.t.Root, p.t.RootOrder(), t.Modulus)
			return p
		}
	}
	if p.o, p.err = tr.transform(p.t); p.err != nil {
		return p
	}
	q := t.Modulus
	r := oracle.PowMod(2, uint64(tr.s.Claim.Bits), q)
	inverse, _ := oracle.InvMod(r, q)
	p.powers[0], p.inverses[0] = 1%q, 1%q
	for i := 1; i < len(p.powers); i++ {
		p.powers[i], p.inverses[i] = oracle.MulMod(p.powers[i-1], r, q), oracle.MulMod(p.inverses[i-1], inverse, q)
	}
	return p
}

// ask calls the kernel's Plan.
func (tr *nttTrial) ask(at verdict.Setting, t modular.Transform) (k modular.Transforms, found model.Findings, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = verdict.Panicked(verdict.KernelPanicked, "Plan panicked: %v", p)
		}
	}()
	err = tr.s.calls().Do(func() (err error) {
		k, err = tr.s.Plan(at, t)
		return err
	})
	if tr.s.Device != nil {
		found, err = engine.SplitFindings(err)
	}
	return k, found, err
}

// Accepts says why a case cannot be judged by a law.
func (tr *nttTrial) Accepts(l *NTTLaw, in *NttInput) error {
	if l.Refuses {
		if in.T.N > 1<<24 || in.T.N < -1<<24 {
			return fmt.Errorf("props: a transform of %d points is too large to be asked for", in.T.N)
		}
		if tr.s.Device != nil {
			t := in.T
			t.N = 1
			return tr.s.accepts(t, verdict.Setting{Behaviour: in.at.Behaviour, Launch: in.at.Launch})
		}
		return tr.s.accepts(in.T, in.at)
	}
	if why, _ := refusal(&tr.s.Claim, in.T); why != "" {
		return fmt.Errorf("props: %s does not claim the %s: %s", tr.s.Name, in.T, why)
	}
	if in.T.Negacyclic != tr.s.Claim.Negacyclic {
		return fmt.Errorf("props: %s is not negacyclic and cyclic at once, as the %s would need", tr.s.Name, in.T)
	}
	n := in.T.N
	if len(in.X) == 0 || len(in.X)%n != 0 || !tr.s.Claim.Batched && len(in.X) != n {
		return fmt.Errorf("props: a case for %s has %d numbers, and a transform %d points", tr.s.Name, len(in.X), n)
	}
	if len(in.Y) != 0 && len(in.Y) != len(in.X) || len(in.Y) == 0 && (l.Pair || tr.s.Claim.Product) {
		return fmt.Errorf("props: a case for %s has %d numbers x and %d numbers y; there are as many", tr.s.Name, len(in.X), len(in.Y))
	}
	return tr.s.accepts(in.T, in.at)
}

// Judge judges a case that is accepted.
func (tr *nttTrial) Judge(l *NTTLaw, in *NttInput) (v verdict.Verdict) {
	tr.taken, tr.found, tr.diff, tr.seed = 0, nil, nil, in.Seed
	defer verdict.Catch(&v, l.ID, verdict.LawPanicked, "the law panicked: %v")
	if l.Refuses {
		return tr.refuses(in)
	}
	in, outside := related(l, in)
	if outside != "" {
		return verdict.NotMet(outside)
	}
	c := &NTTCase{Claim: tr.s.Claim, Transform: in.T, X: in.X, Y: in.Y, trial: tr}
	c.p = tr.plan(tr.s.Device.Setting(in.at), in.T)
	if c.p.err != nil {
		return verdict.Breaks(c.p.breakage())
	}
	c.Transform, c.at = c.p.t, tr.s.Device.Setting(in.at)
	if l.Found != nil {
		c.all()
		return l.Found(tr.found)
	}
	if l.Calls != nil {
		return l.Calls(c.calls())
	}
	return l.Judge(c)
}

// related returns a case with the operands of every transform as the law relates them, and why some are outside of its domain.
func related(l *NTTLaw, in *NttInput) (own *NttInput, why string) {
	if l.Relate == nil && l.Domain == nil {
		return in, ""
	}
	c, n := *in, in.T.N
	if l.Relate != nil {
		c.recipe = NTTRecipe{} // the numbers are others
	}
	c.X, c.Y = slices.Clone(in.X), slices.Clone(in.Y)
	for i := 0; i < len(c.X); i += n {
		row := slices.Clone(c.X[i : i+n])
		if len(c.Y) > 0 {
			row = append(row, c.Y[i:i+n]...)
		}
		if l.Relate != nil {
			l.Relate(row)
			copy(c.X[i:], row[:n])
			if len(c.Y) > 0 {
				copy(c.Y[i:], row[n:])
			}
		}
		if l.Domain != nil && why == "" {
			why = l.Domain(row)
		}
	}
	return &c, why
}

// all runs whatever is offered.
func (c *NTTCase) all() {
	if c.Claim.Forward.Offered() {
		c.Forward(c.X)
	}
	if c.Claim.Inverse.Offered() {
		c.Inverse(c.X)
	}
	if c.Claim.Product {
		c.Product(c.X, c.Y)
	}
}

// Forward runs the kernel's forward transform.
func (c *NTTCase) Forward(x []uint64) []uint64 {
	return c.residues(c.Claim.Forward.Out, c.forward(c.words(c.Claim.Forward.In, x)))
}

// Inverse runs the kernel's inverse transform; the results are Scale times those of the inverse.
func (c *NTTCase) Inverse(x []uint64) []uint64 {
	return c.residues(c.Claim.Inverse.Out, c.inverse(c.words(c.Claim.Inverse.In, x)))
}

// Product runs the kernel's product of polynomials.
func (c *NTTCase) Product(a, b []uint64) []uint64 {
	return c.residues(productSide, c.product(c.words(productSide, a), c.words(productSide, b)))
}

// productSide is how the numbers of a product stand in memory.
var productSide = modular.Side{Range: 1}

// forward and inverse run the kernel on words.
func (c *NTTCase) forward(words []uint64) []uint64 {
	return c.run("forward transform", c.p.k.Forward, words)
}

func (c *NTTCase) inverse(words []uint64) []uint64 {
	return c.run("inverse transform", c.p.k.Inverse, words)
}

// words returns numbers as the words of one side: in its order, domain and range.
func (c *NTTCase) words(s modular.Side, x []uint64) []uint64 {
	n, q := c.N(), c.Q()
	w := c.trial.take(len(x))
	most := ^uint64(0) >> (64 - c.Claim.Bits)
	for i, v := range x {
		r, lift := v, uint64(0)
		if v >= q {
			lift, r = v/q, v%q
		}
		if s.Power != 0 {
			r = oracle.MulMod(r, c.p.powers[s.Power], q)
		}
		for lift = min(lift, s.Range-1); lift > 0; lift-- {
			if hi, lo := bits.Mul64(lift, q); hi == 0 && lo <= most && r <= most-lo {
				r += lo
				break
			}
		}
		w[i-i%n+s.Order.Place(i%n, n)] = r
	}
	return w
}

// residues returns the residues that words of one side stand for, reduced and in natural order.
func (c *NTTCase) residues(s modular.Side, words []uint64) []uint64 {
	n, q := c.N(), c.Q()
	x := c.trial.take(len(words))
	for i := range words {
		r := words[i-i%n+s.Order.Place(i%n, n)]
		if r >= q {
			r %= q
		}
		if s.Power != 0 {
			r = oracle.MulMod(r, c.p.inverses[s.Power], q)
		}
		x[i] = r
	}
	return x
}

// lend lends the next call a copy of words, which it may only read, and lendResult n words to write.
func (tr *nttTrial) lend(name string, words []uint64) []uint64 {
	return engine.Lend(&tr.lent, "word", name, words, int(tr.seed&seedAddress))
}

func (tr *nttTrial) lendResult(n int) []uint64 {
	return engine.LendResult[uint64](&tr.lent, "word", "dst", n, int(tr.seed&seedAddress))
}

// run runs one function of the kernel on words, in place or not as the seed says.
func (c *NTTCase) run(what string, f func(dst, src []uint64) error, words []uint64) []uint64 {
	tr := c.trial
	if f == nil {
		panic(verdict.Broke(verdict.KernelFailed, "the claim offers the %s, and Plan returns none", what))
	}
	dst := tr.lendResult(len(words))
	src := dst
	if tr.seed>>3&1 == 0 {
		copy(dst, words)
	} else {
		src = tr.lend("src", words)
		tr.junk(dst, c.Claim.Bits)
	}
	tr.call(what, func() error { return f(dst, src) })
	return c.result(what, dst)
}

// product runs the kernel's product on words. dst is a, or b, or neither.
func (c *NTTCase) product(a, b []uint64) []uint64 {
	const what = "product"
	tr, f := c.trial, c.p.k.Product
	if f == nil {
		panic(verdict.Broke(verdict.KernelFailed, "the claim offers the product, and Plan returns none"))
	}
	dst := tr.lendResult(len(a))
	x, y := dst, dst
	switch tr.seed >> 3 & 3 {
	case 0:
		copy(dst, a)
		y = tr.lend("b", b)
	case 1:
		copy(dst, b)
		x = tr.lend("a", a)
	default:
		tr.junk(dst, c.Claim.Bits)
		x, y = tr.lend("a", a), tr.lend("b", b)
	}
	tr.call(what, func() error { return f(dst, x, y) })
	return c.result(what, dst)
}

// square runs the kernel's product with one slice for a and b, which is dst as well or not.
func (c *NTTCase) square(a []uint64) []uint64 {
	const what = "product of a slice with itself"
	tr, f := c.trial, c.p.k.Product
	dst := tr.lendResult(len(a))
	x := dst
	if tr.seed>>5&1 == 0 {
		copy(dst, a)
	} else {
		x = tr.lend("a, which is b", a)
		tr.junk(dst, c.Claim.Bits)
	}
	tr.call(what, func() error { return f(dst, x, x) })
	return c.result(what, dst)
}

// junk fills what a kernel has to write.
func (tr *nttTrial) junk(dst []uint64, bits int) {
	for i := range dst {
		dst[i] = draw.Mix(tr.seed+uint64(i)) >> (64 - bits)
	}
}

// result checks what a call has left and returns a copy, which is the case's.
func (c *NTTCase) result(what string, dst []uint64) []uint64 {
	c.wide(what, dst)
	out := c.trial.take(len(dst))
	copy(out, dst)
	return out
}

// wide breaks a case with a word that has too many bits.
func (c *NTTCase) wide(what string, words []uint64) {
	if c.Claim.Bits == 64 {
		return
	}
	for i, w := range words {
		if w>>c.Claim.Bits != 0 {
			panic(verdict.Spoilt("the %s returned %#x at place %d, which is no word of %d bits", what, w, i, c.Claim.Bits))
		}
	}
}

// call calls the kernel; if it breaks the law is unwound.
func (tr *nttTrial) call(what string, f func() error) {
	if b := tr.try(what, f); b != nil {
		panic(b)
	}
}

// try calls the kernel and says how it broke, or nil. Findings are kept.
func (tr *nttTrial) try(what string, f func() error) (b *verdict.Breakage) {
	defer func() {
		if p := recover(); p != nil {
			b = verdict.Panicked(verdict.KernelPanicked, "the %s panicked: %v", what, p)
		}
		if b != nil {
			tr.lent.Forget()
		}
	}()
	err := tr.s.calls().Do(f)
	if b := verdict.BreakageOf("the "+what, tr.s.Device.Findings("the "+what, err, false, &tr.found)); b != nil {
		return b
	}
	return tr.lent.Returned("the " + what)
}

// nttDifference is what a law has found wrong: the first place, and how many.
type nttDifference struct {
	What   string // what was compared
	Batch  int    // which transform of the call
	Place  int    // in natural order; of words in a stage, in memory
	Got    uint64
	Want   uint64
	Differ int
	Of     int
	word   bool // Got is a word, and Want a bound that it must lie below
}

// Equal judges got = want, residue by residue; what says in a few words what they are.
func (c *NTTCase) Equal(what string, got, want []uint64) verdict.Verdict {
	if slices.Equal(got, want) {
		return verdict.Held("", 0)
	}
	d := &nttDifference{What: what, Of: len(got), Place: -1}
	for i, w := range want {
		if got[i] != w {
			if d.Place < 0 {
				d.Batch, d.Place, d.Got, d.Want = i/c.N(), i%c.N(), got[i], w
			}
			d.Differ++
		}
	}
	c.trial.diff = d
	return verdict.Fails(fmt.Sprintf("%s: number %d%s is %d, and %d is right; %s",
		what, d.Place, batchText(d.Batch), d.Got, d.Want, placesText(d.Differ, d.Of)), nil)
}

func batchText(batch int) string {
	if batch == 0 {
		return ""
	}
	return fmt.Sprintf(" of transform %d", batch)
}

func placesText(differ, of int) string {
	if of == 1 {
		return "it is the only one"
	}
	return fmt.Sprintf("%d of %d differ", differ, of)
}
