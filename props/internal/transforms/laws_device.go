package transforms

import (
	"fmt"

	"gamma/model"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// The laws of transforms on hardware. Integers are exact on every device, so that a source has one word for every place.
var deviceLawsNTT = []NTTLaw{
	{
		ID:         model.DeviceEqual,
		Statement:  "every word of the transform, of its inverse and of the product is the one that the reference device gives",
		Hypotheses: "no operation on integers is undefined (kernel.integers); both devices take one root",
		Source:     "arithmetic modulo 2^b is exact",
		Kills:      []string{"a pass left out on the device", "one final subtraction missing on the device"},
		Judge:      judgeNTTEqual,
		Hardware:   true, Compares: true,
	},
	{
		ID:         model.DeviceRepeat,
		Statement:  "many runs of the transform, of its inverse and of the product give the same words",
		Hypotheses: "no operation on integers is undefined (kernel.integers)",
		Source:     "arithmetic modulo 2^b is exact",
		Kills:      []string{"one word wrong once in a few runs"},
		Judge:      judgeNTTRepeat,
		Hardware:   true,
	},
}

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

func judgeNTTEqual(c *NTTCase) verdict.Verdict {
	d, tr := c.trial.s.Device, c.trial
	got := c.outputs()
	own := c.p
	defer func() { c.p = own }()
	if c.p = tr.plan(d.OnReference(c.at), c.Transform); c.p.err != nil {
		return verdict.Breaks(c.p.breakage().On(d.Reference))
	}
	if c.p.t != own.t {
		return verdict.NotMet("the devices take different roots")
	}
	want := c.outputs()
	if v := c.beside("on "+d.Reference, got, want); v.Fails() {
		return v
	}
	return verdict.Held("no difference", 0)
}

func judgeNTTRepeat(c *NTTCase) verdict.Verdict {
	first := c.outputs()
	taken := c.trial.taken
	for k := 2; k <= vectors.RunsOf(); k++ {
		c.trial.taken = taken // the words of the run before are done with
		if v := c.beside(fmt.Sprintf("of run %d", k), first, c.outputs()); v.Fails() {
			return v
		}
	}
	return verdict.Held("one result", 0)
}
