package offload

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestChildGone reports children that end or fall silent.
func TestChildGone(t *testing.T) {
	out, w := io.Pipe()
	in, toChild := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, in) }()
	e := &isolated{c: &Child{In: toChild, Out: out, Kill: func() string { w.Close(); return "killed" }}}
	err := e.within(20*time.Millisecond, "waiting", func() error { _, err := out.Read(make([]byte, 1)); return err })
	require.ErrorContains(t, err, "no answer within")
	require.Nil(t, e.c)
	e.c = &Child{Kill: func() string { return "exit status 2: segmentation fault" }}
	err = e.within(time.Second, "running k", func() error { return io.ErrUnexpectedEOF })
	require.ErrorContains(t, err, "segmentation fault")
	require.ErrorContains(t, err, "running k")
}
