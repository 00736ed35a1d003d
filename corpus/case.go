package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"gamma/model"
)

// Case is one concrete input for one law and one kernel: plain data, printable, replayable.
type Case struct {
	Law    model.LawID
	Kernel string // the subject's name
	Expect Expect // "" is ExpectHolds
	// Want is the right result where the case states one, as text in the result's format: "0x1p+4",
	// "inf", "nan"; where there are rows, one result for all or one for each. The law judges by its theorem all the same; Want must agree with the oracle.
	Want string

	Behaviour model.Behaviour
	Launch    model.Launch
	// Tree is the schedule, a shape with its leaf count or an explicit tree, as package sumtree
	// writes them; empty for kernels that follow one of their own.
	Tree string
	// Seed feeds what a law draws beside the values: permutations, repetitions.
	Seed uint64
	// Rows is the number of rows of a kernel that reduces many at once; 0 and 1 are one row. X holds
	// the rows one after the other, N()/Rows leaves each.
	Rows int

	// Isolate: the kernel hung or died on this case, so that it is replayed in a child process.
	Isolate bool

	// X are the leaves, Y the second factors of a dot product (of no length otherwise): one for
	// each leaf, or one for each leaf of a row, which then all rows share.
	X, Y Values
	// Gen is the recipe that expands into X and Y, where a case is stored by its recipe.
	Gen string
	// Deferred is set while X and Y still wait for Gen to be expanded; see Expand.
	Deferred *Deferred

	Comments []string // provenance, without the leading "# "
	Before   []Body   // the calls that come first
}

// Deferred is what a case file says of values that it stores by their recipe.
type Deferred struct {
	Format model.Format
	N      int
	SHA256 [32]byte // the Digest of the values
}

// N returns the number of leaves, also of a case that is not expanded yet.
func (c *Case) N() int {
	if c.Deferred != nil {
		return c.Deferred.N
	}
	return c.X.Len()
}

// Format returns the format of the leaves, also of a case that is not expanded yet.
func (c *Case) Format() model.Format {
	if c.Deferred != nil {
		return c.Deferred.Format
	}
	return c.X.Format
}

// Head returns the keys that every file has.
func (c *Case) Head() Header {
	return Header{c.Law, c.Kernel, c.Expect, c.Behaviour, c.Launch, c.Seed, c.Isolate, c.Comments, c.Before}
}

// SetHead replaces them.
func (c *Case) SetHead(h Header) {
	c.Law, c.Kernel, c.Expect, c.Behaviour, c.Launch, c.Seed, c.Isolate, c.Comments = h.Law, h.Kernel, h.Expect, h.Behaviour, h.Launch, h.Seed, h.Isolate, h.Comments
	c.Before = h.Before
}

// caseCodec reads and writes a Case.
type caseCodec struct {
	c      *Case
	o      Options
	format model.Format
	n, ny  int
	sum    [32]byte // the digest of the recipe's values
	x, y   vector
	stored func() bool // the values are stored by their recipe
}

func (c *Case) codec(o Options) codec {
	e := &caseCodec{c: c, o: o, format: c.Format(), n: c.N(), ny: c.Y.Len(), x: vector{key: "x"}, y: vector{key: "y"}}
	e.stored = sync.OnceValue(e.byRecipe)
	return e
}

func (e *caseCodec) kind() *kind { return kinds[0] }

func (e *caseCodec) rows() *rowLayout { return nil }

func (e *caseCodec) keys(h *Header) []key {
	c := e.c
	want := key{
		name: "want", aside: true,
		set:  func(s string) (err error) { c.Want, err = canonicalWant(s); return err },
		text: func() string { s, _ := canonicalWant(c.Want); return s }, // which check has found right
	}
	ny := countKey("ny", &e.ny, 0, MaxN)
	ny.required, ny.aside = false, true
	count := ny.text
	ny.text = func() string {
		if e.ny == 0 || e.ny == e.n || e.stored() {
			return ""
		}
		return count()
	}
	return append([]key{
		h.key("law"), h.key("kernel"), h.key("expect"), want, h.key("behaviour"), h.key("launch"), textKey("tree", &c.Tree),
		h.key("seed"), severalKey("rows", &c.Rows, MaxN), h.key("isolate"), formatKey(&e.format), countKey("n", &e.n, 0, MaxN), ny,
	}, recipeKeys(&c.Gen, &e.sum, e.stored)...)
}

