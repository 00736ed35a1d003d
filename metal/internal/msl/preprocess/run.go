package preprocess

import (
	"io/fs"
	"maps"
	"slices"
	"unicode/utf8"

	"gamma/metal/internal/msl/token"
)

// Bounds on what one Run may use.
const (
	MaxSource       = 16 << 20  // bytes of one text
	MaxTokens       = 2_000_000 // tokens in the result, and tokens that macros make on the way
	MaxIncludeDepth = 64
	MaxConditionals = 1000 // #if inside #if, in one file
	MaxNesting      = 1024 // macros being expanded at once

	maxIncludes = 4096     // files entered in all
	maxParams   = 256      // of one macro
	maxScanned  = 64 << 20 // bytes of all files entered
	maxText     = 16 << 20 // bytes that # and ## make
)

// Options are what stands around a source.
type Options struct {
	// Headers holds the text of each file that #include may name, and Files those that are not in it. Metal's own headers need not be here.
	Headers map[string]string
	Files   fs.FS
	// Defines are macros from outside: a name, or a name with parameters as in "F(x)", and its text.
	Defines map[string]string
	// Version is the language's, 320 for 3.2; 0 means 320.
	Version int
	// FileName is the source's name in positions and in __FILE__.
	FileName string
}

// Run preprocesses src. The tokens end with EOF; a token that a macro gave has the position of the
// outermost macro use. The diagnostics may hold warnings only; after an error the tokens are what could be
// saved.
//
// Any text is taken. What exceeds the bounds of this package ends the run with an error that names the
// bound.
func Run(src string, opts Options) (tokens []token.Token, diags token.List) {
	if opts.Version == 0 {
		opts.Version = 320
	}
	p := &processor{opts: opts, once: map[string]bool{}, texts: map[string]string{}}
	p.out = make([]token.Token, 0, min(len(src)/2+16, 1<<16))
	p.predefine()
	for _, name := range slices.Sorted(maps.Keys(opts.Defines)) {
		p.defineOption(name, opts.Defines[name])
	}
	if p.enter(src, opts.FileName, opts.FileName, token.Pos{File: opts.FileName, Line: 1, Column: 1}) {
		p.run()
	}
	end := token.Token{Kind: token.EOF, Bol: true, Pos: token.Pos{File: opts.FileName, Line: 1, Column: 1}}
	if p.last != nil {
		end.Pos = p.last.scanner.pos(len(p.last.scanner.src))
	}
	return append(p.out, end), p.diags
}

// processor is the state of one Run.
type processor struct {
	opts  Options
	names map[string]name
	diags token.List
	out   []token.Token

	files []*file
	f     *file             // the innermost
	last  *file             // the source itself
	once  map[string]bool   // files with #pragma once
	texts map[string]string // of headers that were read from files

	stack   []context
	back    token.Token // a token that was read too early
	hasBack bool
	free    [][]token.Token

	line      []token.Token // the rest of a directive's line
	condition bool          // expanding for #if
	outer     string        // the outermost macro in use
	saved     map[string][]*macro

	counter          int
	made, text       int // tokens and bytes that macros made
	entered, scanned int // files and bytes
	stop             bool
}

// A file is a text being read.
type file struct {
	scanner
	key   string // its name among the headers
	conds []conditional
}

// errorf reports an error; after too many the run stops, and what is found on the way out is not reported.
func (p *processor) errorf(pos token.Pos, format string, args ...any) {
	if !p.full() {
		p.stop = !p.diags.Add(pos, format, args...)
	}
}

func (p *processor) unsupported(pos token.Pos, feature, format string, args ...any) {
	if !p.full() {
		p.stop = !p.diags.Unsupported(pos, feature, format, args...)
	}
}

// full reports whether no more errors are welcome, and stops the run then: the last one may be the scanner's.
func (p *processor) full() bool {
	p.stop = p.stop || p.diags.Errors() >= token.MaxErrors
	return p.stop
}

// fatal reports an error after which nothing is worth reading.
func (p *processor) fatal(pos token.Pos, format string, args ...any) {
	if !p.full() {
		p.diags.Add(pos, format, args...)
	}
	p.stop = true
}

