package protocol

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
)

// Name is what errors of a device's package begin with, such as "cuda".
type Name string

// Errorf makes an error.
func (n Name) Errorf(format string, args ...any) error {
	return fmt.Errorf(string(n)+": "+format, args...)
}

// Bug returns the error for what is wrong with the package itself.
func (n Name) Bug(doing string, err error) error {
	return n.Errorf("%s failed inside; this is a bug in the simulator or in what it shares with devices, please report it with the source: %w", doing, err)
}

// Rescue turns a panic into an error when it is deferred. It is the last line of defence: nothing is known to reach it.
func (n Name) Rescue(doing string, err *error) {
	if r := recover(); r != nil {
		stack := strings.SplitN(string(debug.Stack()), "\n", 32)
		*err = n.Bug(doing, fmt.Errorf("%v\n%s", r, strings.Join(stack[:len(stack)-1], "\n")))
	}
}

// quoted is what a user named, in quotes, not too long.
func quoted(s string) string {
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return strconv.Quote(s)
}
