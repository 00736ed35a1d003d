package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gamma/model"
)

// genThreshold is the number of leaves other than +0 up to which a case lists its values even
// where it has another package's recipe: what a reader can see needs no generator.
const genThreshold = 4096

// Format returns the case file of c in canonical form. Values are stored by c.Gen if the recipe,
// run here and now, gives these very bits, and is one of this package's own or gives more than
// 4096 values beside +0; else they are listed.
func Format(c *Case, o Options) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(header + "\n")
	for _, text := range c.Comments {
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString(strings.TrimRight("# "+comment(line), " ") + "\n")
		}
	}
	if err := writeHead(&b, c, true); err != nil {
		return nil, fmt.Errorf("corpus: the case cannot be written: %w", err)
	}
	if gen, sum := c.byRecipe(o); gen {
		fmt.Fprintf(&b, "gen %s\nsha256 %x\n", c.Gen, sum)
	} else {
		if c.Y.Len() != 0 && c.Y.Len() != c.X.Len() {
			fmt.Fprintf(&b, "ny %d\n", c.Y.Len())
		}
		writeValues(&b, "x", c.X)
		writeValues(&b, "y", c.Y)
	}
	if b.Len() > MaxFileBytes {
		return nil, fmt.Errorf("corpus: the case cannot be written: it takes %d bytes, more than %d; reduce it, or give it a recipe", b.Len(), MaxFileBytes)
	}
	return b.Bytes(), nil
}

// Canonical returns the canonical form of a case file: keys in their order, numbers in their one
// spelling, derived comments anew, comments on lines of their own kept and moved to the top.
// Recipes stay recipes.
func Canonical(text []byte) ([]byte, error) {
	c, err := Parse(text, Options{keepGen: true})
	if err != nil {
		return nil, err
	}
	return Format(c, Options{})
}

// byRecipe says whether c is to be stored by its recipe, and the digest of its values if so.
func (c *Case) byRecipe(o Options) (bool, [32]byte) {
	if c.Deferred != nil {
		return true, c.Deferred.SHA256
	}
	if c.Gen == "" || !ownRecipe(c.Gen) && nonzero(c.X)+nonzero(c.Y) <= genThreshold {
		return false, [32]byte{}
	}
	x, y, err := o.expand(c.Gen, c.X.Format, c.X.Len())
	if err != nil || !x.Equal(c.X) || y.Len() != c.Y.Len() || y.Len() > 0 && !y.Equal(c.Y) {
		return false, [32]byte{}
	}
	return true, Digest(x, y)
}

// nonzero counts the elements other than +0.
func nonzero(v Values) int {
	k := 0
	for i := range v.Len() {
		if v.At(i) != 0 {
			k++
		}
	}
	return k
}

// writeHead checks c and writes its keys up to n, with what the case expects or without.
func writeHead(b *bytes.Buffer, c *Case, expectations bool) error {
	expect, want := c.Expect, c.Want
	if expect == "" {
		expect = ExpectHolds
	}
	var err error
	if want != "" {
		if want, err = canonicalWant(want); err != nil {
			return err
		}
	}
	if err := checkWants(want, c.Rows); err != nil {
		return err
	}
	if err := check(c, expect); err != nil {
		return err
	}
	fmt.Fprintf(b, "law %s\nkernel %s\n", c.Law, c.Kernel)
	if expectations {
		fmt.Fprintf(b, "expect %s\n", expect)
		if want != "" {
			fmt.Fprintf(b, "want %s\n", want)
		}
	}
	// Compared as text: a Flush may say Before without Out, which means nothing.
	if s := c.Behaviour.String(); s != (model.Behaviour{}).String() {
		fmt.Fprintf(b, "behaviour %s\n", s)
	}
	if !c.Launch.IsZero() {
		fmt.Fprintf(b, "launch %s\n", c.Launch)
	}
	if c.Tree != "" {
		fmt.Fprintf(b, "tree %s\n", c.Tree)
	}
	if c.Seed != 0 {
		fmt.Fprintf(b, "seed %d\n", c.Seed)
	}
	if c.Rows > 1 {
		fmt.Fprintf(b, "rows %d\n", c.Rows)
	}
	if c.Isolate {
		b.WriteString("isolate yes\n")
	}
	if f := c.Format(); f.Name != model.Binary32.Name {
		fmt.Fprintf(b, "format %s\n", f)
	}
	fmt.Fprintf(b, "n %d\n", c.N())
	return nil
}

