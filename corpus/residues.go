package corpus

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gamma/model"
)

// Ring says modulo which polynomial a transform multiplies.
type Ring string

const (
	Cyclic     Ring = "cyclic"     // x^n - 1
	Negacyclic Ring = "negacyclic" // x^n + 1
)

// Residues is a case of arithmetic modulo q, for one law and one kernel: rows of operands of one operation, or the numbers that a
// transform takes. Plain data, printable, replayable.
//
// It is one text file whose name ends in .residues, in UTF-8, a key and its value on each line. Rows look like this:
//
//	gamma residues v1
//	# Lost carry: the lower half of a·b is 0.
//	law mont.value
//	kernel montgomery.Multiply
//	bits 64
//	modulus 1152921504606748673
//	row 4294967296 4294967296 holds # 2^32 by itself
//
// and a transform like this, where x and y are the words at places 17, 5 and 0:
//
//	gamma residues v1
//	# One wrong twiddle.
//	law ntt.convolution
//	kernel ntt.Mutant
//	expect violated
//	bits 64
//	modulus 97
//	n 32
//	ring negacyclic
//	root 19
//	x 17 5
//	x 5 96
//	y 0 1
//
// The grammar:
//
//	file  = "gamma residues v1" NL { line NL }
//	line  = "" | "#" comment | key SPACE value | place | row
//	place = ( "x" | "y" ) SPACE index SPACE word
//	row   = "row" { SPACE word } SPACE ( "holds" | "violated" ) [ SPACE "#" comment ]
//	word  = digits | "0x" hexdigits
//
// Keys stand before rows, each at most once. This is how the canonical form orders them:
//
//	law        the law's name
//	kernel     the subject's name
//	expect     of a file without rows: holds, the default, or violated, as in a case
//	behaviour  as in a case; default: plain
//	launch     as in a case; default: none
//	bits       8, 16, 32 or 64: the bits of a word
//	modulus    q, of 64 bits at most, whether the kernel can take it or not
//	seed       a number that feeds what a law draws beside the numbers; default 0
//	batch      yes, where the rows must run in one call, in their order
//	n          the points of a transform, 1 to 2^22; its presence makes the file one of a transform
//	count      the number of transforms, one after the other in x and in y, which one call runs; default 1
//	ring       cyclic or negacyclic; a transform needs it
//	root       the root of unity; a transform needs it
//	gen        a recipe for x and y, in place of their lines; see below
//	sha256     the DigestResidues of what the recipe gives
//
// law, kernel, bits and modulus must be there. A file has rows, all of as many words, or is of a transform, or has neither: of a law
// that wants a modulus alone. Places that are not listed hold 0. One y line at least makes y as long as x; if all of it is 0, it is
// "y 0 0". The canonical form writes decimal numbers, places in ascending order, x before y.
//
// Whether a word is reduced, the modulus prime or the root one is for the law to say: files of the laws that want errors have others.
//
// A long x or y is stored by a recipe and the sha256 of what it gave. The file is read without it, and Expand runs it.
// Two recipes need no generator of others:
//
//	gen const value=V [first=V] [y=V]    every word is value, the first one first; y sets all of y
//	gen iota                             word i is i modulo q
type Residues struct {
	Law       model.LawID
	Kernel    string
	Expect    Expect // of a file without rows; "" is ExpectHolds
	Behaviour model.Behaviour
	Launch    model.Launch
	Bits      int
	Modulus   uint64
	Seed      uint64

	// Batch: the rows run in one call; otherwise each is a case of its own.
	Batch bool
	Rows  []ResidueRow

	N     int // the points of a transform; 0: the file is of none
	Count int // of transforms in x; 0 and 1 are one
	Ring  Ring
	Root  uint64
	// X and Y are the words of a transform, N·Count of each, or none of Y. Both are nil while they wait for Gen to be expanded.
	X, Y []uint64
	// Gen is the recipe that expands into X and Y, where they are stored by one. Who changes X or Y clears it.
	Gen    string
	SHA256 [32]byte // the digest on file of what Gen gives

	Comments []string // at the head, without the leading "# "
}

// ResidueRow is one row of operands.
type ResidueRow struct {
	Words   []uint64
	Expect  Expect // "" is ExpectHolds
	Comment string
	Line    int // of the file; 0 if it comes of none
}

