package props

import (
	"fmt"
	"slices"
	"strings"

	"gamma/model"
	"gamma/sumtree"
)

// The laws of kernels on hardware, which chooses orders and compiles with a compiler of its own. The simulator is left out: there the
// behaviour of a case says all that happens, so that runs repeat, and the law kernel.schedule asks it for other orders.
//
// # When bits are decided
//
// Two devices that run one source give the same bits if nothing is left to choose:
//
//   - the order: a tree or schedule is claimed, or the claim says Repeats, which of a kernel on a device is that no order of threads,
//     simdgroups and threadgroups changes a bit (kernel.schedule holds it to that), or the exact result is claimed, rounded once;
//   - the products that are fused: none, or all that enter a chain, and no contraction of a compensated dot product;
//   - the arithmetic: no reassociation, and of a mean no quotient that may err; nothing that is met may be flushed, since what a device
//     flushes is a liberty and not a duty.
//
// The source being strict (Device.Strict), contraction and rewrites are none. Results are compared as encodings, NaNs as one: which NaN
// an operation returns is nowhere specified.
var deviceLaws = []Law{
	{
		ID: model.DeviceEqual, Op: OpAny, OnDevice: true, Hardware: true, Compares: true,
		Statement:  "the device gives the bits that the reference device gives where the claim decides them; elsewhere both lie inside the claim's bounds",
		Hypotheses: "the claim decides the order, the products that are fused and the arithmetic; else the hypotheses of the bounds. Every NaN is one",
		Source:     "[IEEE 754-2019] §4, §5.4; the claim",
		Kills:      []string{"another order", "leaves swapped", "flushes where it says that it does not", "last leaf lost on the device"},
		Judge:      judgeDeviceEqual,
	},
	{
		ID: model.DeviceRepeat, Op: OpAny, OnDevice: true, Hardware: true,
		Statement:  "many runs give one result where the claim decides it; elsewhere each lies inside the claim's bounds, and for n <= 6 is one that some order gives",
		Hypotheses: "the claim says Repeats, or decides the bits; else the hypotheses of the bounds and of sum.member. Every NaN is one",
		Source:     "the claim; [TorchLean] sumTreeResult, decided exactly",
		Kills:      []string{"another order once in a few runs", "update lost once in a few runs"},
		Judge:      judgeDeviceRepeat, Cost: 2,
	},
	{
		ID: model.DeviceOrder, Op: OpAny, OnDevice: true, Hardware: true,
		Statement: "the tree that masks show the kernel to follow gives the device's bits when it is replayed; it is the claimed one, if one is claimed",
		Hypotheses: "the claim decides the bits; no compensation, no mean; formats with numbers that mask others. " +
			"Without a claimed tree the order might depend on the values: a difference is then no violation",
		Source:   "[FPRev 2025]; [TorchLean] evalIEEE",
		Kills:    []string{"leaves swapped", "another order"},
		Applies:  needsOrder,
		Families: finiteFamilies, MaxN: orderDrawN,
		Judge: judgeDeviceOrder, Cost: 5,
	},
}

// Runs of a case by device.repeat.
const (
	repeatRuns     = 8
	repeatThorough = 64
)

// orderDrawN is the longest vector that device.order draws: a tree of n leaves takes up to n²/2 runs.
const orderDrawN = 33

// everyOrderN is the longest vector whose results device.repeat looks for among those that some order gives.
const everyOrderN = 6

// runsOf returns how many runs of a case device.repeat makes.
func runsOf() int {
	if optLevel.String() == "thorough" {
		return repeatThorough
	}
	return repeatRuns
}

// every says that of n draws every so-manieth is judged. rapid's number of draws is one for all laws that are searched at once.
func (l *LawOf[J, C]) every(n int) int {
	return max(1, min(l.Cost, n/leastChecks))
}

func needsOrder(c *model.Claim) string {
	switch {
	case c.Compensation != model.Uncompensated:
		return "a compensated sum adds more than its tree shows"
	case c.Mean:
		return "a mean rounds the counts that masks would show"
	case c.Fusion == model.FusedAny:
		return "which products are fused is open, so that no tree has one result"
	case !c.Rounding.Nearest():
		return "a directed rounding shows what a large term hides"
	}
	if _, _, limit := maskFor(c); limit == 0 {
		return "its formats have no numbers that mask others"
	}
	return unless(c.Repeats || c.Tree != "", "neither Repeats nor a tree is claimed: the order may differ from run to run")
}