func (e *caseCodec) element(p *parser, key, value string, at place) error {
	v := &e.x
	if key == "y" {
		v = &e.y
	}
	return v.read(p, value, at, MaxN)
}

// finish checks the file as a whole and makes the vectors.
func (e *caseCodec) finish(p *parser, _ place) error {
	c := e.c
	if err := checkWants(c.Want, c.Rows); err != nil {
		return p.fail(p.seen["want"], "%w", err)
	}
	if err := checkRows(e.n, c.Rows); err != nil {
		return p.fail(p.seen["rows"], "%w", err)
	}
	if e.format.IsZero() {
		e.format = model.Binary32
	}
	p.h.Expect = p.h.Expect.orHolds()
	if gen, ok := p.seen["gen"]; ok {
		return e.finishGen(p, gen)
	}
	if at, ok := p.seen["sha256"]; ok {
		return p.fail(at, "sha256 stands without the line gen whose values it is of")
	}
	at, ok := p.seen["ny"]
	if !ok {
		e.ny, at = e.n, p.seen["n"]
	} else if err := checkFactors(e.n, e.ny, c.Rows); err != nil {
		return p.fail(at, "%w", err)
	}
	var err error
	if c.X, err = e.values(p, &e.x, e.n, p.seen["n"]); err != nil {
		return err
	}
	if ok || len(e.y.list) > 0 {
		c.Y, err = e.values(p, &e.y, e.ny, at)
	}
	return err
}

// values makes the vector of n elements.
func (e *caseCodec) values(p *parser, v *vector, n int, at place) (Values, error) {
	if err := v.decode(p, n, at, func(s string) (uint64, error) { return ParseValue(e.format, s) }); err != nil {
		return Values{}, err
	}
	if err := e.o.fits(e.format, n); err != nil {
		return Values{}, p.fail(at, "%w", err)
	}
	x := NewValues(e.format, n)
	for _, leaf := range v.list {
		x.Set(leaf.index, leaf.code)
	}
	return x, nil
}

// finishGen makes the vectors of a case with a recipe, or leaves it for Expand.
func (e *caseCodec) finishGen(p *parser, gen place) error {
	c := e.c
	for _, v := range []vector{e.x, e.y} {
		if len(v.list) > 0 {
			return p.fail(v.list[0].at, "a case with a recipe (line %d) lists no values; delete one of them", gen.line)
		}
	}
	if at, ok := p.seen["ny"]; ok {
		return p.fail(at, "a case with a recipe (line %d) takes the number of second factors from it; delete one of them", gen.line)
	}
	c.Deferred = &Deferred{e.format, e.n, e.sum}
	sum, hasSum := p.seen["sha256"]
	if e.o.keepGen && hasSum {
		return nil
	}
	x, y, err := e.o.expand(c.Gen, e.format, e.n)
	switch {
	case errors.Is(err, errNoExpander) && hasSum:
		return nil
	case err != nil:
		return p.fail(gen, "%w", err)
	case !hasSum:
		return p.fail(gen, "a recipe needs the digest of its values after it; add the line: sha256 %x", Digest(x, y))
	}
	if err := changed(c.Gen, Digest(x, y), e.sum); err != nil {
		return p.fail(sum, "%w", err)
	}
	if err := checkFactors(x.Len(), y.Len(), c.Rows); err != nil {
		return p.fail(gen, "recipe %s: %w", quote(c.Gen), err)
	}
	c.X, c.Y, c.Deferred = x, y, nil
	return nil
}

