package props

import (
	"fmt"
	"math"

	"gamma/model"
	"gamma/model/word"
	"gamma/props/internal/engine"
	"gamma/props/judge"
)

// Attack is the function Attack on the operation's own bound: the claim's, or the tightest that its algorithm has where ties go as
// claimed. at is what a device runs as; without a device it is the zero Setting.
//
// An error says that the operation cannot be attacked, or is the one that it returned.
func (o Operation) Attack(at Setting, a AttackOptions) (AttackResult, error) {
	run, failed, err := o.rows32(at)
	if err != nil {
		return AttackResult{}, err
	}
	var bounds []word.Bound
	if alg, ok := word.ByName(o.Claim.Algorithm); ok {
		bounds = alg.Bounds
		a.Ordered = a.Ordered || alg.Ordered
		if alg.Op.Z != o.Claim.Op.Z {
			bounds = nil
		}
	}
	if o.Claim.Bound != nil {
		bounds = []word.Bound{*o.Claim.Bound}
	}
	for _, b := range bounds {
		if b.MinP > model.Binary32.P || b.TiesEven && o.Claim.Rounding != model.NearestEven {
			continue
		}
		a.Failed = failed
		res := Attack(o.Claim.Op, run, b, a)
		return res, *failed
	}
	return AttackResult{}, fmt.Errorf("props: Operation %s has no bound to attack; set Claim.Bound, or a Claim.Algorithm that has one", o.Name)
}

// Fingerprint is the function Fingerprint on the operation. at is what a device runs as; without a device it is the zero Setting.
func (o Operation) Fingerprint(at Setting) (FingerprintResult, error) {
	run, failed, err := o.rows32(at)
	if err != nil {
		return FingerprintResult{}, err
	}
	r := Fingerprint(o.Claim.Op, run)
	return r, *failed
}

// rows32 returns the operation as a function that cannot fail, and where it leaves the first error: after one, results are NaNs.
func (o Operation) rows32(at Setting) (run func(dst, src []float32), failed *error, err error) {
	if _, err := judge.Operation(o).Subject(); err != nil {
		return nil, nil, err
	}
	call := o.RunErr
	switch {
	case o.Run != nil:
		call = func(dst, src []float32) error { o.Run(dst, src); return nil }
	case o.RunOn != nil:
		call = func(dst, src []float32) error { return o.RunOn(at, dst, src) }
	case call == nil:
		return nil, nil, fmt.Errorf("props: Operation %s runs in binary64, and attacks and fingerprints run in binary32; set Run, RunErr or RunOn", o.Name)
	}
	if o.RunOn == nil && at != (Setting{}) {
		return nil, nil, fmt.Errorf("props: Operation %s runs on no device, and is to run as one; leave the Setting zero", o.Name)
	}
	failed = new(error)
	calls := &engine.Guard{}
	if o.RunOn != nil {
		calls = engine.NewGuard(&o.Device)
	}
	return func(dst, src []float32) {
		if *failed == nil {
			*failed = calls.Do(func() error { return call(dst, src) })
		}
		if *failed != nil {
			for i := range dst {
				dst[i] = float32(math.NaN())
			}
		}
	}, failed, nil
}
