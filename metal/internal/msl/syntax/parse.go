package syntax

import (
	"fmt"
	"strings"

	"gamma/metal/internal/msl/token"
)

// maxDepth is how deep brackets, statements, declarations and types may nest.
const maxDepth = 256

// maxChain is how many operators one expression may chain without brackets, as in a + b + c: the tree
// leans as deep to the left.
const maxChain = 2048

// Parse parses the tokens of one translation unit, as the preprocessor gives them.
//
// What is wrong, and what is not supported, is in the list; the declarations and statements in which it
// stands are then left out of the file, so that what is there has no holes.
func Parse(tokens []token.Token) (*File, token.List) {
	p := &parser{toks: tokens, scope: &scope{parent: builtins()}}
	for n := len(p.toks); n > 0 && p.toks[n-1].Kind == token.EOF; n-- {
		p.end = p.toks[n-1]
		p.toks = p.toks[:n-1]
	}
	if n := len(p.toks); n > 0 && p.end.Pos.Line == 0 {
		last := p.toks[n-1]
		p.end.Pos = last.Pos
		p.end.Pos.Column += len(last.Text)
	}
	p.end.Kind, p.end.Text = token.EOF, ""
	p.file = p.scope
	p.tried = make([]uint8, len(p.toks)+1)
	p.load(0)
	file := &File{Decls: p.declarations(atFile)}
	for i := range tokens {
		group := i+2 < len(tokens) && tokens[i+1].Is("(") && tokens[i+2].Text == "threadgroup"
		if tokens[i].Kind == token.Ident && tokens[i].Text == "coherent" && !group {
			file.Coherents++
		}
	}
	return file, p.errs
}

// parser is the state of one Parse.
//
// At an error it is poisoned: it then stands at the end of the file, so that all that runs ends, until
// the list of statements or declarations around it takes up the source again after the error.
type parser struct {
	scopeOf string // of the last coherent(scope)

	toks []token.Token
	end  token.Token
	at   int         // index of tok
	tok  token.Token // what stands next; of >> that closes two lists, the rest

	errs     token.List
	poisoned bool
	stopped  bool // too many errors
	broken   mark // where the error is

	depth    int
	noShut   bool // > closes a list of template arguments
	aliases  bool // the type after using X =, which may be that of a function
	scope    *scope
	file     *scope
	classes  int     // structures around
	delayed  []delay // bodies of methods, parsed when the structure is whole
	members  map[string]bool
	attempts int
	// tried remembers by token what an attempt has shown, so that none is made twice.
	tried []uint8
}

// What does not stand at a token: a type; arguments of a template; a type in brackets; parameters of a function.
const (
	notType uint8 = 1 << iota
	notArgs
	notCast
	notParams
)

// delay is the body of a method that is still to parse.
type delay struct {
	f     *FuncDecl
	from  mark
	scope *scope
}

// mark is a place to go back to.
type mark struct {
	at  int
	tok token.Token
}

func (p *parser) mark() mark { return mark{p.at, p.tok} }

func (p *parser) reset(m mark) { p.at, p.tok = m.at, m.tok }

func (p *parser) load(at int) {
	p.at = at
	if at < len(p.toks) {
		p.tok = p.toks[at]
		return
	}
	p.at = len(p.toks)
	p.tok = p.end
}

func (p *parser) next() { p.load(p.at + 1) }

// peek returns the n-th token after the next one.
func (p *parser) peek(n int) *token.Token {
	if p.at+n < len(p.toks) {
		return &p.toks[p.at+n]
	}
	return &p.end
}

func (p *parser) is(text string) bool {
	return p.tok.Text == text && (p.tok.Kind == token.Punct || p.tok.Kind == token.Keyword)
}

func (p *parser) atEnd() bool { return p.tok.Kind == token.EOF }

// accept takes the next token if it is text.
func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

// expect takes text, or fails; where says after or in what.
func (p *parser) expect(text, where string) bool {
	if p.accept(text) {
		return true
	}
	p.fail("expected %s %s, found %s", text, where, p.found())
	return false
}

// ident takes an identifier, or fails.
func (p *parser) ident(what string) string {
	if p.tok.Kind != token.Ident {
		p.fail("expected %s, found %s", what, p.found())
		return ""
	}
	text := p.tok.Text
	p.next()
	return text
}

