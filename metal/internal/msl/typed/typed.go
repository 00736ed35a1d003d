package typed

import (
	"fmt"

	"gamma/metal/internal/msl/token"
	"gamma/metal/msl/ir"
)

// Pos is a place in the source.
type Pos = token.Pos

// Program is a checked source.
type Program struct {
	Kernels   []*Kernel
	Constants []*FunctionConstant
	// Initialisers are those of program-scope constants as they are written, for a lint: Var.Global has their value.
	Initialisers []Expr
	Warnings     token.List
}

// FunctionConstant is a program-scope constant with [[function_constant(Index)]], a scalar or a vector. Where it is used there is an Expr of kind
// ConstantRef for each component, which is known only when a pipeline is made.
type FunctionConstant struct {
	Name  string
	Index int
	Type  *Scalar // of its components
	N     int     // components; 1 of a scalar
	Pos   Pos
}

// Kernel is an entry point.
type Kernel struct {
	Name   string // host name
	Func   *Func
	Params []KernelParam // one for each of Func.Params
	// MaxThreads is max_total_threads_per_threadgroup, 0 if not given.
	MaxThreads int
}

// KernelParam says what the device gives a parameter of a kernel. Func.Params[i].Var has the type: a *Pointer for
// buffers written as pointers or arrays, Ref for those written as references.
type KernelParam struct {
	IsInput bool
	Input   ir.InputKind // of inputs: a scalar or vector of ushort or uint
	// Of buffers: Space Device, Constant or Threadgroup, and the index given or found by counting.
	Space ir.Space
	Index int
	// Count is how many pointers an array of buffers has, which are bound from Index on, 0 of what is none.
	Count     int
	WriteOnly bool
	ReadOnly  bool
	// Coherent: it is declared so for the whole device, or may be reached by something that is.
	Coherent bool
	// Texture or Sampler: the parameter is a texture, in space Device, or a sampler, in space Constant.
	// TypeName is what it is called then.
	Texture  ir.Texture
	Sampler  bool
	TypeName string
	// Enabled is the expression of function_constant(name): with the value false the parameter is not there.
	Enabled Expr
}

// BufferOf returns the name and the type of what the host binds for a parameter, of an array of buffers for the pointer of index j.
func BufferOf(p *KernelParam, v *Var, j int) (name string, t Type) {
	if a, ok := v.Type.(*Array); ok && p.Count > 0 {
		return fmt.Sprintf("%s[%d]", v.Name, j), a.Elem
	}
	return v.Name, v.Type
}

// Func is a function, method or constructor, monomorphic. Methods have `this` as their first parameter, a reference;
// constructors return nothing and write through it.
type Func struct {
	Name   string // as a programmer writes it, with template arguments: "reduce<float, 32>"
	Params []*Var
	Result Type
	Body   *Block
	Pos    Pos
}

// Var is a variable: local, parameter, threadgroup variable of a kernel, or program-scope constant.
type Var struct {
	Name string
	Type Type
	// Ref: the variable is a reference to an object of Type in Space; a parameter is bound to a Place, a
	// local by VarStmt.Bind.
	Ref   bool
	Space ir.Space // Thread for locals; Threadgroup and Constant for the others
	Const bool
	// Volatile: every access is made, in memory, as it is written.
	Volatile bool
	// Global is the initialiser of a program-scope constant: built of literals, aggregates and function constants
	// only. Nil for all other variables.
	Global Expr
	Pos    Pos
}

// FPMode is what pragmas and options say of floating point: the flags of ir.Instr.FP.
type FPMode = ir.FP

// Stmt is a statement: *Block, *VarStmt, *ExprStmt, *If, *Loop, *Switch, *Break, *Continue or *Return.
type Stmt interface{ stmt() }

