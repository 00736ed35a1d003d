package transforms

import (
	"fmt"

	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// The laws of transforms on hardware. Integers are exact on every device, so that a source has one word for every place.
var deviceLawsNTT = engine.IntegerLaws(NTTLaw{
	Statement:  "every word of the transform, of its inverse and of the product is the one that the reference device gives",
	Hypotheses: "; both devices take one root",
	Kills:      []string{"a pass left out on the device", "one final subtraction missing on the device"},
	Judge:      judgeRuns(true),
}, NTTLaw{
	Statement: "many runs of the transform, of its inverse and of the product give the same words",
	Kills:     []string{"one word wrong once in a few runs"},
	Judge:     judgeRuns(false),
})

// outputsNTT are the words that a transform gives.
type outputsNTT struct{ forward, inverse, product []uint64 }

// outputs runs whatever is offered.
func (c *NTTCase) outputs() (o outputsNTT) {
	if s := c.Claim.Forward; s.Offered() {
		o.forward = c.forward(c.words(s.In, c.X))
	}
	if s := c.Claim.Inverse; s.Offered() {
		o.inverse = c.inverse(c.words(s.In, c.X))
	}
	if c.Claim.Product {
		o.product = c.product(c.words(productSide, c.X), c.words(productSide, c.Y))
	}
	return o
}

// beside judges words beside those of another run.
func (c *NTTCase) beside(where string, got, want outputsNTT) verdict.Verdict {
	for _, o := range []struct {
		what      string
		got, want []uint64
	}{{"forward transform", got.forward, want.forward}, {"inverse transform", got.inverse, want.inverse}, {"product", got.product, want.product}} {
		if v := c.Equal(fmt.Sprintf("words of the %s, beside those %s", o.what, where), o.got, o.want); v.Fails() {
			d := c.trial.diff
			v.Reason = fmt.Sprintf("the %s%s has %#x at place %d, and %#x %s; %s", o.what, batchText(d.Batch), d.Got, d.Place, d.Want, where, placesText(d.Differ, d.Of))
			return v
		}
	}
	return verdict.Verdict{}
}

// judgeRuns returns the judgement of a law of hardware, which compares devices or not.
func judgeRuns(compares bool) func(c *NTTCase) verdict.Verdict {
	return func(c *NTTCase) verdict.Verdict {
		tr, own, first := c.trial, c.p, c.outputs()
		defer func() { c.p = own }()
		taken := tr.taken
		return tr.s.Device.Beside(c.at, compares, func(at verdict.Setting, where string) verdict.Verdict {
			tr.taken = taken // the words of the run before are done with
			if compares {
				if c.p = tr.plan(at, c.Transform); c.p.err != nil {
					return verdict.Breaks(c.p.breakage())
				} else if c.p.t != own.t {
					return verdict.NotMet("the devices take different roots")
				}
			}
			return c.beside(where, first, c.outputs())
		})
	}
}