// ResiduesFile is what a file holds and where it was loaded from.
type ResiduesFile struct {
	Path     string
	Residues *Residues
}

// residuesHeader is the first line of every file of residues.
const residuesHeader = "gamma residues v1"

// MaxResidues bounds the words of x, and those of y.
const MaxResidues = 1 << 22

// Len returns how many words x has, also while it waits for its recipe.
func (r *Residues) Len() int { return r.N * max(r.Count, 1) }

// ParseResidues reads a file of residues. Every error that it returns is an *Error, with line and column. file is the name that
// errors give.
func ParseResidues(text []byte, file string) (*Residues, error) {
	if file == "" {
		file = "residues"
	}
	r := residuesReader{p: parser{o: Options{File: file}}, seen: map[string]place{}}
	if len(text) > MaxTableBytes {
		return nil, r.p.fail(place{1, 1}, "the file has %d bytes, more than %d; part it, or store x and y by a recipe", len(text), MaxTableBytes)
	}
	rest, line := text, 0
	for len(rest) > 0 {
		line++
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return nil, r.p.fail(place{line, len(rest) + 1}, "the last line has no newline at its end: the file is cut off; complete it")
		}
		s := strings.TrimSuffix(string(rest[:i]), "\r")
		rest = rest[i+1:]
		if at := badByte(s); at >= 0 {
			return nil, r.p.fail(place{line, at + 1}, "byte %#02x is not text in UTF-8, or a control character; a file of residues has neither", s[at])
		}
		if line == 1 {
			switch t := strings.TrimRight(s, " \t"); {
			case t == residuesHeader:
			case strings.HasPrefix(t, "gamma residues v"):
				return nil, r.p.fail(place{1, 1}, "the file says %s, and this version of gamma reads %q only", quote(t), residuesHeader)
			default:
				return nil, r.p.fail(place{1, 1}, "the file is none of residues: its first line must be %q", residuesHeader)
			}
			continue
		}
		if err := r.line(s, line); err != nil {
			return nil, err
		}
	}
	if line == 0 {
		return nil, r.p.fail(place{1, 1}, "the file is empty; its first line is %q", residuesHeader)
	}
	if err := r.finish(place{line + 1, 1}); err != nil {
		return nil, err
	}
	return &r.r, nil
}

// residuesReader reads the lines of a file of residues.
type residuesReader struct {
	p    parser // for its errors
	r    Residues
	seen map[string]place // each key's value
	x, y []residueEntry
}

// residueEntry is an x or y line.
type residueEntry struct {
	index int
	word  uint64
	at    place
}

var residuesKeys = []string{
	"law", "kernel", "expect", "behaviour", "launch", "bits", "modulus", "seed", "batch", "n", "count", "ring", "root", "gen", "sha256",
}

func (r *residuesReader) line(s string, line int) error {
	s = strings.TrimRight(s, " \t")
	t := strings.TrimLeft(s, " \t")
	at := place{line, len(s) - len(t) + 1}
	switch {
	case t == "":
		return nil
	case t[0] == '#':
		if len(r.r.Rows) > 0 {
			return r.p.fail(at, "a comment of its own stands before the rows; write it behind a row")
		}
		r.r.Comments = append(r.r.Comments, comment(strings.TrimPrefix(t[1:], " ")))
		return nil
	}
	key, val := cutField(t)
	valAt := place{line, len(s) - len(val) + 1}
	switch key {
	case "row":
		return r.row(val, valAt)
	case "x":
		return r.entry(&r.x, val, valAt)
	case "y":
		return r.entry(&r.y, val, valAt)
	}
	if !slices.Contains(residuesKeys, key) {
		return r.p.fail(at, "no key is called %s; known are %s, x, y and row", quote(key), strings.Join(residuesKeys, ", "))
	}
	switch was, twice := r.seen[key]; {
	case twice:
		return r.p.fail(at, "%s stands in line %d already; leave one of them", key, was.line)
	case len(r.r.Rows) > 0:
		return r.p.fail(at, "%s stands behind a row; keys come first", key)
	case val == "":
		return r.p.fail(valAt, "%s has no value", key)
	}
	r.seen[key] = valAt
	if err := r.set(key, val); err != nil {
		return r.p.fail(valAt, "%s: %w", key, err)
	}
	return nil
}

