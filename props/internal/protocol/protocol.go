package protocol

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"gamma/model"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
)

// ProtocolCommand is one command of a protocol. S is the state of the model, a value: one that was given out does not
// change. T is the system.
type ProtocolCommand[S, T any] interface {
	// String writes the command, for reports of one that does not come back.
	String() string
	// Possible says whether the command can stand where the model is in state s; others are left out of a sequence.
	Possible(s S) bool
	// Next returns the model's state after the command.
	Next(s S) S
	// Run carries the command out on the system. It returns the command as a report shows it, and what compares what it showed
	// with the model's state after it: "" if they agree.
	Run(system T) (text string, differs func(after S) string)
}

// Protocol checks a system against a model by sequences of commands, which gopter draws and shortens. A panic of the system is
// a difference like any other.
type Protocol[S, T any] struct {
	Name string // of the system
	Law  model.LawID
	// Statement is what holds after every sequence, in one line.
	Statement string
	Start     func() S           // the model's first state
	New       func() T           // a fresh system
	Close     func(T)            // frees a system; nil: nothing to do
	Draw      ProtocolDraw[S, T] // a command for a state
	// Sequences and MaxCommands are how many sequences are run, and how long the longest is; 0: a tenth of -gamma.checks, 60.
	Sequences, MaxCommands int
}

// ProtocolDraw draws a command for a state; below returns a number from 0 to n-1.
type ProtocolDraw[S, T any] func(s S, below func(n int) int) ProtocolCommand[S, T]

// Check draws sequences and fails the test with the shortest one found that shows a difference.
func (p Protocol[S, T]) Check(t *testing.T) { t.Helper(); check.Check(t, p.Judged) }

// Find is Check without a testing package: it returns the report of a difference, or nil.
func (p Protocol[S, T]) Find() (*SequenceFailure, error) { return findSequence(p.Judged) }

func (p Protocol[S, T]) Judged(set engine.Settings) (engine.Judged, error) {
	if p.Name == "" || p.Start == nil || p.New == nil || p.Draw == nil {
		return nil, fmt.Errorf("props: protocol %q needs a Name, Start, New and Draw", p.Name)
	}
	checks := p.Sequences
	if checks == 0 {
		checks = max(set.Checks/10, 1)
	}
	return newSequences(set.For(p), &sequenceKind[S, T]{
		kind: "protocols", what: "a protocol", name: p.Name, law: p.Law, statement: p.Statement, checks: checks, longest: p.MaxCommands,
		first: func(*rand.Rand) []uint64 { return nil },
		start: func([]uint64) S { return p.Start() },
		open:  p.New, close: p.Close, draw: p.draw, decode: p.Decode,
	}), nil
}

// draw draws a command for a state, after the commands that were drawn with some numbers, and returns the numbers of all: for each
// command how many Draw took, and these.
func (p Protocol[S, T]) draw(s S, drawn []uint64, rng *rand.Rand) (ProtocolCommand[S, T], []uint64) {
	numbers := append(slices.Clone(drawn), 0)
	at := len(drawn)
	c := p.Draw(s, func(n int) int {
		k := 0
		if rng != nil {
			k = rng.Intn(n)
		}
		numbers = append(numbers, uint64(k))
		numbers[at]++
		return k
	})
	return c, numbers
}

// Decode draws commands again, and returns the last.
func (p Protocol[S, T]) Decode(numbers []uint64) (c ProtocolCommand[S, T]) {
	for s := p.Start(); len(numbers) > 0; s = c.Next(s) {
		own := numbers[1 : 1+numbers[0]]
		numbers = numbers[1+numbers[0]:]
		c = p.Draw(s, func(int) int {
			k := own[0]
			own = own[1:]
			return int(k)
		})
	}
	return c
}
