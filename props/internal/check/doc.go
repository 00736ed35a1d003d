// Package check runs the judges inside tests: it replays the cases on file, searches with rapid, and fuzzes.
package check
