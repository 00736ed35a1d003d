// Package protocol judges sequences of calls: accumulators and device protocols.
package protocol
