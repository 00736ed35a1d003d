package corpus

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
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
	if need := int64(n) * int64((f.Bits()+7)/8); need > o.maxBytes() {
		return x, y, fmt.Errorf("%d leaves of %s take %d bytes, more than the %d allowed; raise Options.MaxBytes", n, f, need, o.maxBytes())
	}
	switch words := strings.Fields(gen); {
	case ownRecipe(gen):
		x, y, err = own[words[0]](words[1:], f, n)
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

// own are the recipes of this package, by their first word.
var own = map[string]func(words []string, f model.Format, n int) (x, y Values, err error){
	"const": genConst,
	"iota":  genIota,
}

// ownRecipe reports whether gen is a recipe of this package.
func ownRecipe(gen string) bool {
	word, _, _ := strings.Cut(gen, " ")
	return own[word] != nil
}

// genConst expands "const value=V [first=V] [y=V]": every leaf is value, but the first is first
// where that is given; with y, each leaf has that second factor.
func genConst(words []string, f model.Format, n int) (x, y Values, err error) {
	p, err := parameters(words, f, "value", "first", "y")
	if err != nil {
		return x, y, err
	}
	value, ok := p["value"]
	if !ok {
		return x, y, errors.New("const needs value=, the hex float of every leaf")
	}
	x = filled(f, n, value)
	if first, ok := p["first"]; ok && n > 0 {
		x.Set(0, first)
	}
	if factor, ok := p["y"]; ok {
		y = filled(f, n, factor)
	}
	return x, y, nil
}

// genIota expands "iota": leaf i is i, which the format must hold.
func genIota(words []string, f model.Format, n int) (x, y Values, err error) {
	if _, err := parameters(words, f); err != nil {
		return x, y, err
	}
	x = NewValues(f, n)
	for i := range n {
		b, err := dyadic{m: uint64(i)}.odd().encode(f)
		if err != nil {
			return Values{}, Values{}, fmt.Errorf("leaf %d: %w", i, err)
		}
		x.Set(i, b)
	}
	return x, y, nil
}

// filled returns n copies of b.
func filled(f model.Format, n int, b uint64) Values {
	v := NewValues(f, n)
	for i := range n {
		v.Set(i, b)
	}
	return v
}

// parameters reads the words key=value of a recipe, each key known and given once.
func parameters(words []string, f model.Format, known ...string) (map[string]uint64, error) {
	p := map[string]uint64{}
	for _, w := range words {
		key, val, _ := strings.Cut(w, "=")
		found := false
		for _, k := range known {
			found = found || k == key
		}
		if !found {
			return nil, fmt.Errorf("it has no parameter %s; known are %q", quote(key), known)
		}
		if _, twice := p[key]; twice {
			return nil, fmt.Errorf("it gives %s twice", key)
		}
		b, err := ParseValue(f, val)
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