// found describes the next token.
func (p *parser) found() string {
	switch p.tok.Kind {
	case token.EOF:
		return "the end of the file"
	case token.Pragma:
		return "#pragma " + p.tok.Text
	case token.Keyword:
		return "the word " + p.tok.Text
	}
	text := p.tok.Text
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// fail reports an error at the next token and poisons.
func (p *parser) fail(format string, args ...any) {
	p.failAt(p.tok.Pos, format, args...)
}

func (p *parser) failAt(pos Pos, format string, args ...any) {
	if p.poisoned {
		return
	}
	p.note(p.errs.Add(pos, format, args...))
	p.poison()
}

// refuse reports a feature that is not supported and poisons.
func (p *parser) refuse(pos Pos, feature, format string, args ...any) {
	if p.poisoned {
		return
	}
	p.mention(pos, feature, format, args...)
	p.poison()
}

// mention reports a feature that is not supported, and what to write instead; the parser goes on.
func (p *parser) mention(pos Pos, feature, format string, args ...any) {
	if p.poisoned {
		return
	}
	p.note(p.errs.Unsupported(pos, feature, "%s; %s", feature, fmt.Sprintf(format, args...)))
}

// complain reports an error; the parser goes on.
func (p *parser) complain(pos Pos, format string, args ...any) {
	if p.poisoned {
		return
	}
	p.note(p.errs.Add(pos, format, args...))
}

func (p *parser) note(more bool) {
	if !more && p.attempts == 0 {
		p.stopped = true
		p.poison()
	}
}

func (p *parser) poison() {
	if p.poisoned {
		return
	}
	p.broken = p.mark()
	p.poisoned = true
	p.load(len(p.toks))
}

// attempt runs f, and goes back if it fails or says no.
func (p *parser) attempt(f func() bool) bool {
	if p.poisoned {
		return false
	}
	m, n, inScope, depth, noShut := p.mark(), len(p.errs), p.scope, p.depth, p.noShut
	p.attempts++
	ok := f() && !p.poisoned
	p.attempts--
	if !ok {
		p.poisoned = false
		p.errs = p.errs[:n]
		p.scope, p.depth, p.noShut = inScope, depth, noShut
		p.reset(m)
	}
	return ok
}

// enter goes one level deeper; the caller defers or calls leave if it is true.
func (p *parser) enter() bool {
	if p.depth >= maxDepth {
		p.fail("nested too deeply: more than %d levels", maxDepth)
		return false
	}
	p.depth++
	return true
}

func (p *parser) leave() { p.depth-- }

// recover takes up the source after a statement or declaration that began at from and failed: after
// its semicolon or its braces, or in front of a brace that closes what is around.
func (p *parser) recover(from mark) {
	if p.stopped {
		return
	}
	p.poisoned = false
	p.noShut = false
	bad := p.broken.at
	p.reset(from)
	parens := 0
	for !p.atEnd() {
		switch {
		case p.is("{"):
			if !p.toMatching() {
				// No brace closes it: go on after the error.
				if p.load(bad); p.at == from.at {
					p.next()
				}
				return
			}
			if p.at > bad && parens <= 0 || p.at >= bad && p.tok.Bol {
				if p.accept(";") || !p.goesOn() {
					return
				}
			}
			continue
		case p.is("("):
			parens++
		case p.is(")"):
			parens--
		case p.is("}"):
			if p.at >= bad {
				return
			}
		case p.is(";"):
			ends := parens <= 0 || p.peek(1).Bol
			if p.at+1 >= bad && ends { // the error may be noticed just after it
				p.next()
				return
			}
		}
		p.next()
	}
}

// goesOn reports whether what stands after a closing brace may belong to the same declaration.
func (p *parser) goesOn() bool {
	return p.is(",") || p.is(")") || p.is("(") || p.is(".") || p.is("=") || p.is("[")
}

// toMatching goes after the bracket that closes the next one, and reports whether there is one.
func (p *parser) toMatching() bool {
	open := p.tok.Text
	shut := map[string]string{"{": "}", "(": ")", "[": "]"}[open]
	m, n := p.mark(), 0
	for !p.atEnd() {
		switch {
		case p.is(open):
			n++
		case p.is(shut):
			if n--; n == 0 {
				p.next()
				return true
			}
		case open != "{" && (p.is("{") || p.is("}") || p.is(";")):
			// Braces and semicolons stand in round brackets only within lambdas and for.
			if p.is("{") {
				if !p.toMatching() {
					p.reset(m)
					return false
				}
				continue
			}
			if p.is("}") {
				p.reset(m)
				return false
			}
		}
		p.next()
	}
	p.reset(m)
	return false
}

// skipMatching is toMatching, and an error if there is none.
func (p *parser) skipMatching() {
	if !p.toMatching() {
		p.fail("nothing closes this %s", p.tok.Text)
	}
}
