package syntax

import "gamma/metal/internal/msl/token"

// Pos is a place in the source.
type Pos = token.Pos

// File is one translation unit.
type File struct {
	Decls []Decl
	// Coherents is how often the word coherent stands in it, but for coherent(threadgroup).
	Coherents int
}

// Attribute is one of [[name(args)]], __attribute__((name(args))) or alignas(x). Names of vendors stay in
// front: "clang::x".
type Attribute struct {
	Pos  Pos
	Name string
	Args []Expr
}

// Name is a possibly qualified name, such as metal::vec<float, 4> or operator+.
type Name struct {
	Pos    Pos
	Global bool // begins with ::
	Parts  []NamePart
}

// NamePart is a part of a qualified name.
type NamePart struct {
	Pos Pos
	// Decltype is set of the first part of decltype(x)::name, and Ident is then "decltype".
	Decltype *DecltypeType
	// Ident is the identifier, "operator" and its symbol without blanks ("operator+", "operator()", "operator[]"),
	// "operator " alone for a conversion operator (see Converts and FuncDecl.Converts), or "~T".
	Ident    string
	Converts TypeExpr // the type that a conversion operator gives
	HasArgs  bool     // <…> follows
	Args     []TemplateArg
	Template bool // written after the word template
}

// TemplateArg is a type or an expression.
type TemplateArg struct {
	Type TypeExpr // nil for an expression
	X    Expr
	Pack bool // followed by ...
	// In is nil as parsed; the checker sets it in an element of an expansion, to what the names of packs stand for there.
	In any
}

// Space is an address space as written.
type Space uint8

const (
	NoSpace Space = iota
	Device
	Constant
	Thread
	Threadgroup
	// Of other stages: functions of them are parsed and never chosen.
	ThreadgroupImageblock
	RayData
	ObjectData
)

// Foreign reports whether the space is none of a kernel's.
func (s Space) Foreign() bool { return s > Threadgroup }

// String returns the space as it is written.
func (s Space) String() string { return spaceWords[s] }

var spaceWords = [...]string{
	Device: "device", Constant: "constant", Thread: "thread", Threadgroup: "threadgroup", ThreadgroupImageblock: "threadgroup_imageblock",
	RayData: "ray_data", ObjectData: "object_data",
}

// TypeExpr is a type as written: *NameType, *PointerType, *RefType, *ArrayType, *FuncType, *AutoType or *DecltypeType.
type TypeExpr interface{ typeExpr() }

// Quals are the qualifiers of a type.
type Quals struct {
	Const, Volatile bool
	Space           Space
	// Outer is the space of the pointer itself where two spaces stand before what it points to: thread const device float *p. The pointer has
	// taken it over where the declaration has one.
	Outer Space
}

// NameType names a type. Words of the C core are folded: "unsigned int" is "uint", "signed long" is
// "long", "unsigned" is "uint", "long long" is "long long" (refused by the checker), "unsigned char" is "uchar".
type NameType struct {
	Pos      Pos
	Name     *Name
	Quals    Quals
	Typename bool
	// Struct or Enum is set for a definition in place: struct {…} x;
	Struct *StructDecl
	Enum   *EnumDecl
}

// PointerType is Elem *quals; Elem's own qualifiers hold the address space that it points to.
type PointerType struct {
	Pos   Pos
	Elem  TypeExpr
	Quals Quals
}

// RefType is Elem & or Elem &&.
type RefType struct {
	Pos    Pos
	Elem   TypeExpr
	RValue bool
}

// ArrayType is Elem[Len]; Len is nil for [].
type ArrayType struct {
	Pos  Pos
	Elem TypeExpr
	Len  Expr
}

// FuncType is the type of a function; pointers to them are refused by the checker.
type FuncType struct {
	Pos    Pos
	Result TypeExpr
	Params []*Param
}

// AutoType is auto, with its qualifiers.
type AutoType struct {
	Pos   Pos
	Quals Quals
}

// DecltypeType is decltype(X).
type DecltypeType struct {
	Pos   Pos
	X     Expr
	Quals Quals
}

func (*NameType) typeExpr()     {}
func (*PointerType) typeExpr()  {}
func (*RefType) typeExpr()      {}
func (*ArrayType) typeExpr()    {}
func (*FuncType) typeExpr()     {}
func (*AutoType) typeExpr()     {}
func (*DecltypeType) typeExpr() {}

