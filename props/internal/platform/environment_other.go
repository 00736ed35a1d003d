//go:build !gc || !(amd64 || arm64)

package platform

// HasEnvironment says whether control words can be read and written here: on this processor nobody looks at them.
const HasEnvironment = false

// ReadEnvironment returns the same value always.
func ReadEnvironment() Environment { return 0 }

// Write does nothing.
func (e Environment) Write() {}

// Go returns e.
func (e Environment) Go() Environment { return e }

func (e Environment) changes(Environment) []string { return nil }
