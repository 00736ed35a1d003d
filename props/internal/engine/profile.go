package engine

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"gamma/oracle"
)

// Profile is how error/bound is spread over the inputs that hold by a bound, and how the error grows with their size: what a report draws. It costs a few
// additions an input, and nothing of it is known of laws without a bound.
type Profile struct {
	// Spread counts inputs by error/bound, all that a verdict with a bound has counted, and no other: element 0 those without an error, element k > 0 those with 2^-k <= error/bound < 2^(1-k), but that
	// the first of these also has those at the bound, and the last, maxSpread, all that are smaller.
	Spread []int `json:"spread,omitempty"`
	// Bands has the sizes in ascending order, each power of two that was met once, of kinds whose inputs have a size.
	Bands []Band `json:"bands,omitempty"`
	// Unit is what Error and Limits of the bands are multiples of, such as "u·Σ|x|"; "" where the kind has no such unit.
	Unit string `json:"unit,omitempty"`
}

// Band is what is known of inputs with sizes from N to 2N-1; 0 is a band of its own.
type Band struct {
	N     int   `json:"n"`
	Cases int   `json:"cases"` // that hold
	Ratio Drawn `json:"ratio"` // the largest error/bound
	// Error is the largest error in the profile's unit, At the size of the input that has it, and Limits the bounds on it there, by name.
	Error  Drawn            `json:"error,omitempty"`
	At     int              `json:"at,omitempty"`
	Limits map[string]Drawn `json:"limits,omitempty"`
}

// Drawn is a number for drawings: a file has four digits of it. Rounding keeps the order of numbers, so that the largest of some is found after it as before.
type Drawn float64

func (d Drawn) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(d), 0) || math.IsNaN(float64(d)) {
		return nil, fmt.Errorf("props: %g cannot be drawn", float64(d))
	}
	return strconv.AppendFloat(nil, float64(d), 'g', 4, 64), nil
}

// maxSpread is the last element of Spread.
const maxSpread = len(oracle.Spread{}) - 1

// Reach is the error of the input that was judged last and the bounds on it, in a unit that inputs of all sizes have in common.
type Reach struct {
	Unit   string // "": nothing is known
	Error  float64
	Names  []string
	Limits []float64
}

// Forget empties r, and keeps its memory.
func (r *Reach) Forget() { *r = Reach{Names: r.Names[:0], Limits: r.Limits[:0]} }

// Bound notes a bound.
func (r *Reach) Bound(name string, limit float64) {
	r.Names, r.Limits = append(r.Names, name), append(r.Limits, limit)
}

// spreadOf returns the element of Spread that counts a ratio.
func spreadOf(ratio float64) int { return oracle.SpreadOf(ratio, 1) }

// profile returns the profile of a law, which is made when it is first needed.
func (s *LawStats) profile() *Profile {
	if s.Profile == nil {
		s.Profile = &Profile{}
	}
	return s.Profile
}

// count counts inputs of one ratio.
func (p *Profile) count(spread, inputs int) {
	for len(p.Spread) <= spread {
		p.Spread = append(p.Spread, 0)
	}
	p.Spread[spread] += inputs
}

// band returns the band of inputs of a size.
func (p *Profile) band(n int) *Band {
	least := n
	if n > 1 {
		least = 1 << (bits.Len(uint(n)) - 1)
	}
	i, ok := slices.BinarySearchFunc(p.Bands, least, func(b Band, n int) int { return cmp.Compare(b.N, n) })
	if !ok {
		p.Bands = slices.Insert(p.Bands, i, Band{N: least})
	}
	return &p.Bands[i]
}

// see counts an input that holds, of size n.
func (p *Profile) see(ratio float64, n int) {
	p.count(spreadOf(ratio), 1)
	b := p.band(n)
	b.Cases++
	b.Ratio = max(b.Ratio, Drawn(min(ratio, math.MaxFloat64)))
}

