package ir

// Scan says of which lanes a SIMD operation with a Fold combines the values.
type Scan uint8

const (
	AllLanes  Scan = iota // every active lane's
	Inclusive             // a prefix: those up to the lane
	Exclusive             // a prefix: those before the lane
)

// Move says how the lane that a shuffle reads follows from the reading lane and operand B.
type Move uint8

const (
	NoMove    Move = iota
	MoveTo         // lane B
	MoveFlip       // lane id^B
	MoveUp         // lane id-B
	MoveDown       // lane id+B
	MoveFirst      // the lowest active lane
)

// Edge says what MoveUp and MoveDown read where that lane is beyond the group.
type Edge uint8

const (
	EdgeNone Edge = iota // nothing: the shuffle may not go there
	EdgeKeep             // the lane's own A
	EdgeWrap             // A of the lane modulo the width of the group
	EdgeFill             // C of the lane modulo D, or the width if D is 0; sub-groups of D lanes are apart
)

// Shuffle says which lane a shuffle reads.
type Shuffle struct {
	Move Move
	Edge Edge
}

// Source returns the number in its group of the lane that lane reads, in a group of width lanes, whether C is read there in place of A, and by
// how much operand B moves. sub is the width of sub-groups, from operand D; what is not from 1 to width stands for width. A source that is no
// lane of the group is one that the kernel may not read; -1 says so where sub-groups are left by more than their width. MoveFirst depends on
// which lanes are active and is not for Source.
func (s Shuffle) Source(lane, by, sub, width int) (from int, filled bool) {
	switch s.Move {
	case MoveTo:
		return by, false
	case MoveFlip:
		return lane ^ by, false
	case MoveUp:
		by = -by
	}
	switch from = lane + by; s.Edge {
	case EdgeKeep:
		if from < 0 || from >= width {
			from = lane
		}
	case EdgeWrap:
		from = (from%width + width) % width
	case EdgeFill:
		if sub <= 0 || sub > width {
			sub = width
		}
		first := lane / sub * sub
		at := from - first
		if filled = at < 0 || at >= sub; filled {
			if at < 0 {
				at += sub
			} else {
				at -= sub
			}
			if at < 0 || at >= sub {
				return -1, true
			}
		}
		from = first + at
	}
	return from, filled
}

// Identity returns the bits of an exclusive prefix of in over no lanes: 0 of a sum, 1 of a product.
func (in *Instr) Identity() uint64 {
	if Ops[in.Op].Fold == Add {
		return 0
	}
	one, _ := Eval(Convert, in.Type, I32, 0, Arith{}, 1, 0, 0, 0)
	return one
}

// GroupWidth returns the number of lanes that the SIMD operation in is over, where a simdgroup has simd lanes.
func (in *Instr) GroupWidth(simd int) int {
	if in.Imm != 0 {
		return int(in.Imm)
	}
	return simd
}