func (r *residuesReader) set(key, val string) (err error) {
	c := &r.r
	switch key {
	case "law":
		c.Law = model.LawID(val)
		return checkLaw(c.Law)
	case "kernel":
		c.Kernel = val
		return checkText(val)
	case "expect":
		c.Expect = Expect(val)
		return checkExpect(c.Expect)
	case "behaviour":
		c.Behaviour, err = model.ParseBehaviour(val)
	case "launch":
		c.Launch, err = parseLaunch(val)
	case "bits":
		if c.Bits, err = parseCount(val, 8, 64); err == nil {
			err = checkBits(c.Bits)
		}
	case "modulus":
		c.Modulus, err = parseWord(val)
	case "seed":
		c.Seed, err = parseWord(val)
	case "batch":
		if c.Batch = val == "yes"; !c.Batch {
			return fmt.Errorf("%s is not yes; leave the line out for rows that run alone", quote(val))
		}
	case "n":
		c.N, err = parseCount(val, 1, MaxResidues)
	case "count":
		if c.Count, err = parseCount(val, 1, MaxResidues); c.Count == 1 {
			c.Count = 0
		}
	case "ring":
		c.Ring = Ring(val)
		return c.Ring.check()
	case "root":
		c.Root, err = parseWord(val)
	case "gen":
		c.Gen = strings.Join(strings.Fields(val), " ")
		return checkText(c.Gen)
	case "sha256":
		var b []byte
		if b, err = hex.DecodeString(val); err != nil || len(b) != len(c.SHA256) {
			return fmt.Errorf("%s is not 64 hex digits", quote(val))
		}
		c.SHA256 = [32]byte(b)
	}
	return err
}

func (g Ring) check() error {
	if g != Cyclic && g != Negacyclic {
		return fmt.Errorf("%s is no ring; it is %s or %s", quote(string(g)), Cyclic, Negacyclic)
	}
	return nil
}

func checkBits(b int) error {
	if b != 8 && b != 16 && b != 32 && b != 64 {
		return fmt.Errorf("words have 8, 16, 32 or 64 bits, not %d", b)
	}
	return nil
}

// parseWord reads a number of 64 bits, decimal or hexadecimal.
func parseWord(s string) (uint64, error) {
	digits, base := s, 10
	if after, ok := strings.CutPrefix(s, "0x"); ok {
		digits, base = after, 16
	}
	w, err := strconv.ParseUint(digits, base, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s has more than 64 bits", quote(s))
	case err != nil:
		return 0, fmt.Errorf("%s is no number; write decimal digits, or 0x and hex digits", quote(s))
	}
	return w, nil
}

// checkWord says that w is none of the file's words, or nil.
func (r *Residues) checkWord(w uint64) error {
	if w > ^uint64(0)>>(64-r.Bits) {
		return fmt.Errorf("%d is no word of %d bits", w, r.Bits)
	}
	return nil
}

// head checks that the keys are there that every file has.
func (r *residuesReader) head(at place) error {
	for _, key := range []string{"law", "kernel", "bits", "modulus"} {
		if _, ok := r.seen[key]; !ok {
			return r.p.fail(at, "there is no line %q before this one; it is missing, or the file is cut off", key)
		}
	}
	return nil
}

// entry reads the rest of an x or y line.
func (r *residuesReader) entry(list *[]residueEntry, val string, at place) error {
	index, rest := cutField(val)
	word, tail := cutField(rest)
	i, err := parseCount(index, 0, MaxResidues-1)
	if err != nil {
		return r.p.fail(at, "place: %w", err)
	}
	wordAt := place{at.line, at.col + len(val) - len(rest)}
	switch {
	case word == "":
		return r.p.fail(wordAt, "place %d has no word", i)
	case tail != "":
		return r.p.fail(place{at.line, at.col + len(val) - len(tail)}, "there is more behind the word; comments stand on lines of their own")
	}
	w, err := parseWord(word)
	if err != nil {
		return r.p.fail(wordAt, "%w", err)
	}
	*list = append(*list, residueEntry{i, w, at})
	return nil
}

