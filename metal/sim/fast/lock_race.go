//go:build race

package fast

import "sync"

// oneAtATime lets workers run one after the other where Go's race detector looks on: kernels with races are run on purpose.
var oneAtATime = new(sync.Mutex)
