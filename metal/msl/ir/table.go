package ir

import (
	"math"
	"math/bits"
)

// Operand says what an operand or a result of an operation is.
type Operand uint8

const (
	NoOperand   Operand = iota
	OfT                 // a register of Instr.Type
	OfFrom              // of Instr.From
	OfBool              // Bool
	OfU16               // U16
	OfU32               // U32
	OfI32               // I32
	OfU64               // U64
	OfPtr               // Ptr
	OfIndex             // of Instr.From, one of I32, U32, I64, U64; or no register
	OptionalT           // OfT, or no register
	OptionalU16         // U16, or no register
)

// Effect says what an operation does besides giving a value.
type Effect uint8

const (
	Pure   Effect = iota // nothing: the result follows from the operands, Imm and the Behaviour
	Reads                // reads memory
	Writes               // writes memory, or reads and writes it
	Orders               // a barrier or fence
	Lanes                // depends on other lanes of the simdgroup and on which are active
)

// Poison is the rule for operands that hold no value: uninitialised memory, Undef, inactive lanes.
type Poison uint8

const (
	// PoisonAny: the result is poison if any operand is.
	PoisonAny Poison = iota
	// PoisonNone: the result is none, whatever the operands are.
	PoisonNone
	// PoisonAlways: the result is poison.
	PoisonAlways
	// PoisonChosen: of Select, poison if the condition or the chosen operand is.
	PoisonChosen
	// PoisonMemory: of loads, poison if the address is or the bytes read were never written.
	PoisonMemory
	// PoisonLanes: of SIMD operations, poison if an operand is, in a lane that takes part, or the lane read is not active.
	PoisonLanes
)

// Info is an operation's line in the table.
type Info struct {
	Name    string
	A, B    Operand
	C, D    Operand
	Result  Operand
	Types   TypeSet // what Instr.Type may be; 0: the operation has no type, and Type is Void
	From    TypeSet // what Instr.From may be, of Convert, Bitcast and indices; 0: the operation has none
	Effect  Effect
	Poison  Poison
	Rounds  bool    // on floats the result may be rounded
	Library bool    // a library function: on floats it may err as LimitULP says
	Swaps   bool    // commutative: A and B may be exchanged, NaN payloads included
	Address bool    // A, B, Scale and Imm are an address
	Imm     bool    // reads Imm
	Faults  []Fault // what it may report, on integers
	// C is its form in C-like languages, {a} to {d} standing for the operands, {t} for the type, {imm} for Imm;
	// "" if no single expression does. Integer arithmetic wraps there only on unsigned types, and what a fault
	// gives differs: printers see to both.
	CForm string
}

// NumOps is the number of operations.
const NumOps = int(opCount)

const indexSet TypeSet = 1<<I32 | 1<<U32 | 1<<I64 | 1<<U64

const atomicSet TypeSet = 1<<I32 | 1<<U32 | 1<<F32 | 1<<Bool | 1<<U64

func binary(name string, types TypeSet, form string) Info {
	return Info{Name: name, A: OfT, B: OfT, Result: OfT, Types: types, CForm: form}
}

func unary(name string, types TypeSet, form string) Info {
	return Info{Name: name, A: OfT, Result: OfT, Types: types, CForm: form}
}

func (i Info) faults(f ...Fault) Info { i.Faults = f; return i }
func (i Info) rounds() Info           { i.Rounds = true; return i }
func (i Info) swaps() Info            { i.Swaps = true; return i }
func (i Info) gives(r Operand) Info   { i.Result = r; return i }

// function is a library function of n floats.
func function(name string, n int) Info {
	i := Info{Name: name, A: OfT, Result: OfT, Types: SetFloats, Rounds: true, Library: true, CForm: name + "({a})"}
	if n == 2 {
		i.B, i.CForm = OfT, name+"({a}, {b})"
	}
	return i
}

// exact is a function of floats whose result is a float and needs no rounding.
func exact(name string, n int) Info {
	i := function(name, n)
	i.Rounds, i.Library = false, false
	return i
}

func memory(name string, e Effect, types TypeSet) Info {
	return Info{
		Name: name, A: OfPtr, B: OfIndex, Types: types, From: indexSet, Effect: e, Poison: PoisonMemory,
		Address: true, Imm: true,
	}
}

// atomic is an operation that gives the value before, if it is asked to.
func atomic(name string, types TypeSet) Info {
	i := memory(name, Writes, types)
	i.C, i.Result = OfT, OptionalT
	return i
}

func lanes(name string, types TypeSet) Info {
	return Info{
		Name: name, A: OfT, Result: OfT, Types: types, Effect: Lanes, Poison: PoisonLanes, Imm: true,
		CForm: name + "({a})",
	}
}

func shuffle(name string) Info {
	i := lanes(name, SetScalars)
	i.B, i.CForm = OfU16, name+"({a}, {b})"
	return i
}

