package corpus

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamma/model"
)

// Expect says how a case on file must end.
type Expect string

const (
	ExpectHolds    Expect = "holds"
	ExpectViolated Expect = "violated" // a known open fault: the replay fails when it starts to pass
)

// orHolds returns e, or ExpectHolds if e is empty.
func (e Expect) orHolds() Expect {
	if e == "" {
		return ExpectHolds
	}
	return e
}

// check says whether e is an expectation.
func (e Expect) check() error {
	if e != ExpectHolds && e != ExpectViolated {
		return fmt.Errorf("%s is not an expectation; a case %s or is %s", quote(string(e)), ExpectHolds, ExpectViolated)
	}
	return nil
}

// Header holds what every case file says, whatever its body: which law judges which kernel, under which conditions. A body of a new
// kind embeds one.
type Header struct {
	Law       model.LawID
	Kernel    string // the subject's name
	Expect    Expect // "" is ExpectHolds; where there are rows, each has its own
	Behaviour model.Behaviour
	Launch    model.Launch
	Seed      uint64   // feeds what a law draws beside the values
	Isolate   bool     // the kernel hung or died on the case: it is replayed in a child process
	Comments  []string // provenance, without the leading "# "
	// Before are the calls that the kernel is given first, in this order: the case is judged after them.
	Before []Body
}

// Head returns a copy of h.
func (h *Header) Head() Header { return *h }

// SetHead replaces h by g.
func (h *Header) SetHead(g Header) { *h = g }

// key is a line that stands once in a file: its name and its value.
type key struct {
	name     string
	required bool
	// aside: the key says what is expected, or how values are stored. It does not count in the file's name.
	aside bool
	set   func(value string) error
	text  func() string // the value in canonical form; "" leaves the line out
}

// key returns the key of h with this name.
func (h *Header) key(name string) key {
	switch name {
	case "law":
		return key{
			name: name, required: true, text: func() string { return string(h.Law) },
			set: func(s string) error { h.Law = model.LawID(s); return checkLaw(h.Law) },
		}
	case "kernel":
		k := textKey(name, &h.Kernel)
		k.required = true
		return k
	case "expect":
		return key{
			name: name, aside: true, text: func() string { return string(h.Expect.orHolds()) },
			set: func(s string) error { h.Expect = Expect(s); return h.Expect.check() },
		}
	case "behaviour":
		return key{
			name: name,
			set:  func(s string) (err error) { h.Behaviour, err = model.ParseBehaviour(s); return err },
			text: func() string {
				// Compared as text: a Flush may say Before without Out, which means nothing.
				if s := h.Behaviour.String(); s != (model.Behaviour{}).String() {
					return s
				}
				return ""
			},
		}
	case "launch":
		return key{
			name: name,
			set:  func(s string) (err error) { h.Launch, err = parseLaunch(s); return err },
			text: func() string {
				if h.Launch.IsZero() {
					return ""
				}
				return h.Launch.String()
			},
		}
	case "seed":
		return wordKey(name, &h.Seed)
	case "isolate":
		return flagKey(name, &h.Isolate, "a case that runs in this process")
	}
	panic("corpus: the header has no key " + name)
}

// textKey returns a key whose value stands as it is.
func textKey(name string, s *string) key {
	return key{name: name, text: func() string { return *s }, set: func(t string) error { *s = t; return checkText(t) }}
}

// countKey returns a required key for a count between low and high.
func countKey(name string, n *int, low, high int) key {
	return key{
		name: name, required: true, text: func() string { return strconv.Itoa(*n) },
		set: func(s string) (err error) { *n, err = parseCount(s, low, high); return err },
	}
}

// severalKey returns a key for a count of 1 to MaxN of which 1, stored as 0, is the default.
func severalKey(name string, n *int, high int) key {
	return key{
		name: name,
		set: func(s string) (err error) {
			if *n, err = parseCount(s, 1, high); *n == 1 {
				*n = 0
			}
			return err
		},
		text: func() string {
			if *n == 0 || *n == 1 {
				return ""
			}
			return strconv.Itoa(*n)
		},
	}
}

// wordKey returns a key for a number of 64 bits, 0 by default.
func wordKey(name string, w *uint64) key {
	return key{
		name: name, set: func(s string) (err error) { *w, err = parseWord(s); return err },
		text: func() string {
			if *w == 0 {
				return ""
			}
			return strconv.FormatUint(*w, 10)
		},
	}
}

// flagKey returns a key whose only value is yes; otherwise says what a file without it is of.
func flagKey(name string, b *bool, otherwise string) key {
	return key{
		name: name,
		set: func(s string) error {
			if *b = s == "yes"; !*b {
				return fmt.Errorf("%s is not yes; leave the line out for %s", quote(s), otherwise)
			}
			return nil
		},
		text: func() string {
			if *b {
				return "yes"
			}
			return ""
		},
	}
}

