package preprocess

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gamma/metal/internal/msl/token"
)

// Kinds that only this package sees.
const (
	kindNumber  token.Kind = 100 + iota // a preprocessing number, not yet judged
	kindPainted                         // an identifier that may never be expanded again
	kindOther                           // a character, or the rest of a line after a lone quote, that is not a token
	kindMarker                          // stands for an empty argument beside ##
	kindEnd                             // the end of a list of tokens that is expanded for itself
)

// Classes of bytes.
const (
	classStart = 1 << iota // starts an identifier
	classDigit
	classBlank
)

var classes = func() (c [256]uint8) {
	for b := 'a'; b <= 'z'; b++ {
		c[b] = classStart
		c[b-'a'+'A'] = classStart
	}
	c['_'], c['$'] = classStart, classStart
	for b := '0'; b <= '9'; b++ {
		c[b] = classDigit
	}
	for _, b := range " \t\v\f" {
		c[b] = classBlank
	}
	return c
}()

// scanner cuts one text into tokens.
type scanner struct {
	src       string // without splices
	off       int
	file      string
	line      int
	lineStart int   // the offset at which column 1 of the line would be
	splices   []int // offsets in src at which a new source line begins without a newline
	bol       bool  // nothing but blanks so far on this logical line
	diags     *token.List
}

// newScanner joins spliced lines and makes every line end a '\n'.
func newScanner(src, file string, diags *token.List) *scanner {
	s := &scanner{src: src, file: file, line: 1, bol: true, diags: diags}
	if strings.HasPrefix(src, "\ufeff") {
		s.src = src[3:]
	}
	if strings.IndexByte(s.src, '\\') >= 0 || strings.IndexByte(s.src, '\r') >= 0 {
		s.join()
	}
	return s
}

func (s *scanner) join() {
	src := s.src
	var b strings.Builder
	b.Grow(len(src))
	for i := 0; i < len(src); {
		n := strings.IndexAny(src[i:], "\\\r")
		if n < 0 {
			b.WriteString(src[i:])
			break
		}
		b.WriteString(src[i : i+n])
		i += n
		if src[i] == '\r' {
			if i+1 == len(src) || src[i+1] != '\n' {
				b.WriteByte('\n')
			}
			i++
			continue
		}
		end := i + 1
		for end < len(src) && classes[src[end]]&classBlank != 0 {
			end++
		}
		switch {
		case strings.HasPrefix(src[end:], "\r\n"):
			end += 2
		case end < len(src) && (src[end] == '\n' || src[end] == '\r'):
			end++
		default:
			b.WriteString(src[i:end])
			i = end
			continue
		}
		s.splices = append(s.splices, b.Len())
		i = end
	}
	s.src = b.String()
}

// newline notes that a source line ended and the next begins at off.
func (s *scanner) newline(off int) {
	s.splicesUpTo(off - 1)
	s.line++
	s.lineStart = off
}

// splicesUpTo counts the splices that lie at or before off.
func (s *scanner) splicesUpTo(off int) {
	for len(s.splices) > 0 && s.splices[0] <= off {
		s.line++
		s.lineStart = s.splices[0]
		s.splices = s.splices[1:]
	}
}

// pos returns the place of off, which must not lie before a place that was asked for.
func (s *scanner) pos(off int) token.Pos {
	if len(s.splices) > 0 {
		s.splicesUpTo(off)
	}
	return token.Pos{File: s.file, Line: s.line, Column: off - s.lineStart + 1}
}

// next scans one token into t. With lines it returns a Newline token at the end of each line, the last
// included; without it passes over line ends. At the end of the text it returns EOF again and again.
func (s *scanner) next(t *token.Token, lines bool) {
	src, i := s.src, s.off
	space := false
	for i < len(src) {
		c := src[i]
		if classes[c]&classBlank != 0 {
			i++
			space = true
			continue
		}
		if c == '\n' {
			if lines {
				*t = token.Token{Kind: token.Newline, Text: "\n", Pos: s.pos(i)}
				s.off = i + 1
				s.newline(i + 1)
				s.bol = true
				return
			}
			i++
			s.newline(i)
			s.bol, space = true, true
			continue
		}
		if c == '/' && i+1 < len(src) && src[i+1] == '/' {
			n := strings.IndexByte(src[i:], '\n')
			if n < 0 {
				n = len(src) - i
			}
			i += n
			space = true
			continue
		}
		if c == '/' && i+1 < len(src) && src[i+1] == '*' {
			i = s.blockComment(i)
			space = true
			continue
		}
		break
	}
	start := i
	*t = token.Token{Space: space, Bol: s.bol, Pos: s.pos(start)}
	if start >= len(src) {
		s.off = len(src)
		if lines && !s.bol {
			t.Kind = token.Newline
			s.bol = true
			return
		}
		t.Kind = token.EOF
		return
	}
	s.bol = false
	c := src[start]
	switch cl := classes[c]; {
	case cl&classStart != 0:
		i = s.identifierEnd(start + 1)
		t.Kind = token.Ident
		if i < len(src) && (src[i] == '"' || src[i] == '\'') && stringPrefix(src[start:i]) {
			t.Kind, i = s.quoted(i)
		}
	case cl&classDigit != 0:
		i = s.numberEnd(start + 1)
		t.Kind = kindNumber
	case c == '.' && start+1 < len(src) && classes[src[start+1]]&classDigit != 0:
		i = s.numberEnd(start + 1)
		t.Kind = kindNumber
	case c == '"' || c == '\'':
		t.Kind, i = s.quoted(start)
	case c >= utf8.RuneSelf:
		r, n := utf8.DecodeRuneInString(src[start:])
		if unicode.IsLetter(r) {
			i = s.identifierEnd(start + n)
			t.Kind = token.Ident
		} else {
			i = start + n
			t.Kind = kindOther
		}
	default:
		n := punctLength(src[start:])
		t.Kind = token.Punct
		if n == 0 {
			n = 1
			t.Kind = kindOther
		}
		i = start + n
	}
	t.Text = src[start:i]
	s.off = i
}

