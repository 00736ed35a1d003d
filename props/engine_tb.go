package props

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

// subtests runs a part of a test under a name of its own.
type subtests func(name string, part func(t TB))

// proposer lets an engine make so many draws for prop, which is true where an input violates, and returns what the engine said if it
// stopped, or "".
type proposer func(checks int, with shaped, prop func(d draw) (violated bool)) string
