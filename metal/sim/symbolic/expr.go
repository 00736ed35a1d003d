package symbolic

import (
	"encoding/binary"
	"fmt"
	"strings"

	"gamma/metal/msl/ir"
)

// Expr is the number of an expression of a machine; equal expressions have one number.
type Expr int32

// Node is an expression.
type Node struct {
	Op   ir.Op   // Nop for leaves, Const for constants, AtomicAdd for a sum in an order that is not known
	Type ir.Type // of the value
	From ir.Type // of Convert: the operand's type; of comparisons: the operands'
	Leaf int     // of leaves
	Bits uint64  // of constants
	Args []Expr
}

// maxNodes bounds a machine: one more than the payloads of a binary32 NaN hold, sign included.
const maxNodes = 1 << 23

// Machine holds expressions. It is for one goroutine at a time.
type Machine struct {
	nodes   []Node
	table   map[string]Expr
	handles map[ir.Type][]Expr       // of the 16-bit formats: the expression of each handle
	handle  map[ir.Type]map[Expr]int // and back
	key     []byte
	// Steps bounds the instructions of a run, each thread's counted; 0: 2^32.
	Steps int64
}

// New returns a machine without expressions.
func New() *Machine {
	return &Machine{
		nodes: make([]Node, 1), table: map[string]Expr{},
		handles: map[ir.Type][]Expr{ir.F16: {0}, ir.BF16: {0}}, handle: map[ir.Type]map[Expr]int{ir.F16: {}, ir.BF16: {}},
	}
}

// Node returns expression e. Its Args are the machine's own: do not write to them.
func (m *Machine) Node(e Expr) Node {
	if e <= 0 || int(e) >= len(m.nodes) {
		panic(notInTable)
	}
	return m.nodes[e]
}

// Leaf returns the bits, in format t, of leaf i.
func (m *Machine) Leaf(t ir.Type, i int) (uint64, error) {
	if !t.IsFloat() || i < 0 {
		return 0, fmt.Errorf("symbolic: there is no leaf %d of type %s: leaves are floats, counted from 0", i, t)
	}
	e, err := m.intern(Node{Type: t, Leaf: i})
	if err != nil {
		return 0, err
	}
	return m.bits(e)
}

// Lookup returns the expression that bits of format t stand for, and ok = false if they are a number.
func (m *Machine) Lookup(t ir.Type, bits uint64) (e Expr, ok bool) {
	switch t {
	case ir.F32:
		if bits&0x7fc00000 != 0x7fc00000 {
			return 0, false
		}
		e = Expr(bits&0x3fffff | bits>>9&0x400000)
	case ir.F16, ir.BF16:
		man := uint64(9)
		if t == ir.BF16 {
			man = 6
		}
		quiet := t.Mask() >> 1 &^ (1<<man - 1)
		if bits&quiet != quiet {
			return 0, false
		}
		h := bits&(1<<man-1) | bits>>15<<man
		if h >= uint64(len(m.handles[t])) {
			return 0, false
		}
		e = m.handles[t][h]
	default:
		return 0, false
	}
	return e, e > 0 && int(e) < len(m.nodes)
}

// bits returns the NaN that stands for e.
func (m *Machine) bits(e Expr) (uint64, error) {
	t := m.nodes[e].Type
	if t == ir.F32 {
		return 0x7fc00000 | uint64(e)&0x3fffff | uint64(e)&0x400000<<9, nil
	}
	man := 9
	if t == ir.BF16 {
		man = 6
	}
	h, ok := m.handle[t][e]
	if !ok {
		h = len(m.handles[t])
		if h >= 2<<man {
			return 0, fmt.Errorf("symbolic: more than %d different values of type %s: its NaNs name no more; use fewer leaves", 2<<man-1, t)
		}
		m.handles[t] = append(m.handles[t], e)
		m.handle[t][e] = h
	}
	quiet := t.Mask() >> 1 &^ (1<<man - 1)
	return quiet | uint64(h)&(1<<man-1) | uint64(h)>>man<<15, nil
}

// intern returns the number of a node.
func (m *Machine) intern(n Node) (Expr, error) {
	k := append(m.key[:0], byte(n.Op), byte(n.Type), byte(n.From))
	k = binary.LittleEndian.AppendUint64(k, n.Bits)
	k = binary.LittleEndian.AppendUint64(k, uint64(n.Leaf))
	for _, a := range n.Args {
		k = binary.LittleEndian.AppendUint32(k, uint32(a))
	}
	m.key = k
	if e, ok := m.table[string(k)]; ok {
		return e, nil
	}
	if len(m.nodes) >= maxNodes {
		return 0, fmt.Errorf("symbolic: more than %d expressions; use fewer leaves", maxNodes-1)
	}
	e := Expr(len(m.nodes))
	m.nodes = append(m.nodes, n)
	m.table[string(k)] = e
	return e, nil
}

// String writes expression e as a formula, cut off where it is deep.
func (m *Machine) String(e Expr) string {
	var s strings.Builder
	m.write(&s, e, 40)
	return s.String()
}

func (m *Machine) write(s *strings.Builder, e Expr, depth int) {
	n := m.Node(e)
	switch {
	case n.Op == ir.Nop:
		fmt.Fprintf(s, "x[%d]", n.Leaf)
		return
	case n.Op == ir.Const:
		fmt.Fprintf(s, "%#x", n.Bits)
		return
	case depth == 0 || s.Len() > 4000:
		s.WriteString("…")
		return
	case n.Op == ir.AtomicAdd:
		s.WriteString("any")
	default:
		s.WriteString(n.Op.String())
	}
	s.WriteByte('(')
	for i, a := range n.Args {
		if i > 0 {
			s.WriteString(", ")
		}
		m.write(s, a, depth-1)
	}
	s.WriteByte(')')
}
