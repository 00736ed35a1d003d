package kernels

import "fmt"

// The sentences of this package's panics, each a programmer's mistake.

func lengthsDiffer(x, y int) string {
	return fmt.Sprintf("kernels: a dot product takes two vectors of one length, not of %d and %d", x, y)
}

func rowsDoNotFit(rows, cols, leaves int) string {
	return fmt.Sprintf("kernels: %d rows of %d do not fill a vector of %d", rows, cols, leaves)
}

func leavesDiffer(tree, x int) string {
	return fmt.Sprintf("kernels: a tree of %d leaves cannot sum a vector of %d", tree, x)
}

func batchDoesNotFit(src, in, dst, out int) string {
	return fmt.Sprintf("kernels: a batch of rows of %d words in and %d out does not fit vectors of %d in and %d out", in, out, src, dst)
}

const (
	batchOverlaps = "kernels: dst overlaps src; they may only start at the same word, and only where a row has no more results than operands"

	treeNotPlain = "kernels: SumFollowing follows trees of binary additions only, and this tree has other nodes"
	badFolds     = "kernels: SumK needs two folds or more"
)
