//go:build !race

package fast

import "sync"

// oneAtATime is nil: workers run at the same time.
var oneAtATime *sync.Mutex
