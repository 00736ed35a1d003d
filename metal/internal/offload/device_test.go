package offload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/emit"
	"gamma/metal/internal/protocol"
)

// TestNumber: parameters that are numbers have them from the dispatch.
func TestNumber(t *testing.T) {
	d := &protocol.Dispatch{
		Grid: [3]int{10, 3, 1}, Groups: [3]int{3, 2, 1}, Threads: [3]int{4, 2, 1},
		Args: []protocol.Arg{{Kind: protocol.Buffer, Length: 192}, {Kind: protocol.Threadgroup, Offset: 16, Length: 48}, {}},
	}
	for _, x := range []struct {
		p    emit.Param
		want uint64
	}{
		{emit.Param{Kind: emit.BufferLength, Index: 0}, 192},
		{emit.Param{Kind: emit.ThreadgroupOffset, Index: 1}, 16},
		{emit.Param{Kind: emit.ThreadgroupOffset, Index: 2}, ^uint64(0)}, // nothing is bound
		{emit.Param{Kind: emit.GridThreads, Index: 1}, 3},
		{emit.Param{Kind: emit.Threadgroups, Index: 0}, 3},
		{emit.Param{Kind: emit.ThreadsPerThreadgroup, Index: 1}, 2},
		{emit.Param{Kind: emit.GridOrigin, Index: 0}, 0},
		{emit.Param{Kind: emit.Whole}, 0}, // 10 is no multiple of 4
	} {
		require.Equal(t, x.want, Number(d, x.p), "%+v", x.p)
	}
	d.Grid = [3]int{12, 4, 1}
	require.EqualValues(t, 1, Number(d, emit.Param{Kind: emit.Whole}))
}