// blockComment returns the offset after the comment that begins at i.
func (s *scanner) blockComment(i int) int {
	begin := s.pos(i)
	n := strings.Index(s.src[i+2:], "*/")
	end := i + 2 + n + 2
	if n < 0 {
		if s.diags.Errors() < token.MaxErrors {
			s.diags.Add(begin, "this comment does not end; close it with */")
		}
		end = len(s.src)
	}
	for j := i; ; {
		k := strings.IndexByte(s.src[j:end], '\n')
		if k < 0 {
			return end
		}
		j += k + 1
		s.newline(j)
	}
}

func (s *scanner) identifierEnd(i int) int {
	src := s.src
	for i < len(src) {
		c := src[i]
		if classes[c]&(classStart|classDigit) != 0 {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(src[i:])
		if !unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc) {
			break
		}
		i += n
	}
	return i
}

// numberEnd follows the grammar of preprocessing numbers, which is wider than that of literals.
func (s *scanner) numberEnd(i int) int {
	src := s.src
	for i < len(src) {
		switch c := src[i]; {
		case classes[c]&(classStart|classDigit) != 0 || c == '.':
			i++
		case (c == '+' || c == '-') && strings.IndexByte("eEpP", src[i-1]) >= 0:
			i++
		case c == '\'' && i+1 < len(src) && classes[src[i+1]]&(classStart|classDigit) != 0:
			i += 2
		default:
			return i
		}
	}
	return i
}

// quoted scans the literal whose opening quote is at i, and returns its kind and end. Without a closing
// quote on the line it is not a token, and takes the rest of the line.
func (s *scanner) quoted(i int) (token.Kind, int) {
	src, quote := s.src, s.src[i]
	for i++; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '\\':
			if i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		case quote:
			if quote == '"' {
				return token.String, i + 1
			}
			return token.Char, i + 1
		}
	}
	return kindOther, i
}

func stringPrefix(s string) bool {
	switch s {
	case "u8", "u", "U", "L", "R", "u8R", "uR", "UR", "LR":
		return true
	}
	return false
}

// punctLength returns the length of the longest punctuation that s starts with, or 0.
func punctLength(s string) int {
	at := func(i int) byte {
		if i < len(s) {
			return s[i]
		}
		return 0
	}
	c, d := s[0], at(1)
	switch c {
	case '(', ')', '[', ']', '{', '}', ';', ',', '?', '~':
		return 1
	case '+', '&', '|':
		if d == c || d == '=' {
			return 2
		}
		return 1
	case '-':
		switch {
		case d == '>' && at(2) == '*':
			return 3
		case d == '-' || d == '=' || d == '>':
			return 2
		}
		return 1
	case '*', '/', '^', '!', '=':
		if d == '=' {
			return 2
		}
		return 1
	case '%':
		switch {
		case d == ':' && at(2) == '%' && at(3) == ':':
			return 4
		case d == '=' || d == '>' || d == ':':
			return 2
		}
		return 1
	case '<', '>':
		switch {
		case d == c && at(2) == '=':
			return 3
		case d == c || d == '=' || c == '<' && d == '%':
			return 2
		case c == '<' && d == ':':
			// "<::" is "<" and "::", unless "<:::" or "<::>" follows.
			if at(2) == ':' && at(3) != ':' && at(3) != '>' {
				return 1
			}
			return 2
		}
		return 1
	case ':':
		if d == ':' || d == '>' {
			return 2
		}
		return 1
	case '.':
		switch {
		case d == '.' && at(2) == '.':
			return 3
		case d == '*':
			return 2
		}
		return 1
	case '#':
		if d == '#' {
			return 2
		}
		return 1
	}
	return 0
}

// alternatives are the other spellings of punctuation.
var alternatives = map[string]string{
	"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#", "%:%:": "##",
	"and": "&&", "and_eq": "&=", "bitand": "&", "bitor": "|", "compl": "~", "not": "!", "not_eq": "!=",
	"or": "||", "or_eq": "|=", "xor": "^", "xor_eq": "^=",
}