// check says what keeps c from being written so that it reads back the same.
func (e *caseCodec) check(*Header) error {
	c, f := e.c, e.format
	want, err := canonicalWant(c.Want)
	if err != nil {
		return err
	}
	if err := checkWants(want, c.Rows); err != nil {
		return err
	}
	if err := checkSpaces(c.Gen); err != nil {
		return err
	}
	if err := checkFormat(f); err != nil {
		return err
	}
	if err := checkRows(e.n, c.Rows); err != nil {
		return err
	}
	if c.Deferred == nil {
		if err := checkFactors(e.n, e.ny, c.Rows); err != nil {
			return err
		}
	}
	switch {
	case c.Deferred != nil && c.Gen == "":
		return errors.New("its values are deferred, and it has no recipe")
	case c.Deferred != nil && c.X.Len()+c.Y.Len() > 0:
		return errors.New("its values are deferred and present at once")
	case e.ny != 0 && c.Y.Format != f:
		return fmt.Errorf("the leaves are in %s, and the second factors in %s", f, c.Y.Format)
	}
	return nil
}

// genThreshold is the number of leaves other than +0 up to which a case lists its values even
// where it has another package's recipe: what a reader can see needs no generator.
const genThreshold = 4096

// byRecipe says whether c is to be stored by its recipe, and notes the digest of its values if so.
func (e *caseCodec) byRecipe() bool {
	c := e.c
	if c.Deferred != nil {
		e.sum = c.Deferred.SHA256
		return true
	}
	if c.Gen == "" || !ownRecipe(c.Gen) && nonzero(c.X)+nonzero(c.Y) <= genThreshold {
		return false
	}
	x, y, err := e.o.expand(c.Gen, c.X.Format, c.X.Len())
	if err != nil || !x.Equal(c.X) || y.Len() != c.Y.Len() || y.Len() > 0 && !y.Equal(c.Y) {
		return false
	}
	e.sum = Digest(x, y)
	return true
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

func (e *caseCodec) identify(b *bytes.Buffer) {
	sum := [32]byte{}
	if e.c.Deferred != nil {
		sum = e.c.Deferred.SHA256
	} else {
		sum = Digest(e.c.X, e.c.Y)
	}
	fmt.Fprintf(b, "sha256 %x\n", sum)
}

func (e *caseCodec) write(b *bytes.Buffer) {
	if e.stored() {
		return
	}
	format := func(code uint64) {
		b.WriteString(FormatValue(e.format, code))
		if e.format.IsFinite(code) {
			b.WriteString("    # ")
			b.WriteString(decode(e.format, code).decimal())
		}
	}
	writeVector(b, "x", e.c.X.Len(), e.c.X.At, format)
	writeVector(b, "y", e.c.Y.Len(), e.c.Y.At, format)
}

// checkFactors says whether ny second factors go with n leaves: none, one each, or one for each
// leaf of a row, which all rows share.
func checkFactors(n, ny, rows int) error {
	if ny != 0 && ny != n && ny != n/max(rows, 1) {
		return fmt.Errorf("%d second factors go with %d leaves in %d rows neither one to one nor one to each leaf of a row", ny, n, max(rows, 1))
	}
	return nil
}

// checkRows says whether n leaves make rows of one length.
func checkRows(n, rows int) error {
	if rows > 1 && n%rows != 0 {
		return fmt.Errorf("%d leaves do not make %d rows of one length", n, rows)
	}
	return nil
}

// canonicalWant returns the right results, one for each row or one for all, in canonical form.
func canonicalWant(s string) (string, error) {
	words := strings.Fields(s)
	for i, w := range words {
		var err error
		if words[i], err = canonicalResult(w); err != nil {
			return "", err
		}
	}
	same := len(words) > 0
	for _, w := range words {
		same = same && w == words[0]
	}
	if same {
		return words[0], nil
	}
	return strings.Join(words, " "), nil
}

// checkWants says whether want has a result for every row, or one for all.
func checkWants(want string, rows int) error {
	if k := len(strings.Fields(want)); k > 1 && k != max(rows, 1) {
		return fmt.Errorf("want gives %d results, and there are %d rows", k, max(rows, 1))
	}
	return nil
}

// canonicalResult returns a right result in canonical form. It has no format of its own, for the
// result's may differ from the leaves'.
func canonicalResult(s string) (string, error) {
	switch s {
	case "inf", "-inf", "nan":
		return s, nil
	case "+inf":
		return "inf", nil
	}
	d, err := parseHex(s)
	if err != nil {
		return "", fmt.Errorf("want is a hex float, inf, -inf or nan: %w", err)
	}
	return d.String(), nil
}
