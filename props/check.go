package props

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gamma/corpus"
	"gamma/model"
	"gamma/sumtree"
)

// Check judges the reduction: it replays the cases on file, then searches with rapid, law by law.
// The first violation of each law fails the test with a report, and is saved.
func (r Reduction) Check(t *testing.T) { t.Helper(); check(t, r) }

// Check judges the dot product, as Reduction.Check does.
func (d Dot) Check(t *testing.T) { t.Helper(); check(t, d) }

func check(t *testing.T, s Subject) {
	t.Helper()
	run, end := begin(t, s)
	if run == nil {
		return
	}
	defer end()
	run.replay(t)
	if run.set.caseFile != "" {
		return // the case alone
	}
	laws := run.laws()
	if len(laws) == 0 {
		run.noLaw(t)
	}
	for _, l := range laws {
		t.Run(string(l.ID), func(t *testing.T) {
			run.search(t, l)
		})
	}
}

// begin makes the run of a subject in a test, in isolation if that is asked for, and what ends it. It
// returns no run where there is nothing to do: the subject is wrong, or this process is a child that
// serves it, or another one, to a test that runs elsewhere.
func begin(t *testing.T, s Subject) (r *run, end func()) {
	t.Helper()
	sub, set, ok := open(t, s)
	if !ok {
		return nil, nil
	}
	set.skipElsewhere(t, sub.name, sub.device)
	if mine, other := isChildFor(t.Name(), sub.name); mine {
		if err := serve(sub); err != nil {
			t.Error(err)
		}
		return nil, nil
	} else if other {
		return nil, nil
	}
	stop := func() {}
	if set.isolate {
		stop = isolate(t.Name(), sub, set.timeout).stop
	}
	r = newRun(t, sub, set)
	return r, func() {
		t.Helper()
		r.close(t)
		stop()
	}
}

// noLaw says why nothing is searched: no law begins as -gamma.law says, or none of those that do
// applies to the subject.
func (r *run) noLaw(t *testing.T) {
	t.Helper()
	for _, l := range append(Laws(), r.sub.laws...) {
		if strings.HasPrefix(string(l.ID), r.set.law) {
			t.Skipf("no law that begins with %q says anything about %s: %s", r.set.law, r.sub.name, r.sub.applies(&l))
		}
	}
	t.Errorf("props: -gamma.%s (or %s) is %q, and no law begins so; props.Laws lists those there are", optLaw.name, optLaw.env(), r.set.law)
}

// open reads settings and subject, and fails the test where either is wrong.
func open(t testing.TB, s Subject) (*subject, settings, bool) {
	t.Helper()
	set, err := readSettings()
	if err != nil {
		t.Error(err)
		return nil, set, false
	}
	sub, err := s.subject()
	if err != nil {
		t.Error(err)
		return nil, set, false
	}
	return sub, set, true
}

// laws returns the laws that apply to the subject and that the options ask for.
func (r *run) laws() []Law {
	var list []Law
	for _, l := range append(Laws(), r.sub.laws...) {
		if strings.HasPrefix(string(l.ID), r.set.law) && r.sub.applies(&l) == "" {
			list = append(list, l)
		}
	}
	return list
}

// applies says why a law has nothing to say about the subject, and "" if it has.
func (s *subject) applies(l *Law) string {
	switch {
	case l.Op != s.op && l.Op != OpAny:
		return fmt.Sprintf("the law is one of a %s", l.Op)
	case (l.OnDevice || l.Findings) && s.device == nil:
		return "the law is one of kernels on a device"
	case l.Findings && !s.device.Checked:
		return "the device has no checkers"
	case l.Hardware && s.device.onlyHardware(l.compares) != "":
		return s.device.onlyHardware(l.compares)
	case l.ID == model.DeviceOrder && (s.squares || s.magnitudes):
		return "the terms have no signs, so that none masks others"
	case l.ID == model.KernelSchedule && s.device.Hardware:
		return hardwareOrder
	case s.silent != "" && !l.OnDevice && !l.Findings:
		return s.silent
	}
	c := s.claim
	if c.Tree == "" && (s.follows || s.ownSchedule()) {
		c.Tree = "left" // the schedule comes with the case, or from a function: some tree is claimed
	}
	if l.Applies != nil {
		return l.Applies(&c)
	}
	return ""
}