type (
	// Block is a sequence of statements.
	Block struct{ Stmts []Stmt }
	// VarStmt declares a variable. Init nil and Bind nil: it is uninitialised. Each execution makes it anew. A threadgroup
	// variable has neither.
	VarStmt struct {
		Var  *Var
		Init Expr
		Bind Place // of references
		Pos  Pos
		FP   FPMode
	}
	// ExprStmt evaluates X for its effects.
	ExprStmt struct {
		X   Expr
		Pos Pos
		FP  FPMode
	}
	// If is a conditional. Cond is a bool.
	If struct {
		Cond       Expr
		Then, Else Stmt // Else may be nil
		Pos        Pos
		FP         FPMode
	}
	// Loop is for, while and do: Init runs once; then Cond (nil: true), Body, Post, again and again. Test after: do.
	Loop struct {
		Init      Stmt
		Cond      Expr
		Post      Expr
		Body      Stmt
		TestAfter bool
		Pos       Pos
		FP        FPMode // of Cond and Post
	}
	// Switch runs Body from the label whose value is X's, or the default's, or not at all. Cases fall through.
	Switch struct {
		X     Expr
		Cases []Case
		Pos   Pos
		FP    FPMode
	}
	// Break leaves the innermost Loop or Switch.
	Break struct{ Pos Pos }
	// Continue goes to Post of the innermost Loop.
	Continue struct{ Pos Pos }
	// Return leaves the function. X is nil for void.
	Return struct {
		X   Expr
		Pos Pos
		FP  FPMode
	}
)

// Case is a run of statements of a Switch after its labels.
type Case struct {
	Values  []uint64 // bits in the type of X
	Default bool
	Stmts   []Stmt
}

func (*Block) stmt()    {}
func (*VarStmt) stmt()  {}
func (*ExprStmt) stmt() {}
func (*If) stmt()       {}
func (*Loop) stmt()     {}
func (*Switch) stmt()   {}
func (*Break) stmt()    {}
func (*Continue) stmt() {}
func (*Return) stmt()   {}

// Place is an lvalue: *VarPlace, *Deref, *FieldPlace, *IndexPlace, *SwizzlePlace, *TempPlace, *SeqPlace or *CondPlace.
type Place interface {
	PlaceType() Type
	At() Pos
}

type (
	// VarPlace is a variable; of a Ref, what it is bound to.
	VarPlace struct {
		Var *Var
		Pos Pos
	}
	// Deref is *Ptr.
	Deref struct {
		Ptr Expr // of type *Pointer
		Pos Pos
	}
	// FieldPlace is X.field.
	FieldPlace struct {
		X     Place
		Index int // of the field
		Pos   Pos
	}
	// IndexPlace is element I of an array or vector. (Of a pointer, p[i] is Deref of PtrAdd.)
	IndexPlace struct {
		X   Place
		I   Expr // of an integer type, not converted further
		Pos Pos
	}
	// SwizzlePlace is X.xy on a vector; Comps are distinct. One component has a scalar type.
	SwizzlePlace struct {
		X     Place
		Comps []int
		Pos   Pos
	}
	// TempPlace is a fresh temporary that holds X, for a value bound to a const reference or used as `this`.
	TempPlace struct {
		X   Expr
		Pos Pos
	}
	// SeqPlace evaluates Effects and is then X, as (a = b) or ++a or (a, b) used as an lvalue.
	SeqPlace struct {
		Effects []Expr
		X       Place
		Pos     Pos
	}
	// CondPlace is C ? T : F of lvalues of one type and space.
	CondPlace struct {
		C    Expr
		T, F Place
		Pos  Pos
	}
)

// PlaceType returns the type of what stands there.
func (p *VarPlace) PlaceType() Type { return p.Var.Type }

// PlaceType returns the type of what stands there.
func (p *Deref) PlaceType() Type { return p.Ptr.ExprType().(*Pointer).Elem }

// PlaceType returns the type of what stands there.
func (p *FieldPlace) PlaceType() Type { return p.X.PlaceType().(*Struct).Fields[p.Index].Type }

// PlaceType returns the type of what stands there.
func (p *IndexPlace) PlaceType() Type {
	switch t := p.X.PlaceType().(type) {
	case *Array:
		return t.Elem
	case *Vector:
		return t.Elem
	}
	return nil
}

// PlaceType returns the type of what stands there.
func (p *SwizzlePlace) PlaceType() Type {
	v := p.X.PlaceType().(*Vector)
	if len(p.Comps) == 1 {
		return v.Elem
	}
	return &Vector{Elem: v.Elem, N: len(p.Comps)}
}

