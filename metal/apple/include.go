package apple

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"gamma/metal/internal/msl/preprocess"
)

// Metal compiles one text and looks for headers in files. So the headers that a caller hands over are pasted in where they are
// included, between #line directives, and all else is left for Metal's own preprocessor: conditionals, macros, its own headers.

// Limits of pasting.
const (
	maxPasteDepth = 64
	maxPastes     = 4096
)

// paste is the state of one inlining.
type paste struct {
	headers map[string]string
	files   fs.FS
	out     strings.Builder
	stack   []string       // keys of the headers being pasted
	guards  map[string]int // number of the guard of headers that are entered once
	imports map[string]bool
	pastes  int
}

// inline returns source with headers pasted in, and with the lines defines before it. It is source itself if nothing is to be done.
func inline(source, file string, headers map[string]string, files fs.FS, defines []string) (string, error) {
	if len(source) > maxSource {
		return "", errorf("%s has %d bytes; at most %d are possible, split it", file, len(source), maxSource)
	}
	p := &paste{headers: headers, files: files, guards: map[string]int{}}
	for _, d := range defines {
		p.out.WriteString("#define " + d + "\n")
	}
	if len(defines) == 0 && !p.any(source, file) {
		return source, nil
	}
	p.imports = map[string]bool{}
	p.imported(source, file, map[string]bool{})
	p.line(1, file)
	if err := p.text(source, file, file); err != nil {
		return "", err
	}
	return p.out.String(), nil
}

// line writes a #line directive.
func (p *paste) line(n int, file string) {
	fmt.Fprintf(&p.out, "#line %d %s\n", n, quoteFile(file))
}

