package adversary

import (
	"fmt"

	"gamma/metal/msl/ir"
)

// flatKind says what a flat instruction is.
type flatKind uint8

const (
	flatInstr  flatKind = iota
	flatJump            // to target
	flatUnless          // to target if register a is 0
	flatBack            // to target, the start of a loop
	flatZero            // counter dst = 0
	flatCount           // counter dst++
	flatEnd             // the thread's end

	// Only with checks; see flagger.
	flatFlag   // flag dst = that of bytes with mark a
	flatCopy   // flag dst = flag a
	flatChoice // flag dst = flag a or b, as in chooses; 0 is a flag that is always defined. flags[0] is that of the condition
	flatSpread // flag dst = that of what is computed from values with flags
	flatAbsent // flag dst = that of what in, a load that comes next, will read; a is its mark
	flatPass   // the marks of what in stored = flag a
	flatCheck  // flag a must be defined
)

// flat is an instruction of a kernel whose blocks have become jumps. Registers are the kernel's, and after them the counters
// of loops.
type flat struct {
	kind   flatKind
	in     *ir.Instr
	branch *ir.If // of flatUnless
	a, dst int32
	target int32
	b      int32    // another flag
	reg    ir.Reg   // whose flag a is
	soft   bool     // a load whose value has a flag
	flags  [4]int32 // of the operands of flatSpread and of SIMD operations
	flag   int32    // of the result of a SIMD operation, or of an instruction whose faults count if it is no undefined value
	path   int32    // index of the path from the kernel's body to here
	pos    int32
	n      int32 // its number among those that are there without checks
}

// node returns the node of the kernel that x stands for, nil if it is none of its instructions and branches.
func (x *flat) node() ir.Node {
	switch {
	case x.kind == flatInstr:
		return x.in
	case x.branch != nil:
		return x.branch
	}
	return nil
}

// step is one step of a path: into an arm of an if, or into a loop whose iterations are counted.
type step struct {
	id      int32 // of the if or the loop
	arm     int8  // 0 then, 1 else, -1 a loop
	counter int32 // the register that counts the loop's iterations
}

// flattener turns blocks into jumps.
type flattener struct {
	k     *ir.Kernel
	code  []flat
	regs  int32 // registers and counters so far
	paths [][]step
	path  int32
	steps int
	ids   int32
	// exits holds the jumps to the end of every label that is open.
	exits         map[int32][]int32
	synchronising map[ir.Node]bool
	undefined     *ir.Undefined
}

// flatten returns k's instructions in one list, the paths to them and the number of registers and counters. memory says whether loads have flags.
func flatten(k *ir.Kernel, memory bool) (*flattener, error) {
	f := &flattener{k: k, regs: int32(len(k.Regs)), exits: map[int32][]int32{0: nil}, paths: [][]step{nil}, synchronising: map[ir.Node]bool{}}
	f.mark(k.Body)
	n := 0
	k.Body.Each(func(*ir.Instr) { n++ })
	f.code = make([]flat, 0, n+n/2)
	if err := f.block(k.Body); err != nil {
		return nil, err
	}
	f.close(0)
	f.add(flat{kind: flatEnd})
	f.flag(memory)
	return f, nil
}

// mark finds the ifs and loops in which threads wait for one another, and reports whether b has such an instruction.
func (f *flattener) mark(b ir.Block) bool {
	any := false
	for _, n := range b {
		switch n := n.(type) {
		case *ir.Instr:
			any = any || synchronises(n.Op)
		case *ir.If:
			then := f.mark(n.Then)
			if f.mark(n.Else) || then {
				f.synchronising[n], any = true, true
			}
		case *ir.Loop:
			if f.mark(n.Body) {
				f.synchronising[n], any = true, true
			}
		case *ir.Scope:
			if f.mark(n.Body) {
				any = true
			}
		}
	}
	return any
}

// synchronises reports whether threads wait for one another at op.
func synchronises(op ir.Op) bool { return op == ir.Barrier || converges(op) }