// Decl is a declaration: *VarDecl, *FuncDecl, *StructDecl, *EnumDecl, *AliasDecl, *TemplateDecl, *Instantiation,
// *NamespaceDecl, *NamespaceAlias, *UsingDirective, *UsingDecl, *StaticAssert or *PragmaDecl.
type Decl interface{ decl() }

// Specs are the words before a declaration's type that are no part of it.
type Specs struct {
	Static, Constexpr, Inline, Extern, Explicit, Friend, Mutable, Virtual bool
	Kernel                                                                bool   // kernel, or [[kernel]]
	Coherent                                                              bool   // coherent, of a scope larger than a threadgroup
	Stage                                                                 string // "vertex", "fragment", "mesh", "object" or "intersection": refused by the checker
	Attrs                                                                 []Attribute
}

// VarDecl declares one variable, or one field of a struct. `int a, *b;` is two of them.
type VarDecl struct {
	Pos   Pos
	Specs Specs
	Type  TypeExpr
	Name  *Name // qualified for the definition of a static member
	Attrs []Attribute
	// Init is the initialiser: of x = e it is e, of x{…} and x = {…} an *InitList, of x(a, b) nil with
	// Ctor set and Args given.
	Init Expr
	Ctor bool
	Args []Expr
	Bits Expr // width of a bit-field: refused by the checker
}

// Param is a parameter of a function.
type Param struct {
	Pos     Pos
	Specs   Specs
	Type    TypeExpr
	Name    string // "" if it has none
	Attrs   []Attribute
	Default Expr
	Pack    bool
}

// FuncDecl declares or defines a function, method, constructor, destructor or conversion.
type FuncDecl struct {
	Pos    Pos
	Specs  Specs
	Result TypeExpr // nil for constructors; the trailing type of auto f() -> T
	Name   *Name
	Params []*Param
	// Of methods: the qualifiers after the parameter list, the address space among them.
	Quals    Quals
	Ctor     bool
	Dtor     bool
	Converts bool // conversion operator; Result is its type
	Inits    []MemberInit
	Default  bool // = default
	Delete   bool // = delete
	Attrs    []Attribute
	Body     *Block // nil for a declaration
}

// MemberInit is name(args) or name{args} in a constructor's list.
type MemberInit struct {
	Pos   Pos
	Name  *Name
	Brace bool
	Args  []Expr
}

// StructDecl declares or defines a struct, class or union.
type StructDecl struct {
	Pos     Pos
	Kind    string // "struct", "class" or "union"
	Name    *Name  // nil if anonymous; with arguments for a specialisation
	Defined bool
	Bases   []TypeExpr
	Members []Decl // in order; private and protected are parsed and forgotten
	Attrs   []Attribute
}

// EnumDecl defines an enumeration.
type EnumDecl struct {
	Pos     Pos
	Name    *Name // nil if anonymous
	Scoped  bool  // enum class
	Base    TypeExpr
	Defined bool
	Items   []EnumItem
}

// EnumItem is one enumerator.
type EnumItem struct {
	Pos   Pos
	Name  string
	Value Expr // nil: the one before plus one
}

// AliasDecl is using Name = Type, or typedef.
type AliasDecl struct {
	Pos  Pos
	Name string
	Type TypeExpr
}

// TemplateDecl is template <…> declaration. No parameters: an explicit specialisation.
type TemplateDecl struct {
	Pos    Pos
	Params []*TemplateParam
	Decl   Decl
}

// TemplateParam is a type or value parameter.
type TemplateParam struct {
	Pos     Pos
	Name    string
	Type    TypeExpr // of a value parameter; nil for a type parameter
	Pack    bool
	Default *TemplateArg
	// Template: a template template parameter, refused by the checker.
	Template bool
}

// Instantiation is template [[attrs]] declaration; without a body.
type Instantiation struct {
	Pos  Pos
	Decl Decl // *FuncDecl or *StructDecl whose name has arguments, or leaves them to deduction
	// Alias: `template [[host_name("x")]] [[kernel]] decltype(f<T>) f<T>;` names f here, with its type, and Decl is nil.
	Alias *Name
	Type  TypeExpr
	Specs Specs
}

// NamespaceDecl is namespace name { … }.
type NamespaceDecl struct {
	Pos   Pos
	Name  string // "" if anonymous
	Decls []Decl
}

// NamespaceAlias is namespace name = a::b.
type NamespaceAlias struct {
	Pos  Pos
	Name string
	Of   *Name
}

// UsingDirective is using namespace name.
type UsingDirective struct {
	Pos  Pos
	Name *Name
}