func vote(name string, a, result Operand) Info {
	i := lanes(name, 0)
	i.A, i.Result = a, result
	if a == NoOperand {
		i.CForm = name + "()"
	}
	return i
}

// Ops is the table of operations: one line gives each its operands, the types it may have, its effects, its poison
// rule and its printed form; Eval gives its meaning. It is never written.
var Ops = [NumOps]Info{
	Nop: {Name: "nop", Poison: PoisonNone},

	Const:   {Name: "const", Result: OfT, Types: SetAll, Imm: true, Poison: PoisonNone, CForm: "{imm}"},
	Undef:   {Name: "undef", Result: OfT, Types: SetAll, Poison: PoisonAlways},
	Mov:     unary("mov", SetAll, "{a}"),
	Select:  {Name: "select", A: OfBool, B: OfT, C: OfT, Result: OfT, Types: SetAll, Poison: PoisonChosen, CForm: "{a} ? {b} : {c}"},
	Convert: {Name: "convert", A: OfFrom, Result: OfT, Types: SetScalars, From: SetAll, Rounds: true, Faults: []Fault{FaultConvert}, CForm: "({t})({a})"},
	Bitcast: {Name: "bitcast", A: OfFrom, Result: OfT, Types: SetAll, From: SetAll, CForm: "as_type<{t}>({a})"},

	Add:    binary("add", SetNumbers, "{a} + {b}").faults(FaultOver).rounds().swaps(),
	Sub:    binary("sub", SetNumbers, "{a} - {b}").faults(FaultOver).rounds(),
	Mul:    binary("mul", SetNumbers, "{a} * {b}").faults(FaultOver).rounds().swaps(),
	Div:    binary("div", SetNumbers, "{a} / {b}").faults(FaultOver, FaultDivide).rounds(),
	Rem:    binary("rem", SetIntegers, "{a} % {b}").faults(FaultOver, FaultDivide),
	Neg:    unary("neg", SetNumbers, "-{a}").faults(FaultOver),
	Fma:    {Name: "fma", A: OfT, B: OfT, C: OfT, Result: OfT, Types: SetFloats, Rounds: true, Swaps: true, CForm: "fma({a}, {b}, {c})"},
	And:    binary("and", SetIntegers|SetBool, "{a} & {b}").swaps(),
	Or:     binary("or", SetIntegers|SetBool, "{a} | {b}").swaps(),
	Xor:    binary("xor", SetIntegers|SetBool, "{a} ^ {b}").swaps(),
	Not:    unary("not", SetIntegers|SetBool, "~{a}"),
	Shl:    binary("shl", SetIntegers, "{a} << {b}").faults(FaultShift),
	Shr:    binary("shr", SetIntegers, "{a} >> {b}").faults(FaultShift),
	MulHi:  binary("mulhi", SetIntegers, "mulhi({a}, {b})").swaps(),
	Abs:    unary("abs", SetNumbers, "abs({a})").faults(FaultOver),
	Min:    binary("min", SetNumbers, "min({a}, {b})"),
	Max:    binary("max", SetNumbers, "max({a}, {b})"),
	AddSat: binary("addsat", SetIntegers, "addsat({a}, {b})").swaps(),
	SubSat: binary("subsat", SetIntegers, "subsat({a}, {b})"),
	HAdd:   binary("hadd", SetIntegers, "hadd({a}, {b})").swaps(),
	RHAdd:  binary("rhadd", SetIntegers, "rhadd({a}, {b})").swaps(),

	AbsDiff:     binary("absdiff", SetIntegers, "absdiff({a}, {b})").swaps(),
	Clz:         unary("clz", SetIntegers, "clz({a})"),
	Ctz:         unary("ctz", SetIntegers, "ctz({a})"),
	Popcount:    unary("popcount", SetIntegers, "popcount({a})"),
	ReverseBits: unary("reverse_bits", SetIntegers, "reverse_bits({a})"),
	Rotate:      binary("rotate", SetIntegers, "rotate({a}, {b})"),
	ExtractBits: {Name: "extract_bits", A: OfT, B: OfU32, C: OfU32, Result: OfT, Types: SetIntegers, Faults: []Fault{FaultBits}, CForm: "extract_bits({a}, {b}, {c})"},
	InsertBits:  {Name: "insert_bits", A: OfT, B: OfT, C: OfU32, D: OfU32, Result: OfT, Types: SetIntegers, Faults: []Fault{FaultBits}, CForm: "insert_bits({a}, {b}, {c}, {d})"},

	Eq: binary("eq", SetAll, "{a} == {b}").gives(OfBool).swaps(),
	Ne: binary("ne", SetAll, "{a} != {b}").gives(OfBool).swaps(),
	Lt: binary("lt", SetNumbers|SetPtr, "{a} < {b}").gives(OfBool),
	Le: binary("le", SetNumbers|SetPtr, "{a} <= {b}").gives(OfBool),

	IsNaN:    exact("isnan", 1).gives(OfBool),
	IsInf:    exact("isinf", 1).gives(OfBool),
	IsFinite: exact("isfinite", 1).gives(OfBool),
	IsNormal: exact("isnormal", 1).gives(OfBool),
	SignBit:  exact("signbit", 1).gives(OfBool),

	Sqrt:      function("sqrt", 1),
	Rsqrt:     function("rsqrt", 1),
	Exp:       function("exp", 1),
	Exp2:      function("exp2", 1),
	Exp10:     function("exp10", 1),
	Log:       function("log", 1),
	Log2:      function("log2", 1),
	Log10:     function("log10", 1),
	Sin:       function("sin", 1),
	Cos:       function("cos", 1),
	Tan:       function("tan", 1),
	SinPi:     function("sinpi", 1),
	CosPi:     function("cospi", 1),
	TanPi:     function("tanpi", 1),
	Asin:      function("asin", 1),
	Acos:      function("acos", 1),
	Atan:      function("atan", 1),
	Atan2:     function("atan2", 2),
	Sinh:      function("sinh", 1),
	Cosh:      function("cosh", 1),
	Tanh:      function("tanh", 1),
	Asinh:     function("asinh", 1),
	Acosh:     function("acosh", 1),
	Atanh:     function("atanh", 1),
	Pow:       function("pow", 2),
	Powr:      function("powr", 2),
	Fmod:      function("fmod", 2),
	Fdim:      exact("fdim", 2).rounds(),
	Floor:     exact("floor", 1),
	Ceil:      exact("ceil", 1),
	Trunc:     exact("trunc", 1),
	Rint:      exact("rint", 1),
	Round:     exact("round", 1),
	Fract:     exact("fract", 1).rounds(),
	CopySign:  exact("copysign", 2),
	NextAfter: exact("nextafter", 2),
	Ldexp:     {Name: "ldexp", A: OfT, B: OfI32, Result: OfT, Types: SetFloats, Rounds: true, CForm: "ldexp({a}, {b})"},
	Ilogb:     exact("ilogb", 1).gives(OfI32),
	FrexpMan:  exact("frexp_man", 1),
	FrexpExp:  exact("frexp_exp", 1).gives(OfI32),

	PtrAdd:  {Name: "ptr_add", A: OfPtr, B: OfIndex, Result: OfPtr, From: indexSet, Address: true, Imm: true},
	ObjAddr: {Name: "obj_addr", Result: OfPtr, Imm: true, Poison: PoisonNone},
	Load: {
		Name: "load", A: OfPtr, B: OfIndex, Result: OfT, Types: SetAll, From: indexSet, Effect: Reads,
		Poison: PoisonMemory, Address: true, Imm: true,
	},
	Store: {
		Name: "store", A: OfPtr, B: OfIndex, C: OfT, Types: SetAll, From: indexSet, Effect: Writes,
		Poison: PoisonMemory, Address: true, Imm: true,
	},
	AtomicLoad: {
		Name: "atomic_load", A: OfPtr, B: OfIndex, Result: OfT, Types: atomicSet, From: indexSet, Effect: Reads,
		Poison: PoisonMemory, Address: true, Imm: true,
	},
	AtomicStore: {
		Name: "atomic_store", A: OfPtr, B: OfIndex, C: OfT, Types: atomicSet, From: indexSet, Effect: Writes,
		Poison: PoisonMemory, Address: true, Imm: true,
	},
	AtomicXchg: atomic("atomic_xchg", atomicSet),
	AtomicAdd:  atomic("atomic_add", atomicSet&^SetBool),
	AtomicSub:  atomic("atomic_sub", atomicSet&^SetBool),
	AtomicMin:  atomic("atomic_min", atomicSet&^SetBool),
	AtomicMax:  atomic("atomic_max", atomicSet&^SetBool),
	AtomicAnd:  atomic("atomic_and", atomicSet&^SetFloats),
	AtomicOr:   atomic("atomic_or", atomicSet&^SetFloats),
	AtomicXor:  atomic("atomic_xor", atomicSet&^SetFloats),
	AtomicCAS: {
		Name: "atomic_cas", A: OfPtr, B: OfIndex, C: OfT, D: OfT, Result: OptionalT, Types: atomicSet, From: indexSet,
		Effect: Writes, Poison: PoisonMemory, Address: true, Imm: true,
	},

	Barrier:     {Name: "barrier", Effect: Orders, Imm: true, Poison: PoisonNone},
	SimdBarrier: {Name: "simd_barrier", Effect: Orders, Imm: true, Poison: PoisonNone},
	Fence:       {Name: "fence", Effect: Orders, Imm: true, Poison: PoisonNone},

	SimdSum:          lanes("simd_sum", SetNumbers).rounds(),
	SimdProduct:      lanes("simd_product", SetNumbers).rounds(),
	SimdMin:          lanes("simd_min", SetNumbers),
	SimdMax:          lanes("simd_max", SetNumbers),
	SimdAnd:          lanes("simd_and", SetIntegers|SetBool),
	SimdOr:           lanes("simd_or", SetIntegers|SetBool),
	SimdXor:          lanes("simd_xor", SetIntegers|SetBool),
	SimdPrefixSum:    lanes("simd_prefix_inclusive_sum", SetNumbers).rounds(),
	SimdPrefixSumEx:  lanes("simd_prefix_exclusive_sum", SetNumbers).rounds(),
	SimdPrefixProd:   lanes("simd_prefix_inclusive_product", SetNumbers).rounds(),
	SimdPrefixProdEx: lanes("simd_prefix_exclusive_product", SetNumbers).rounds(),
	SimdShuffle:      shuffle("simd_shuffle"),
	SimdShuffleXor:   shuffle("simd_shuffle_xor"),
	SimdShuffleUp:    shuffle("simd_shuffle_up"),
	SimdShuffleDown:  shuffle("simd_shuffle_down"),
	SimdRotateUp:     shuffle("simd_shuffle_rotate_up"),
	SimdRotateDown:   shuffle("simd_shuffle_rotate_down"),
	SimdFillUp:       fill("simd_shuffle_and_fill_up"),
	SimdFillDown:     fill("simd_shuffle_and_fill_down"),
	SimdBroadcast:    shuffle("simd_broadcast"),
	SimdBroadcastLow: lanes("simd_broadcast_first", SetScalars),
	SimdBallot:       vote("simd_ballot", OfBool, OfU64),
	SimdAll:          vote("simd_all", OfBool, OfBool),
	SimdAny:          vote("simd_any", OfBool, OfBool),
	SimdIsFirst:      vote("simd_is_first", NoOperand, OfBool),
	SimdActive:       vote("simd_active_threads_mask", NoOperand, OfU64),
}

