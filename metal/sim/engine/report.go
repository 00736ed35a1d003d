package engine

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// KindOfReport returns the kind of finding that an ir.Assert or ir.Note makes, with a for its first operand: "" for an assertion that holds.
func KindOfReport(in *ir.Instr, a uint64) model.FindingKind {
	switch {
	case in.Op == ir.Note:
		return model.FindingNote
	case a == 0:
		return model.FindingAssertion
	}
	return ""
}

// Report returns the finding of an Assert or Note whose operands have these values in a thread, but for its kernel and place.
func Report(k *ir.Kernel, in *ir.Instr, thread model.Size3, values [4]uint64) model.Finding {
	return model.Finding{
		Kind: KindOfReport(in, values[0]), Threads: []model.Size3{thread}, Index: -1,
		Text: fmt.Sprintf("thread (%d,%d,%d): %s", thread.X, thread.Y, thread.Z, k.Message(in, values)),
	}
}