// onlyHardware says why a law of hardware, or one that compares two devices, has nothing to say; d may be nil.
func (d *Device) onlyHardware(compares bool) string {
	switch {
	case d == nil:
		return "the law is one of kernels on a device"
	case !d.Hardware:
		return "the law is one of hardware: of a simulator a case says all that happens, and kernel.schedule asks for other orders"
	case compares && d.Reference == "":
		return "there is no device to compare with"
	}
	return ""
}

// foreign says why a case on file of a law of hardware has nothing to say on d, which may be nil; "" for other laws.
func (d *Device) foreign(id model.LawID) string {
	switch id {
	case model.DeviceEqual, model.DeviceRepeat, model.DeviceOrder:
		return d.onlyHardware(id == model.DeviceEqual)
	}
	return ""
}

// reference returns what a case runs under on the device that it is compared with: the arithmetic, and simdgroups of the size that the
// hardware has.
func (d *Device) reference(at Setting) Setting {
	at.Reference = true
	if at.Behaviour.SIMDWidth == 0 {
		at.Behaviour.SIMDWidth = d.Admits.SIMDWidth
	}
	return at
}

// kind returns what the device is called in reports.
func (d *Device) kind() string {
	if d.Kind == "" {
		return "the device"
	}
	return d.Kind
}

// insistence is how often a failing case, or the one that -gamma.case names, is judged again under a law of hardware until it fails: its faults
// may be rare.
const insistence = 16

// insist judges, under a law of hardware until the case fails or has passed often.
func insist(hardware bool, judge func() Verdict) Verdict {
	v := judge()
	for i := 0; i < insistence && hardware && !v.fails(); i++ {
		v = judge()
	}
	return v
}

// hardwareRuns is what the laws of hardware know of a case, beside the first run.
type hardwareRuns struct {
	ready  bool
	more   [][]uint64 // results of all rows, run by run; of device.equal those on the reference device
	spread []uint64   // of the row with the most different results, these
	wide   int        // leaves of that row
	differ int        // rows in which the device and the reference differ, inside the bounds
	runs   int        // of the case
	trees  map[string]revealedTree
}

// revealedTree is a tree that masks have shown, or why they show none.
type revealedTree struct {
	tree *sumtree.Tree
	err  error
}

// forget makes ready for another case. Trees are kept: they do not depend on values.
func (h *hardwareRuns) forget() { *h = hardwareRuns{more: h.more, trees: h.trees} }

// note notes the different results of a row.
func (h *hardwareRuns) note(list []uint64, n int) {
	if len(list) > len(h.spread) {
		h.spread, h.wide = list, n
	}
}

// rerun runs the whole case so many times more, under a setting, unless that was done.
func (t *Trial) rerun(at Setting, times int) *breakage {
	h := &t.hardware
	if h.ready {
		return nil
	}
	own := t.at
	defer func() { t.at = own }()
	t.at = at
	for len(h.more) < times {
		h.more = append(h.more, nil)
	}
	h.more = h.more[:times]
	for i := range h.more {
		h.more[i] = grow(h.more[i], t.rows)
		if b := t.run(t.c.X, t.c.Y, h.more[i]); b != nil {
			return b
		}
	}
	h.ready, h.runs = true, times+1
	return nil
}

// undecided says why the claim does not decide the bits of the row, "" if it does: see deviceLaws.
func (t *Trial) undecided() string {
	c, b, d := &t.claim, &t.at.Behaviour, t.sub.device
	_, silent := t.sub.under(*b)
	switch {
	case silent != "":
		return silent
	case t.loose():
		return "the behaviour lets the compiler reassociate additions"
	case t.tree == nil && !c.Repeats && c.Compensation != model.Rounded:
		return "neither a tree nor Repeats is claimed: the order is the device's to choose"
	case c.Fusion == model.FusedAny:
		return "which products are fused is open"
	case t.sub.op == OpDot && c.Compensation != model.Uncompensated && !d.Strict && b.Contract != model.ContractOff:
		return "products of a compensated dot product may be fused"
	case c.Mean && (b.ULP || b.Rewrites.Reciprocal && !d.Strict):
		return "the quotient of a mean may err"
	case b.Rewrites.NoSignedZeros && !d.Strict:
		return "the signs of zeros are open"
	case c.Flush.Any() && t.meetsTiny():
		return "a number met may be flushed"
	}
	return ""
}

