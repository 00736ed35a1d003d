package formula

// Op is an operation of a formula.
type Op uint8

const (
	OpInput Op = iota // an array of the input
	OpConst           // the real number that a decimal denotes, or an integer
	OpIndex           // the position along an axis, an integer from 0; its operand, if it has one, is the size of the axis
	OpLen             // the size of an axis, an integer

	OpAdd
	OpSub
	OpMul
	OpDiv
	OpFMA // a·b + c, rounded once
	OpQuo // of integers, toward -∞
	OpMod // of integers, with the divisor's sign

	OpMaximum
	OpMinimum
	OpAbs
	OpNeg
	OpSqrt
	OpRsqrt
	OpExp
	OpExp2
	OpExpm1
	OpLog
	OpLog2
	OpLog1p
	OpSin
	OpCos
	OpTan
	OpSinPi // sin πx
	OpCosPi
	OpTanh
	OpErf
	OpPow
	OpFloor
	OpCeil
	OpTrunc
	OpRound // to an integer, ties to even
	OpUfp   // unit in the first place

	OpLess
	OpLessEqual
	OpEqual
	OpNot
	OpAnd
	OpOr
	OpSelect
	OpStore // conversion to a stated type

	OpSum
	OpProd
	OpMax
	OpMin
	OpArgMax
	OpArgMin
	OpAny
	OpAll
	OpCount
	OpDot // a sum of products

	OpScanSum
	OpScanProd
	OpScanMax
	OpScanMin

	OpGather // element idx along an axis, a fill value where there is none
	OpRename // the same array, one axis under another name
	OpOrder  // the same array, its axes in a stated order
	opEnd
)

// Class groups operations by how they treat axes.
type Class uint8

const (
	Leaf        Class = iota // no operand
	Elementwise              // element by element, operands broadcast
	Reduction                // removes axes
	Scan                     // goes along one axis and keeps it
	Layout                   // moves elements and computes nothing
)

// info is a line of the table of operations: what text calls it, how many operands it takes and of which kind its result is.
type info struct {
	name   string
	args   int
	class  Class
	result kind
}

// kind is what an operation makes of its operands' types.
type kind uint8

const (
	given    kind = iota // stated by the node
	number               // an integer if all operands are, else a real number
	real                 // a real number
	constant             // a real number, or an integer if the node says so
	integer              // an integer
	boolean              // a truth value
	first                // the first operand's type
	second               // the second operand's type
)

var table = [opEnd]info{
	OpInput: {"input", 0, Leaf, given},
	OpConst: {"const", 0, Leaf, constant},
	OpIndex: {"index", 0, Leaf, integer},
	OpLen:   {"len", 0, Leaf, integer},

	OpAdd: {"add", 2, Elementwise, number},
	OpSub: {"sub", 2, Elementwise, number},
	OpMul: {"mul", 2, Elementwise, number},
	OpDiv: {"div", 2, Elementwise, real},
	OpFMA: {"fma", 3, Elementwise, real},
	OpQuo: {"quo", 2, Elementwise, integer},
	OpMod: {"mod", 2, Elementwise, integer},

	OpMaximum: {"maximum", 2, Elementwise, number},
	OpMinimum: {"minimum", 2, Elementwise, number},
	OpAbs:     {"abs", 1, Elementwise, first},
	OpNeg:     {"neg", 1, Elementwise, first},
	OpSqrt:    {"sqrt", 1, Elementwise, real},
	OpRsqrt:   {"rsqrt", 1, Elementwise, real},
	OpExp:     {"exp", 1, Elementwise, real},
	OpExp2:    {"exp2", 1, Elementwise, real},
	OpExpm1:   {"expm1", 1, Elementwise, real},
	OpLog:     {"log", 1, Elementwise, real},
	OpLog2:    {"log2", 1, Elementwise, real},
	OpLog1p:   {"log1p", 1, Elementwise, real},
	OpSin:     {"sin", 1, Elementwise, real},
	OpCos:     {"cos", 1, Elementwise, real},
	OpTan:     {"tan", 1, Elementwise, real},
	OpSinPi:   {"sinpi", 1, Elementwise, real},
	OpCosPi:   {"cospi", 1, Elementwise, real},
	OpTanh:    {"tanh", 1, Elementwise, real},
	OpErf:     {"erf", 1, Elementwise, real},
	OpPow:     {"pow", 2, Elementwise, real},
	OpFloor:   {"floor", 1, Elementwise, first},
	OpCeil:    {"ceil", 1, Elementwise, first},
	OpTrunc:   {"trunc", 1, Elementwise, first},
	OpRound:   {"round", 1, Elementwise, first},
	OpUfp:     {"ufp", 1, Elementwise, real},

	OpLess:      {"less", 2, Elementwise, boolean},
	OpLessEqual: {"lessequal", 2, Elementwise, boolean},
	OpEqual:     {"equal", 2, Elementwise, boolean},
	OpNot:       {"not", 1, Elementwise, boolean},
	OpAnd:       {"and", 2, Elementwise, boolean},
	OpOr:        {"or", 2, Elementwise, boolean},
	OpSelect:    {"select", 3, Elementwise, second},
	OpStore:     {"store", 1, Elementwise, given},

	OpSum:    {"sum", 1, Reduction, first},
	OpProd:   {"prod", 1, Reduction, first},
	OpMax:    {"max", 1, Reduction, first},
	OpMin:    {"min", 1, Reduction, first},
	OpArgMax: {"argmax", 1, Reduction, integer},
	OpArgMin: {"argmin", 1, Reduction, integer},
	OpAny:    {"any", 1, Reduction, boolean},
	OpAll:    {"all", 1, Reduction, boolean},
	OpCount:  {"count", 1, Reduction, integer},
	OpDot:    {"dot", 2, Reduction, number},

	OpScanSum:  {"scansum", 1, Scan, first},
	OpScanProd: {"scanprod", 1, Scan, first},
	OpScanMax:  {"scanmax", 1, Scan, first},
	OpScanMin:  {"scanmin", 1, Scan, first},

	OpGather: {"gather", 3, Layout, first},
	OpRename: {"rename", 1, Layout, first},
	OpOrder:  {"order", 1, Layout, first},
}

// String returns the operation's name in text.
func (op Op) String() string { return table[op].name }

// Class returns how op treats axes.
func (op Op) Class() Class { return table[op].class }
