package spectra

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/internal/verdict"
)

// deviceLaws are the laws of hardware: of what it gives beside a reference device, and run after run.
var deviceLaws = []Law{{
	ID:         model.DeviceEqual,
	Statement:  "the device gives the numbers that the reference device gives where the source decides them; elsewhere both are within the bound",
	Hypotheses: "round to nearest, no rewrites; the source decides them if the claim says Repeats, nothing is flushed or fused, and no library function errs. Zeros are one number",
	Source:     "[IEEE 754-2019] §4, §5.4; the claim",
	Kills:      []string{"a device that flushes, or rounds toward zero, and does not say so"},
	Hardware:   true, Compares: true,
	Judge: func(t *Trial) verdict.Verdict { return t.beside(true) },
}, {
	ID:         model.DeviceRepeat,
	Statement:  "many runs give one result where the claim says Repeats; elsewhere each is within the bound",
	Hypotheses: "round to nearest, no rewrites. Zeros are one number",
	Source:     "the claim",
	Kills:      []string{"one number wrong once in a few runs"},
	Hardware:   true, Cost: 2,
	Judge: func(t *Trial) verdict.Verdict { return t.beside(false) },
}}

// beside judges what a device gave by another run, on the reference device or on itself.
func (t *Trial) beside(compares bool) verdict.Verdict {
	first := slices.Clone(t.got)
	defer func() { t.got = first }()
	decided := t.claim.Repeats
	if b := t.at.Behaviour; compares {
		decided = decided && !b.Flush.Any() && !b.ULP && (b.Contract == model.ContractOff || t.Device.Strict)
	}
	t.differs, t.failing = false, deviation{}
	return t.Device.Beside(t.at, compares, func(at verdict.Setting, where string) verdict.Verdict {
		var z values
		if b := t.once(at, t.Transform, t.rows, t.c.Seed, false, &t.x, t.N, &z); b != nil {
			if compares {
				b = b.On(t.Device.Reference)
			}
			return verdict.Breaks(b)
		}
		for row := range t.rows {
			v := t.against(row, &z, row, decided, fmt.Sprintf("the result is another one %s", where))
			if e := &t.failing; v.Fails() && e.beside != "" { // the device's own result is what is judged
				e.got, e.want, e.beside = e.want, e.got, where
				v.Witness.GotText, v.Witness.WantText = v.Witness.WantText, v.Witness.GotText
			}
			if v.Outcome != verdict.Holds {
				return v
			}
		}
		return verdict.Held("", 0)
	})
}

// against fails where numbers of row i of the result and of row j of another run's, z, differ and are decided; if they are not, where one of both is not within the bound.
func (t *Trial) against(i int, z *values, j int, decided bool, reason string) verdict.Verdict {
	differ, count := -1, t.out.count
	for k := range count {
		for part, list := range z {
			if list == nil {
				continue
			}
			if a, b := t.y[part][i*count+k], list[j*count+k]; a != b && (a == a || b == b) && differ < 0 {
				differ = k
			}
		}
	}
	if differ < 0 {
		return verdict.Held("", 0)
	}
	t.differs = true
	e := deviation{worst: differ, got: complex(z[0][j*count+differ], z[1][j*count+differ]), want: t.Y(i, differ), beside: "before"}
	fail := func() verdict.Verdict {
		return t.fails(&e, fmt.Sprintf("%s: number %d is %s, and then %s", reason, differ, text(e.want, t.out.real), text(e.got, t.out.real)))
	}
	switch {
	case decided:
		return fail()
	case t.claim.Order == fourier.OwnOrder, t.rowSpecial(i):
		return verdict.Held("", 0)
	}
	if v := t.row(i); v.Outcome != verdict.Holds {
		return v
	}
	first := t.y
	defer func() { t.y = first }()
	for part := range z {
		if z[part] != nil {
			t.y[part] = append(make([]float64, i*count), z[part][j*count:(j+1)*count]...)
		}
	}
	if v := t.row(i); v.Fails() {
		return fail()
	}
	return verdict.Held("", 0)
}