// inside judges a result of the row by all bounds of the claim, or where they say nothing by what every order gives for special values.
func (t *Trial) inside(result uint64) Verdict {
	if _, silent := t.sub.under(t.at.Behaviour); silent != "" {
		return vacuous(silent)
	}
	was := t.results[t.row]
	t.results[t.row] = result
	defer func() { t.results[t.row] = was }()
	v := judgeBound(t, "")
	if v.Outcome == Vacuous {
		if w := judgeSpecial(t); w.Outcome != Vacuous {
			v = w
		}
	}
	if v.Outcome == Violated {
		if v.Witness == nil {
			v.Witness = &Witness{}
		}
		v.Witness.Got, v.Witness.own = result, true
	}
	return v
}

func judgeDeviceEqual(t *Trial) Verdict {
	d, out := t.sub.device, t.claim.Out
	if b := t.rerun(d.reference(t.at), 1); b != nil {
		return broken(b.on(d.Reference))
	}
	got, want := t.Got(), t.hardware.more[0][t.row]
	same := sameBits(out, got, want)
	if t.undecided() == "" {
		if same {
			return holds("no difference", 0)
		}
		return violated(fmt.Sprintf("on %s the result has other bits than on %s, and the claim leaves no choice", d.kind(), d.Reference),
			&Witness{WantText: describe(out, want) + ", on " + d.Reference})
	}
	v := t.inside(got)
	if same || v.fails() {
		return v
	}
	if v.Outcome == Holds {
		t.hardware.differ++
	}
	if w := t.inside(want); w.fails() {
		w.Reason = fmt.Sprintf("on %s, with which the device is compared, %s", d.Reference, w.Reason)
		return w
	}
	return v
}

// distinct returns the different results of the row, in the order in which they came.
func (t *Trial) distinct() []uint64 {
	list := []uint64{t.Got()}
	for _, more := range t.hardware.more {
		if !slices.ContainsFunc(list, func(b uint64) bool { return sameBits(t.claim.Out, b, more[t.row]) }) {
			list = append(list, more[t.row])
		}
	}
	return list
}

func judgeDeviceRepeat(t *Trial) Verdict {
	if b := t.rerun(t.at, runsOf()-1); b != nil {
		return broken(b)
	}
	list := t.distinct()
	t.hardware.note(list, t.n)
	if t.claim.Repeats || t.undecided() == "" {
		if len(list) == 1 {
			return holds("one result", 0)
		}
		return violated(fmt.Sprintf("%d runs on the same input give %d results, and the claim allows one", t.hardware.runs, len(list)),
			&Witness{WantText: "one result; these came: " + setText(t.claim.Out, list)})
	}
	worst := Verdict{Outcome: Vacuous}
	for _, result := range list {
		v := t.inside(result)
		if v.fails() {
			return v
		}
		if worst.Outcome == Vacuous || v.Outcome == Holds && v.Ratio > worst.Ratio {
			worst = v
		}
	}
	if t.n > everyOrderN || needsPlain(&t.claim) != "" {
		return worst
	}
	set, none := t.members()
	if none != nil {
		return worst
	}
	for _, result := range list {
		if v := t.among(set, result); v.fails() {
			v.Witness.Got, v.Witness.own = result, true
			return v
		}
	}
	if worst.Outcome == Vacuous {
		return holds("", 0)
	}
	return worst
}

// maxSpread is how many different results of a case are printed.
const maxSpread = 4

