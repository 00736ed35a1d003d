package props

import "gamma/props/internal/protocol"

type (
	// Accumulator holds an exact sum of numbers of type F, and merges with others of type A, its own.
	Accumulator[F float32 | float64, A any] = protocol.Accumulator[F, A]
	// AccumulatorSubject checks an accumulator against a model: an exact integer with flags for what it cannot hold.
	AccumulatorSubject[F float32 | float64, A Accumulator[F, A]] = protocol.AccumulatorSubject[F, A]
	// ProtocolCommand is one command of a protocol.
	ProtocolCommand[S, T any] = protocol.ProtocolCommand[S, T]
	// Protocol checks a system against a model by sequences of commands, which gopter draws and shortens.
	Protocol[S, T any] = protocol.Protocol[S, T]
	// ProtocolDraw draws a command for a state; below returns a number from 0 to n-1.
	ProtocolDraw[S, T any] = protocol.ProtocolDraw[S, T]
	// SequenceFailure is a sequence of commands after which a system shows something else than its model.
	SequenceFailure = protocol.SequenceFailure
)