// formatKey returns the key for the format of the values, binary32 by default.
func formatKey(f *model.Format) key {
	return key{
		name: "format",
		set: func(s string) (err error) {
			if *f, err = model.FormatByName(s); err == nil {
				err = storable(*f)
			}
			return err
		},
		text: func() string {
			if f.Name == model.Binary32.Name {
				return ""
			}
			return f.String()
		},
	}
}

// recipeKeys returns the keys of a recipe and of the digest of what it gives, which are written if stored says so.
func recipeKeys(gen *string, sum *[32]byte, stored func() bool) []key {
	return []key{
		{
			name: "gen", aside: true,
			set: func(s string) error { *gen = strings.Join(strings.Fields(s), " "); return checkText(*gen) },
			text: func() string {
				if stored() {
					return *gen
				}
				return ""
			},
		}, {
			name: "sha256", aside: true,
			set: func(s string) error {
				b, err := hex.DecodeString(s)
				if err != nil || len(b) != len(sum) {
					return fmt.Errorf("%s is not 64 hex digits", quote(s))
				}
				*sum = [32]byte(b)
				return nil
			},
			text: func() string {
				if stored() {
					return hex.EncodeToString(sum[:])
				}
				return ""
			},
		},
	}
}

// checkSpaces says whether the recipe gen is spelled as it would be read back.
func checkSpaces(gen string) error {
	if gen != strings.Join(strings.Fields(gen), " ") {
		return fmt.Errorf("gen: %s has more than one space between its words", quote(gen))
	}
	return nil
}

// parseCount reads a decimal count between low and high.
func parseCount(s string, low, high int) (int, error) {
	i, err := strconv.ParseUint(s, 10, 63)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, fmt.Errorf("%s is not a decimal number", quote(s))
	}
	if err != nil || i < uint64(low) || i > uint64(high) {
		return 0, fmt.Errorf("%s lies outside %d to %d", quote(s), low, high)
	}
	return int(i), nil
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
		return 0, fmt.Errorf("%s is not a number; write decimal digits, or 0x and hex digits", quote(s))
	}
	return w, nil
}

// parseLaunch is the inverse of model.Launch.String.
func parseLaunch(s string) (model.Launch, error) {
	var l model.Launch
	for _, w := range strings.Fields(s) {
		key, val, _ := strings.Cut(w, "=")
		var size *model.Size3
		switch key {
		case "groups":
			size = &l.Groups
		case "threads":
			size = &l.Threads
		default:
			return model.Launch{}, fmt.Errorf("a launch has groups= and threads=, not %s", quote(w))
		}
		if *size != (model.Size3{}) {
			return model.Launch{}, fmt.Errorf("%s is given twice", key)
		}
		parts := strings.Split(val, ",")
		if len(parts) == 1 {
			parts = append(parts, "1", "1")
		}
		if len(parts) != 3 {
			return model.Launch{}, fmt.Errorf("%s has one size or three, such as 4 or 4,2,1", quote(w))
		}
		for i, d := range []*int{&size.X, &size.Y, &size.Z} {
			var err error
			if *d, err = parseCount(parts[i], 1, 1<<31-1); err != nil {
				return model.Launch{}, fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	if l.Groups == (model.Size3{}) || l.Threads == (model.Size3{}) {
		return model.Launch{}, errors.New("a launch needs both groups= and threads=")
	}
	return l, nil
}

// checkLaw says whether id can be a law's name.
func checkLaw(id model.LawID) error {
	parts := strings.Split(string(id), ".")
	ok := len(parts) > 1 && len(id) <= 80
	for _, p := range parts {
		ok = ok && p != "" && p[0] >= 'a' && p[0] <= 'z' &&
			strings.Trim(p, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
	}
	if !ok {
		return fmt.Errorf("%s is not a law's name, which is lower-case words with dots between, such as sum.enclosure", quote(string(id)))
	}
	return nil
}

// checkText says whether s can stand as the value of a line as it is.
func checkText(s string) error {
	switch {
	case s == "":
		return errors.New("it is empty")
	case len(s) > maxLineBytes-16:
		return fmt.Errorf("it has %d bytes, more than a line holds", len(s))
	case !utf8.ValidString(s):
		return fmt.Errorf("%s is not UTF-8", quote(s))
	case strings.TrimSpace(s) != s:
		return fmt.Errorf("%s has white space at an end", quote(s))
	case strings.Contains(s, " #"):
		return fmt.Errorf("%s reads like a value with a comment after it", quote(s))
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("%s has the character %q, which does not print", quote(s), r)
		}
	}
	return nil
}

// comment returns s as it can stand after "# " on one line.
func comment(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimRight(s, " ")
}
