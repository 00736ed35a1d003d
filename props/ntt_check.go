package props

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/modular"
)

// nttRun is the kind of number-theoretic transforms.
type nttRun struct {
	*session
	s    *nttSubject
	own  *nttTrial // keeps plans from law to law
	pool *nttPool
}

type nttEngine = engine[*NTTCase, modular.TransformClaim, *nttInput]

// openTransforms makes the transform that fields describe ready to be judged.
func openTransforms(fields func() (*nttSubject, error), set settings) (judged, error) {
	s, err := fields()
	if err != nil {
		return nil, err
	}
	return &nttEngine{kind: newNTTRun(s, set)}, nil
}

func newNTTRun(s *nttSubject, set settings) *nttRun {
	name := "cyclic NTT"
	if s.claim.Negacyclic {
		name = "negacyclic NTT"
	}
	return &nttRun{newSession(set, s.name, s.device, name, "case", "a transform"), s, newNTTTrial(s), newNTTPool(s, &set)}
}

// checksPerNTT is for how many cases of a law of vectors one of a transform is drawn: it runs thousands of butterflies.
const checksPerNTT = 20

func (r *nttRun) laws() []NTTLaw           { return slices.Concat(nttLaws, r.s.laws) }
func (r *nttRun) applies(l *NTTLaw) string { return r.s.applies(l) }
func (r *nttRun) shaped() shaped           { return false }
func (r *nttRun) trial() trial[*NTTCase, modular.TransformClaim, *nttInput] {
	return r.own
}

func (r *nttRun) source(l *NTTLaw, find bool) (source[*nttInput], error) {
	if len(r.pool.sizes) == 0 {
		return nil, fmt.Errorf("props: %s claims no prime that has a transform of 1 to %d points: look at Claim.Moduli, MinN and MaxN, and at -gamma.maxn", r.name, 1<<maxLogN)
	}
	purpose := ""
	if find {
		purpose = r.search
	}
	d := newNTTDrawer(r.own, r.pool, l, r.set.seedFor(purpose+string(l.ID), r.name))
	d.set = r.set
	if r.own.reach = nil; !l.Refuses && !find {
		d.first = r.pool.each(l)
	}
	return d, nil
}

func (r *nttRun) setting(in *nttInput) (at Setting, n int) { return in.at, in.t.N }

func (r *nttRun) under(in *nttInput, at Setting) *nttInput {
	own := *in
	own.at = at
	return &own
}

func (r *nttRun) accepts(l *NTTLaw, in *nttInput) error { return r.own.accepts(l, in) }

func (r *nttRun) owns(f *caseFile) bool {
	c, ok := f.Body.(*corpus.Residues)
	return ok && c.N > 0 && c.Kernel == r.name
}

func (r *nttRun) pieces(l *NTTLaw, f *caseFile) ([]piece[*nttInput], error) {
	c, ok := f.Body.(*corpus.Residues)
	if !ok {
		return nil, wrongBody(f, c)
	}
	in, err := r.fromFile(l, c)
	return []piece[*nttInput]{{in: in, rows: 1, place: f.Path, expect: c.Expect}}, err
}

func (r *nttRun) isolate(ask asker) { r.move(ask) }

func (r *nttRun) isolated(ask asker) kind[*NTTCase, modular.TransformClaim, *nttInput] {
	own := *r
	own.move(ask)
	return &own
}

// draws returns how often an engine draws for the law.
func (d *nttDrawer) draws() int {
	n := max(1, d.set.checks/checksPerNTT)
	if dev := d.trial.s.device; dev != nil {
		return dev.checks(n)
	}
	return n
}

func (d *nttDrawer) each() int { return 1 }

// make expands a draw into a case.
func (d *nttDrawer) make(w draw, _ int) (*nttInput, bool) {
	return d.expand(even(w.family, w.a, w.b, w.seed), w.a, w.b, w.seed), true
}

// next draws a case from a generator of numbers.
func (d *nttDrawer) next(rng *splitmix) (*nttInput, int) {
	x := rng.next()
	return d.expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), rng.next()), 1
}

