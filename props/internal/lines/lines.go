package lines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Most is the longest line that is read: a report with its case has some thousand bytes, and a case a million at most.
	Most = 16 << 20
	// endless is where reading stops inside a line, as of /dev/zero.
	endless = 1 << 30
)

// Line is a line of a file.
type Line struct {
	Number int    // from 1 on
	Text   []byte // without blanks about it; no more of it than tells that it is too long
}

// Each calls f with each line that is not blank. The text of one is valid until f returns.
func Each(from io.Reader, f func(l Line)) error {
	b := bufio.NewReader(from)
	var text []byte
	for n := 1; ; n++ {
		text = text[:0]
		length := 0
		part, err := b.ReadSlice('\n')
		for ; ; part, err = b.ReadSlice('\n') {
			if length += len(part); len(text) <= Most {
				text = append(text, part...)
			}
			if length > endless {
				return fmt.Errorf("line %d does not end in a thousand million bytes; give a file of lines of JSON", n)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading stopped at line %d: %w", n, err)
		}
		if own := bytes.TrimSpace(text); len(own) > 0 {
			f(Line{n, own})
		}
		if err != nil {
			return nil
		}
	}
}

// Decode reads a line, which has to be an object of JSON, into v, a pointer to a structure. It is an error if the line is torn or too long, is not UTF-8 or not JSON, has a value of another
// type, or two values of one name.
func (l Line) Decode(v any) error {
	switch {
	case len(l.Text) > Most:
		return fmt.Errorf("the line has more than %d bytes; no program of Gamma's writes such a line", Most)
	case bytes.HasPrefix(l.Text, []byte("\xef\xbb\xbf")):
		return errors.New("the line begins with a byte order mark; save the file without one")
	case !utf8.Valid(l.Text) || bytes.IndexByte(l.Text, 0) >= 0:
		return errors.New("it is not text in UTF-8; the file is another one, packed or damaged")
	case l.Text[0] != '{':
		return fmt.Errorf("it begins with %.20q, and not with a brace", l.Text)
	}
	err := json.Unmarshal(l.Text, v)
	var syntax *json.SyntaxError
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return inWords(wrong)
	} else if errors.As(err, &syntax) {
		var any json.RawMessage
		if err := json.NewDecoder(bytes.NewReader(l.Text)).Decode(&any); errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the line is torn: it ends inside a value, as when a run is killed while it writes, or its disk is full")
		}
		return fmt.Errorf("%s, at its byte %d", syntax, syntax.Offset)
	} else if err != nil {
		return errors.New(Short(err.Error()))
	}
	return twice(l.Text)
}

// inWords says which field is of another type than it has to be.
func inWords(e *json.UnmarshalTypeError) error {
	want := "text"
	switch e.Type.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint64:
		want = "a whole number of 64 bits"
	case reflect.Float64:
		want = fmt.Sprintf("a number of at most %g", math.MaxFloat64)
	case reflect.Bool:
		want = "true or false"
	case reflect.Slice:
		want = "a list"
	case reflect.Struct, reflect.Map:
		want = "an object"
	}
	field := e.Field[strings.LastIndexByte(e.Field, '.')+1:] // after the names of structures
	if field == "" {
		field = "the line"
	}
	return fmt.Errorf("%s is a JSON %s, and has to be %s", Short(field), Short(e.Value), want)
}

// twice returns an error if an object has two values of one name: encoding/json takes the last.
func twice(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	type open struct {
		names map[string]bool // nil: of a list
		value bool            // a name was read, and its value comes
	}
	var stack []open
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if t == json.Delim('}') || t == json.Delim(']') {
			stack = stack[:len(stack)-1]
			continue
		}
		if n := len(stack) - 1; n >= 0 && stack[n].names != nil {
			top := &stack[n]
			if name, ok := t.(string); ok && !top.value {
				if top.names[name] {
					return fmt.Errorf("it has two values of %q", Short(name))
				}
				top.names[name] = true
			}
			top.value = !top.value
		}
		switch t {
		case json.Delim('{'):
			stack = append(stack, open{names: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, open{})
		}
	}
}

// Apart is an error if a result would be written over a file that is read.
func Apart(result string, read ...string) error {
	out, err := os.Stat(result)
	if err != nil {
		return nil // it is not there
	}
	for _, file := range read {
		if in, err := os.Stat(file); err == nil && in.Mode().IsRegular() && os.SameFile(in, out) {
			return fmt.Errorf("%s: it is read, and is not written over; give the result another name", result)
		}
	}
	return nil
}

// mostShown is how many characters of a text that is not known Short keeps.
const mostShown = 300

// Short returns a text for a message: no characters that change a terminal, and the beginning alone where it is long.
func Short(s string) string {
	if utf8.RuneCountInString(s) > mostShown {
		s = string([]rune(s)[:mostShown]) + " …"
	}
	return Printable(s)
}

// Printable returns a text with U+FFFD in place of characters that change a terminal.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == '\n' || r == '\t' {
			return r
		}
		return utf8.RuneError
	}, s)
}
