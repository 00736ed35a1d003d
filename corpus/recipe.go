package corpus

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gamma/model"
)

// Expander turns a recipe into n leaves of format f, and for dot products as many second factors;
// y has no length otherwise. The same recipe must give the same bits for ever: a case file stores
// their Digest, and a change is an error there.
type Expander func(gen string, f model.Format, n int) (x, y Values, err error)

// Expand fills X and Y of a case that waits for its recipe, and does nothing to any other. It is
// an error if the recipe is not known, or now gives other bits than when the case was saved.
func (c *Case) Expand(o Options) error {
	if c.Deferred == nil {
		return nil
	}
	x, y, err := o.expand(c.Gen, c.Deferred.Format, c.Deferred.N)
	if err != nil {
		return err
	}
	if err := changed(c.Gen, Digest(x, y), c.Deferred.SHA256); err != nil {
		return err
	}
	if err := checkFactors(x.Len(), y.Len(), c.Rows); err != nil {
		return fmt.Errorf("recipe %s: %w", quote(c.Gen), err)
	}
	c.X, c.Y, c.Deferred = x, y, nil
	return nil
}

// changed returns the error that a recipe's digest is not the one on file.
func changed(gen string, got, want [32]byte) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("the recipe %s now expands to sha256 %x and not to the %x on file: its generator has changed; "+
		"bring the old one back under this name, or store the case anew and say why", quote(gen), got, want)
}

// Digest returns the sha256 of the vectors' bits: the text "format n lengthOfY" and a newline,
// then the encodings of x and of y, each in little-endian order in the least number of bytes that
// holds the format.
func Digest(x, y Values) [32]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %d\n", x.Format, x.Len(), y.Len())
	for _, v := range []Values{x, y} {
		width := (v.Format.Bits() + 7) / 8
		buf := make([]byte, 0, 8<<10)
		for i := range v.Len() {
			if len(buf)+8 > cap(buf) {
				h.Write(buf)
				buf = buf[:0]
			}
			buf = binary.LittleEndian.AppendUint64(buf, v.At(i))[:len(buf)+width]
		}
		h.Write(buf)
	}
	return [32]byte(h.Sum(nil))
}

// errNoExpander says that a recipe is not one of this package's.
var errNoExpander = errors.New("no generator is at hand for it; set Options.Expand to the one of the package that saved it")

// expand runs a recipe: one of this package's own, or one of o.Expand.
func (o Options) expand(gen string, f model.Format, n int) (x, y Values, err error) {
	if err := storable(f); err != nil {
		return x, y, err
	}
	if err := o.fits(f, n); err != nil {
		return x, y, err
	}
	switch {
	case ownRecipe(gen):
		x, y, err = expandOwn(gen, f, n)
	case o.Expand == nil:
		err = errNoExpander
	default:
		x, y, err = o.Expand(gen, f, n)
	}
	switch {
	case err != nil:
		return Values{}, Values{}, fmt.Errorf("recipe %s: %w", quote(gen), err)
	case x.Format != f || x.Len() != n:
		return Values{}, Values{}, fmt.Errorf("recipe %s gave %d leaves of %s, not %d of %s", quote(gen), x.Len(), x.Format, n, f)
	case y.Len() != 0 && (y.Format != f || y.Len() > n):
		return Values{}, Values{}, fmt.Errorf("recipe %s gave %d second factors of %s for %d leaves of %s", quote(gen), y.Len(), y.Format, n, f)
	}
	return x, y, nil
}

// fits says whether n elements of f are within MaxBytes.
func (o Options) fits(f model.Format, n int) error {
	if need := int64(n) * int64((f.Bits()+7)/8); need > o.maxBytes() {
		return fmt.Errorf("%d leaves of %s take %d bytes, more than the %d allowed; raise Options.MaxBytes", n, f, need, o.maxBytes())
	}
	return nil
}

// expandOwn runs a recipe of this package, whose leaf i of iota is i, which the format must hold.
func expandOwn(gen string, f model.Format, n int) (x, y Values, err error) {
	x = NewValues(f, n)
	factors, err := fill(gen, n, x.Set, func(s string) (uint64, error) { return ParseValue(f, s) }, func(i int) (uint64, error) {
		b, err := dyadic{m: uint64(i)}.odd().encode(f)
		if err != nil {
			err = fmt.Errorf("leaf %d: %w", i, err)
		}
		return b, err
	})
	if err != nil || factors == nil {
		return x, y, err
	}
	y = NewValues(f, n)
	for i := range n {
		y.Set(i, *factors)
	}
	return x, y, nil
}

// ownRecipe reports whether gen is a recipe of this package.
func ownRecipe(gen string) bool {
	word, _, _ := strings.Cut(gen, " ")
	return word == "const" || word == "iota"
}

// fill runs a recipe of this package and sets the n elements of x: "const value=V [first=V] [y=V]", of which every element is value,
// but the first one is first where that is given, and every second factor is y; or "iota", of which element i is number(i). If there
// is a y, it returns what all of it is.
func fill(gen string, n int, set func(i int, w uint64), parse func(string) (uint64, error), number func(i int) (uint64, error)) (y *uint64, err error) {
	words := strings.Fields(gen)
	if words[0] == "iota" {
		if _, err := parameters(words[1:], parse); err != nil {
			return nil, err
		}
		for i := range n {
			w, err := number(i)
			if err != nil {
				return nil, err
			}
			set(i, w)
		}
		return nil, nil
	}
	p, err := parameters(words[1:], parse, "value", "first", "y")
	if err != nil {
		return nil, err
	}
	value, ok := p["value"]
	if !ok {
		return nil, errors.New("const needs value=, which every element is")
	}
	for i := range n {
		set(i, value)
	}
	if first, ok := p["first"]; ok && n > 0 {
		set(0, first)
	}
	if factor, ok := p["y"]; ok {
		y = &factor
	}
	return y, nil
}

// parameters reads the words key=value of a recipe, each key known and given once.
func parameters(words []string, parse func(string) (uint64, error), known ...string) (map[string]uint64, error) {
	p := map[string]uint64{}
	for _, w := range words {
		key, val, _ := strings.Cut(w, "=")
		if !slices.Contains(known, key) {
			return nil, fmt.Errorf("it has no parameter %s; known are %q", quote(key), known)
		}
		if _, twice := p[key]; twice {
			return nil, fmt.Errorf("it gives %s twice", key)
		}
		b, err := parse(val)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		p[key] = b
	}
	return p, nil
}

// storable says whether Values can hold encodings of f.
func storable(f model.Format) error {
	switch {
	case f.IsZero():
		return errors.New("the values have no format")
	case f.Name != model.Binary32.Name && f.Name != model.Binary64.Name && f.Bits() > 16:
		return fmt.Errorf("encodings of %s have %d bits, and cases hold 16 at most", f, f.Bits())
	}
	return nil
}

// checkFormat says whether a file can hold values of f.
func checkFormat(f model.Format) error {
	if err := storable(f); err != nil {
		return err
	}
	known, err := model.FormatByName(f.Name)
	if err == nil && known != f {
		err = fmt.Errorf("the format %s is not the one that model.FormatByName knows", f)
	}
	return err
}
