package formula

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// longest is how many operations an expression has that gets a name for its length alone.
const longest = 12

// Print returns the text of e, the same for all formulas that are equal in structure: Parse reads it back. The text of an expression
// that has an error is that error, as a comment.
func Print(e *Expr) string {
	if err := e.Err(); err != nil {
		return "# " + err.Error() + "\n"
	}
	var b strings.Builder
	for _, in := range e.inputs {
		b.WriteString(in.node.Name + " " + shape(in) + "\n")
	}
	w := newWriter(e)
	w.definitions(&b, "\n")
	b.WriteString("result ")
	w.term(&b, e)
	b.WriteByte('\n')
	return b.String()
}

// String returns e on one line, without the types of its inputs: what is used twice is named first.
func (e *Expr) String() string {
	if err := e.Err(); err != nil {
		return err.Error()
	}
	var b strings.Builder
	w := newWriter(e)
	w.definitions(&b, "; ")
	w.term(&b, e)
	return b.String()
}

// Hash returns 16 hexadecimal digits that name the formula: the first of the SHA-256 of its text.
func (e *Expr) Hash() string {
	sum := sha256.Sum256([]byte(Print(e)))
	return hex.EncodeToString(sum[:8])
}

// Same reports whether a and b are equal in structure: the same operations on the same inputs, with the same expressions shared.
func Same(a, b *Expr) bool { return a.Err() == nil && b.Err() == nil && Print(a) == Print(b) }

// shape returns the type and axes of e: "binary32[m, n]", "int8".
func shape(e *Expr) string {
	if len(e.axes) == 0 {
		return e.typ.String()
	}
	return e.typ.String() + "[" + strings.Join(e.axes, ", ") + "]"
}

// writer knows which nodes of a formula have names.
type writer struct {
	names map[*Expr]string
	order []*Expr // of those with names, operands first
}

func newWriter(e *Expr) *writer {
	nodes := e.Nodes()
	uses := map[*Expr]int{}
	for _, n := range nodes {
		for _, a := range n.node.Args {
			uses[a]++
		}
	}
	taken := map[string]bool{}
	for _, in := range e.inputs {
		taken[in.node.Name] = true
	}
	w := &writer{names: map[*Expr]string{}}
	size := map[*Expr]int{} // operations that stand in the text of a node where it is used
	next := 0
	for _, n := range nodes {
		if len(n.node.Args) == 0 {
			continue
		}
		s := 1
		for _, a := range n.node.Args {
			s += size[a]
		}
		if n == e || uses[n] < 2 && s < longest {
			size[n] = s
			continue
		}
		for next++; taken["t"+strconv.Itoa(next)]; {
			next++
		}
		w.names[n] = "t" + strconv.Itoa(next)
		w.order = append(w.order, n)
	}
	return w
}

// definitions writes what has a name, with an end after each.
func (w *writer) definitions(b *strings.Builder, end string) {
	for _, n := range w.order {
		b.WriteString(w.names[n] + " = ")
		w.call(b, n)
		b.WriteString(end)
	}
}

// term writes a name, a constant or a call.
func (w *writer) term(b *strings.Builder, e *Expr) {
	if name, ok := w.names[e]; ok {
		b.WriteString(name)
		return
	}
	w.call(b, e)
}

func (w *writer) call(b *strings.Builder, e *Expr) {
	n := e.node
	switch n.Op {
	case OpInput:
		b.WriteString(n.Name)
		return
	case OpConst:
		b.WriteString(numeral(n))
		return
	}
	b.WriteString(n.Op.String() + "(")
	for i, a := range n.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		w.term(b, a)
	}
	for i, word := range words(n) {
		if i > 0 || len(n.Args) > 0 {
			b.WriteString(", ")
		}
		b.WriteString(word)
	}
	if options := options(n); len(options) > 0 {
		b.WriteString("; " + strings.Join(options, " "))
	}
	b.WriteByte(')')
}

// words returns what a call has after its operands: axes, a type, a new name.
func words(n Node) []string {
	switch n.Op {
	case OpStore:
		return []string{n.Type.String()}
	case OpRename:
		return []string{n.Axes[0], n.To}
	}
	return n.Axes
}

// numeral returns a constant's text.
func numeral(n Node) string {
	if n.Type.Int {
		return strconv.FormatInt(int64(n.Value), 10)
	}
	if math.IsInf(n.Value, 0) {
		return fmt.Sprintf("%+g", n.Value)[:1] + "inf"
	}
	s := strconv.FormatFloat(n.Value, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// The operations that have something to say after a semicolon.
var (
	withMeaning = []Op{OpMaximum, OpMinimum, OpMax, OpMin, OpScanMax, OpScanMin}
	withTies    = []Op{OpArgMax, OpArgMin}
	withOrder   = []Op{OpSum, OpProd, OpDot, OpScanSum, OpScanProd}
	scans       = []Op{OpScanSum, OpScanProd, OpScanMax, OpScanMin}
	stores      = []Op{OpStore}
)

// option is a word after the semicolon of a call. A word of a number ends in "=".
type option struct {
	word string
	ops  []Op
	get  func(Node) int // 0 if the node does not say so
	set  func(*Node, int)
}

// flag is an option without a number.
func flag[T comparable](word string, ops []Op, field func(*Node) *T, value T) option {
	return option{word, ops, func(n Node) int {
		if *field(&n) == value {
			return 1
		}
		return 0
	}, func(n *Node, _ int) { *field(n) = value }}
}

func meaning(n *Node) *Meaning   { return &n.Meaning }
func ties(n *Node) *Ties         { return &n.Ties }
func overflow(n *Node) *Overflow { return &n.Overflow }

// vocabulary is all options, in the order in which they are written.
var vocabulary = []option{
	flag("propagate", withMeaning, meaning, PropagateNaN),
	flag("ignore", withMeaning, meaning, IgnoreNaN),
	flag("fmax", withMeaning, meaning, CMeaning),
	flag("last", withTies, ties, LastTie),
	flag("any", withTies, ties, AnyTie),
	flag("saturate", stores, overflow, Saturate),
	flag("wrap", stores, overflow, Wrap),
	flag("left", withOrder, func(n *Node) *bool { return &n.Order.Left }, true),
	{"block=", withOrder, func(n Node) int { return n.Order.Block }, func(n *Node, v int) { n.Order.Block = v }},
	flag("log", withOrder, func(n *Node) *bool { return &n.Order.Log }, true),
	{"extra=", withOrder, func(n Node) int { return n.Order.Extra }, func(n *Node, v int) { n.Order.Extra = v }},
	flag("exclusive", scans, func(n *Node) *bool { return &n.Exclusive }, true),
	flag("reverse", scans, func(n *Node) *bool { return &n.Reverse }, true),
}

// options returns what a call has after its semicolon.
func options(n Node) []string {
	var list []string
	for _, o := range vocabulary {
		if v := o.get(n); v != 0 && strings.HasSuffix(o.word, "=") {
			list = append(list, o.word+strconv.Itoa(v))
		} else if v != 0 {
			list = append(list, o.word)
		}
	}
	return list
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
