package engine

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/props/internal/platform"
	"gamma/props/internal/verdict"
)

// changed returns the environment with traps and rounding as they are and denormals flushed, in the one bit that a processor has for it.
func changed(e platform.Environment) platform.Environment {
	if runtime.GOARCH == "arm64" {
		return e | 1<<24
	}
	return e | 1<<15
}

func TestCallsPutBack(t *testing.T) {
	if !platform.HasEnvironment {
		t.Skip("no control word is read on " + runtime.GOARCH)
	}
	var c Guard
	release := c.Own()
	defer release()
	before := platform.ReadEnvironment()
	spoil := func() { changed(before).Write() }
	cause := func(err error) verdict.Cause {
		var b *verdict.Breakage
		require.ErrorAs(t, err, &b)
		return b.Cause
	}

	require.NoError(t, c.Do(func() error { return nil }))
	require.NoError(t, c.Do(func() error { spoil(); before.Write(); return nil }))
	err := c.Do(func() error { spoil(); return errors.New("the kernel's own") })
	require.Equal(t, verdict.KernelEnvironment, cause(err))
	require.Contains(t, err.Error(), "the kernel left flush-to-zero on (")
	require.Equal(t, before, platform.ReadEnvironment())

	require.Panics(t, func() { _ = c.Do(func() error { spoil(); panic("boom") }) })
	require.Equal(t, before, platform.ReadEnvironment(), "after a panic")

	// What was changed before a call is no fault of the kernel's, which does not see it.
	spoil()
	require.NoError(t, c.Do(func() error {
		require.Equal(t, before, platform.ReadEnvironment())
		return nil
	}))
	require.Contains(t, c.met, "flush-to-zero on (")

	// Nor is what a device's driver leaves: it is put back.
	d := NewGuard(&DeviceClaim{})
	defer d.Own()()
	require.NoError(t, d.Do(func() error { spoil(); return nil }))
	require.Equal(t, before, platform.ReadEnvironment())
}

// TestOwnPutsBack: the judge may come to a thread that somebody has changed before.
func TestOwnPutsBack(t *testing.T) {
	if !platform.HasEnvironment {
		t.Skip("no control word is read on " + runtime.GOARCH)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := platform.ReadEnvironment()
	changed(before).Write()
	var c Guard
	defer c.Own()()
	require.Equal(t, before, platform.ReadEnvironment())
	require.Contains(t, c.met, "flush-to-zero on (")
}

// TestWatch: a call that is too long is left alone, one after the other that is not is waited for, and one that returns after all leads nowhere.
func TestWatch(t *testing.T) {
	const limit = 200 * time.Millisecond
	var c Guard
	calls := 0
	require.False(t, c.Watch(limit, func() {
		for range 6 {
			_ = c.Do(func() error { time.Sleep(limit / 3); return nil })
			calls++
		}
		time.Sleep(2 * limit) // the judge's own time
	}))
	require.Equal(t, 6, calls)

	end, after := make(chan struct{}), make(chan struct{})
	require.True(t, c.Watch(limit, func() {
		_ = c.Do(func() error { <-end; return nil })
		close(after)
	}))
	close(end)
	select {
	case <-after:
		t.Error("what comes after a call that hung was reached")
	case <-time.After(limit):
	}
}

// TestPatience: on a busy machine a call has its limit in time of a processor, and one that waits for something else by the clock.
func TestPatience(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		passed, spent time.Duration
		want          bool
	}{
		{10 * s, 10 * s, true},          // it computes on a quiet machine
		{10 * s, 20 * s, true},          // by two threads
		{10 * s, 0, true},               // it waits for ever
		{10 * s, 100 * s / 1000, true},  // and looks now and then
		{10 * s, 2 * s, false},          // one of five
		{40 * s, 8 * s, false},          //
		{50 * s, 10 * s, true},          // it has had its limit
		{200 * s, 9 * s, true},          // nobody waits longer
		{199 * s, 9*s + 999*1e6, false}, //
	} {
		require.Equal(t, c.want, enough(c.passed, c.spent, 10*s), "%v of %v", c.spent, c.passed)
	}

	before, known := platform.ProcessTime(os.Getpid())
	if !known {
		t.Skip("no /proc/PID/stat on " + runtime.GOOS)
	}
	p := newPatience(os.Getpid())
	require.Equal(t, os.Getpid(), p.pid)
	for after := before; after < before+50*time.Millisecond; { // it ends: time of a processor is spent here
		after, known = platform.ProcessTime(os.Getpid())
		require.True(t, known)
	}
	require.True(t, p.over(p.since.Add(mostPatience*s), s))
	require.False(t, p.over(p.since.Add(s/2), s))
	require.False(t, p.over(p.since.Add(s), s), "about 50 ms of 1 s")
	_, known = platform.ProcessTime(-1)
	require.False(t, known)
}

// TestRunPatiently: a command that waits for ever is ended by the clock, and one that ends is not.
func TestRunPatiently(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("there is no command that waits: ", err)
	}
	start := time.Now()
	wait := exec.Command("sleep", "60")
	platform.OwnGroup(wait)
	require.ErrorContains(t, runPatiently(wait, 200*time.Millisecond), "it has not ended within 200ms")
	require.Less(t, time.Since(start), 30*time.Second)
	require.NoError(t, runPatiently(exec.Command("sleep", "0"), time.Minute))
}

// TestLooks: threads are looked at after the first calls, and after each in which a goroutine is started; and from each Spread that found something on
// after the first calls again, whose goroutines may have been there before.
func TestLooks(t *testing.T) {
	if !platform.HasEnvironment {
		t.Skip("no control word is read on " + runtime.GOARCH)
	}
	var c Guard
	defer c.Own()()
	before := platform.ReadEnvironment()
	work, done := make(chan bool), make(chan bool)
	t.Cleanup(func() { close(work) })
	go func() {
		for range work {
			changed(before).Write()
			done <- true
		}
	}()
	byWorker := func() error { work <- true; <-done; return nil }
	byAnother := func() error {
		go func() {
			changed(before).Write()
			done <- true
		}()
		<-done
		return nil
	}
	isNamed := func(err error) {
		t.Helper()
		var b *verdict.Breakage
		require.ErrorAs(t, err, &b)
		require.Equal(t, verdict.KernelEnvironment, b.Cause)
	}
	c.sweeps = true
	isNamed(c.Do(byWorker))
	for range firstLooks {
		require.NoError(t, c.Do(func() error { return nil }))
	}
	isNamed(c.Do(byAnother))
	require.NoError(t, byWorker())
	require.NotEmpty(t, c.Spread())
	isNamed(c.Do(byWorker))
}