// search draws cases for one law until one violates it or enough have been judged.
func (r *run) search(t *testing.T, l Law) {
	t.Helper()
	if file := r.open[l.ID]; file != "" {
		t.Skipf("a known open fault is on file (%s): the law is replayed and not searched until the case holds", file)
	}
	st := r.stats(l.ID)
	d := newDrawer(r, &l)
	trial := newTrial(r.sub)
	trial.guard = r.guard
	start := time.Now()
	var found *corpus.Case
	first := r.sub.device.systematic(d.seed, 1)
	drawn, every := 0, l.every(r.checks())
	prop := func(rt *rapid.T) {
		if found == nil && time.Since(start) > r.set.budget {
			st.OutOfTime = true
			return
		}
		c := d.draw(rt)
		if drawn++; found == nil && drawn%every != 0 {
			return
		}
		if found == nil { // else rapid runs again what failed; we know
			if len(first) > 0 {
				c.Behaviour, first = first[0], first[1:]
			}
			v := trial.judge(&l, c)
			st.add(&v, d, trial)
			if v.fails() {
				found = d.keep(c)
			}
		}
		if found != nil {
			rt.Fatalf("violated")
		}
	}
	err := runRapid(prop, r.checks())
	st.Seconds = time.Since(start).Seconds()
	switch {
	case found != nil:
		r.fail(t, &l, found, st)
	case st.Cases == 0:
		t.Errorf("props: %s on %s judged no case: -gamma.budget %v is over before the first", l.ID, r.sub.name, r.set.budget)
	case err != "":
		t.Errorf("props: %s on %s: the engine stopped: %s", l.ID, r.sub.name, err)
	case st.excused(t, r.sub.device):
	case l.Hardware && st.Holds == 0:
		t.Logf("%s on %s judged none of %d cases, most often: %s", l.ID, r.sub.name, st.Cases, st.commonReason())
	case st.tooVacuous() && !l.Hardware:
		t.Errorf("props: %s on %s judged %d of %d cases; in the others a hypothesis was not met, most often: %s",
			l.ID, r.sub.name, st.Holds, st.Cases, st.commonReason())
	}
	t.Log(st.line())
}

// checks returns how many cases to draw.
func (r *run) checks() int {
	if r.sub.device != nil {
		return r.sub.device.checks(r.set.checks)
	}
	return r.set.checks
}

// drawer draws cases for one law and one subject.
type drawer struct {
	r        *run
	law      *Law
	families []string
	sizes    []int
	long     []int
	seed     uint64
	exp      expander
	recipe   Recipe
	text     []byte
	c        corpus.Case
}

// boundarySizes are lengths at which kernels change what they do: tiles, SIMD groups, powers of two.
var boundarySizes = []int{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 23, 31, 32, 33, 47, 63, 64, 65, 96, 100, 127, 128, 129,
	191, 255, 256, 257, 300, 511, 512, 513, 777, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097,
}

// rowCounts are how many rows are drawn for kernels that reduce many.
var rowCounts = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64}

// longSizes are drawn once in longEvery cases: they cost as much as all the others together.
var longSizes = []int{8191, 8193, 16385, 32769, 65519, 65520, 65535, 65536, 65537, 70001}

const longEvery = 128

func newDrawer(r *run, l *Law) *drawer {
	d := &drawer{r: r, law: l, families: l.Families, seed: r.set.seedFor(string(l.ID), r.sub.name)}
	if d.families == nil {
		d.families = familyNames()
	}
	limit := r.set.maxN
	if l.MaxN > 0 {
		limit = min(limit, l.MaxN)
	}
	if m := r.sub.claim.MaxN; m > 0 {
		limit = min(limit, m)
	}
	if d := r.sub.device; d != nil && d.MaxN > 0 {
		limit = min(limit, d.MaxN)
	}
	sizes := boundarySizes
	if b := r.sub.claim.Block; b > 0 { // where block sums, not leaves, begin to matter
		sizes = slices.Concat(sizes, []int{b - 1, b, b + 1, 2*b + 1, b*b + b + 1, 2*b*b + b + 1})
	}
	least := r.sub.claim.MinN
	if least > 0 {
		sizes = slices.Concat(sizes, []int{least, least + 1, 2*least + 1})
	}
	for _, n := range sizes {
		if n >= least && n <= limit {
			d.sizes = append(d.sizes, n)
		}
	}
	for _, n := range longSizes {
		if n >= least && n <= limit {
			d.long = append(d.long, n)
		}
	}
	return d
}

var (
	genByte  = rapid.IntRange(0, 255)
	genSeed  = rapid.Uint64()
	genPlace = rapid.IntRange(0, 1<<16-1)
)

// drawBatch makes the four draws of a batch of rows and hands them on.
func drawBatch(prop func(place int, a, b uint8, seed uint64) (violated bool)) func(*rapid.T) {
	return func(rt *rapid.T) {
		place := genPlace.Draw(rt, "family")
		a, b := uint8(genByte.Draw(rt, "a")), uint8(genByte.Draw(rt, "b"))
		seed := genSeed.Draw(rt, "seed")
		if prop(even(place, a, b, seed), a, b, seed) {
			rt.Fatalf("violated")
		}
	}
}

// even spreads a place over all there are: rapid prefers small numbers, and so would draw the first family most of the time.
func even(place int, a, b uint8, seed uint64) int {
	return int(mix(seed^uint64(place)<<40^uint64(a)<<16^uint64(b)<<8) & 0xffff)
}

// draw makes six draws and expands them into a case, which is valid until the next draw.
func (d *drawer) draw(rt *rapid.T) *corpus.Case {
	family := genPlace.Draw(rt, "family")
	rec := Recipe{A: uint8(genByte.Draw(rt, "a")), B: uint8(genByte.Draw(rt, "b"))}
	place := genPlace.Draw(rt, "size")
	rec.Seed = genSeed.Draw(rt, "seed")
	rec.Family = d.families[even(family, rec.A, rec.B, rec.Seed)*len(d.families)>>16]
	shape := genPlace.Draw(rt, "shape")
	return d.make(rec, place, shape)
}

