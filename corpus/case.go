package corpus

import "gamma/model"

// Expect says how a case on file must end.
type Expect string

const (
	ExpectHolds    Expect = "holds"
	ExpectViolated Expect = "violated" // a known open fault: the replay fails when it starts to pass
)

// Case is one concrete input for one law and one kernel: plain data, printable, replayable.
type Case struct {
	Law    model.LawID
	Kernel string // the subject's name
	Expect Expect // "" is ExpectHolds
	// Want is the right result where the case states one, as text in the result's format: "0x1p+4",
	// "inf", "nan"; where there are rows, one result for all or one for each. The law judges by its theorem all the same; Want must agree with the oracle.
	Want string

	Behaviour model.Behaviour
	Launch    model.Launch
	// Tree is the schedule, a shape with its leaf count or an explicit tree, as package sumtree
	// writes them; empty for kernels that follow one of their own.
	Tree string
	// Seed feeds what a law draws beside the values: permutations, repetitions.
	Seed uint64
	// Rows is the number of rows of a kernel that reduces many at once; 0 and 1 are one row. X holds
	// the rows one after the other, N()/Rows leaves each.
	Rows int

	// Isolate: the kernel hung or died on this case, so that it is replayed in a child process.
	Isolate bool

	// X are the leaves, Y the second factors of a dot product (of no length otherwise): one for
	// each leaf, or one for each leaf of a row, which then all rows share.
	X, Y Values
	// Gen is the recipe that expands into X and Y, where a case is stored by its recipe.
	Gen string
	// Deferred is set while X and Y still wait for Gen to be expanded; see Expand.
	Deferred *Deferred

	Comments []string // provenance, without the leading "# "
}

// Deferred is what a case file says of values that it stores by their recipe.
type Deferred struct {
	Format model.Format
	N      int
	SHA256 [32]byte // the Digest of the values
}

// N returns the number of leaves, also of a case that is not expanded yet.
func (c *Case) N() int {
	if c.Deferred != nil {
		return c.Deferred.N
	}
	return c.X.Len()
}

// Format returns the format of the leaves, also of a case that is not expanded yet.
func (c *Case) Format() model.Format {
	if c.Deferred != nil {
		return c.Deferred.Format
	}
	return c.X.Format
}