// quoteFile spells a file's name as C does.
func quoteFile(file string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ").Replace(file) + `"`
}

// any reports whether text includes one of the headers.
func (p *paste) any(text, key string) bool {
	for l := (lines{text: text}); l.next(); {
		if _, target, quoted := l.include(); target != "" {
			if _, ok := p.find(target, quoted, key); ok {
				return true
			}
		}
	}
	return false
}

// imported notes the headers that text, and what it includes, import: once that is done, an #include of them does nothing either.
func (p *paste) imported(text, key string, seen map[string]bool) {
	for l := (lines{text: text}); l.next(); {
		word, target, quoted := l.include()
		if target == "" {
			continue
		}
		header, ok := p.find(target, quoted, key)
		if !ok {
			continue
		}
		if word == "import" {
			p.imports[header] = true
		}
		if !seen[header] {
			seen[header] = true
			p.imported(p.textOf(header), header, seen)
		}
	}
}

// textOf returns the text of a header that find found.
func (p *paste) textOf(key string) string {
	text, _ := preprocess.Header(p.headers, p.files, key)
	return text
}

// text writes a text whose includes are replaced.
func (p *paste) text(text, file, key string) error {
	pasted := false
	for l := (lines{text: text}); l.next(); {
		word, target, quoted := l.include()
		header, ok := "", false
		if target != "" {
			header, ok = p.find(target, quoted, key)
		}
		if !ok {
			p.out.WriteString(l.line)
			if !strings.HasSuffix(l.line, "\n") && len(p.stack) > 0 {
				p.out.WriteString("\n")
			}
			switch word {
			case "else", "elif", "elifdef", "elifndef", "endif":
				if pasted && strings.HasSuffix(l.line, "\n") { // a #line in what was skipped had no effect
					p.line(l.number+l.height, file)
				}
			}
		} else if err := p.header(header, word, file, l.number); err != nil {
			return err
		} else {
			p.line(l.number+l.height, file)
			pasted = true
		}
		if p.out.Len() > maxSource {
			return errorf("%s has over %d bytes with its headers pasted in; split it", file, maxSource)
		}
	}
	return nil
}

// header writes a header that line n of file includes.
func (p *paste) header(key, word, file string, n int) error {
	text := p.textOf(key)
	once := word == "import" || hasOnce(text)
	guard := ""
	if once || p.imports[key] {
		if p.guards[key] == 0 {
			p.guards[key] = len(p.guards) + 1
		}
		guard = "GAMMA_APPLE_ONCE_" + strconv.Itoa(p.guards[key])
	}
	if slices.Contains(p.stack, key) && (guard != "" || guarded(text)) {
		return nil // inside itself it has been seen
	}
	if p.pastes++; len(p.stack) >= maxPasteDepth || p.pastes > maxPastes {
		return errorf("%s:%d: header %q is included %d deep, as number %d; at most %d deep and %d in all are possible: give it #pragma once, or a guard around all of it",
			file, n, key, len(p.stack)+1, p.pastes, maxPasteDepth, maxPastes)
	}
	if guard != "" {
		p.out.WriteString("#ifndef " + guard + "\n")
	}
	if once {
		p.out.WriteString("#define " + guard + "\n")
	}
	p.line(1, key)
	p.stack = append(p.stack, key)
	err := p.text(text, key, key)
	p.stack = p.stack[:len(p.stack)-1]
	if guard != "" {
		p.out.WriteString("#endif\n")
	}
	return err
}

// find returns the key of a header as our own preprocessor finds it: a quoted name first beside the file that includes it.
func (p *paste) find(target string, quoted bool, from string) (string, bool) {
	names := []string{target, path.Clean(target)}
	if quoted && !path.IsAbs(target) {
		names = append([]string{path.Join(path.Dir(from), target)}, names...)
	}
	for _, key := range names {
		if _, ok := preprocess.Header(p.headers, p.files, key); ok {
			return key, true
		}
	}
	return "", false
}

// hasOnce reports whether a text says #pragma once.
func hasOnce(text string) bool {
	for l := (lines{text: text}); l.next(); {
		if word, rest := l.directive(); word == "pragma" && strings.TrimSpace(rest) == "once" {
			return true
		}
	}
	return false
}

// guarded reports whether the first directives of a text are #ifndef X, #define X.
func guarded(text string) bool {
	name := ""
	for l := (lines{text: text}); l.next(); {
		word, rest := l.directive()
		fields := strings.Fields(rest)
		switch {
		case word == "" && l.blank():
		case name == "" && word == "ifndef" && len(fields) > 0:
			name = fields[0]
		case name == "" && word == "if" && strings.HasPrefix(strings.ReplaceAll(rest, " ", ""), "!defined"):
			name = strings.Trim(strings.TrimPrefix(strings.ReplaceAll(rest, " ", ""), "!defined"), "()\t")
		default:
			return name != "" && word == "define" && len(fields) > 0 && fields[0] == name
		}
	}
	return false
}

// lines goes through a text by its lines, those that end in a backslash joined to the next; comments and strings are understood as far as
// is needed to know a directive.
type lines struct {
	text    string
	off     int
	line    string // with its newline
	number  int    // of its first physical line, from 1
	height  int    // physical lines
	code    string // the line with comments as blanks and its splices gone
	comment bool   // a comment goes on after the line
}

// next goes to the next line, and reports whether there is one.
func (l *lines) next() bool {
	if l.off >= len(l.text) {
		return false
	}
	l.number += l.height
	if l.number == 0 {
		l.number = 1
	}
	start := l.off
	l.height = 0
	var code strings.Builder
	for l.off < len(l.text) {
		end := strings.IndexByte(l.text[l.off:], '\n') + 1
		if end == 0 {
			end = len(l.text) - l.off
		}
		part := l.text[l.off : l.off+end]
		l.off += end
		l.height++
		body := strings.TrimRight(part, "\r\n")
		if trimmed := strings.TrimSuffix(body, `\`); trimmed != body && strings.HasSuffix(part, "\n") {
			code.WriteString(trimmed)
			continue
		}
		code.WriteString(body)
		break
	}
	l.line = l.text[start:l.off]
	l.code = l.strip(code.String())
	return true
}

// strip replaces comments by blanks.
func (l *lines) strip(s string) string {
	if !l.comment && !strings.Contains(s, "/") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case l.comment:
			n := strings.Index(s[i:], "*/")
			if n < 0 {
				return b.String()
			}
			l.comment = false
			b.WriteByte(' ')
			i += n + 2
		case strings.HasPrefix(s[i:], "/*"):
			l.comment = true
			i += 2
		case strings.HasPrefix(s[i:], "//"):
			return b.String()
		case s[i] == '"' || s[i] == '\'' && (i == 0 || !word(s[i-1])): // after a digit a ' separates digits
			end := i + 1
			for end < len(s) && s[end] != s[i] {
				if s[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(s))
			b.WriteString(s[i:end])
			i = end
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// word reports whether c can be in an identifier or a number.
func word(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// blank reports whether the line has nothing but blanks and comments.
func (l *lines) blank() bool { return strings.TrimSpace(l.code) == "" }

// directive returns the word after # and the rest of the line; "" if the line is no directive.
func (l *lines) directive() (name, rest string) {
	s := strings.TrimLeft(l.code, " \t\f\v")
	if !strings.HasPrefix(s, "#") {
		return "", ""
	}
	s = strings.TrimLeft(s[1:], " \t\f\v")
	n := 0
	for n < len(s) && word(s[n]) {
		n++
	}
	return s[:n], s[n:]
}

// include returns what the line includes; target is "" if it is no #include or #import of a name.
func (l *lines) include() (name, target string, quoted bool) {
	name, rest := l.directive()
	if name != "include" && name != "import" {
		return name, "", false
	}
	rest = strings.TrimSpace(rest)
	for _, marks := range []string{`""`, "<>"} {
		if len(rest) > 2 && rest[0] == marks[0] {
			if n := strings.IndexByte(rest[1:], marks[1]); n > 0 {
				return name, rest[1 : 1+n], marks[0] == '"'
			}
		}
	}
	return name, "", false
}

// splitMacros returns the macros that go into preprocessorMacros, and the others as texts for #define: those with parameters, and those
// with an empty text, of which Metal's documentation does not speak.
func splitMacros(all map[string]string) (table map[string]string, defines []string, err error) {
	table = map[string]string{}
	for _, name := range sortedKeys(all) {
		text := all[name]
		if name == "" || !word(name[0]) || '0' <= name[0] && name[0] <= '9' || strings.ContainsAny(name+text, "\r\n\x00") {
			return nil, nil, errorf("macro %q: a macro is an identifier, or one with its parameters, and its text is one line", name)
		}
		plain := strings.IndexFunc(name, func(r rune) bool { return r > 127 || !word(byte(r)) }) < 0
		if plain && text != "" {
			table[name] = text
		} else {
			defines = append(defines, strings.TrimRight(name+" "+text, " "))
		}
	}
	return table, defines, nil
}

// sortedKeys returns the keys of m in order.
func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
