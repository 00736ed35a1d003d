// Package report lays text out: the frame of a report, the numbers in it, and their machine-readable twins.
package report
