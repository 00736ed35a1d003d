package platform

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestVisitThreads: threads that goroutines have left changed are found and put back, whatever others hold; one may be on its way at the first looks.
func TestVisitThreads(t *testing.T) {
	if !HasEnvironment {
		t.Skip("no control word is read on " + runtime.GOARCH)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	changed := Environment(1 << 15)
	if runtime.GOARCH == "arm64" {
		changed = 1 << 24
	}
	visit := func() (found int) {
		VisitThreads(func() {
			if e := ReadEnvironment(); e != e.Go() {
				e.Go().Write()
				found++
			}
		})
		return found
	}
	const spoilers, rounds = 5, 10
	for held := range rounds {
		stop := make(chan struct{})
		var others, ready, all, met sync.WaitGroup
		for range held { // threads that others hold
			ready.Add(1)
			others.Go(func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				ready.Done()
				<-stop
			})
		}
		ready.Wait()
		met.Add(spoilers)
		for range spoilers {
			all.Go(func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				met.Done()
				met.Wait() // each has a thread of its own
				(ReadEnvironment().Go() | changed).Write()
			})
		}
		all.Wait()
		found := 0
		for late := time.Now().Add(5 * time.Second); found < spoilers && time.Now().Before(late); time.Sleep(time.Millisecond) { // the system may hold one up
			found += visit()
		}
		require.Equal(t, spoilers, found, "while %d threads are held", held)
		close(stop)
		others.Wait()
	}
}
