package props

import "fmt"

// The sentences of this package's panics, each a programmer's mistake.

func noRapidFlag(name string) string {
	return fmt.Sprintf("props: rapid has no flag %s; this version of rapid is not the one in go.mod", name)
}
