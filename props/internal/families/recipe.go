package families

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
)

// Recipe is the few small draws that expand, by a local generator, into the values of a case. The
// same recipe gives the same bits on every machine; an engine draws recipes, never elements.
type Recipe struct {
	Family string // one of Families
	N      int    // leaves, of each row
	Rows   int    // rows; 0 and 1 are one row
	Period int    // the rows repeat after so many; 0: they do not
	A, B   uint8  // parameters, with a meaning of its own in each family
	Seed   uint64 // of the generator
	Dot    bool   // whether second factors are wanted
	// Squares: the leaves will be squared, so that their range is that of a dot product's factors.
	Squares bool
}

// MaxRecipeN is the longest vector a recipe may ask for: hostile text must not exhaust memory.
const MaxRecipeN = 1 << 28

// MostEmpty is how many rows without leaves a case may have.
const MostEmpty = 1 << 16

// String returns the recipe as a case file writes it after `gen`, for instance
// "window n=1024 a=3 b=200 seed=7".
func (r Recipe) String() string { return string(r.Append(nil)) }

// Append appends the text of the recipe to b.
func (r *Recipe) Append(b []byte) []byte {
	b = append(b, r.Family...)
	b = strconv.AppendInt(append(b, " n="...), int64(r.N), 10)
	b = strconv.AppendUint(append(b, " a="...), uint64(r.A), 10)
	b = strconv.AppendUint(append(b, " b="...), uint64(r.B), 10)
	b = strconv.AppendUint(append(b, " seed="...), r.Seed, 10)
	if r.Rows > 1 {
		b = strconv.AppendInt(append(b, " rows="...), int64(r.Rows), 10)
	}
	if r.Period > 0 {
		b = strconv.AppendInt(append(b, " period="...), int64(r.Period), 10)
	}
	if r.Dot {
		b = append(b, " dot"...)
	}
	if r.Squares {
		b = append(b, " squares"...)
	}
	return b
}

// ParseRecipe is the inverse of Recipe.String.
func ParseRecipe(s string) (Recipe, error) {
	words := strings.Fields(s)
	if len(words) == 0 {
		return Recipe{}, fmt.Errorf("props: an empty recipe; write a family and its parameters, such as %q", Recipe{Family: "window", N: 8}.String())
	}
	r := Recipe{Family: words[0]}
	if FamilyByName[r.Family] == nil {
		return Recipe{}, fmt.Errorf("props: no family of inputs is called %q; known are %s", r.Family, strings.Join(FamilyNames(), ", "))
	}
	for i, w := range words[1:] {
		key, val, _ := strings.Cut(w, "=")
		if slices.ContainsFunc(words[1:i+1], func(w string) bool { return strings.HasPrefix(w+"=", key+"=") }) {
			return Recipe{}, fmt.Errorf("props: the recipe gives %s twice", key)
		}
		switch w {
		case "dot":
			r.Dot = true
			continue
		case "squares":
			r.Squares = true
			continue
		}
		v, err := strconv.ParseUint(val, 10, 64)
		if err != nil {
			return Recipe{}, fmt.Errorf("props: recipe word %q is not a name, '=' and a decimal number", w)
		}
		limit := uint64(MaxRecipeN)
		switch key {
		case "n":
			r.N = int(min(v, limit+1))
		case "rows":
			r.Rows = int(min(v, limit+1))
		case "period":
			r.Period = int(min(v, limit+1))
		case "a":
			r.A, limit = uint8(v), 255
		case "b":
			r.B, limit = uint8(v), 255
		case "seed":
			r.Seed, limit = v, 1<<64-1
		default:
			return Recipe{}, fmt.Errorf("props: a recipe has no parameter %q; it has n, a, b, seed, rows, period, dot and squares", key)
		}
		if v > limit {
			return Recipe{}, fmt.Errorf("props: recipe parameter %s is at most %d, not %d", key, limit, v)
		}
	}
	if r.N == 0 && r.Rows > MostEmpty {
		return Recipe{}, fmt.Errorf("props: recipe asks for %d rows of no leaves; at most %d", r.Rows, MostEmpty)
	}
	if r.N > 0 && max(r.Rows, 1) > MaxRecipeN/r.N {
		return Recipe{}, fmt.Errorf("props: recipe asks for %d rows of %d leaves; at most %d leaves in all", r.Rows, r.N, MaxRecipeN)
	}
	return r, nil
}

// Expand returns the values of the recipe in format f: x, and y of the same length if r.Dot.
func (r Recipe) Expand(f model.Format) (x, y corpus.Values) {
	var e Expander
	return e.Expand(r, f)
}

// ExpandGen expands a recipe that a case file holds; corpus calls it while it loads.
func ExpandGen(gen string, f model.Format, n int) (x, y corpus.Values, err error) {
	r, err := ParseRecipe(gen)
	if err != nil {
		return x, y, err
	}
	if got := r.N * max(r.Rows, 1); got != n {
		return x, y, fmt.Errorf("props: the recipe makes %d leaves and the case has n %d", got, n)
	}
	x, y = r.Expand(f)
	return x, y, nil
}

// Expander expands recipes into memory that it keeps, so that a search does not allocate.
type Expander struct {
	bx, by []uint64 // encodings
	x, y   corpus.Values
	g      Generator
}

// Expand returns the recipe's values; they are valid until the next call.
func (e *Expander) Expand(r Recipe, f model.Format) (x, y corpus.Values) {
	bx, by := e.Encodings(r, f)
	e.x, y = Store(e.x, bx, f), corpus.Values{Format: f}
	if r.Dot {
		e.y = Store(e.y, by, f)
		y = e.y
	}
	return e.x, y
}

// Encodings returns what Expand does, each number as its encoding.
func (e *Expander) Encodings(r Recipe, f model.Format) (bx, by []uint64) {
	rows := max(r.Rows, 1)
	total := r.N * rows
	e.bx = draw.Grow(e.bx, total)
	if r.Dot {
		e.by = draw.Grow(e.by, total)
		by = e.by
	}
	e.g = NewGenerator(&r, f)
	g := &e.g
	fam := FamilyByName[r.Family]
	for row := range rows {
		lo, hi := row*r.N, (row+1)*r.N
		if r.Period > 0 && row >= r.Period {
			copy(e.bx[lo:hi], e.bx[lo-r.Period*r.N:hi-r.Period*r.N])
			if r.Dot {
				copy(by[lo:hi], by[lo-r.Period*r.N:hi-r.Period*r.N])
			}
			continue
		}
		g.x, g.y = e.bx[lo:hi], nil
		if r.Dot {
			g.y = by[lo:hi]
		}
		if r.N > 0 {
			g.dotFilled = false
			fam.fill(g)
			if r.Dot && !g.dotFilled {
				g.companion()
			}
		}
	}
	return e.bx, by
}
