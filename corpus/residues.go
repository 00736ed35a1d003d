package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gamma/model"
)

// Ring says modulo which polynomial a transform multiplies.
type Ring string

const (
	Cyclic     Ring = "cyclic"     // x^n - 1
	Negacyclic Ring = "negacyclic" // x^n + 1
)

// check says whether g is a ring.
func (g Ring) check() error {
	if g != Cyclic && g != Negacyclic {
		return fmt.Errorf("%s is not a ring; it is %s or %s", quote(string(g)), Cyclic, Negacyclic)
	}
	return nil
}

// Residues is a case of arithmetic modulo q, for one law and one kernel: rows of operands of one operation, or the numbers that a
// transform takes. Plain data, printable, replayable. Its file ends in .residues; see the package comment.
//
// It has rows, all of as many words, or is of a transform, or has neither: of a law that wants a modulus alone. Whether a word is
// reduced, the modulus prime or the root one is for the law to say: files of the laws that want errors have others.
type Residues struct {
	Law       model.LawID
	Kernel    string
	Expect    Expect // of a file without rows; "" is ExpectHolds
	Behaviour model.Behaviour
	Launch    model.Launch
	Bits      int
	Modulus   uint64
	Seed      uint64
	Isolate   bool // the kernel hung or died on the case: it is replayed in a child process

	// Batch: the rows run in one call; otherwise each is a case of its own.
	Batch bool
	Rows  []ResidueRow

	N     int // the points of a transform; 0: the file is not of one
	Count int // of transforms in x; 0 and 1 are one
	Ring  Ring
	Root  uint64
	// X and Y are the words of a transform, N·Count of each, or none of Y. Both are nil while they wait for Gen to be expanded.
	X, Y []uint64
	// Gen is the recipe that expands into X and Y, where they are stored by one. Who changes X or Y clears it.
	Gen    string
	SHA256 [32]byte // the digest on file of what Gen gives

	Comments []string // at the head, without the leading "# "
	Before   []Body   // the calls that come first
}

// Len returns how many words x has, also while it waits for its recipe.
func (r *Residues) Len() int { return r.N * max(r.Count, 1) }

// Head returns the keys that every file has.
func (r *Residues) Head() Header {
	return Header{r.Law, r.Kernel, r.Expect, r.Behaviour, r.Launch, r.Seed, r.Isolate, r.Comments, r.Before}
}

// SetHead replaces them.
func (r *Residues) SetHead(h Header) {
	r.Law, r.Kernel, r.Expect, r.Behaviour, r.Launch, r.Seed, r.Isolate, r.Comments = h.Law, h.Kernel, h.Expect, h.Behaviour, h.Launch, h.Seed, h.Isolate, h.Comments
	r.Before = h.Before
}

// residuesCodec reads and writes Residues.
type residuesCodec struct {
	r    *Residues
	x, y vector
	sum  [32]byte // the digest of X and Y, once check has run
}

func (r *Residues) codec(Options) codec {
	return &residuesCodec{r: r, x: vector{key: "x"}, y: vector{key: "y"}, sum: r.SHA256}
}

func (e *residuesCodec) kind() *kind { return kinds[2] }

func (e *residuesCodec) rows() *rowLayout {
	r := e.r
	return &rowLayout{
		list: &r.Rows, words: -1, batch: r.Batch, parse: r.parseWord,
		format: func(w uint64) (string, error) { return strconv.FormatUint(w, 10), r.checkWord(w) },
	}
}

// parseWord reads a word of the file.
func (r *Residues) parseWord(s string) (uint64, error) {
	w, err := parseWord(s)
	if err == nil {
		err = r.checkWord(w)
	}
	return w, err
}

// checkWord says whether w is a word of the file.
func (r *Residues) checkWord(w uint64) error {
	if w > ^uint64(0)>>(64-r.Bits) {
		return fmt.Errorf("%d is not a word of %d bits", w, r.Bits)
	}
	return nil
}

func checkBits(b int) error {
	if b != 8 && b != 16 && b != 32 && b != 64 {
		return fmt.Errorf("words have 8, 16, 32 or 64 bits, not %d", b)
	}
	return nil
}

// transformKeys are the keys of a transform.
var transformKeys = []string{"n", "count", "ring", "root", "gen", "sha256"}

