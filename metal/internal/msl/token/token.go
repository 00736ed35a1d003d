package token

import (
	"strings"

	"gamma/model"
)

// Pos is a place in the source: of a token that a macro gave, the place of the macro's use.
type Pos = model.Position

// LibraryFile returns the name, in positions, of the text of Metal's header of that name.
func LibraryFile(header string) string { return "<metal_" + header + ">" }

// InLibrary reports whether p is in the text of one of Metal's headers.
func InLibrary(p Pos) bool { return strings.HasPrefix(p.File, "<metal_") }

// Kind says what a token is.
type Kind uint8

const (
	EOF Kind = iota
	Ident
	Keyword // one of Keywords
	Int     // Text as written, with its suffix
	Float
	Char
	String  // Text with the quotes and escapes as written
	Punct   // operators and brackets, the longest that fits; "[[" is two tokens
	Pragma  // a whole pragma that means something later; Text is all after `#pragma`, blanks folded
	Newline // only inside the preprocessor
)

// Token is one token. The preprocessor's result holds no Newline.
type Token struct {
	Kind Kind
	// Space: white space stands before it. Bol: it is the first on its line.
	Space, Bol bool
	Text       string
	Pos        Pos
}

// Is reports whether t is the punctuation or the keyword text.
func (t Token) Is(text string) bool {
	return (t.Kind == Punct || t.Kind == Keyword) && t.Text == text
}

// Keywords are the words that can be no identifier. The names of types (float4, uint, size_t) are
// identifiers to the scanner.
var Keywords = map[string]bool{}

func init() {
	for _, w := range []string{
		"alignas", "alignof", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "constexpr",
		"const_cast", "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit",
		"extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new",
		"noexcept", "nullptr", "operator", "private", "protected", "public", "register", "reinterpret_cast", "return", "short",
		"signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
		"throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
		"while",
		// Metal's own
		"kernel", "vertex", "fragment", "device", "constant", "thread", "threadgroup", "threadgroup_imageblock", "ray_data", "object_data",
	} {
		Keywords[w] = true
	}
}
