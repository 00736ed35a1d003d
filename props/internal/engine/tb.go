package engine

// TB is what the engine asks of a test: the part of testing.TB that it uses, so that a program which judges without tests links none of
// package testing.
type TB interface {
	Helper()
	Name() string
	Log(args ...any)
	Logf(format string, args ...any)
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Skip(args ...any)
	Skipf(format string, args ...any)
}

// Together is a test of one subject among several, of which each has a name as if it were a subtest.
type Together interface{ Together() }

// Subtests runs a part of a test under a name of its own.
type Subtests func(name string, part func(t TB))

// Proposer lets an engine make so many draws for prop, which is true where an input violates, and returns what the engine said if it
// stopped, or "".
type Proposer func(checks int, with Shaped, prop func(d Draw) (violated bool)) string

// Shaped says that an input has a size and a shape of its own, which are drawn beside its family.
type Shaped bool