func (e *residuesCodec) keys(h *Header) []key {
	r := e.r
	// unless returns k, of which files of the other sort have no line.
	unless := func(other func() bool, k key) key {
		text := k.text
		k.required = false
		k.text = func() string {
			if other() {
				return ""
			}
			return text()
		}
		return k
	}
	hasRows := func() bool { return len(r.Rows) > 0 }
	noTransform := func() bool { return r.N == 0 }
	number := func(name string, w *uint64) key {
		k := wordKey(name, w)
		k.text = func() string { return strconv.FormatUint(*w, 10) }
		return k
	}
	modulus := number("modulus", &r.Modulus)
	modulus.required = true
	bits := countKey("bits", &r.Bits, 8, 64)
	set := bits.set
	bits.set = func(s string) error {
		if err := set(s); err != nil {
			return err
		}
		return checkBits(r.Bits)
	}
	ring := key{
		name: "ring", text: func() string { return string(r.Ring) },
		set: func(s string) error { r.Ring = Ring(s); return r.Ring.check() },
	}
	return append([]key{
		h.key("law"), h.key("kernel"), unless(hasRows, h.key("expect")), h.key("behaviour"), h.key("launch"), bits, modulus,
		h.key("seed"), h.key("isolate"), flagKey("batch", &r.Batch, "rows that run alone"),
		unless(noTransform, countKey("n", &r.N, 1, MaxResidues)), severalKey("count", &r.Count, MaxResidues),
		unless(noTransform, ring), unless(noTransform, number("root", &r.Root)),
	}, recipeKeys(&r.Gen, &e.sum, func() bool { return r.Gen != "" })...)
}

func (e *residuesCodec) element(p *parser, key, value string, at place) error {
	switch key {
	case "x":
		return e.x.read(p, value, at, MaxResidues)
	case "y":
		return e.y.read(p, value, at, MaxResidues)
	}
	return e.rows().read(p, value, at)
}

// finish checks the file as a whole.
func (e *residuesCodec) finish(p *parser, end place) error {
	r := e.r
	r.SHA256 = e.sum
	if len(r.Rows) > 0 {
		for _, name := range append(transformKeys, "expect") {
			if at, ok := p.seen[name]; ok {
				return p.fail(at, "the file has rows, and %s is for files without", name)
			}
		}
	} else if at, ok := p.seen["batch"]; ok {
		return p.fail(at, "the file has no rows, and batch speaks of them")
	}
	listed := slices.Concat(e.x.list, e.y.list)
	if _, ok := p.seen["n"]; !ok {
		for _, name := range transformKeys {
			if at, ok := p.seen[name]; ok {
				return p.fail(at, "%s is for transforms, and there is no line n; add it", name)
			}
		}
		if len(listed) > 0 {
			return p.fail(listed[0].at, "x and y are for transforms, and there is no line n; add it")
		}
		return nil
	}
	for _, name := range []string{"ring", "root"} {
		if _, ok := p.seen[name]; !ok {
			return p.fail(end, "a transform has a line %q; it is missing, or the file is cut off", name)
		}
	}
	size := p.seen["n"]
	if at, ok := p.seen["count"]; ok {
		size = at
	}
	if r.Len() > MaxResidues {
		return p.fail(size, "%d transforms of %d points are more than %d words", r.Count, r.N, MaxResidues)
	}
	gen, byGen := p.seen["gen"]
	sum, hasSum := p.seen["sha256"]
	switch {
	case byGen && len(listed) > 0:
		return p.fail(listed[0].at, "x and y come from the recipe in line %d; delete one of them", gen.line)
	case byGen && !hasSum:
		return p.fail(gen, "a recipe needs a line sha256%s", r.expandsTo())
	case hasSum && !byGen:
		return p.fail(sum, "sha256 belongs to a recipe, and there is no line gen")
	case byGen:
		return nil
	}
	var err error
	if r.X, err = e.x.words(p, r.Len(), size, r.parseWord); err != nil || len(e.y.list) == 0 {
		return err
	}
	r.Y, err = e.y.words(p, r.Len(), size, r.parseWord)
	return err
}

// check says what keeps r from being written so that it reads back the same, and notes the digest of X and Y.
func (e *residuesCodec) check(h *Header) (err error) {
	r := e.r
	if err := checkBits(r.Bits); err != nil {
		return err
	}
	if err := checkSpaces(r.Gen); err != nil {
		return err
	}
	switch {
	case len(r.Rows) > 0 && (r.N != 0 || h.Expect != ""):
		return errors.New("it has rows, and is of a transform or expects something as a whole")
	case len(r.Rows) == 0 && r.Batch:
		return errors.New("it is a batch, and has no rows")
	case r.N < 0 || r.N > MaxResidues || r.Count < 0 || r.Count > MaxResidues || r.Len() > MaxResidues:
		return fmt.Errorf("%d transforms of %d points are none, or more than %d words", r.Count, r.N, MaxResidues)
	case r.N == 0 && (r.Count != 0 || r.Ring != "" || r.Root != 0 || r.X != nil || r.Y != nil || r.Gen != ""):
		return errors.New("it has numbers of a transform, and N is 0")
	case r.N == 0:
		return nil
	}
	if err := r.Ring.check(); err != nil {
		return err
	}
	e.sum, err = r.digest()
	return err
}

// checkNumbers says what is wrong with X and Y, or nil.
func (r *Residues) checkNumbers() error {
	if len(r.X) != r.Len() || r.Y != nil && len(r.Y) != r.Len() {
		return fmt.Errorf("x has %d words and y %d; %d transforms of %d points have %d of x, and as many or none of y", len(r.X), len(r.Y), max(r.Count, 1), r.N, r.Len())
	}
	for _, v := range [][]uint64{r.X, r.Y} {
		for i, w := range v {
			if err := r.checkWord(w); err != nil {
				return fmt.Errorf("place %d: %w", i, err)
			}
		}
	}
	return nil
}