// UsingDecl is using a::b.
type UsingDecl struct {
	Pos  Pos
	Name *Name
}

// StaticAssert is static_assert(X, Msg).
type StaticAssert struct {
	Pos Pos
	X   Expr
	Msg string
}

// PragmaDecl is a pragma for floating point, in the order in which it stands; it rules the declarations
// that follow in its scope. Text is as in token.Pragma.
type PragmaDecl struct {
	Pos  Pos
	Text string
}

func (*VarDecl) decl()        {}
func (*FuncDecl) decl()       {}
func (*StructDecl) decl()     {}
func (*EnumDecl) decl()       {}
func (*AliasDecl) decl()      {}
func (*TemplateDecl) decl()   {}
func (*Instantiation) decl()  {}
func (*NamespaceDecl) decl()  {}
func (*NamespaceAlias) decl() {}
func (*UsingDirective) decl() {}
func (*UsingDecl) decl()      {}
func (*StaticAssert) decl()   {}
func (*PragmaDecl) decl()     {}

// Stmt is a statement.
type Stmt interface{ stmt() }

type (
	// Block is { … }. Pragmas are those that stand first in it.
	Block struct {
		Pos     Pos
		Pragmas []*PragmaDecl
		Stmts   []Stmt
		End     Pos
	}
	// DeclStmt is one declaration statement, of one or several names.
	DeclStmt struct {
		Pos   Pos
		Decls []Decl
	}
	// ExprStmt is an expression statement.
	ExprStmt struct {
		Pos Pos
		X   Expr
	}
	// If is if (Init; Cond) Then else Else. Decl is set instead of Cond for if (T x = e).
	If struct {
		Pos        Pos
		Constexpr  bool
		Init       Stmt
		Cond       Expr
		Decl       *VarDecl
		Then, Else Stmt
	}
	// For is for (Init; Cond; Post) Body; each may be nil.
	For struct {
		Pos  Pos
		Init Stmt
		Cond Expr
		Post Expr
		Body Stmt
	}
	// RangeFor is for (Decl : X) Body.
	RangeFor struct {
		Pos  Pos
		Decl *VarDecl
		X    Expr
		Body Stmt
	}
	// While is while (Cond) Body.
	While struct {
		Pos  Pos
		Cond Expr
		Body Stmt
	}
	// Do is do Body while (Cond).
	Do struct {
		Pos  Pos
		Body Stmt
		Cond Expr
	}
	// Switch is switch (X) Body; Case and Default stand in Body as statements.
	Switch struct {
		Pos  Pos
		X    Expr
		Body *Block
	}
	// Case is case X: or, with X nil, default:. The statement after the colon follows it in the list.
	Case struct {
		Pos Pos
		X   Expr
	}
	// Break is break.
	Break struct{ Pos Pos }
	// Continue is continue.
	Continue struct{ Pos Pos }
	// Return is return X; X may be nil, and an *InitList.
	Return struct {
		Pos Pos
		X   Expr
	}
	// Empty is a lone semicolon.
	Empty struct{ Pos Pos }
)

func (*Block) stmt()    {}
func (*DeclStmt) stmt() {}
func (*ExprStmt) stmt() {}
func (*If) stmt()       {}
func (*For) stmt()      {}
func (*RangeFor) stmt() {}
func (*While) stmt()    {}
func (*Do) stmt()       {}
func (*Switch) stmt()   {}
func (*Case) stmt()     {}
func (*Break) stmt()    {}
func (*Continue) stmt() {}
func (*Return) stmt()   {}
func (*Empty) stmt()    {}

// Expr is an expression.
type Expr interface {
	expr()
	Place() Pos // of an operator, where the operator stands; of a call, the opening parenthesis' function
}

