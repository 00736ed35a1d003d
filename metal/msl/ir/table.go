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
	Pure    Effect = iota // nothing: the result follows from the operands, Imm and the Behaviour
	Reads                 // reads memory
	Writes                // writes memory, or reads and writes it
	Orders                // a barrier or fence
	Lanes                 // depends on other lanes of the simdgroup and on which are active
	Reports               // tells whoever looks for faults something; the rest of the run is the same without it
)

// Poison is the rule for undefined values: what Undef gives, bytes that were never written, what a shuffle takes from an inactive lane, and whatever
// is made of those; see Undefined.
type Poison uint8

const (
	// PoisonUsed: the operation uses all its operands. If it only computes, its result is undefined if one of them is; else that is a fault of the
	// kernel, and the result is defined.
	PoisonUsed Poison = iota
	// PoisonGiven: the result is undefined.
	PoisonGiven
	// PoisonCopied: the result is A, defined or not.
	PoisonCopied
	// PoisonChosen: the result is B or C, defined or not, and undefined if A is.
	PoisonChosen
	// PoisonLoaded: the result is what was stored, defined or not; the address is used.
	PoisonLoaded
	// PoisonStored: memory holds what C holds, defined or not; the address is used.
	PoisonStored
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
	Library bool    // a library function: on floats it may err as LimitULP says
	Swaps   bool    // commutative: A and B may be exchanged, NaN payloads included
	Address bool    // A, B, Scale and Imm are an address
	Imm     bool    // reads Imm
	Faults  []Fault // what it may report, on integers
	Fold    Op      // what an atomic does to memory, or a reduction or prefix to the lanes' values; Nop: the operation folds nothing
	Scan    Scan    // of SIMD operations with a Fold
	Shuffle Shuffle // of SIMD operations that give some lane's operand
}

// NumOps is the number of operations.
const NumOps = int(opCount)

const indexSet TypeSet = 1<<I32 | 1<<U32 | 1<<I64 | 1<<U64

const atomicSet TypeSet = 1<<I32 | 1<<U32 | 1<<F32 | 1<<Bool | 1<<U64

func binary(name string, types TypeSet) Info {
	return Info{Name: name, A: OfT, B: OfT, Result: OfT, Types: types}
}

func unary(name string, types TypeSet) Info {
	return Info{Name: name, A: OfT, Result: OfT, Types: types}
}

func (i Info) faults(f ...Fault) Info { i.Faults = f; return i }
func (i Info) swaps() Info            { i.Swaps = true; return i }
func (i Info) gives(r Operand) Info   { i.Result = r; return i }
func (i Info) takes(c Operand) Info   { i.C = c; return i }
func (i Info) poison(p Poison) Info   { i.Poison = p; return i }

// function is a library function of n floats.
func function(name string, n int) Info {
	i := Info{Name: name, A: OfT, Result: OfT, Types: SetFloats, Library: true}
	if n == 2 {
		i.B = OfT
	}
	return i
}

// exact is a function of floats whose result is a float and needs no rounding.
func exact(name string, n int) Info {
	i := function(name, n)
	i.Library = false
	return i
}

func memory(name string, e Effect, types TypeSet) Info {
	return Info{Name: name, A: OfPtr, B: OfIndex, Types: types, From: indexSet, Effect: e, Address: true, Imm: true}
}

// atomic is an operation that gives the value before, if it is asked to.
func atomic(name string, types TypeSet, fold Op) Info {
	i := memory(name, Writes, types).takes(OfT).gives(OptionalT)
	i.Fold = fold
	return i
}

func lanes(name string, types TypeSet) Info {
	return Info{Name: name, A: OfT, Result: OfT, Types: types, Effect: Lanes, Imm: true}
}

func fold(name string, types TypeSet, op Op, scan Scan) Info {
	i := lanes(name, types)
	i.Fold, i.Scan = op, scan
	return i
}

func shuffle(name string, move Move, edge Edge) Info {
	i := lanes(name, SetScalars)
	i.Shuffle = Shuffle{move, edge}
	i.B = OfU16
	if edge == EdgeFill {
		i.C, i.D = OfT, OptionalU16
	}
	return i
}

func vote(name string, a, result Operand) Info {
	i := lanes(name, 0)
	i.A, i.Result = a, result
	return i
}