// row reads the rest of a row.
func (r *residuesReader) row(s string, at place) error {
	if err := r.head(place{at.line, 1}); err != nil {
		return err
	}
	row := ResidueRow{Line: at.line}
	if i := strings.IndexByte(s, '#'); i >= 0 {
		row.Comment = strings.TrimLeft(comment(strings.TrimLeft(s[i+1:], " \t")), " ")
		s = s[:i]
	}
	for rest, col := s, at.col; ; {
		trimmed := strings.TrimLeft(rest, " \t")
		col += len(rest) - len(trimmed)
		if trimmed == "" {
			break
		}
		field, next := cutField(trimmed)
		here := place{at.line, col}
		switch {
		case row.Expect != "":
			return r.p.fail(here, "%s stands behind the expectation; only a comment behind # may", quote(field))
		case Expect(field) == ExpectHolds || Expect(field) == ExpectViolated:
			row.Expect = Expect(field)
		default:
			w, err := parseWord(field)
			if err == nil {
				err = r.r.checkWord(w)
			}
			if err != nil {
				return r.p.fail(here, "%w; a row is words with %s or %s behind them", err, ExpectHolds, ExpectViolated)
			}
			if row.Words = append(row.Words, w); len(row.Words) > MaxTableWords {
				return r.p.fail(here, "the row has more than %d words", MaxTableWords)
			}
		}
		col += len(trimmed) - len(next)
		rest = next
	}
	if row.Expect == "" {
		return r.p.fail(place{at.line, at.col + len(s)}, "the row does not end in %s or %s", ExpectHolds, ExpectViolated)
	}
	if n := len(r.r.Rows); n > 0 && len(row.Words) != len(r.r.Rows[0].Words) {
		return r.p.fail(at, "the row has %d words, and the one before it %d; all rows of a file have as many", len(row.Words), len(r.r.Rows[0].Words))
	}
	r.r.Rows = append(r.r.Rows, row)
	return nil
}

// finish checks the file as a whole.
func (r *residuesReader) finish(end place) error {
	if err := r.head(end); err != nil {
		return err
	}
	c := &r.r
	transform := []string{"n", "count", "ring", "root", "gen", "sha256"}
	if len(c.Rows) > 0 {
		for _, key := range append(transform, "expect") {
			if at, ok := r.seen[key]; ok {
				return r.p.fail(at, "the file has rows, and %s is for files without", key)
			}
		}
	} else if at, ok := r.seen["batch"]; ok {
		return r.p.fail(at, "the file has no rows, and batch speaks of them")
	}
	if _, ok := r.seen["n"]; !ok {
		for _, key := range transform {
			if at, ok := r.seen[key]; ok {
				return r.p.fail(at, "%s is for transforms, and there is no line n; add it", key)
			}
		}
		for _, e := range slices.Concat(r.x, r.y) {
			return r.p.fail(e.at, "x and y are for transforms, and there is no line n; add it")
		}
		return nil
	}
	for _, key := range []string{"ring", "root"} {
		if _, ok := r.seen[key]; !ok {
			return r.p.fail(end, "a transform has a line %q; it is missing, or the file is cut off", key)
		}
	}
	if c.Len() > MaxResidues {
		return r.p.fail(r.seen["count"], "%d transforms of %d points are more than %d words", c.Count, c.N, MaxResidues)
	}
	gen, byGen := r.seen["gen"]
	sum, hasSum := r.seen["sha256"]
	switch {
	case byGen && len(r.x)+len(r.y) > 0:
		return r.p.fail(slices.Concat(r.x, r.y)[0].at, "x and y come from the recipe in line %d; leave one of them", gen.line)
	case byGen && !hasSum:
		return r.p.fail(gen, "a recipe needs a line sha256%s", c.expandsTo())
	case hasSum && !byGen:
		return r.p.fail(sum, "sha256 belongs to a recipe, and there is no line gen")
	case byGen:
		return nil
	}
	var err error
	if c.X, err = r.vector(r.x); err != nil || len(r.y) == 0 {
		return err
	}
	c.Y, err = r.vector(r.y)
	return err
}

// vector returns the words that lines list.
func (r *residuesReader) vector(list []residueEntry) ([]uint64, error) {
	v := make([]uint64, r.r.Len())
	seen := make(map[int]int, len(list))
	for _, e := range list {
		if e.index >= len(v) {
			return nil, r.p.fail(e.at, "place %d is not one of 0 to %d", e.index, len(v)-1)
		}
		if was, twice := seen[e.index]; twice {
			return nil, r.p.fail(e.at, "place %d stands in line %d already; leave one of them", e.index, was)
		}
		if err := r.r.checkWord(e.word); err != nil {
			return nil, r.p.fail(e.at, "place %d: %w", e.index, err)
		}
		seen[e.index], v[e.index] = e.at.line, e.word
	}
	return v, nil
}

