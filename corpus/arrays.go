package corpus

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gamma/model/formula"
)

// Arrays is one input of a kernel that computes a formula. Its file ends in .arrays and lists the elements other than 0.
type Arrays struct {
	Header
	Axes   []Axis
	Inputs []Array
}

// Axis is an axis of the arrays and its size.
type Axis struct {
	Name string
	Size int
}

// Array is one array: its elements in row-major order of its axes.
type Array struct {
	Name string
	Type formula.Type
	Axes []string
	// Bits are the elements: encodings of a floating-point format, integers in two's complement of 64 bits, or 0 and 1.
	Bits []uint64
	// Gen is the recipe that the elements were drawn by, "" if there is none. Files hold it instead of elements if these are many.
	Gen string

	sum    string // the digest of a recipe's elements in hex; "" if they are listed
	values vector
	place  place
}

var arraysKind = &kind{
	"input of arrays", ".arrays", "gamma arrays ", MaxTableBytes, "reduce it, or store its elements by recipes",
	[]string{"axis", "input", "gen", "sha256", "value"},
	func() Body { return new(Arrays) },
}

func init() { kinds = append(kinds, arraysKind) }

// Clone returns a copy of a with elements of its own.
func (a *Arrays) Clone() *Arrays {
	c := *a
	c.Axes, c.Inputs = slices.Clone(a.Axes), slices.Clone(a.Inputs)
	for i := range c.Inputs {
		c.Inputs[i].Bits = slices.Clone(c.Inputs[i].Bits)
	}
	return &c
}

// Size returns the size of an axis; ok is false if there is no such axis.
func (a *Arrays) Size(axis string) (size int, ok bool) {
	for _, x := range a.Axes {
		if x.Name == axis {
			return x.Size, true
		}
	}
	return 0, false
}

// Len returns how many elements an array of these axes has; ok is false if one is not an axis of a, or they are more than MaxN.
func (a *Arrays) Len(axes []string) (n int, ok bool) {
	n = 1
	for _, x := range axes {
		size, known := a.Size(x)
		if !known || size > 0 && n > MaxN/size {
			return 0, false
		}
		n *= size
	}
	return n, true
}

// arraysCodec reads and writes Arrays.
type arraysCodec struct {
	*Arrays
	o     Options
	lines []arrayLine // that are about an input, in the order of the file
}

// arrayLine is a line about one input: what follows its name.
type arrayLine struct {
	key, name, rest string
	at, restAt      place
}

func (a *Arrays) codec(o Options) codec { return &arraysCodec{Arrays: a, o: o} }
func (e *arraysCodec) kind() *kind      { return arraysKind }
func (e *arraysCodec) rows() *rowLayout { return nil }
func (e *arraysCodec) keys(h *Header) []key {
	return []key{
		h.key("law"), h.key("kernel"), h.key("expect"), h.key("behaviour"), h.key("launch"), h.key("seed"), h.key("isolate"),
	}
}

func (e *arraysCodec) element(p *parser, key, value string, at place) error {
	name, rest := cutField(value)
	if !isWord(name) {
		return p.fail(at, "%s %s: after it stands a name, which is a letter, then letters, digits and underscores", key, quote(name))
	}
	restAt := place{at.line, at.col + len(value) - len(rest)}
	if key != "axis" {
		e.lines = append(e.lines, arrayLine{key, name, rest, at, restAt})
		return nil
	}
	if _, twice := e.Size(name); twice {
		return p.fail(at, "axis %s is given twice; delete one of them", name)
	}
	size, err := parseCount(rest, 0, MaxN)
	if err != nil {
		return p.fail(restAt, "axis %s: %w", name, err)
	}
	e.Axes = append(e.Axes, Axis{name, size})
	return nil
}