// count counts the verdict on the case that was judged last, and kept returns it.
func (tr *nttTrial) count(st *lawStats, v *Verdict, in *nttInput) {
	st.add(v, in.recipe.Family, in.t.N)
	if v.Outcome == Holds && st.Law == model.DeviceRepeat {
		st.MaxDistinct = 1
	}
}

func (tr *nttTrial) kept(in *nttInput) *nttInput { return in }

// remarks says which words the search has reached between stages.
func (tr *nttTrial) remarks() (lines []string) {
	for _, reach := range tr.reach {
		lines = append(lines, fmt.Sprintf("%s reached %s·q, proved below %s·q", reach.name, reach.word, reach.bound))
	}
	return lines
}

// Climbing changes a few numbers of the input that came nearest to a bound, and keeps what comes nearer.
const (
	climbStarts = 4
	climbSteps  = 60
	climbN      = 64
)

// climb looks for inputs that come near the bounds of the stages, of the law that has them.
func (d *nttDrawer) climb(judge func(in *nttInput) (ratio float64, enough bool)) {
	if d.law.ID != model.NTTRange {
		return
	}
	rng := splitmix(mix(d.seed))
	claim := &d.trial.s.claim
	most := max(claim.Forward.In.Range, claim.Inverse.In.Range, 1)
	starts, steps := climbStarts, climbSteps
	if d.set.thorough {
		starts, steps = 10*starts, 20*steps
	}
	for range starts {
		var in *nttInput
		for range 20 {
			if in = d.expand(int(rng.next()&0xffff), uint8(rng.next()), uint8(rng.next()), rng.next()); in.t.N <= climbN && in.t.N > 1 {
				break
			}
		}
		if in.t.N > climbN {
			return
		}
		best, enough := judge(in)
		for range steps {
			if enough {
				return
			}
			next := *in
			next.x = slices.Clone(in.x)
			q := in.t.Modulus
			for range 1 + rng.below(3) {
				value := [...]uint64{0, q - 1, q / 2, rng.next() % q, 1 % q}[rng.below(5)]
				next.x[rng.below(len(next.x))] = liftedNumber(value, rng.next()%most, q, claim.Bits)
			}
			var ratio float64
			if ratio, enough = judge(&next); enough || ratio >= best {
				in, best = &next, ratio
			}
		}
	}
}

func (r *nttRun) seeds() (list [][]byte) {
	for i := range 8 {
		list = append(list, []byte{byte(i), byte(i), 1, byte(40 * i), 90, byte(30 * i), 7, byte(i), 1, 2, 3},
			[]byte{byte(i), byte(i), 0, byte(30 * i), 4, 0, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0, 2})
	}
	return list
}

// maxFuzzLogN is the logarithm of the largest transform that the decoder lists numbers for.
const maxFuzzLogN = 8

// decode makes a case: an odd first byte stands for a recipe, whose draws follow, and an even one for numbers that are listed,
// each in as many bytes as a word has.
func (r *nttRun) decode(d *decoder, l *NTTLaw) *nttInput {
	dr := newNTTDrawer(r.own, r.pool, l, r.set.seedFor(string(l.ID), r.s.name))
	listed := d.byte()&1 == 0
	in := dr.expand(int(d.word(2)), d.byte(), d.byte(), d.word(8))
	if !listed || l.Refuses || in.t.N > 1<<maxFuzzLogN {
		return in
	}
	in.recipe = NTTRecipe{}
	in.x, in.y = in.x[:in.t.N], in.y[:min(len(in.y), in.t.N)]
	lift := max(r.s.claim.Forward.In.Range, r.s.claim.Inverse.In.Range, 1)
	for _, v := range [][]uint64{in.x, in.y} {
		for i := range v {
			w := d.word(r.s.claim.Bits / 8)
			v[i] = w % in.t.Modulus
			v[i] = liftedNumber(v[i], w/in.t.Modulus%lift, in.t.Modulus, r.s.claim.Bits)
		}
	}
	return in
}
