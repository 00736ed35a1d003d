package word

import (
	"fmt"
	"strings"
)

// Function is the exact function that an operation stands for.
type Function uint8

const (
	Value          Function = iota // x
	Sum                            // x+y
	Difference                     // x-y
	Product                        // x·y
	Quotient                       // x/y
	Root                           // √x
	ComplexSum                     // x+y, each a real and an imaginary part
	ComplexProduct                 // x·y, each a real and an imaginary part
	DotProduct                     // Σ x_i·y_i over Op.Terms terms
)

var functions = [...]string{"value", "sum", "difference", "product", "quotient", "root", "complex sum", "complex product", "dot product"}

// String returns "sum", "complex product" and so on.
func (f Function) String() string {
	if int(f) < len(functions) {
		return functions[f]
	}
	return fmt.Sprintf("function %d", f)
}

// Op is an operation on words: what it computes and in how many words. The words of a row stand in this order: those of x, the
// highest first, then those of y; of a complex number those of the real part, then those of the imaginary part; of a dot product
// those of x_0, x_1, …, then of y_0, y_1, ….
type Op struct {
	Function Function
	X, Y, Z  int // words of a component of x, of y (0 if there is no y) and of the result
	Terms    int // of a DotProduct; otherwise 0
}

// The operations that have algorithms here.
var (
	TwoSum     = Op{Function: Sum, X: 1, Y: 1, Z: 2}     // a+b = s+e
	TwoProduct = Op{Function: Product, X: 1, Y: 1, Z: 2} // a·b = p+e
	Split      = Op{Function: Value, X: 1, Z: 2}         // a = hi+lo, each of half the bits

	DWPlusFP  = Op{Function: Sum, X: 2, Y: 1, Z: 2}
	DWPlusDW  = Op{Function: Sum, X: 2, Y: 2, Z: 2}
	DWTimesFP = Op{Function: Product, X: 2, Y: 1, Z: 2}
	DWTimesDW = Op{Function: Product, X: 2, Y: 2, Z: 2}
	DWDivFP   = Op{Function: Quotient, X: 2, Y: 1, Z: 2}
	DWDivDW   = Op{Function: Quotient, X: 2, Y: 2, Z: 2}
	DWSqrt    = Op{Function: Root, X: 2, Z: 2}

	ComplexTimes        = Op{Function: ComplexProduct, X: 1, Y: 1, Z: 1} // complex numbers of single words
	ComplexDWPlus       = Op{Function: ComplexSum, X: 2, Y: 2, Z: 2}
	ComplexDWTimes      = Op{Function: ComplexProduct, X: 2, Y: 2, Z: 2}
	ComplexDWTimesRound = Op{Function: ComplexProduct, X: 2, Y: 2, Z: 1} // rounded once, at the end
	DWDivFPRound        = Op{Function: Quotient, X: 2, Y: 1, Z: 1}       // x/n, rounded once, at the end
	Dot3Round           = Op{Function: DotProduct, X: 1, Y: 1, Z: 1, Terms: 3}
)

// Check returns an error that says what is wrong with an operation, or nil.
func (o Op) Check() error {
	unary := o.Function == Value || o.Function == Root
	switch {
	case int(o.Function) >= len(functions):
		return fmt.Errorf("word: %s is not defined", o.Function)
	case o.X < 1 || o.X > MaxWords || o.Z < 1 || o.Z > MaxWords || o.Y < 0 || o.Y > MaxWords:
		return fmt.Errorf("word: a %s of %d and %d words in %d; a number has 1 to %d words", o.Function, o.X, o.Y, o.Z, MaxWords)
	case unary != (o.Y == 0):
		return fmt.Errorf("word: a %s whose y has %d words", o.Function, o.Y)
	case (o.Function == DotProduct) != (o.Terms > 0) || o.Terms > MaxTerms:
		return fmt.Errorf("word: a %s of %d terms; a dot product has 1 to %d, others have 0", o.Function, o.Terms, MaxTerms)
	}
	return nil
}

// MaxWords and MaxTerms limit an operation, so that a row stays small.
const (
	MaxWords = 4
	MaxTerms = 64
)

// Complex reports whether operands and result have two components.
func (o Op) Complex() bool { return o.Function == ComplexSum || o.Function == ComplexProduct }

// Components returns the number of components of the result: 2 if it is complex, else 1.
func (o Op) Components() int {
	if o.Complex() {
		return 2
	}
	return 1
}

// Operands returns how many words each number of a row has, in the order of the words: 2, 2 for a product of double words.
func (o Op) Operands() []int {
	n := max(o.Components(), o.Terms)
	var words []int
	for range n {
		words = append(words, o.X)
	}
	for i := 0; i < n && o.Y > 0; i++ {
		words = append(words, o.Y)
	}
	return words
}

// In returns the number of words of a row of operands.
func (o Op) In() int { return max(o.Components(), o.Terms) * (o.X + o.Y) }

// Out returns the number of words of a row of results.
func (o Op) Out() int { return o.Components() * o.Z }

// InNames returns a name for each word of a row of operands: "xh", "xl", "y".
func (o Op) InNames() []string {
	var names []string
	n := max(o.Components(), o.Terms)
	for side, words := range []int{o.X, o.Y} {
		for i := range n {
			base := "xy"[side : side+1]
			switch {
			case o.Complex():
				base += [...]string{".re", ".im"}[i]
			case o.Terms > 0:
				base = fmt.Sprintf("%s%d", base, i)
			}
			names = append(names, wordNames(base, words, o.Complex())...)
		}
	}
	return names
}

// OutNames returns a name for each word of a row of results: "zh", "zl".
func (o Op) OutNames() []string {
	if !o.Complex() {
		return wordNames("z", o.Z, false)
	}
	return append(wordNames("z.re", o.Z, true), wordNames("z.im", o.Z, true)...)
}

// wordNames returns base alone for one word, baseh and basel for two, and base0, base1, … for more.
func wordNames(base string, words int, dotted bool) []string {
	names := make([]string, words)
	for i := range names {
		switch {
		case words == 1:
			names[i] = base
		case words == 2 && dotted:
			names[i] = base + [...]string{".hi", ".lo"}[i]
		case words == 2:
			names[i] = base + "hl"[i:i+1]
		default:
			names[i] = fmt.Sprintf("%s%d", base, i)
		}
	}
	return names
}

// String writes the operation, such as "product 2,2 -> 2" or "dot product of 3 terms 1,1 -> 1".
func (o Op) String() string {
	var b strings.Builder
	b.WriteString(o.Function.String())
	if o.Terms > 0 {
		fmt.Fprintf(&b, " of %d terms", o.Terms)
	}
	fmt.Fprintf(&b, " %d", o.X)
	if o.Y > 0 {
		fmt.Fprintf(&b, ",%d", o.Y)
	}
	fmt.Fprintf(&b, " -> %d", o.Z)
	return b.String()
}