// isWord reports whether s is a name of an axis or an array.
func isWord(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

func (e *arraysCodec) finish(p *parser, _ place) error {
	p.h.Expect = p.h.Expect.orHolds()
	for _, l := range e.lines {
		if l.key == "input" {
			if err := e.input(p, l); err != nil {
				return err
			}
		}
	}
	for _, l := range e.lines {
		if l.key == "input" {
			continue
		}
		x := e.named(l.name)
		if x == nil {
			return p.fail(l.at, "there is no line input %s, which says what its elements are", l.name)
		}
		switch l.key {
		case "gen":
			x.Gen, x.place = strings.Join(strings.Fields(l.rest), " "), l.restAt
			if err := checkText(x.Gen); err != nil {
				return p.fail(l.restAt, "%w", err)
			}
		case "sha256":
			if b, err := hex.DecodeString(l.rest); err != nil || len(b) != 32 {
				return p.fail(l.restAt, "%s is not 64 hex digits", quote(l.rest))
			}
			x.sum = l.rest
		case "value":
			if err := x.values.read(p, l.rest, l.restAt, MaxN); err != nil {
				return err
			}
		}
	}
	for i := range e.Inputs {
		if err := e.fill(p, &e.Inputs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (e *arraysCodec) named(name string) *Array {
	for i := range e.Inputs {
		if e.Inputs[i].Name == name {
			return &e.Inputs[i]
		}
	}
	return nil
}

// input reads a line "input NAME TYPE AXES".
func (e *arraysCodec) input(p *parser, l arrayLine) error {
	if e.named(l.name) != nil {
		return p.fail(l.at, "input %s is given twice; delete one of them", l.name)
	}
	words := strings.Fields(l.rest)
	if len(words) == 0 {
		return p.fail(l.restAt, "input %s has no type, such as binary32 or int8", l.name)
	}
	t, err := formula.TypeByName(words[0])
	if err == nil {
		err = storedType(t)
	}
	if err != nil {
		return p.fail(l.restAt, "%w", err)
	}
	a := Array{Name: l.name, Type: t, Axes: words[1:], values: vector{key: "value " + l.name}, place: l.at}
	if _, ok := e.Len(a.Axes); !ok {
		return p.fail(l.restAt, "input %s has the axes %v: each needs a line axis with its size, and all elements are at most %d", l.name, a.Axes, MaxN)
	}
	e.Inputs = append(e.Inputs, a)
	return nil
}

// storedType says whether t says how elements are stored.
func storedType(t formula.Type) error {
	switch {
	case !t.IsStored():
		return fmt.Errorf("%s does not say how elements are stored", t)
	case t.IsReal():
		return storable(t.Float)
	}
	return nil
}

// fill gives an array the elements that are listed, or those of its recipe.
func (e *arraysCodec) fill(p *parser, a *Array) error {
	n, _ := e.Len(a.Axes)
	if need := int64(n) * 8; need > e.o.maxBytes() {
		return p.fail(a.place, "%d elements take %d bytes, more than the %d allowed; raise Options.MaxBytes", n, need, e.o.maxBytes())
	}
	if a.Gen == "" {
		if a.sum != "" {
			return p.fail(a.place, "input %s has a line sha256, and no line gen whose elements it is of", a.Name)
		}
		var err error
		a.Bits, err = a.values.words(p, n, a.place, a.parse)
		a.values = vector{}
		return err
	}
	if len(a.values.list) > 0 {
		return p.fail(a.values.list[0].at, "an input with a recipe (line %d) lists no values; delete one of them", a.place.line)
	}
	if e.o.keepGen && a.sum != "" {
		return nil
	}
	bits, sum, err := a.expand(e.o, n)
	switch {
	case err != nil:
	case a.sum == "":
		err = fmt.Errorf("the recipe %s has no digest; write: sha256 %s %s", quote(a.Gen), a.Name, sum)
	case sum != a.sum:
		err = changed(a.Gen, [32]byte(decoded(sum)), [32]byte(decoded(a.sum)))
	}
	if err != nil {
		return p.fail(a.place, "%w", err)
	}
	a.Bits, a.sum = bits, ""
	return nil
}

func decoded(sum string) []byte {
	b, _ := hex.DecodeString(sum)
	return b
}

// expand returns the elements that a's recipe gives, and their digest.
func (a *Array) expand(o Options, n int) (bits []uint64, sum string, err error) {
	if !a.Type.IsReal() {
		return nil, "", errors.New("recipes are of floating-point numbers")
	}
	x, y, err := o.expand(a.Gen, a.Type.Float, n)
	if err != nil {
		return nil, "", err
	}
	bits = make([]uint64, n)
	for i := range bits {
		bits[i] = x.At(i)
	}
	digest := Digest(x, y)
	return bits, hex.EncodeToString(digest[:]), nil
}

// parse returns the bits that s stands for.
func (a *Array) parse(s string) (uint64, error) {
	t := a.Type
	switch {
	case t.IsReal():
		return ParseValue(t.Float, s)
	case t.Bool:
		if s != "0" && s != "1" {
			return 0, fmt.Errorf("%s is neither 0 nor 1", quote(s))
		}
		return uint64(s[0] - '0'), nil
	case t.Signed:
		v, err := strconv.ParseInt(s, 10, t.Bits)
		if err != nil {
			err = fmt.Errorf("%s is no %s", quote(s), t)
		}
		return uint64(v), err
	}
	v, err := strconv.ParseUint(s, 10, t.Bits)
	if err != nil {
		err = fmt.Errorf("%s is no %s", quote(s), t)
	}
	return v, err
}

// Text returns an element as a file lists it, and its decimal, "" if that is the same.
func (a *Array) Text(bits uint64) (text, decimal string) {
	f := a.Type.Float
	switch {
	case !a.Type.IsReal() && a.Type.Signed:
		return strconv.FormatInt(int64(bits), 10), ""
	case !a.Type.IsReal():
		return strconv.FormatUint(bits, 10), ""
	case f.IsFinite(bits):
		return FormatValue(f, bits), decode(f, bits).decimal()
	}
	return FormatValue(f, bits), ""
}

func (e *arraysCodec) check(*Header) error {
	for i, x := range e.Axes {
		if !isWord(x.Name) || slices.ContainsFunc(e.Axes[:i], func(o Axis) bool { return o.Name == x.Name }) {
			return fmt.Errorf("axis %s: its name is none, or another's", quote(x.Name))
		}
	}
	for i := range e.Inputs {
		a := &e.Inputs[i]
		if !isWord(a.Name) || slices.ContainsFunc(e.Inputs[:i], func(o Array) bool { return o.Name == a.Name }) {
			return fmt.Errorf("input %s: its name is none, or another's", quote(a.Name))
		}
		if err := storedType(a.Type); err != nil {
			return fmt.Errorf("input %s: %w", a.Name, err)
		}
		if n, ok := e.Len(a.Axes); !ok || a.sum == "" && n != len(a.Bits) {
			return fmt.Errorf("input %s has %d elements, and not as many as its axes %v say", a.Name, len(a.Bits), a.Axes)
		}
		if err := checkSpaces(a.Gen); err != nil {
			return err
		}
	}
	return nil
}

func (e *arraysCodec) identify(out *bytes.Buffer) { e.lists(out, func(*Array) string { return "" }) }

// write lists elements, or writes the recipe that they are of if they are many.
func (e *arraysCodec) write(out *bytes.Buffer) {
	e.lists(out, func(a *Array) string {
		if a.sum != "" {
			return a.sum // they were never expanded
		}
		if a.Gen == "" || len(a.Bits) <= genThreshold/16 {
			return ""
		}
		bits, sum, err := a.expand(e.o, len(a.Bits))
		if err != nil || !slices.Equal(bits, a.Bits) {
			return ""
		}
		return sum
	})
}

func (e *arraysCodec) lists(out *bytes.Buffer, stored func(a *Array) (sum string)) {
	for _, x := range e.Axes {
		fmt.Fprintf(out, "axis %s %d\n", x.Name, x.Size)
	}
	for i := range e.Inputs {
		a := &e.Inputs[i]
		fmt.Fprintf(out, "%s\n", strings.Join(append([]string{"input", a.Name, a.Type.String()}, a.Axes...), " "))
		if sum := stored(a); sum != "" {
			fmt.Fprintf(out, "gen %s %s\nsha256 %s %s\n", a.Name, a.Gen, a.Name, sum)
			continue
		}
		writeVector(out, "value "+a.Name, len(a.Bits), func(i int) uint64 { return a.Bits[i] }, func(b uint64) {
			text, decimal := a.Text(b)
			out.WriteString(text)
			if decimal != "" {
				out.WriteString("    # " + decimal)
			}
		})
	}
}