// converges reports whether the threads of a simdgroup or quadgroup wait for one another at op.
func converges(op ir.Op) bool { return op == ir.SimdBarrier || op >= ir.SimdSum && op <= ir.SimdActive }

func (f *flattener) add(x flat) int32 {
	x.path, x.n = f.path, int32(len(f.code))
	f.code = append(f.code, x)
	return int32(len(f.code) - 1)
}

// maxSteps bounds the steps of all paths of a kernel.
const maxSteps = 1 << 23

// enter puts s at the end of the path; leave goes back to an earlier one.
func (f *flattener) enter(s step) error {
	path := f.paths[f.path]
	if f.steps += len(path) + 1; f.steps > maxSteps {
		return fmt.Errorf("adversary: kernel %s: ifs and loops around barriers and SIMD operations are nested too deeply; nest fewer", f.k.Name)
	}
	f.paths = append(f.paths, append(path[:len(path):len(path)], s))
	f.path = int32(len(f.paths) - 1)
	return nil
}

func (f *flattener) leave(before int32) { f.path = before }

// close makes the exits of label jump to here.
func (f *flattener) close(label int32) {
	for _, at := range f.exits[label] {
		f.code[at].target = int32(len(f.code))
	}
	delete(f.exits, label)
}

func (f *flattener) block(b ir.Block) error {
	for _, n := range b {
		switch n := n.(type) {
		case *ir.Instr:
			if n.Op != ir.Nop {
				f.add(flat{in: n, pos: n.Pos})
			}
		case *ir.If:
			if err := f.branch(n); err != nil {
				return err
			}
		case *ir.Loop:
			if err := f.loop(n); err != nil {
				return err
			}
		case *ir.Scope:
			f.exits[n.Label] = nil
			if err := f.block(n.Body); err != nil {
				return err
			}
			f.close(n.Label)
		case *ir.Leave:
			if _, ok := f.exits[n.Label]; !ok {
				return fmt.Errorf("adversary: kernel %s: no block of label %d is open", f.k.Name, n.Label)
			}
			if n.Label == 0 {
				f.add(flat{kind: flatEnd, pos: n.Pos})
				continue
			}
			at := f.add(flat{kind: flatJump, pos: n.Pos})
			f.exits[n.Label] = append(f.exits[n.Label], at)
		default:
			return fmt.Errorf("adversary: kernel %s holds a node of unknown type %T", f.k.Name, n)
		}
	}
	return nil
}

func (f *flattener) branch(n *ir.If) error {
	skip := f.add(flat{kind: flatUnless, branch: n, a: int32(n.Cond), pos: n.Pos})
	f.ids++
	id, counted, before := f.ids, f.synchronising[n], f.path
	if counted {
		if err := f.enter(step{id: id, arm: 0}); err != nil {
			return err
		}
	}
	err := f.block(n.Then)
	if err == nil && len(n.Else) > 0 {
		over := f.add(flat{kind: flatJump, pos: n.Pos})
		f.code[skip].target = int32(len(f.code))
		if counted {
			f.leave(before)
			if err := f.enter(step{id: id, arm: 1}); err != nil {
				return err
			}
		}
		err = f.block(n.Else)
		skip = over
	}
	f.code[skip].target = int32(len(f.code))
	f.leave(before)
	return err
}

func (f *flattener) loop(n *ir.Loop) error {
	f.exits[n.Label] = nil
	f.ids++
	before, counter := f.path, int32(0)
	if f.synchronising[n] {
		counter = f.regs
		f.regs++
		f.add(flat{kind: flatZero, dst: counter})
		if err := f.enter(step{id: f.ids, arm: -1, counter: counter}); err != nil {
			return err
		}
	}
	start := int32(len(f.code))
	if err := f.block(n.Body); err != nil {
		return err
	}
	if counter != 0 {
		f.add(flat{kind: flatCount, dst: counter})
	}
	f.add(flat{kind: flatBack, target: start, pos: n.Pos})
	f.leave(before)
	f.close(n.Label)
	return nil
}