// setText writes results in order of their bits, each in hex and decimal.
func setText(f model.Format, list []uint64) string {
	list = slices.Sorted(slices.Values(list))
	var parts []string
	for i, b := range list {
		if i == maxSpread {
			parts = append(parts, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("0x%0*x = %s", (f.Bits()+3)/4, b, describe(f, b)))
	}
	return strings.Join(parts, ", ")
}

func judgeDeviceOrder(t *Trial) Verdict {
	if t.n < 2 {
		return vacuous("there is no order of fewer than two leaves")
	}
	for _, why := range []string{t.undecided(), needsOrder(t.ordered()), t.unrevealed()} {
		if why != "" {
			return vacuous(why)
		}
	}
	if t.claim.OverflowSafe && t.mayOverflow(t.abs().Hi, 1) {
		return overflows("a partial sum may overflow, and the kernel claims to be safe from that")
	}
	tree, err := t.followed()
	if err != nil {
		if t.tree == nil {
			return vacuous("masks show no one tree: " + err.Error())
		}
		return violated("the kernel follows no tree that masks show, and a tree is claimed: "+err.Error(), &Witness{WantText: "the claimed tree"})
	}
	if t.tree != nil {
		ids := limbs{}
		every := func(int) bool { return true }
		claimed, _ := ids.grow(t.tree, every)
		seen, _ := ids.grow(tree, every)
		if claimed.id != seen.id {
			return violated("the tree that the kernel follows on "+t.sub.device.kind()+" is not the claimed one: it is "+shorten(tree.String(), 200),
				&Witness{WantText: "the claimed tree, " + shorten(t.tree.String(), 200)})
		}
	}
	want, err := t.replayed(&t.claim, tree, t.x, t.y)
	switch {
	case err != nil:
		return vacuous("the tree that masks show has no one result: " + err.Error())
	case t.agrees(t.Got(), want):
		return holds("no difference", 0)
	case t.tree == nil:
		return vacuous("the tree that masks show gives another result: the order depends on the values, or the arithmetic is another than claimed, which sum.member judges")
	}
	return violated("the tree that the kernel follows, replayed, gives other bits than the device",
		&Witness{WantText: describe(t.claim.Out, want) + ", the observed tree replayed"})
}

// ordered returns the claim, with some tree if one is given.
func (t *Trial) ordered() *model.Claim {
	c := t.claim
	if t.tree != nil {
		c.Tree = "left"
	}
	return &c
}

// followed returns the tree that masks show the kernel to follow, for the row's length, its launch, and the tree it is given.
func (t *Trial) followed() (*sumtree.Tree, error) {
	h := &t.hardware
	// Of a kernel that reduces many rows the first and the last are looked at, for all others the first.
	key := fmt.Sprint(t.n, " ", t.at.Launch, " ", t.at.Behaviour, " ", t.treeName, " ", t.row > 0 && t.row == t.rows-1)
	r, known := h.trees[key]
	if !known {
		r.tree, r.err = t.reveal()
		if h.trees == nil {
			h.trees = map[string]revealedTree{}
		}
		h.trees[key] = r
	}
	return r.tree, r.err
}

// addRuns counts what runs of one case gave.
func (s *lawStats) addRuns(t *Trial) {
	h := &t.hardware
	s.Differ += h.differ
	if len(h.spread) > s.MaxDistinct {
		s.MaxDistinct, s.DistinctN, s.Distinct = len(h.spread), h.wide, setText(t.claim.Out, h.spread)
	}
}

// distinctText says how many results came of runs of one case, and how often devices differ; "" where nobody counted.
func (s *lawStats) distinctText() string {
	text := ""
	switch {
	case s.MaxDistinct == 1:
		text = "; one result each"
	case s.MaxDistinct > 1:
		text = fmt.Sprintf("; up to %d results, as at n=%d: %s", s.MaxDistinct, s.DistinctN, s.Distinct)
	}
	if s.Differ > 0 {
		text += fmt.Sprintf("; %d inside the bounds with other bits than on the reference device", s.Differ)
	}
	return text
}

// blameDevice says what may be wrong where a law of hardware is violated.
func blameDevice(id model.LawID) string {
	switch id {
	case model.DeviceEqual:
		return "one source gives two results: the device's arithmetic is not what its self-test found, its compiler changed what the claim fixes, " +
			"or the result depends on something that the claim says it does not."
	case model.DeviceRepeat:
		return "a run gives what the claim does not allow: by a race, memory that is not initialised, atomics beside a claim to repeat, or another arithmetic."
	}
	return "it follows another order than it claims, or adds otherwise than the claim and the device's self-test say."
}