// check says what keeps c from being written so that it reads back the same.
func check(c *Case, expect Expect) error {
	if err := checkLaw(c.Law); err != nil {
		return err
	}
	if err := checkText(c.Kernel); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if err := checkExpect(expect); err != nil {
		return err
	}
	if _, err := model.ParseBehaviour(c.Behaviour.String()); err != nil {
		return err
	}
	if !c.Launch.IsZero() {
		if back, err := parseLaunch(c.Launch.String()); err != nil {
			return err
		} else if back != c.Launch {
			return fmt.Errorf("the launch %s reads back as %s", c.Launch, back)
		}
	}
	if c.Tree != "" {
		if err := checkText(c.Tree); err != nil {
			return fmt.Errorf("tree: %w", err)
		}
	}
	if c.Rows < 0 || c.Rows > MaxN {
		return fmt.Errorf("it has %d rows", c.Rows)
	}
	if c.Gen != "" {
		if err := checkText(c.Gen); err != nil {
			return fmt.Errorf("gen: %w", err)
		}
		if c.Gen != strings.Join(strings.Fields(c.Gen), " ") {
			return fmt.Errorf("gen: %s has more than one space between its words", quote(c.Gen))
		}
	}
	return checkValues(c)
}

// checkValues says what keeps c's vectors from being written.
func checkValues(c *Case) error {
	f := c.Format()
	if err := storable(f); err != nil {
		return err
	}
	if known, err := model.FormatByName(f.Name); err != nil {
		return err
	} else if known != f {
		return fmt.Errorf("the format %s is not the one that model.FormatByName knows", f)
	}
	if err := checkRows(c.N(), c.Rows); err != nil {
		return err
	}
	if c.Deferred == nil {
		if err := checkFactors(c.X.Len(), c.Y.Len(), c.Rows); err != nil {
			return err
		}
	}
	switch y := c.Y; {
	case c.N() > MaxN:
		return fmt.Errorf("%d leaves are more than %d", c.N(), MaxN)
	case c.Deferred != nil && c.Gen == "":
		return errors.New("its values are deferred, and it has no recipe")
	case c.Deferred != nil && c.X.Len()+y.Len() > 0:
		return errors.New("its values are deferred and present at once")
	case y.Len() != 0 && y.Format != f:
		return fmt.Errorf("the leaves are in %s, and the second factors in %s", f, y.Format)
	}
	return nil
}

// writeValues writes the lines of a vector's elements other than +0. A vector y that has no other
// writes its first, which tells a dot product from a sum.
func writeValues(b *bytes.Buffer, key string, v Values) {
	written := false
	for i := range v.Len() {
		if v.At(i) != 0 {
			writeValue(b, key, v, i)
			written = true
		}
	}
	if key == "y" && v.Len() > 0 && !written {
		writeValue(b, key, v, 0)
	}
}

func writeValue(b *bytes.Buffer, key string, v Values, i int) {
	code := v.At(i)
	b.WriteString(key + " " + strconv.Itoa(i) + " " + FormatValue(v.Format, code))
	if v.Format.IsFinite(code) {
		b.WriteString("    # " + decode(v.Format, code).decimal())
	}
	b.WriteByte('\n')
}

// identity returns a digest of what c runs: everything but its expectations, its comments and the
// way its values are stored.
func identity(c *Case) (string, error) {
	var b bytes.Buffer
	if err := writeHead(&b, c, false); err != nil {
		return "", err
	}
	sum := [32]byte{}
	if c.Deferred != nil {
		sum = c.Deferred.SHA256
	} else {
		sum = Digest(c.X, c.Y)
	}
	fmt.Fprintf(&b, "sha256 %x\n", sum)
	digest := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(digest[:]), nil
}
