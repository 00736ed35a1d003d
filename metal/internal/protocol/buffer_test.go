package protocol

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal"
)

// TestReleasedBeforeCommit: a command buffer keeps what it was given, and gives it back when it is committed.
func TestReleasedBeforeCommit(t *testing.T) {
	r := newRig(t)
	r.bind(t)
	for range 2 {
		require.NoError(t, r.e.DispatchThreadgroups(metal.Size{X: 2, Y: 1, Z: 1}, r.size))
	}
	used := r.d.bytesUsed()
	r.x.Release()
	r.x.Release()
	require.Equal(t, 1, r.b.live)
	require.Equal(t, used, r.d.bytesUsed())
	require.ErrorContains(t, r.e.SetBuffer(r.x, 0, 0), "was released")
	require.NoError(t, r.e.EndEncoding())
	require.NoError(t, r.cb.Commit())
	require.NoError(t, r.cb.WaitUntilCompleted())
	require.Len(t, r.b.done, 2)
	require.Zero(t, r.b.live)
	require.Zero(t, r.d.bytesUsed())
}

// TestReleasedAfterCommit: nothing is held any more.
func TestReleasedAfterCommit(t *testing.T) {
	r := newRig(t)
	r.bind(t)
	require.NoError(t, r.e.DispatchThreadgroups(metal.Size{X: 2, Y: 1, Z: 1}, r.size))
	require.NoError(t, r.e.EndEncoding())
	require.NoError(t, r.cb.Commit())
	require.Equal(t, 1, r.b.live)
	r.x.Release()
	require.Zero(t, r.b.live)
	require.NoError(t, r.cb.WaitUntilCompleted())
}

// TestNeverCommitted: work that nobody can commit any more keeps nothing.
func TestNeverCommitted(t *testing.T) {
	r := newRig(t)
	r.bind(t)
	require.NoError(t, r.e.DispatchThreadgroups(metal.Size{X: 2, Y: 1, Z: 1}, r.size))
	r.x.Release()
	require.NotZero(t, r.d.bytesUsed())
	b, d := r.b, r.d
	r = nil
	require.Eventually(t, func() bool {
		runtime.GC()
		return d.bytesUsed() == 0
	}, 10*time.Second, 10*time.Millisecond)
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Zero(t, b.live)
}
