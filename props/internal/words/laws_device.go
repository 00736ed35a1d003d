package words

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/model/word"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// The laws of operations on words on hardware. They judge runs of whole batches. There is none of orders: a row is one thread's work,
// and word.program replays it.
var wordDeviceLaws = []WordLaw{
	{
		ID:        model.DeviceEqual,
		Statement: "the device gives the bits that the reference device gives where the claim decides them; elsewhere what it gives violates no law of values",
		Hypotheses: "no reassociation; no contraction, rewrites or library functions that err, unless the source forbids them or the claim is bit for bit " +
			"and its algorithm has nothing of the kind; nothing that is met may be flushed. Every NaN is one",
		Source:   "[IEEE 754-2019] §4, §5.4; the claim",
		Kills:    []string{"results of rows swapped", "flushes where it says that it does not"},
		Families: everyWordFamily,
		Judge:    judgedInBatches,
		Hardware: true, Compares: true,
	},
	{
		ID:         model.DeviceRepeat,
		Statement:  "many runs of a batch give every row the same bits",
		Hypotheses: "a row's results are one thread's work and depend on its operands alone. Every NaN is one",
		Source:     "the claim",
		Kills:      []string{"one bit wrong once in a few runs"},
		Families:   everyWordFamily,
		Judge:      judgedInBatches,
		Hardware:   true,
	},
}