type (
	// Ident names a variable, function, enumerator or template.
	Ident struct {
		Pos  Pos
		Name *Name
	}
	// Literal is a number, character, string, true, false or nullptr, as written.
	Literal struct {
		Pos  Pos
		Kind token.Kind // Int, Float, Char, String, or Keyword for the words
		Text string
	}
	// This is this.
	This struct{ Pos Pos }
	// Unary is Op X: + - ! ~ * & ++ --.
	Unary struct {
		Pos Pos
		Op  string
		X   Expr
	}
	// Postfix is X ++ or X --.
	Postfix struct {
		Pos Pos
		Op  string
		X   Expr
	}
	// Binary is L Op R, the comma and the assignments (= += …) among the operators.
	Binary struct {
		Pos  Pos
		Op   string
		L, R Expr
	}
	// Cond is C ? T : F.
	Cond struct {
		Pos     Pos
		C, T, F Expr
	}
	// Call is Fun(Args). T(x) of a name that is known to be a type is a Construct.
	Call struct {
		Pos  Pos
		Fun  Expr
		Args []Expr
	}
	// Construct is Type(Args) or Type{Args}.
	Construct struct {
		Pos   Pos
		Type  TypeExpr
		Brace bool
		Args  []Expr
	}
	// InitList is {Args}.
	InitList struct {
		Pos  Pos
		Args []Expr
	}
	// Designated is Path = X in an InitList: .member = X, [Lo] = X, [Lo ... Hi] = X, and longer paths.
	Designated struct {
		Pos  Pos
		Path []Designator
		X    Expr
	}
	// Index is X[I].
	Index struct {
		Pos  Pos
		X, I Expr
	}
	// Member is X.Name or X->Name.
	Member struct {
		Pos   Pos
		X     Expr
		Arrow bool
		Name  *Name
	}
	// Cast is a cast: Kind is "" for (T)x, or static_cast, reinterpret_cast, const_cast.
	Cast struct {
		Pos  Pos
		Kind string
		Type TypeExpr
		X    Expr
	}
	// Sizeof is sizeof or alignof of a type or of an expression.
	Sizeof struct {
		Pos   Pos
		Align bool
		Type  TypeExpr // nil: of X
		X     Expr
		Pack  string // sizeof...(Pack)
	}
	// TypeTrait is a question about types that the compiler answers, such as __is_empty(T).
	TypeTrait struct {
		Pos  Pos
		Name string
		Args []TemplateArg
	}
	// Fold is (... Op X) or, with Right, (X Op ...), X holding packs; Init, if not nil, is the value at the other end.
	Fold struct {
		Pos   Pos
		Op    string
		X     Expr
		Init  Expr
		Right bool
	}
	// Paren is (X); contraction and reassociation look through it, names of types do not.
	Paren struct {
		Pos Pos
		X   Expr
	}
	// Lambda is refused by the checker.
	Lambda struct{ Pos Pos }
	// PackExpansion is X... in a list. In is as in TemplateArg.
	PackExpansion struct {
		Pos Pos
		X   Expr
		In  any
	}
)

// Designator is one step of a Designated: a member, or with Lo an element; with Hi all elements from Lo to Hi.
type Designator struct {
	Pos    Pos
	Field  string
	Lo, Hi Expr
}

func (*Ident) expr()         {}
func (*Literal) expr()       {}
func (*This) expr()          {}
func (*Unary) expr()         {}
func (*Postfix) expr()       {}
func (*Binary) expr()        {}
func (*Cond) expr()          {}
func (*Call) expr()          {}
func (*Construct) expr()     {}
func (*InitList) expr()      {}
func (*Designated) expr()    {}
func (*Index) expr()         {}
func (*Member) expr()        {}
func (*Cast) expr()          {}
func (*Sizeof) expr()        {}
func (*Paren) expr()         {}
func (*TypeTrait) expr()     {}
func (*Fold) expr()          {}
func (*Lambda) expr()        {}
func (*PackExpansion) expr() {}

// Place returns where the expression stands.
func (x *Ident) Place() Pos         { return x.Pos }
func (x *Literal) Place() Pos       { return x.Pos }
func (x *This) Place() Pos          { return x.Pos }
func (x *Unary) Place() Pos         { return x.Pos }
func (x *Postfix) Place() Pos       { return x.Pos }
func (x *Binary) Place() Pos        { return x.Pos }
func (x *Cond) Place() Pos          { return x.Pos }
func (x *Call) Place() Pos          { return x.Pos }
func (x *Construct) Place() Pos     { return x.Pos }
func (x *InitList) Place() Pos      { return x.Pos }
func (x *Designated) Place() Pos    { return x.Pos }
func (x *Index) Place() Pos         { return x.Pos }
func (x *Member) Place() Pos        { return x.Pos }
func (x *Cast) Place() Pos          { return x.Pos }
func (x *Sizeof) Place() Pos        { return x.Pos }
func (x *Paren) Place() Pos         { return x.Pos }
func (x *TypeTrait) Place() Pos     { return x.Pos }
func (x *Fold) Place() Pos          { return x.Pos }
func (x *Lambda) Place() Pos        { return x.Pos }
func (x *PackExpansion) Place() Pos { return x.Pos }