func (e *residuesCodec) identify(b *bytes.Buffer) {
	if e.r.N != 0 {
		fmt.Fprintf(b, "%x\n", e.sum)
	}
}

func (e *residuesCodec) write(b *bytes.Buffer) {
	if e.r.Gen != "" {
		return
	}
	format := func(w uint64) { b.WriteString(strconv.FormatUint(w, 10)) }
	writeVector(b, "x", len(e.r.X), func(i int) uint64 { return e.r.X[i] }, format)
	writeVector(b, "y", len(e.r.Y), func(i int) uint64 { return e.r.Y[i] }, format)
}

// ResidueExpander turns the recipe of r, of which all but X and Y is known, into x and y, or no y. The same recipe must give the
// same words for ever: a file stores their DigestResidues, and a change is an error there.
type ResidueExpander func(r *Residues) (x, y []uint64, err error)

// Expand fills X and Y where they wait for their recipe, and does nothing otherwise. It runs this package's own recipes itself and
// leaves others to expand, which may be nil if there are none. It is an error if the recipe is not known, or now gives other words
// than when the file was saved.
func (r *Residues) Expand(expand ResidueExpander) error {
	if r.Gen == "" || r.X != nil {
		return nil
	}
	x, y, err := r.expand(expand)
	if err != nil {
		return err
	}
	if err := changed(r.Gen, DigestResidues(r.Bits, x, y), r.SHA256); err != nil {
		return err
	}
	r.X, r.Y = x, y
	return nil
}

// DigestResidues returns the sha256 of the text "residues bits lengthOfX lengthOfY" and a newline, then the words of x and of y, each
// in 8 bytes in little-endian order.
func DigestResidues(bits int, x, y []uint64) [32]byte {
	h := sha256.New()
	fmt.Fprintf(h, "residues %d %d %d\n", bits, len(x), len(y))
	var buf []byte
	for _, v := range [][]uint64{x, y} {
		for part := range slices.Chunk(v, 1024) {
			buf = buf[:0]
			for _, w := range part {
				buf = binary.LittleEndian.AppendUint64(buf, w)
			}
			h.Write(buf)
		}
	}
	return [32]byte(h.Sum(nil))
}

// digest returns the digest of X and Y, or the one on file while they wait for their recipe.
func (r *Residues) digest() ([32]byte, error) {
	if r.X == nil && r.Gen != "" {
		if r.SHA256 == [32]byte{} {
			return r.SHA256, errors.New("its numbers wait for their recipe, and it has no sha256; run Expand, or set X")
		}
		return r.SHA256, nil
	}
	if err := r.checkNumbers(); err != nil {
		return [32]byte{}, err
	}
	sum := DigestResidues(r.Bits, r.X, r.Y)
	if ownRecipe(r.Gen) {
		x, y, err := r.expand(nil)
		if err != nil {
			return sum, err
		}
		if DigestResidues(r.Bits, x, y) != sum {
			return sum, fmt.Errorf("the recipe %s does not give its x and y; clear Gen", quote(r.Gen))
		}
	}
	return sum, nil
}

// expandsTo returns what Gen's sha256 is, for an error that misses it.
func (r *Residues) expandsTo() string {
	if !ownRecipe(r.Gen) {
		return ", which the generator's package knows"
	}
	x, y, err := r.expand(nil)
	if err != nil {
		return "; and: " + err.Error()
	}
	return fmt.Sprintf("; it is %x", DigestResidues(r.Bits, x, y))
}

// expand runs the recipe.
func (r *Residues) expand(expand ResidueExpander) (x, y []uint64, err error) {
	switch {
	case ownRecipe(r.Gen):
		x, y, err = r.expandOwn()
	case expand == nil:
		err = errors.New("no generator is at hand for it; give Expand the one of the package that saved it")
	default:
		x, y, err = expand(r)
	}
	if err == nil {
		filled := *r
		filled.X, filled.Y = x, y
		err = filled.checkNumbers()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("recipe %s: %w", quote(r.Gen), err)
	}
	return x, y, nil
}

// expandOwn runs a recipe of this package, whose word i of iota is i modulo q.
func (r *Residues) expandOwn() (x, y []uint64, err error) {
	x = make([]uint64, r.Len())
	factors, err := fill(r.Gen, len(x), func(i int, w uint64) { x[i] = w }, parseWord, func(i int) (uint64, error) {
		if r.Modulus == 0 {
			return 0, errors.New("there is no number modulo 0")
		}
		return uint64(i) % r.Modulus, nil
	})
	if err == nil && factors != nil {
		y = slices.Repeat([]uint64{*factors}, len(x))
	}
	return x, y, err
}
