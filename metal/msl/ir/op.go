package ir

// Op is what an instruction does. The comment gives Dst in terms of A, B, C and D; T is Instr.Type.
type Op uint8

const (
	Nop Op = iota

	// Values.
	Const   // Imm
	Undef   // any value: reading it is a fault of the kernel
	Mov     // A
	Select  // A ? B : C; A Bool, B, C and Dst of type T
	Convert // A of type From converted to T; see Eval
	Bitcast // the bits of A, of type From, as T; both of one size

	// Arithmetic, on integers (wrapping) and floats. Signed overflow and division by zero are faults.
	Add
	Sub
	Mul
	Div
	Rem // integers
	Neg
	Fma // A·B + C, rounded once; floats
	And
	Or
	Xor
	Not // bitwise; of a Bool, logical
	Shl // by B, of type T too, modulo the width
	Shr // likewise; arithmetic if T is signed
	MulHi
	Abs
	Min // integers; floats as fmin: the other operand if one is a NaN
	Max
	AddSat
	SubSat
	HAdd  // (A+B)>>1 without overflow
	RHAdd // (A+B+1)>>1 without overflow
	AbsDiff
	Clz
	Ctz
	Popcount
	ReverseBits
	Rotate      // A left by B
	ExtractBits // C bits of A from bit B; B and C U32
	InsertBits  // A with D bits from bit C replaced by B's low ones; C and D U32

	// Comparisons of operands of type T; Dst is Bool. Gt and Ge have their operands exchanged.
	Eq
	Ne
	Lt
	Le

	// Classification of floats; Dst is Bool.
	IsNaN
	IsInf
	IsFinite
	IsNormal
	SignBit

	// Library functions of floats.
	Sqrt
	Rsqrt
	Exp
	Exp2
	Exp10
	Log
	Log2
	Log10
	Sin
	Cos
	Tan
	SinPi
	CosPi
	TanPi
	Asin
	Acos
	Atan
	Atan2 // of A/B
	Sinh
	Cosh
	Tanh
	Asinh
	Acosh
	Atanh
	Pow
	Powr
	Fmod
	Fdim
	Floor
	Ceil
	Trunc
	Rint
	Round // halves away from zero
	Fract
	CopySign
	NextAfter
	Ldexp    // A·2^B; B I32
	Ilogb    // Dst I32
	FrexpMan // mantissa in [1/2, 1)
	FrexpExp // Dst I32

	// Memory. The address is A + B·Scale + Imm, A a Ptr, B a register of type I32, U32, I64 or U64 or 0 for none; From is B's type.
	PtrAdd  // Dst is that address
	ObjAddr // Dst points to the first byte of object Imm (a number as in Pointer)
	Load    // T
	Store   // C of type T
	// Atomics, relaxed, at an address as above on T = I32, U32, F32, Bool, U64. Dst, if not 0, is the value before.
	AtomicLoad
	AtomicStore
	AtomicXchg
	AtomicAdd
	AtomicSub
	AtomicMin
	AtomicMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicCAS // weak: if the value's bits are D's, C is stored; Dst the value before, Dst2 Bool: stored

	// Order. Imm holds mem_flags: 1 device, 2 threadgroup.
	Barrier     // threadgroup_barrier
	SimdBarrier // simdgroup_barrier
	Fence       // atomic_thread_fence

	// SIMD groups: over the active lanes of the thread's simdgroup, or quadgroup if Imm is 4. A shuffle whose Imm is MatrixLanes is one of a
	// simdgroup of that many lanes, of which none is inactive unless B is undefined.
	SimdSum
	SimdProduct
	SimdMin
	SimdMax
	SimdAnd
	SimdOr
	SimdXor
	SimdPrefixSum    // inclusive
	SimdPrefixSumEx  // exclusive
	SimdPrefixProd   // inclusive
	SimdPrefixProdEx // exclusive
	SimdShuffle      // A of lane B; B U16
	SimdShuffleXor   // A of lane id^B
	SimdShuffleUp    // A of lane id-B; lanes below B keep their own
	SimdShuffleDown  // A of lane id+B; the B last keep their own
	SimdRotateUp     // A of lane (id-B) mod width
	SimdRotateDown   // A of lane (id+B) mod width
	SimdFillUp       // A of lane id-B, lanes below B from the end of C; D: width of the sub-groups, or 0
	SimdFillDown     // A of lane id+B, the B last from the start of C; D likewise
	SimdBroadcast    // A of lane B, which is the same in all
	SimdBroadcastLow // A of the lowest active lane
	SimdBallot       // U64: bit of each active lane whose A is true
	SimdAll          // Bool
	SimdAny          // Bool
	SimdIsFirst      // Bool: the lowest active lane
	SimdActive       // U64: the active lanes

	// Reports of a thread on its own run, which give nothing. Imm is an index into Kernel.Texts; see Kernel.Message.
	Assert // A, a Bool, is to be true
	Note   // the text with the values A, B, C and D, each a U64 or none

	opCount
)
