package spectra

import (
	"fmt"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/internal/draw"
	"gamma/props/internal/verdict"
)

// refuses is the law of lengths that are not claimed.
func refuses() Law {
	return Law{
		ID:         model.FFTRefuses,
		Statement:  "a length that is not claimed gives an error, or a result within the bound that the claim would have for it; 0 points neither panic nor hang",
		Hypotheses: "the kernel can return an error; claims of device's kernels are their launchers' to check",
		Source:     "the claim: Lengths, MinN, MaxN",
		Kills:      []string{"a length that is no power of two, cut down to one", "a panic"},
		Families:   []string{"uniform"},
		Cost:       4,
		Applies: func(c *fourier.Claim) string {
			if c.Unchecked {
				return "the claim says Unchecked"
			}
			return ordered(c)
		},
		Judge: judgeRefuses,
	}
}

// mostUnclaimed is the longest transform that is asked for though it is not claimed.
const mostUnclaimed = 1 << 12

// unclaimed returns the lengths near those of an input that are not claimed.
func (t *Trial) unclaimed() (list []int) {
	for _, m := range []int{0, t.N - 1, t.N + 1, 2 * t.N, 3 * t.N, t.claim.MinN - 1, t.claim.MaxN + 1, 2 * t.claim.MaxN} {
		if m >= 0 && m <= mostUnclaimed && !t.claim.Has(m) {
			list = append(list, m)
		}
	}
	return list
}

func judgeRefuses(t *Trial) verdict.Verdict {
	if v, ok := t.finite(); !ok {
		return v
	}
	list := t.unclaimed()
	m := list[draw.Mix(t.c.Seed)%uint64(len(list))] // 0 is always among them
	tr := t.claim.Transform(m, t.Sign)
	var x values
	for i := range t.x {
		if t.x[i] == nil {
			continue
		}
		x[i] = make([]float64, max(1, m)) // half a spectrum of 0 points is one number
		for k := range x[i] {
			x[i][k] = t.x[i][k%t.N]
		}
	}
	const fix = "return an error, or claim Unchecked"
	b := t.once(t.at, tr, 1, t.c.Seed, false, &x, m, &t.y)
	switch {
	case b != nil && b.Cause == verdict.KernelFailed:
		return verdict.Held("", 0)
	case b != nil && b.Cause == verdict.KernelPanicked:
		v := verdict.Fails(fmt.Sprintf("asked for %d points, which are not claimed: %s; %s", m, b.Reason, fix), &verdict.Witness{N: m, Own: true})
		v.Stack = b.Stack
		return v
	case b != nil:
		return verdict.Breaks(b)
	case m == 0, t.claim.Own != nil, t.claim.Stages != nil: // what these say of a length that is not claimed means nothing
		return verdict.Held("", 0)
	}
	t.Transform, t.x, t.rows, t.bound = tr, x, 1, t.boundOf(tr)
	t.in, t.out = sides(&t.claim, tr)
	v := t.row(0)
	if v.Fails() {
		v.Reason = fmt.Sprintf("%d points are not claimed, and there is no error but a wrong result; %s: %s", m, fix, v.Reason)
	}
	return v
}