func fill(name string) Info {
	i := shuffle(name)
	i.C, i.D, i.CForm = OfT, OptionalU16, ""
	return i
}

// String returns the operation's name in dumps.
func (op Op) String() string {
	if op < opCount {
		return Ops[op].Name
	}
	return "unknown operation"
}

// ParseOp is the inverse of Op.String.
func ParseOp(name string) (Op, bool) {
	op, ok := opByName[name]
	return op, ok
}

var opByName = func() map[string]Op {
	m := make(map[string]Op, NumOps)
	for op := range opCount {
		m[Ops[op].Name] = op
	}
	return m
}()

// MayFault reports whether op on operands of types t and from can be reported. Floats never are, but for conversions.
func MayFault(op Op, t, from Type) bool {
	switch op {
	case Convert:
		return t.IsInteger() && from.IsFloat()
	case Neg, Abs, Add, Sub, Mul:
		return t.IsSigned()
	}
	return t.IsInteger() && op < opCount && len(Ops[op].Faults) > 0
}

// Address returns the address that in computes from its operands' values: a + b·Scale + Imm, which wraps nowhere; see Pointer.Add.
// B's value is ignored if there is no B.
func (in *Instr) Address(a, b uint64) Pointer {
	if in.B == 0 {
		return Pointer(a).Add(int64(in.Imm))
	}
	i, scale := in.From.Signed(b), uint64(in.Scale)
	hi, lo := bits.Mul64(uint64(i), scale) // of 128 bits, signed
	if i < 0 {
		hi -= scale
	}
	lo, carry := bits.Add64(lo, in.Imm, 0)
	hi += uint64(int64(in.Imm)>>63) + carry
	off := int64(lo)
	switch {
	case int64(hi) == off>>63:
	case int64(hi) < 0:
		off = math.MinInt64
	default:
		off = math.MaxInt64
	}
	return Pointer(a).Add(off)
}

// Limits of Short and ShortIndex. The moves that both leave are shorter than 1<<46 + 1<<45 bytes.
const (
	shortScale = 1 << 14
	shortImm   = 1 << 45
	shortIndex = 1 << 31
)

// Short reports whether the address of in is a + b·Scale + Imm for indices of 32 bits, and for those for which ShortIndex holds: the sum
// does not leave 64 bits, and modulo 1<<OffsetBits it is outside every object if the exact one is. PtrAdd has to look at the offset
// itself all the same.
func (in *Instr) Short() bool {
	return in.Scale <= shortScale && in.Imm+shortImm <= 2*shortImm
}

// ShortIndex says of indices of 64 bits whether Short speaks of them.
func ShortIndex(b uint64) bool { return b+shortIndex <= 2*shortIndex }