// Reached notes the error of an input of size n that Add has counted.
func (s *LawStats) Reached(n int, r *Reach) {
	if r.Unit == "" || s.Profile == nil || !(r.Error >= 0) || math.IsInf(r.Error, 1) {
		return
	}
	b, e := s.Profile.band(n), Drawn(r.Error)
	if b.Limits != nil && cmp.Or(cmp.Compare(e, b.Error), cmp.Compare(n, b.At)) <= 0 {
		return
	}
	s.Profile.Unit = r.Unit
	b.Error, b.At, b.Limits = e, n, map[string]Drawn{}
	for i, name := range r.Names {
		if limit := r.Limits[i]; limit <= math.MaxFloat64 {
			b.Limits[name] = Drawn(limit)
		}
	}
}

// check says which number of a profile is none that a search gives, in which so many inputs hold.
func (p *Profile) check(holds int) error {
	if p == nil {
		return nil
	}
	spread := 0
	for _, n := range p.Spread {
		if n < 0 || n > mostCounted {
			return fmt.Errorf("the profile has a spread of %d", n)
		}
		spread += n
	}
	if spread > holds {
		return fmt.Errorf("the profile has a spread of %d cases, and %d hold", spread, holds)
	}
	if len(p.Spread) > maxSpread+1 {
		return fmt.Errorf("the profile has a spread of %d powers of two", len(p.Spread))
	}
	inBands := 0
	for i, b := range p.Bands {
		inBands += min(b.Cases, mostCounted)
		if min(b.N, b.At, b.Cases) < 0 || max(b.N, b.At, b.Cases) > mostCounted || !(b.Ratio >= 0) || !(b.Error >= 0) || i > 0 && b.N <= p.Bands[i-1].N {
			return fmt.Errorf("the profile has sizes from %d on with %d cases, error/bound %g and error %g at %d", b.N, b.Cases, b.Ratio, b.Error, b.At)
		}
		for name, limit := range b.Limits {
			if !(limit >= 0) {
				return fmt.Errorf("the profile has the bound %g by %q", limit, name)
			}
		}
	}
	if inBands > holds {
		return fmt.Errorf("the profile has sizes of %d cases, and %d hold", inBands, holds)
	}
	return nil
}

// Merge adds what another search learnt of the same law on the same subject; in any order of several the result is the same.
func (p *Profile) Merge(q *Profile) {
	for k, n := range q.Spread {
		p.count(k, n)
	}
	p.Unit = max(p.Unit, q.Unit)
	for i := range q.Bands {
		p.band(q.Bands[i].N).merge(&q.Bands[i])
	}
}

// merge adds a band of the same sizes.
func (b *Band) merge(c *Band) {
	b.Cases += c.Cases
	b.Ratio = max(b.Ratio, c.Ratio)
	switch order := cmp.Or(cmp.Compare(b.Error, c.Error), cmp.Compare(b.At, c.At)); {
	case c.Limits == nil:
	case b.Limits == nil || order < 0:
		b.Error, b.At, b.Limits = c.Error, c.At, maps.Clone(c.Limits)
	case order == 0:
		for name, limit := range c.Limits {
			b.Limits[name] = max(b.Limits[name], limit)
		}
	}
}

// Promise is what a subject claims, in words and as plain data that can be drawn: once a subject, with the first of its laws.
type Promise struct {
	What    string `json:"what,omitempty"` // the kind of subject, such as "an operation on words"
	Test    string `json:"test,omitempty"`
	Claim   string `json:"claim,omitempty"`
	Tree    string `json:"tree,omitempty"`    // as in model.Claim
	Formula string `json:"formula,omitempty"` // as formula.Print writes it
}

// promising is a kind that says what its subject claims.
type promising interface {
	Promise() Promise
}

// Merge keeps what p has, and takes the rest from q: all parts of a run judge the same subjects.
func (p *Promise) Merge(q *Promise) {
	p.What, p.Test = cmp.Or(p.What, q.What), cmp.Or(p.Test, q.Test)
	p.Claim, p.Tree, p.Formula = cmp.Or(p.Claim, q.Claim), cmp.Or(p.Tree, q.Tree), cmp.Or(p.Formula, q.Formula)
}