// FormatResidues returns the file of r in canonical form. If Gen is set, X and Y are stored by it.
func FormatResidues(r *Residues) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(residuesHeader + "\n")
	for _, text := range r.Comments {
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString(strings.TrimRight("# "+comment(line), " ") + "\n")
		}
	}
	err := r.writeHead(&b, true)
	if err == nil && r.N != 0 {
		err = r.writeNumbers(&b)
	}
	if err != nil {
		return nil, fmt.Errorf("corpus: the residues cannot be written: %w", err)
	}
	for i := range r.Rows {
		if err := r.writeRow(&b, &r.Rows[i], true); err != nil {
			return nil, fmt.Errorf("corpus: row %d of the residues cannot be written: %w", i, err)
		}
	}
	if b.Len() > MaxTableBytes {
		return nil, fmt.Errorf("corpus: the residues cannot be written: they take %d bytes, more than %d; part them, or give them a recipe", b.Len(), MaxTableBytes)
	}
	return b.Bytes(), nil
}

// CanonicalResidues returns the canonical form of a file's text. Recipes stay recipes.
func CanonicalResidues(text []byte) ([]byte, error) {
	r, err := ParseResidues(text, "")
	if err != nil {
		return nil, err
	}
	return FormatResidues(r)
}

// writeHead checks r and writes the keys up to the root, with what is expected or without.
func (r *Residues) writeHead(b *bytes.Buffer, expectations bool) error {
	// A case without leaves has the same keys.
	c := &Case{Law: r.Law, Kernel: r.Kernel, Behaviour: r.Behaviour, Launch: r.Launch, Gen: r.Gen, X: Values{Format: model.Binary32}}
	expect := r.Expect
	if expect == "" {
		expect = ExpectHolds
	}
	if err := check(c, expect); err != nil {
		return err
	}
	if err := checkBits(r.Bits); err != nil {
		return err
	}
	switch {
	case len(r.Rows) > 0 && (r.N != 0 || r.Expect != ""):
		return errors.New("it has rows, and is of a transform or expects something as a whole")
	case len(r.Rows) == 0 && r.Batch:
		return errors.New("it is a batch, and has no rows")
	case r.N < 0 || r.N > MaxResidues || r.Count < 0 || r.Count > MaxResidues || r.Len() > MaxResidues:
		return fmt.Errorf("%d transforms of %d points are none, or more than %d words", r.Count, r.N, MaxResidues)
	case r.N == 0 && (r.Count != 0 || r.Ring != "" || r.Root != 0 || r.X != nil || r.Y != nil || r.Gen != ""):
		return errors.New("it has numbers of a transform, and N is 0")
	}
	fmt.Fprintf(b, "law %s\nkernel %s\n", r.Law, r.Kernel)
	if expectations && len(r.Rows) == 0 {
		fmt.Fprintf(b, "expect %s\n", expect)
	}
	if s := r.Behaviour.String(); s != (model.Behaviour{}).String() {
		fmt.Fprintf(b, "behaviour %s\n", s)
	}
	if !r.Launch.IsZero() {
		fmt.Fprintf(b, "launch %s\n", r.Launch)
	}
	fmt.Fprintf(b, "bits %d\nmodulus %d\n", r.Bits, r.Modulus)
	if r.Seed != 0 {
		fmt.Fprintf(b, "seed %d\n", r.Seed)
	}
	if r.Batch {
		b.WriteString("batch yes\n")
	}
	if r.N == 0 {
		return nil
	}
	if err := r.Ring.check(); err != nil {
		return err
	}
	fmt.Fprintf(b, "n %d\n", r.N)
	if r.Count > 1 {
		fmt.Fprintf(b, "count %d\n", r.Count)
	}
	fmt.Fprintf(b, "ring %s\nroot %d\n", r.Ring, r.Root)
	return nil
}

