package vectors

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
)

// DeviceLaws are the laws of sums and dot products on hardware, which chooses orders and compiles with a compiler of its own. The simulator is left out: there the
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
var DeviceLaws = []Law{
	{
		ID: model.DeviceEqual, Op: engine.OpAny, OnDevice: true, Hardware: true, Compares: true,
		Statement:  "the device gives the bits that the reference device gives where the claim decides them; elsewhere both lie inside the claim's bounds",
		Hypotheses: "the claim decides the order, the products that are fused and the arithmetic; else the hypotheses of the bounds. Every NaN is one",
		Source:     "[IEEE 754-2019] §4, §5.4; the claim",
		Kills:      []string{"another order", "leaves swapped", "flushes where it says that it does not", "last leaf lost on the device"},
		Judge:      judgeDeviceEqual,
	},
	{
		ID: model.DeviceRepeat, Op: engine.OpAny, OnDevice: true, Hardware: true,
		Statement:  "many runs give one result where the claim decides it; elsewhere each lies inside the claim's bounds, and for n <= 6 is one that some order gives",
		Hypotheses: "the claim says Repeats, or decides the bits; else the hypotheses of the bounds and of sum.member. Every NaN is one",
		Source:     "the claim; [TorchLean] sumTreeResult, decided exactly",
		Kills:      []string{"another order once in a few runs", "update lost once in a few runs"},
		Judge:      judgeDeviceRepeat, Cost: 2,
	},
	{
		ID: model.DeviceOrder, Op: engine.OpAny, OnDevice: true, Hardware: true,
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

// orderDrawN is the longest vector that device.order draws: a tree of n leaves takes up to n²/2 runs.
const orderDrawN = 33

// EveryOrderN is the longest vector whose results device.repeat looks for among those that some order gives.
const EveryOrderN = 6

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
	return Unless(c.Repeats || c.Tree != "", "neither Repeats nor a tree is claimed: the order may differ from run to run")
}

// hardwareRuns is what the laws of hardware know of a case, beside the first run.
type hardwareRuns struct {
	ready  bool
	more   [][]uint64 // results of all rows, run by run; of device.equal those on the reference device
	Spread []uint64   // of the row with the most different results, these
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
	if len(list) > len(h.Spread) {
		h.Spread, h.wide = list, n
	}
}

// rerun runs the whole case so many times more, under a setting, unless that was done.
func (t *Trial) rerun(at verdict.Setting, times int) *verdict.Breakage {
	h := &t.Hardware
	if h.ready {
		return nil
	}
	own := t.At
	defer func() { t.At = own }()
	t.At = at
	for len(h.more) < times {
		h.more = append(h.more, nil)
	}
	h.more = h.more[:times]
	for i := range h.more {
		h.more[i] = draw.Grow(h.more[i], t.Rows)
		if b := t.Run(t.C.X, t.C.Y, h.more[i]); b != nil {
			return b
		}
	}
	h.ready, h.runs = true, times+1
	return nil
}

// Undecided says why the claim does not decide the bits of the row, "" if it does: see DeviceLaws.
func (t *Trial) Undecided() string {
	c, b, d := &t.Claimed, &t.At.Behaviour, t.sub.Device
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
	case t.sub.Op == engine.OpDot && c.Compensation != model.Uncompensated && d != nil && !d.Strict && b.Contract != model.ContractOff:
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
func (t *Trial) inside(result uint64) verdict.Verdict {
	if _, silent := t.sub.under(t.At.Behaviour); silent != "" {
		return verdict.NotMet(silent)
	}
	was := t.results[t.row]
	t.results[t.row] = result
	defer func() { t.results[t.row] = was }()
	v := judgeBound(t, "")
	if v.Outcome == verdict.Vacuous {
		if w := judgeSpecial(t); w.Outcome != verdict.Vacuous {
			v = w
		}
	}
	if v.Outcome == verdict.Violated {
		if v.Witness == nil {
			v.Witness = &verdict.Witness{}
		}
		v.Witness.Got, v.Witness.Own = result, true
	}
	return v
}

func judgeDeviceEqual(t *Trial) verdict.Verdict {
	d, out := t.sub.Device, t.Claimed.Out
	if b := t.rerun(d.OnReference(t.At), 1); b != nil {
		return verdict.Breaks(b.On(d.Reference))
	}
	got, want := t.Got(), t.Hardware.more[0][t.row]
	same := report.SameBits(out, got, want)
	if t.Undecided() == "" {
		if same {
			return verdict.Held("no difference", 0)
		}
		return verdict.Fails(fmt.Sprintf("on %s the result has other bits than on %s, and the claim leaves no choice", d.KindName(), d.Reference),
			&verdict.Witness{WantText: report.Describe(out, want) + ", on " + d.Reference})
	}
	v := t.inside(got)
	if same || v.Fails() {
		return v
	}
	if v.Outcome == verdict.Holds {
		t.Hardware.differ++
	}
	if w := t.inside(want); w.Fails() {
		w.Reason = fmt.Sprintf("on %s, with which the device is compared, %s", d.Reference, w.Reason)
		return w
	}
	return v
}

// distinct returns the different results of the row, in the order in which they came.
func (t *Trial) distinct() []uint64 {
	list := []uint64{t.Got()}
	for _, more := range t.Hardware.more {
		if !slices.ContainsFunc(list, func(b uint64) bool { return report.SameBits(t.Claimed.Out, b, more[t.row]) }) {
			list = append(list, more[t.row])
		}
	}
	return list
}

func judgeDeviceRepeat(t *Trial) verdict.Verdict {
	if b := t.rerun(t.At, engine.RunsOf()-1); b != nil {
		return verdict.Breaks(b)
	}
	list := t.distinct()
	t.Hardware.note(list, t.Length)
	if t.Claimed.Repeats || t.Undecided() == "" {
		if len(list) == 1 {
			return verdict.Held("one result", 0)
		}
		return verdict.Fails(fmt.Sprintf("%d runs on the same input give %d results, and the claim allows one", t.Hardware.runs, len(list)),
			&verdict.Witness{WantText: "one result; these came: " + report.SetText(t.Claimed.Out, list)})
	}
	worst := verdict.Verdict{Outcome: verdict.Vacuous}
	for _, result := range list {
		v := t.inside(result)
		if v.Fails() {
			return v
		}
		if worst.Outcome == verdict.Vacuous || v.Outcome == verdict.Holds && v.Ratio > worst.Ratio {
			worst = v
		}
	}
	if t.Length > EveryOrderN || needsPlain(&t.Claimed) != "" {
		return worst
	}
	set, none := t.Members()
	if none != nil {
		return worst
	}
	for _, result := range list {
		if v := t.among(set, result); v.Fails() {
			v.Witness.Got, v.Witness.Own = result, true
			return v
		}
	}
	if worst.Outcome == verdict.Vacuous {
		return verdict.Held("", 0)
	}
	return worst
}

func judgeDeviceOrder(t *Trial) verdict.Verdict {
	if t.Length < 2 {
		return verdict.NotMet("there is no order of fewer than two leaves")
	}
	for _, why := range []string{t.Undecided(), needsOrder(t.ordered()), t.unrevealed()} {
		if why != "" {
			return verdict.NotMet(why)
		}
	}
	if t.Claimed.OverflowSafe && t.mayOverflow(t.abs().Hi, 1) {
		return verdict.Overflows("a partial sum may overflow, and the kernel claims to be safe from that")
	}
	tree, err := t.followed()
	if err != nil {
		if t.tree == nil {
			return verdict.NotMet("masks show no one tree: " + err.Error())
		}
		return verdict.Fails("the kernel follows no tree that masks show, and a tree is claimed: "+err.Error(), &verdict.Witness{WantText: "the claimed tree"})
	}
	if t.tree != nil {
		ids := limbs{}
		every := func(int) bool { return true }
		claimed, _ := ids.grow(t.tree, every)
		seen, _ := ids.grow(tree, every)
		if claimed.id != seen.id {
			return verdict.Fails("the tree that the kernel follows on "+t.sub.Device.KindName()+" is not the claimed one: it is "+report.Shorten(tree.String(), 200),
				&verdict.Witness{WantText: "the claimed tree, " + report.Shorten(t.tree.String(), 200)})
		}
	}
	want, err := t.replayed(&account{claim: t.Claimed}, tree, t.x, t.y)
	switch {
	case err != nil:
		return verdict.NotMet("the tree that masks show has no one result: " + err.Error())
	case t.agrees(t.Got(), want):
		return verdict.Held("no difference", 0)
	case t.tree == nil:
		return verdict.NotMet("the tree that masks show gives another result: the order depends on the values, or the arithmetic is another than claimed, which sum.member judges")
	}
	return verdict.Fails("the tree that the kernel follows, replayed, gives other bits than the device",
		&verdict.Witness{WantText: report.Describe(t.Claimed.Out, want) + ", the observed tree replayed"})
}

// ordered returns the claim, with some tree if one is given.
func (t *Trial) ordered() *model.Claim {
	c := t.Claimed
	if t.tree != nil {
		c.Tree = "left"
	}
	return &c
}

// followed returns the tree that masks show the kernel to follow, for the row's length, its launch, and the tree it is given.
func (t *Trial) followed() (*sumtree.Tree, error) {
	h := &t.Hardware
	// Of a kernel that reduces many rows the first and the last are looked at, for all others the first.
	key := fmt.Sprint(t.Length, " ", t.At.Launch, " ", t.At.Behaviour, " ", t.treeName, " ", t.row > 0 && t.row == t.Rows-1)
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

// countRuns counts what runs of one case gave.
func countRuns(s *engine.LawStats, t *Trial) {
	h := &t.Hardware
	s.Differ += h.differ
	if len(h.Spread) > s.MaxDistinct {
		s.MaxDistinct, s.DistinctN, s.Distinct = len(h.Spread), h.wide, report.SetText(t.Claimed.Out, h.Spread)
	}
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
