package battery

import (
	"math/rand"
	"slices"

	"gamma/model/modular"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/residues"
	"gamma/props/internal/verdict"
)

// OpenResidues makes an operation on residues ready to be judged by Modular.Battery.
func OpenResidues(fields func() (*residues.Subject, error), set engine.Settings) (engine.Judged, error) {
	p, err := fields()
	if err != nil {
		return nil, err
	}
	return engine.New(NewResidueBattery(p, set)), nil
}

// NewResidueBattery returns the kind of operations on residues that are judged by Modular.Battery.
func NewResidueBattery(p *residues.Subject, set engine.Settings) *residueBatteryRun {
	return &residueBatteryRun{residues.NewModularRun(p, set)}
}

// residueBatteryRun is the kind of operations on residues, with what gopter draws in the place of batches, and what it makes smaller.
type residueBatteryRun struct{ *residues.Run }

func (r *residueBatteryRun) Owns(f *engine.CaseFile) bool {
	return r.Set.CaseFile != "" && r.Run.Owns(f)
}

func (r *residueBatteryRun) Isolated(ask engine.Asker) engine.Kind[*residues.ModularRow, modular.Claim, *residues.ModularCase] {
	return &residueBatteryRun{r.Run.Isolated(ask).(*residues.Run)}
}

func (r *residueBatteryRun) Source(l *residues.ModularLaw, _ bool) (engine.Source[*residues.ModularCase], error) {
	return &residueRowSource{ModularDrawer: residues.NewModularDrawer(r.P, l, &r.Set), r: r, l: l}, nil
}

// FindByBattery looks for a violation of one law as Modular.Battery does.
func FindByBattery(l residues.ModularLaw, fields func() (*residues.Subject, error)) (*residues.ModularFailure, error) {
	set, err := engine.ReadSettings()
	if err != nil {
		return nil, err
	}
	p, err := fields()
	if err != nil {
		return nil, err
	}
	f, err := engine.New(NewResidueBattery(p, set)).Found(engine.Erase(&l))
	own, _ := f.(*residues.ModularFailure)
	return own, err
}

// alone returns a batch of one row.
func alone(at verdict.Setting, q uint64, row []uint64) *residues.ModularCase {
	return &residues.ModularCase{Batch: &residues.ModularBatch{At: at, Q: q, In: row, Rows: 1}}
}

// batteryModuli is how many moduli the tables of special values are crossed for.
const batteryModuli = 16

// residueRowSource is the tables of special values crossed, and rows that gopter draws one by one.
type residueRowSource struct {
	*residues.ModularDrawer
	r *residueBatteryRun
	l *residues.ModularLaw
	// later: the tables were judged in another block.
	later bool
}

// Later leaves to another block what does not depend on the seed.
func (s *residueRowSource) Later() { s.later = true }

func (s *residueRowSource) Search(try func(c *residues.ModularCase) bool, late func() bool) (stopped string) {
	if !s.later && s.r.crossResidues(s.l, try) {
		return ""
	}
	checks := max(1, s.r.Checks(s.r.Set.Checks)/4) // a check is one row
	return gopterDraws(s.Seed, checks, func(rng *rand.Rand) *residues.ModularCase {
		x, seed := rng.Uint64(), rng.Uint64()
		b := s.Expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), seed, 1).Batch
		return alone(b.At, b.Q, slices.Clone(b.In))
	}, try, late)
}

// Next draws a batch of one row.
func (s *residueRowSource) Next(rng *draw.Splitmix) (*residues.ModularCase, int) {
	x := rng.Next()
	return s.Expand(int(x&0xffff), uint8(x>>16), uint8(x>>24), rng.Next(), 1), 1
}

// crossResidues tries every tuple of special values, at moduli from the smallest to the largest, until one fails.
func (r *residueBatteryRun) crossResidues(l *residues.ModularLaw, fails func(c *residues.ModularCase) bool) bool {
	p := r.P
	list := p.Moduli.Edges
	if l.Refuses {
		list = p.Moduli.Refused
	}
	n := len(p.Claim.In)
	var at verdict.Setting
	if d := p.Device; d != nil && d.Launches != nil {
		if launches := d.Launches(1); len(launches) > 0 {
			at.Launch = launches[0]
		}
	}
	var g residues.ModularGenerator
	moduli, most := min(len(list), batteryModuli), maxCrossed/3
	if p.Device != nil {
		moduli, most = min(moduli, 4), maxCrossed/20
	}
	for k := range moduli {
		q := list[k*(len(list)-1)/max(moduli-1, 1)]
		if l.Refuses {
			if fails(alone(at, q, make([]uint64, n))) {
				return true
			}
			continue
		}
		g.Begin(&p.Claim, q)
		tuples := 1
		for _, s := range g.Special {
			tuples *= len(s)
		}
		step := max(1, tuples*moduli/most)
		for i := 0; i < tuples; i += step {
			row, rest := make([]uint64, n), i
			for j, s := range g.Special {
				row[j] = s[rest%len(s)]
				rest /= len(s)
			}
			g.Fix(row)
			if fails(alone(at, q, row)) {
				return true
			}
		}
	}
	return false
}
