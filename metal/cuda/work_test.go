package cuda

import (
	"sync"
	"testing"
	"time"
)

// TestSignal: who waits goes on, whether he came before set or after, and spinning or asleep.
func TestSignal(t *testing.T) {
	for i := range 2000 {
		var s signal
		var all sync.WaitGroup
		for range 3 {
			all.Go(s.sleep)
			all.Go(s.wait)
		}
		if i%200 == 0 {
			time.Sleep(2 * spin) // until all of them sleep
		}
		s.set()
		all.Wait()
		s.wait()
		s.sleep()
	}
}
