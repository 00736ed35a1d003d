package platform

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

var visiting sync.Mutex

// VisitThreads calls visit on Go's threads that have nothing to do, one after the other, from each of which it returns before it comes to the next. A
// thread that code in another language has made is none of Go's. Meanwhile one goroutine of the process runs at a time.
//
// Cost: some ten microseconds a thread, and a millisecond of waiting.
func VisitThreads(visit func()) {
	visiting.Lock()
	defer visiting.Unlock()
	// With several processors Go would wake threads that find nothing to do, in the place of the next.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	time.Sleep(time.Microsecond) // the thread that waits for the system on behalf of all others joins them
	release := make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(release)
	for waits := true; waits; {
		was := countThreads()
		visited, waited := make(chan struct{}), false
		all.Go(func() {
			runtime.LockOSThread() // it keeps its thread, so that the next one gets another
			visit()
			visited <- struct{}{}
			if <-visited; waited {
				<-release
				runtime.UnlockOSThread()
			}
		})
		<-visited
		waits = countThreads() == was // else none had nothing to do, and one was made: it ends with its goroutine
		waited = waits
		close(visited)
	}
}

// GoroutinesCreated returns how many goroutines the process has started.
func GoroutinesCreated() uint64 {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// countThreads returns how many threads Go has that are not gone.
func countThreads() int {
	n, _ := runtime.ThreadCreateProfile(nil)
	return n
}