// enter starts reading a text.
func (p *processor) enter(src, name, key string, pos token.Pos) bool {
	p.entered++
	p.scanned += len(src)
	switch {
	case len(src) > MaxSource:
		p.fatal(pos, "%q has %d bytes, over the limit of %d; split it", name, len(src), MaxSource)
		return false
	case len(p.files) >= MaxIncludeDepth:
		p.fatal(pos, "#include nests %d deep, which is the limit; does %q include itself without a guard?", MaxIncludeDepth, name)
		return false
	case p.entered > maxIncludes || p.scanned > maxScanned:
		p.fatal(pos, "over %d files or %d bytes were included; guard the headers with #pragma once", maxIncludes, maxScanned)
		return false
	}
	p.checkUTF8(src, name)
	f := &file{key: key, scanner: *newScanner(src, name, &p.diags)}
	p.files = append(p.files, f)
	p.f = f
	if p.last == nil {
		p.last = f
	}
	return true
}

// checkUTF8 reports each stretch of bytes that is not UTF-8.
func (p *processor) checkUTF8(src, name string) {
	if utf8.ValidString(src) {
		return
	}
	line, start, was := 1, 0, false
	for i, r := range src {
		bad := false
		if r == utf8.RuneError {
			_, n := utf8.DecodeRuneInString(src[i:])
			bad = n == 1
		}
		if bad && !was {
			p.errorf(token.Pos{File: name, Line: line, Column: i - start + 1}, "the byte %#02x is not UTF-8; save the file as UTF-8", src[i])
			if p.stop {
				return
			}
		}
		was = bad
		if r == '\n' {
			line, start = line+1, i+1
		}
	}
}

// run reads to the end of the source.
func (p *processor) run() {
	var t token.Token
	for {
		n := p.expanded(&t)
		if t.Kind == token.EOF {
			if p.stop || !p.leave() {
				return
			}
			continue
		}
		p.emit(&t, n)
	}
}

// leave ends the innermost file and reports whether one is left.
func (p *processor) leave() bool {
	for _, c := range p.f.conds {
		p.errorf(c.pos, "this #%s has no #endif", c.word)
	}
	p.files = p.files[:len(p.files)-1]
	if len(p.files) == 0 {
		return false
	}
	p.f = p.files[len(p.files)-1]
	return true
}

// emit judges t and appends it to the result.
func (p *processor) emit(t *token.Token, n name) {
	if len(p.out) >= MaxTokens {
		if len(p.stack) > 0 {
			p.fatal(t.Pos, "the result has over %d tokens, the limit, while macro %s is expanded; make it smaller", MaxTokens, p.outer)
		} else {
			p.fatal(t.Pos, "the source has over %d tokens, the limit; split it", MaxTokens)
		}
		return
	}
	switch t.Kind {
	case token.Ident, kindPainted:
		t.Kind = token.Ident
		if n.keyword {
			t.Kind = token.Keyword
		} else if n.punct != "" {
			t.Kind, t.Text = token.Punct, n.punct
		}
	case kindNumber:
		kind, _, _, bad := number(t.Text)
		t.Kind = kind
		if bad != nil {
			p.badLiteral(t, bad)
		}
	case token.Punct:
		switch t.Text {
		case "<:", ":>", "<%", "%>":
			t.Text = alternatives[t.Text]
		case "#", "##", "%:", "%:%:":
			p.errorf(t.Pos, "%s stands here for nothing; a directive begins its line", t.Text)
			return
		}
	case token.String, token.Char:
		if c := t.Text[0]; c != '"' && c != '\'' {
			p.unsupported(t.Pos, "prefixed literals", "a literal with a prefix, %.20s; write it without", t.Text)
			return
		}
		if t.Text == "''" {
			p.errorf(t.Pos, "'' holds no character")
			return
		}
	case kindOther:
		p.stray(t)
		return
	}
	p.out = append(p.out, *t)
}

func (p *processor) badLiteral(t *token.Token, bad *badLiteral) {
	if bad.feature != "" {
		p.unsupported(t.Pos, bad.feature, "%.40s: %s", t.Text, bad.msg)
		return
	}
	p.errorf(t.Pos, "%.40s is not a number: %s", t.Text, bad.msg)
}

func (p *processor) stray(t *token.Token) {
	switch c := t.Text[0]; {
	case c == '"' || c == '\'' || len(t.Text) > 1 && c < utf8.RuneSelf:
		p.errorf(t.Pos, "%.20s has no closing quote on its line", t.Text)
	default:
		r, n := utf8.DecodeRuneInString(t.Text)
		if r == utf8.RuneError && n == 1 {
			return // reported when the file was entered
		}
		p.errorf(t.Pos, "the character %q (%U) has no meaning in a program; remove it", r, r)
	}
}