// PlaceType returns the type of what stands there.
func (p *TempPlace) PlaceType() Type { return p.X.ExprType() }

// PlaceType returns the type of what stands there.
func (p *SeqPlace) PlaceType() Type { return p.X.PlaceType() }

// PlaceType returns the type of what stands there.
func (p *CondPlace) PlaceType() Type { return p.T.PlaceType() }

// At returns where the place is written.
func (p *VarPlace) At() Pos     { return p.Pos }
func (p *Deref) At() Pos        { return p.Pos }
func (p *FieldPlace) At() Pos   { return p.Pos }
func (p *IndexPlace) At() Pos   { return p.Pos }
func (p *SwizzlePlace) At() Pos { return p.Pos }
func (p *TempPlace) At() Pos    { return p.Pos }
func (p *SeqPlace) At() Pos     { return p.Pos }
func (p *CondPlace) At() Pos    { return p.Pos }

// Expr is a value.
type Expr interface {
	ExprType() Type
	At() Pos
}

// Node is what every Expr has.
type Node struct {
	Type Type
	Pos  Pos
}

// ExprType returns the type of the value.
func (n Node) ExprType() Type { return n.Type }

// At returns where the expression is written.
func (n Node) At() Pos { return n.Pos }

type (
	// Const is a scalar or a null pointer: its bits, as a register holds them.
	Const struct {
		Node
		Bits uint64
	}
	// Zero is the value T{}: all zero bits.
	Zero struct{ Node }
	// ConstantRef is the value of a component of a function constant, or with Defined whether the constant has one.
	ConstantRef struct {
		Node
		Constant *FunctionConstant
		Elem     int
		Defined  bool
	}
	// LoadExpr is the value of a place, of any type.
	LoadExpr struct {
		Node
		X Place
	}
	// AddrOf is &X; its type is a *Pointer in X's space. The decay of an array: Decay is set and the type points to an element.
	AddrOf struct {
		Node
		X     Place
		Decay bool
	}
	// Unary is Op of a scalar or, element by element, of a vector: Neg, Not, and every function of one operand that is an
	// ir.Op (Sqrt, Clz, IsNaN, …). FastFn: metal::fast's version; PreciseFn: metal::precise's; neither: the mode's.
	Unary struct {
		Node
		Op                ir.Op
		X                 Expr
		FastFn, PreciseFn bool
	}
	// Binary is Op of two scalars or vectors of one type (element by element): Add … Rem, And … Shr, Min, Max, Pow, …; of Eq, Ne, Lt, Le the
	// result is bool or a vector of bool. Ldexp takes an int (or vector) on the right.
	Binary struct {
		Node
		Op                ir.Op
		L, R              Expr
		FastFn, PreciseFn bool
	}
	// Ternary is Op of three: Fma; Select with (condition, if true, if false), the condition a bool or vector of bool; ExtractBits.
	Ternary struct {
		Node
		Op      ir.Op
		A, B, C Expr
	}
	// Quaternary is Op of four: InsertBits.
	Quaternary struct {
		Node
		Op         ir.Op
		A, B, C, D Expr
	}
	// ConvertExpr converts a scalar to a scalar, or a vector to one of as many elements.
	ConvertExpr struct {
		Node
		X Expr
	}
	// PtrConvert converts a pointer to another pointer type of the same space.
	PtrConvert struct {
		Node
		X Expr
	}
	// BitcastExpr is as_type: scalars and vectors of one size.
	BitcastExpr struct {
		Node
		X Expr
	}
	// Splat is a vector whose elements are all X.
	Splat struct {
		Node
		X Expr
	}
	// MakeVector joins scalars and vectors of the element type.
	MakeVector struct {
		Node
		Elems []Expr
	}
	// Aggregate is a struct or array made of its fields or elements, in order; those left out are zero. Of a union,
	// one element for Field.
	Aggregate struct {
		Node
		Elems []Expr
		Field int
	}
	// FieldExpr is a field of a struct value.
	FieldExpr struct {
		Node
		X     Expr
		Index int
	}
	// SwizzleExpr is a swizzle of a vector value; one component has a scalar type.
	SwizzleExpr struct {
		Node
		X     Expr
		Comps []int
	}
	// IndexExpr is an element of an array or vector value.
	IndexExpr struct {
		Node
		X, I Expr
	}
	// CondExpr is C ? T : F with one of T and F evaluated; C a bool. (With a vector for C it is a Ternary Select.)
	CondExpr struct {
		Node
		C, T, F Expr
	}
	// Logical is && or ||, of bools, the right side evaluated only if needed.
	Logical struct {
		Node
		Or   bool
		L, R Expr
	}
	// AssignExpr stores X and gives nothing; (a = b) used as a value is a LoadExpr of a SeqPlace.
	AssignExpr struct {
		Node // void
		To   Place
		X    Expr
	}
	// CompoundExpr is To = T(Op(C(To), X)), To evaluated once, C the conversion to X's type and T the one back. Pointers: Op is PtrAdd and X an integer.
	// Vectors with a scalar X have it splatted. It gives nothing.
	CompoundExpr struct {
		Node // void
		Op   ir.Op
		To   Place
		X    Expr
	}
	// IncDec is x++ and x-- as values: it gives the value before. (++x is a CompoundExpr.) Delta is +1 or -1.
	IncDec struct {
		Node
		To    Place
		Delta int
	}
	// PtrAddExpr is X + I elements; Neg: minus.
	PtrAddExpr struct {
		Node
		X, I Expr
		Neg  bool
	}
	// PtrDiff is the difference of two pointers in elements, a long.
	PtrDiff struct {
		Node
		L, R Expr
	}
	// PtrCompare is a comparison of pointers of one type.
	PtrCompare struct {
		Node
		Op   ir.Op // Eq, Ne, Lt, Le
		L, R Expr
	}
	// Call calls a function. Args[i] is nil where Func.Params[i] is a Ref, which Places[i] then binds.
	Call struct {
		Node
		Func   *Func
		Args   []Expr
		Places []Place
	}
	// ConstructExpr is a value of a struct type made by a constructor: `this`, Func.Params[0], is the new object.
	ConstructExpr struct {
		Node
		Func   *Func
		Args   []Expr // Args[0] and Places[0] are nil
		Places []Place
	}
	// AtomicExpr is an atomic operation on the object at Ptr. X is the operand, of Elem's type; for AtomicCAS, X is the value to
	// store and Expected the place of the expected value, which receives the value found; the result is a bool.
	AtomicExpr struct {
		Node
		Op       ir.Op
		Ptr      Expr
		X        Expr
		Expected Place
	}
	// ReportExpr is assert(Args[0]), a bool, with Texts[0] its source; or of Op Note what a kernel logs: Texts in order, each with at most four of
	// the verbs of ir.Verbs, for the scalars of Args. It gives nothing.
	ReportExpr struct {
		Node
		Op    ir.Op
		Texts []string
		Args  []Expr
	}
	// BarrierExpr is Barrier, SimdBarrier or Fence with mem_flags. It gives nothing.
	BarrierExpr struct {
		Node
		Op    ir.Op
		Flags uint64
	}
	// SimdExpr is an operation of a simdgroup or quadgroup, of scalars or element by element of vectors; operands, and Lanes as Imm, as ir.Op says.
	SimdExpr struct {
		Node
		Op    ir.Op
		Lanes int
		Args  []Expr
	}
	// InputExpr is an input that the kernel is given for the library's sake, a uint.
	InputExpr struct {
		Node
		Input ir.InputKind
	}
	// SeqExpr evaluates Effects, then X.
	SeqExpr struct {
		Node
		Effects []Expr
		X       Expr
	}
	// TwoResults is a function with a second result, stored to Out: Kind is "modf" (Out the integral part,
	// value the fraction), "frexp" (Out an int) or "sincos" (Out the cosine).
	TwoResults struct {
		Node
		Kind              string
		X                 Expr
		Out               Place
		FastFn, PreciseFn bool
	}
)
