package formula

// Node is the plain data of an expression: which operation, on what, and how. Fields that an operation does not use are zero.
type Node struct {
	Op   Op
	Args []*Expr // as many as the operation takes; OpIndex: none, or the size of its axis

	Name  string   // OpInput: of the array
	Value float64  // OpConst: the binary64 number nearest to the constant, which is the shortest decimal that reads as it
	Axes  []string // OpInput, OpOrder: all axes, slowest first; reductions, scans, OpIndex, OpLen, OpGather: the one or those it is about
	To    string   // OpRename: the new name
	Type  Type     // OpInput and OpStore: of the elements; OpConst: that of Integer, or zero

	Meaning  Meaning  // OpMaximum, OpMinimum, OpMax, OpMin, OpScanMax, OpScanMin
	Order    Order    // OpSum, OpProd, OpDot, OpScanSum, OpScanProd
	Ties     Ties     // OpArgMax, OpArgMin
	Overflow Overflow // OpStore

	Exclusive bool // scans: element i is of those before i alone
	Reverse   bool // scans: from the last element to the first
}

// Meaning says what a maximum or minimum does with NaNs and with zeros of two signs. The zero value admits each of the others.
type Meaning uint8

const (
	AnyMeaning Meaning = iota
	// PropagateNaN is IEEE 754-2019's maximum and minimum: NaN if an operand is; -0 is below +0.
	PropagateNaN
	// IgnoreNaN is IEEE 754-2019's maximumNumber and minimumNumber: NaN only if all operands are; -0 is below +0.
	IgnoreNaN
	// CMeaning is C's fmax and fmin: NaN only if all operands are; of two zeros either one.
	CMeaning
)

// Ties says which of several equal greatest elements an argmax returns.
type Ties uint8

const (
	FirstTie Ties = iota // the least index
	LastTie              // the greatest index
	AnyTie
)

// Overflow says what a conversion does with a number that its type cannot hold. The zero value is the type's own rule: an
// infinity or NaN of a floating-point format, as model.Format says, and nothing defined for an integer.
type Overflow uint8

const (
	OverflowByType Overflow = iota
	Saturate                // the type's least or greatest number
	Wrap                    // integers: modulo 2^Bits
)

// Order says in which order a sum is added. The zero value admits every order.
type Order struct {
	// Height(n) = ceil(n/Block) + Extra bounds the number of additions between any term and the result; Block is 0 for an open order.
	Block, Extra int
	// Log adds ceil(log2(n)) to that, for a tree over the blocks; Block may then be 0, for the tree alone.
	Log bool
	// Left is the order 0, 1, 2, …: height n-1, and prefixes are those of the input.
	Left bool
}

// Sequential is the order of a loop.
var Sequential = Order{Left: true}

// Pairwise is a balanced tree: every term is added at most ceil(log2(n)) times.
var Pairwise = Order{Log: true}

// Blocked returns the order of n/lanes terms in each of so many lanes, added in a loop, whose sums a balanced tree adds up: every
// term is added at most ceil(n/lanes) + ceil(log2(lanes)) times.
func Blocked(lanes int) Order {
	extra := 0
	for 1<<extra < lanes {
		extra++
	}
	return Order{Block: lanes, Extra: extra}
}

// IsOpen reports whether o admits every order.
func (o Order) IsOpen() bool { return o == Order{} }

// Height returns the greatest number of additions between a term and the result of a sum of n terms.
//
// Domain: n >= 0.
func (o Order) Height(n int) int {
	if n <= 1 {
		return 0
	}
	h := 0
	if o.Block > 0 {
		h = (n + o.Block - 1) / o.Block
	}
	if o.Log {
		for k := 1; k < n; k *= 2 {
			h++
		}
	}
	h += o.Extra
	if o.Block == 0 && !o.Log || h > n-1 {
		return n - 1
	}
	return h
}
