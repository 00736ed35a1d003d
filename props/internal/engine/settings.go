package engine

import (
	"time"
)

// ReduceTime bounds a reduction whose kernel is slow, or hangs until it is stopped.
const ReduceTime = 60 * time.Second