var everyWordFamily = func() []string {
	var list []string
	for _, f := range slices.Concat(numberFamilies, sumFamilies, transformFamilies, edgeFamilies, specialFamilies) {
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}()

// wordRuns holds how the laws of hardware judge runs of whole batches.
var wordRuns = map[model.LawID]func(*wordTrial) verdict.Verdict{model.DeviceEqual: judgeWordsEqual, model.DeviceRepeat: judgeWordsRepeat}

func judgedInBatches(*WordRow) verdict.Verdict {
	return verdict.NotMet("the law judges runs of a device, and not a row")
}

// more runs the batch once more under a setting, into w.again.
func (w *wordTrial) more(at verdict.Setting) *verdict.Breakage {
	own := w.t.At
	defer func() { w.t.At = own }()
	w.t.At = at
	w.again = draw.Grow(w.again, len(w.Results))
	return w.t.Run(w.In, w.t.C.Y, w.again)
}

// rowDiffers reports whether row i of another run has other bits.
func (w *wordTrial) rowDiffers(i int) bool {
	m := w.p.Claim.Op.Out()
	return !slices.EqualFunc(w.Results[i*m:(i+1)*m], w.again[i*m:(i+1)*m], func(a, b uint64) bool { return report.SameBits(w.p.Format, a, b) })
}

// beside returns a violation of a row by another run, whose device or name is given.
func (w *wordTrial) beside(i int, where, reason string) verdict.Verdict {
	w.Failing = i
	r := w.Load(i)
	m := w.p.Claim.Op.Out()
	other := *r
	other.Out = w.again[i*m : (i+1)*m]
	v := r.differ(other.words()+", "+where, "%s", reason)
	v.Witness.Row, v.Witness.N = i, w.p.Claim.Op.In()
	return v
}

func judgeWordsRepeat(w *wordTrial) verdict.Verdict {
	runs := engine.RunsOf()
	for k := 1; k < runs; k++ {
		if b := w.more(w.t.At); b != nil {
			return verdict.Breaks(b)
		}
		for i := range w.Rows {
			if w.rowDiffers(i) {
				return w.beside(i, fmt.Sprintf("of run %d", k+1), fmt.Sprintf("run %d on the same batch gives the row other bits than the first", k+1))
			}
		}
	}
	v := verdict.Held("one result", 0)
	w.See(&v, w.Rows)
	w.Distinct = 1
	return w.Worst
}

func judgeWordsEqual(w *wordTrial) verdict.Verdict {
	d := w.p.Sub.Device
	if b := w.more(d.OnReference(w.t.At)); b != nil {
		return verdict.Breaks(b.On(d.Reference))
	}
	b := w.t.At.Behaviour
	silent := w.p.Silent
	if silent == "" {
		w.claim, silent = WeakenWord(w.p.Claim, b, d.Strict)
	}
	loose := !d.Strict && (b.Rewrites.NoNaNs || b.Rewrites.NoInfs)
	open := firstOf(silent, w.undecided(b, d.Strict))
	for i := range w.Rows {
		if !w.rowDiffers(i) {
			v := verdict.Held("no difference", 0)
			w.See(&v, 1)
			continue
		}
		r := w.Load(i)
		var v verdict.Verdict
		switch why := firstOf(open, r.MayFlush()); {
		case loose && !r.numbersAlone():
			v = verdict.NotMet("the behaviour takes NaNs or infinities for impossible, and here they may occur: any result is right")
		case why == "":
			return w.beside(i, "on "+d.Reference, fmt.Sprintf("on %s the row has other bits than on %s, and the claim leaves no choice", d.KindName(), d.Reference))
		case silent != "":
			v = verdict.NotMet(silent)
		default:
			if v = r.everyLaw(); v.Fails() {
				w.Failing = i
				v.Reason = fmt.Sprintf("on %s the row has other bits than on %s, and %s", d.KindName(), d.Reference, v.Reason)
				return v
			}
			w.Differ++
		}
		w.See(&v, 1)
	}
	return w.Worst
}

// undecided says why the claim does not decide the bits of rows, "" if it does. A claim that is not bit for bit does not say what
// steps the source has.
func (w *wordTrial) undecided(b model.Behaviour, strict bool) string {
	exact := w.p.Claim.Exact && !w.p.Claim.Splits
	switch {
	case b.ULP && !exact:
		return "library functions may err, and the claim does not say which the source has"
	case strict:
		return ""
	case b.Rewrites.NoSignedZeros:
		return "the signs of zeros are open"
	case (b.Contract != model.ContractOff || b.Rewrites != model.Rewrites{}) && !exact:
		return "the compiler may fuse and rewrite, and the claim does not say what steps the source has"
	}
	return ""
}

// MayFlush says why something may be flushed on the way of a row, "" if nothing can: by its algorithm where that is claimed bit for bit, and
// for a polynomial of degree 2 where no word is small: its terms and their errors are multiples of the product of two last bits.
func (r *WordRow) MayFlush() string {
	if !r.Claim.Flush.Any() {
		return ""
	}
	const why = "a number met may be flushed"
	if r.Alg != nil && r.Claim.Exact && !r.Claim.Splits {
		if r.W.walk(r.In); r.W.tiny {
			return why
		}
		return ""
	}
	f := &r.Format
	least, _, ok := r.exponents(0, len(r.In))
	switch degree := 1; {
	case !ok || r.Claim.Op.Function == word.Quotient || r.Claim.Op.Function == word.Root:
		return why
	default:
		if fn := r.Claim.Op.Function; fn == word.Product || fn == word.ComplexProduct || fn == word.DotProduct {
			degree = 2
		}
		return vectors.Unless(degree*(least-f.P+1) >= f.Emin, why)
	}
}

// wordValueLaws are the laws of values.
var wordValueLaws = slices.Concat(transformLaws, doubleLaws, complexLaws, wordProgramLaws)

// everyLaw judges the row by every law of values that says something about its claim.
func (r *WordRow) everyLaw() verdict.Verdict {
	worst := verdict.NotMet("no law of values says anything about the row")
	for i := range wordValueLaws {
		l := &wordValueLaws[i]
		if AppliesToWords(l, &r.Claim, true) != "" {
			continue
		}
		v := l.Judge(r)
		if v.Fails() {
			v.Reason = fmt.Sprintf("it violates %s: %s", l.ID, v.Reason)
			return v
		}
		if v.Outcome == verdict.Holds && (worst.Outcome == verdict.Vacuous || v.Ratio > worst.Ratio) {
			worst = v
		}
	}
	return worst
}
