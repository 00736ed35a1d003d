package apple

import "fmt"

// The texts of panics: mistakes of this package's own code, which its tests run into before anybody else does.

func noSignature(s signature) string {
	return fmt.Sprintf("apple: signature %d has no function; give it one in functions.go", s)
}

func wrongArguments(d *declaration, args []argument) string {
	return fmt.Sprintf("apple: %s takes %s, and was sent %d arguments that are not that", d.selector, d.sig, len(args))
}

func nilReceiver(d *declaration) string {
	return fmt.Sprintf("apple: %s was sent to nil; check for nil first", d.selector)
}