// Ops is the table of operations: one line gives each its operands, the types it may have, its effects, its poison
// rule, and what it repeats or which lane it reads. Eval gives the meaning of pure operations, and package emit their printed forms.
// Ops is never written.
var Ops = [NumOps]Info{
	Nop: {Name: "nop"},

	Const:   {Name: "const", Result: OfT, Types: SetAll, Imm: true},
	Undef:   {Name: "undef", Result: OfT, Types: SetAll, Poison: PoisonGiven},
	Mov:     {Name: "mov", A: OfT, Result: OfT, Types: SetAll, Poison: PoisonCopied},
	Select:  {Name: "select", A: OfBool, B: OfT, C: OfT, Result: OfT, Types: SetAll, Poison: PoisonChosen},
	Convert: {Name: "convert", A: OfFrom, Result: OfT, Types: SetScalars, From: SetAll, Faults: []Fault{FaultConvert}},
	Bitcast: {Name: "bitcast", A: OfFrom, Result: OfT, Types: SetAll, From: SetAll, Poison: PoisonCopied},

	Add:    binary("add", SetNumbers).faults(FaultOver).swaps(),
	Sub:    binary("sub", SetNumbers).faults(FaultOver),
	Mul:    binary("mul", SetNumbers).faults(FaultOver).swaps(),
	Div:    binary("div", SetNumbers).faults(FaultOver, FaultDivide),
	Rem:    binary("rem", SetIntegers).faults(FaultOver, FaultDivide),
	Neg:    unary("neg", SetNumbers).faults(FaultOver),
	Fma:    {Name: "fma", A: OfT, B: OfT, C: OfT, Result: OfT, Types: SetFloats, Swaps: true},
	And:    binary("and", SetIntegers|SetBool).swaps(),
	Or:     binary("or", SetIntegers|SetBool).swaps(),
	Xor:    binary("xor", SetIntegers|SetBool).swaps(),
	Not:    unary("not", SetIntegers|SetBool),
	Shl:    binary("shl", SetIntegers),
	Shr:    binary("shr", SetIntegers),
	MulHi:  binary("mulhi", SetIntegers).swaps(),
	Abs:    unary("abs", SetNumbers).faults(FaultOver),
	Min:    binary("min", SetNumbers),
	Max:    binary("max", SetNumbers),
	AddSat: binary("addsat", SetIntegers).swaps(),
	SubSat: binary("subsat", SetIntegers),
	HAdd:   binary("hadd", SetIntegers).swaps(),
	RHAdd:  binary("rhadd", SetIntegers).swaps(),

	AbsDiff:     binary("absdiff", SetIntegers).swaps(),
	Clz:         unary("clz", SetIntegers),
	Ctz:         unary("ctz", SetIntegers),
	Popcount:    unary("popcount", SetIntegers),
	ReverseBits: unary("reverse_bits", SetIntegers),
	Rotate:      binary("rotate", SetIntegers),
	ExtractBits: {Name: "extract_bits", A: OfT, B: OfU32, C: OfU32, Result: OfT, Types: SetIntegers, Faults: []Fault{FaultBits}},
	InsertBits:  {Name: "insert_bits", A: OfT, B: OfT, C: OfU32, D: OfU32, Result: OfT, Types: SetIntegers, Faults: []Fault{FaultBits}},

	Eq: binary("eq", SetAll).gives(OfBool).swaps(),
	Ne: binary("ne", SetAll).gives(OfBool).swaps(),
	Lt: binary("lt", SetNumbers|SetPtr).gives(OfBool),
	Le: binary("le", SetNumbers|SetPtr).gives(OfBool),

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
	Fdim:      exact("fdim", 2),
	Floor:     exact("floor", 1),
	Ceil:      exact("ceil", 1),
	Trunc:     exact("trunc", 1),
	Rint:      exact("rint", 1),
	Round:     exact("round", 1),
	Fract:     exact("fract", 1),
	CopySign:  exact("copysign", 2),
	NextAfter: exact("nextafter", 2),
	Ldexp:     {Name: "ldexp", A: OfT, B: OfI32, Result: OfT, Types: SetFloats},
	Ilogb:     exact("ilogb", 1).gives(OfI32),
	FrexpMan:  exact("frexp_man", 1),
	FrexpExp:  exact("frexp_exp", 1).gives(OfI32),

	PtrAdd:      {Name: "ptr_add", A: OfPtr, B: OfIndex, Result: OfPtr, From: indexSet, Address: true, Imm: true},
	ObjAddr:     {Name: "obj_addr", Result: OfPtr, Imm: true},
	Load:        memory("load", Reads, SetAll).gives(OfT).poison(PoisonLoaded),
	Store:       memory("store", Writes, SetAll).takes(OfT).poison(PoisonStored),
	AtomicLoad:  memory("atomic_load", Reads, atomicSet).gives(OfT),
	AtomicStore: memory("atomic_store", Writes, atomicSet).takes(OfT),
	AtomicXchg:  atomic("atomic_xchg", atomicSet, Nop),
	AtomicAdd:   atomic("atomic_add", atomicSet&^SetBool, Add),
	AtomicSub:   atomic("atomic_sub", atomicSet&^SetBool, Sub),
	AtomicMin:   atomic("atomic_min", atomicSet&^SetBool, Min),
	AtomicMax:   atomic("atomic_max", atomicSet&^SetBool, Max),
	AtomicAnd:   atomic("atomic_and", atomicSet&^SetFloats, And),
	AtomicOr:    atomic("atomic_or", atomicSet&^SetFloats, Or),
	AtomicXor:   atomic("atomic_xor", atomicSet&^SetFloats, Xor),
	AtomicCAS: {
		Name: "atomic_cas", A: OfPtr, B: OfIndex, C: OfT, D: OfT, Result: OptionalT, Types: atomicSet, From: indexSet,
		Effect: Writes, Address: true, Imm: true,
	},

	Barrier:     {Name: "barrier", Effect: Orders, Imm: true},
	SimdBarrier: {Name: "simd_barrier", Effect: Orders, Imm: true},
	Fence:       {Name: "fence", Effect: Orders, Imm: true},

	SimdSum:          fold("simd_sum", SetNumbers, Add, AllLanes),
	SimdProduct:      fold("simd_product", SetNumbers, Mul, AllLanes),
	SimdMin:          fold("simd_min", SetNumbers, Min, AllLanes),
	SimdMax:          fold("simd_max", SetNumbers, Max, AllLanes),
	SimdAnd:          fold("simd_and", SetIntegers|SetBool, And, AllLanes),
	SimdOr:           fold("simd_or", SetIntegers|SetBool, Or, AllLanes),
	SimdXor:          fold("simd_xor", SetIntegers|SetBool, Xor, AllLanes),
	SimdPrefixSum:    fold("simd_prefix_inclusive_sum", SetNumbers, Add, Inclusive),
	SimdPrefixSumEx:  fold("simd_prefix_exclusive_sum", SetNumbers, Add, Exclusive),
	SimdPrefixProd:   fold("simd_prefix_inclusive_product", SetNumbers, Mul, Inclusive),
	SimdPrefixProdEx: fold("simd_prefix_exclusive_product", SetNumbers, Mul, Exclusive),
	SimdShuffle:      shuffle("simd_shuffle", MoveTo, EdgeNone),
	SimdShuffleXor:   shuffle("simd_shuffle_xor", MoveFlip, EdgeNone),
	SimdShuffleUp:    shuffle("simd_shuffle_up", MoveUp, EdgeKeep),
	SimdShuffleDown:  shuffle("simd_shuffle_down", MoveDown, EdgeKeep),
	SimdRotateUp:     shuffle("simd_shuffle_rotate_up", MoveUp, EdgeWrap),
	SimdRotateDown:   shuffle("simd_shuffle_rotate_down", MoveDown, EdgeWrap),
	SimdFillUp:       shuffle("simd_shuffle_and_fill_up", MoveUp, EdgeFill),
	SimdFillDown:     shuffle("simd_shuffle_and_fill_down", MoveDown, EdgeFill),
	SimdBroadcast:    shuffle("simd_broadcast", MoveTo, EdgeNone),
	SimdBroadcastLow: {Name: "simd_broadcast_first", A: OfT, Result: OfT, Types: SetScalars, Effect: Lanes, Imm: true, Shuffle: Shuffle{Move: MoveFirst}},
	SimdBallot:       vote("simd_ballot", OfBool, OfU64),
	SimdAll:          vote("simd_all", OfBool, OfBool),
	SimdAny:          vote("simd_any", OfBool, OfBool),
	SimdIsFirst:      vote("simd_is_first", NoOperand, OfBool),
	SimdActive:       vote("simd_active_threads_mask", NoOperand, OfU64),

	Assert: {Name: "assert", A: OfBool, Effect: Reports, Imm: true},
	Note:   {Name: "note", A: OptionalT, B: OptionalT, C: OptionalT, D: OptionalT, Types: 1 << U64, Effect: Reports, Imm: true},
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