// writeNumbers checks and writes x and y, or their recipe.
func (r *Residues) writeNumbers(b *bytes.Buffer) error {
	if r.Gen != "" {
		sum, err := r.digest()
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "gen %s\nsha256 %x\n", r.Gen, sum)
		return nil
	}
	if err := r.checkNumbers(); err != nil {
		return err
	}
	for _, v := range []struct {
		key   string
		words []uint64
	}{{"x", r.X}, {"y", r.Y}} {
		listed := false
		for i, w := range v.words {
			if w != 0 {
				fmt.Fprintf(b, "%s %d %d\n", v.key, i, w)
				listed = true
			}
		}
		if v.key == "y" && r.Y != nil && !listed {
			b.WriteString("y 0 0\n")
		}
	}
	return nil
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

// writeRow writes a row, with what it expects or without.
func (r *Residues) writeRow(b *bytes.Buffer, row *ResidueRow, expectations bool) error {
	if len(row.Words) != len(r.Rows[0].Words) || len(row.Words) > MaxTableWords {
		return fmt.Errorf("it has %d words, and the first row %d; all have as many, %d at most", len(row.Words), len(r.Rows[0].Words), MaxTableWords)
	}
	b.WriteString("row")
	for _, w := range row.Words {
		if err := r.checkWord(w); err != nil {
			return err
		}
		fmt.Fprintf(b, " %d", w)
	}
	if expectations {
		expect := row.Expect
		if expect == "" {
			expect = ExpectHolds
		}
		if err := checkExpect(expect); err != nil {
			return err
		}
		b.WriteString(" " + string(expect))
		if text := strings.TrimSpace(comment(row.Comment)); text != "" {
			b.WriteString(" # " + text)
		}
	}
	b.WriteByte('\n')
	return nil
}

// LoadResidues reads every file of fsys whose name ends in .residues, at any depth, in the order of their paths, as Load does with
// cases. Where a name ends in the eight hex digits that ResiduesName gives, they must be those of the content.
func LoadResidues(fsys fs.FS) (files []ResiduesFile, errs []error) {
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == "." && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: the directory cannot be read: %w", name, err))
			return nil
		case d.IsDir() || path.Ext(name) != ".residues":
			return nil
		}
		r, err := loadResidues(fsys, name, d)
		if err != nil {
			errs = append(errs, err)
		} else {
			files = append(files, ResiduesFile{name, r})
		}
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	return files, errs
}

// loadResidues reads one file.
func loadResidues(fsys fs.FS, name string, d fs.DirEntry) (*Residues, error) {
	if !d.Type().IsRegular() {
		return nil, fmt.Errorf("%s: it is no regular file; put the residues themselves here", name)
	}
	info, err := d.Info()
	if err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	if info.Size() > MaxTableBytes {
		return nil, fmt.Errorf("%s: it has %d bytes, more than %d; part it, or store x and y by a recipe", name, info.Size(), MaxTableBytes)
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	r, err := ParseResidues(text, name)
	if err != nil {
		return nil, err
	}
	if said := hashInResiduesName.FindStringSubmatch(path.Base(name)); said != nil {
		want, err := ResiduesName(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if now := hashInResiduesName.FindStringSubmatch(want); said[1] != now[1] {
			return nil, &Error{model.Position{File: name, Line: 1, Column: 1}, fmt.Errorf(
				"the name says %s and the content is %s: the file is cut off, or was edited; complete it, or rename it to %s", said[1], now[1], want,
			)}
		}
	}
	return r, nil
}

// hashInResiduesName matches the names that ResiduesName gives.
var hashInResiduesName = regexp.MustCompile(`-([0-9a-f]{8})\.residues$`)

// Strays returns an error for each file of a law's directory, one whose name has a dot, that is of no kind which this package
// reads, so that a case under a wrong name is not passed over in silence. Names that begin with a dot are temporary.
func Strays(fsys fs.FS) (errs []error) {
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == "." && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: the directory cannot be read: %w", name, err))
			return nil
		case d.IsDir() || strings.HasPrefix(path.Base(name), ".") || !strings.Contains(path.Dir(name), ".") || path.Dir(name) == ".":
			return nil
		}
		switch ext := path.Ext(name); ext {
		case ".case", ".cases", ".residues":
		default:
			errs = append(errs, fmt.Errorf("%s: no kind of case has the extension %s; a case ends in .case, a table in .cases and residues in .residues", name, quote(ext)))
		}
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	return errs
}