// make turns draws of any engine into a case.
func (d *drawer) make(rec Recipe, place, shape int) *corpus.Case {
	h := mix(rec.Seed ^ d.seed ^ uint64(place)<<32 ^ uint64(shape)<<48)
	rec.Seed = h >> 20 // short in case files
	rec.A ^= uint8(h)
	rec.B ^= uint8(h >> 8)
	place = int(uint16(place) ^ uint16(h>>4))
	switch last := d.sizes[len(d.sizes)-1]; {
	case len(d.sizes) == 1:
		rec.N = last
	case len(d.long) > 0 && h>>57 < 128/longEvery:
		rec.N = d.long[place*len(d.long)>>16]
	case place&7 == 1 && last > 12: // any length, short ones as often as long ones
		rec.N = max(d.r.sub.claim.MinN, int(math.Exp2(float64(float64(place>>3)/(1<<13)*math.Log2(float64(last+1)))))-1)
	case place&3 == 0 && last > 12:
		rec.N = max(d.r.sub.claim.MinN, place>>2*min(last, 300)>>14) // anywhere between the boundaries
	default:
		rec.N = d.sizes[place>>2*len(d.sizes)>>14]
	}
	rec.Dot, rec.Squares = d.r.sub.op == OpDot && !d.r.sub.squares, d.r.sub.squares
	if d.r.sub.rows {
		rec.Rows = rowCounts[int(h>>40)%len(rowCounts)]
		most := 4096
		if dev := d.r.sub.device; dev != nil && dev.MaxN > 0 {
			most = min(most, dev.MaxN)
		}
		rec.N = max(d.r.sub.claim.MinN, min(rec.N, 1+most/rec.Rows))
	}
	d.recipe = rec
	d.text = rec.append(d.text[:0])
	d.c = corpus.Case{Law: d.law.ID, Kernel: d.r.sub.name, Seed: h >> 56, Rows: rec.Rows, Gen: string(d.text)}
	if rec.Rows <= 1 {
		d.c.Rows = 0
	}
	d.c.X, d.c.Y = d.exp.expand(rec, d.r.sub.claim.In)
	if d.r.sub.shared {
		shareRows(d.c.Y, rec.N)
	}
	if d.r.sub.follows {
		d.c.Tree = drawTree(shape, h, rec.N)
	}
	if d.r.sub.device != nil {
		rng := splitmix(mix(h))
		d.r.sub.device.draw(&d.c, rec.N, &rng)
	}
	return &d.c
}

// shareRows repeats the first n elements in every row of y: the kernel takes one vector for all rows,
// and so a case reduced to any one row means the same.
func shareRows(y corpus.Values, n int) {
	for at := n; at < y.Len(); at += n {
		put(y.Slice(at, at+n), y.Slice(0, n))
	}
}

// keep returns a copy of a drawn case that outlives the next draw.
func (d *drawer) keep(c *corpus.Case) *corpus.Case {
	k := *c
	k.X, k.Y = c.X.Clone(), corpus.Values{}
	if c.Y.Len() > 0 {
		k.Y = c.Y.Clone()
	}
	return &k
}

// drawTree returns the name of a schedule over n leaves.
func drawTree(draw int, h uint64, n int) string {
	shapes := []sumtree.Shape{
		sumtree.Left(), sumtree.Right(), sumtree.Pairwise(1), sumtree.Pairwise(8), sumtree.Blocked(7), sumtree.Blocked(128),
		sumtree.Lanes(4), sumtree.Lanes(32), sumtree.Chunks(5), sumtree.ShuffleXor(32), sumtree.ShuffleDown(32), sumtree.Kary(3),
		sumtree.Numpy(), sumtree.RandomSplits(h >> 50), sumtree.RandomShapes(h >> 50), sumtree.RandomSplits(h >> 40).Permute(h >> 55),
	}
	return shapes[draw*len(shapes)>>16].Tree(n).String()
}

// rapidFlags guards rapid's settings, which are global: the first run in sets ours, the last one
// out puts back what was there.
var rapidFlags struct {
	sync.Mutex
	users int
	was   map[string]string
}

// runRapid lets rapid draw for prop, and returns what rapid said of a failure, or "".
func runRapid(prop func(*rapid.T), checks int) string {
	restore := setRapid(checks)
	defer restore()
	tb := &quietTB{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != errStopRapid { //nolint:errorlint // a sentinel of our own
				panic(p)
			}
		}()
		rapid.Check(tb, prop)
	}()
	return strings.TrimSpace(tb.text.String())
}

// fail reduces, explains, reports and saves the first violation of a law.
func (r *run) fail(t *testing.T, l *Law, c *corpus.Case, st *lawStats) {
	t.Helper()
	f := r.examine(l, c, st)
	st.Violations++
	st.Failure = f
	publishFailure(f)
	t.Error("\n" + f.Text())
}
