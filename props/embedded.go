package props

import (
	"sync"

	"gamma/corpus"
)

// embedded returns the cases that package corpus carries.
var embedded = sync.OnceValue(func() []corpus.File {
	return nil
})
