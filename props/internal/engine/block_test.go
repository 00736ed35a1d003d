package engine

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// screen is a terminal that keeps what is written.
type screen struct {
	bytes.Buffer
	closed bool
}

func (s *screen) Close() error {
	s.closed = true
	return nil
}

// A terminal sees how far the blocks are and how long those left take, blocks on file aside; twice a second at most, and the end in any case.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &screen{}
		p := &progress{terminal: s, name: "sin", of: 8, started: time.Now()}
		p.skip()
		for done := range 4 {
			time.Sleep(200 * time.Millisecond)
			p.show(done + 1)
		}
		time.Sleep(39200 * time.Millisecond)
		p.show(5)
		p.show(8)
		p.end()
		require.True(t, s.closed)
		require.True(t, strings.HasSuffix(s.String(), "\n"))
		lines := strings.Split(strings.TrimSpace(s.String()), "\r")
		require.Equal(t, []string{
			"sin [" + strings.Repeat("#", 3) + strings.Repeat(".", 27) + "]  12.5 %, 1s left \x1b[K",   // 0.2 s for each of seven
			"sin [" + strings.Repeat("#", 15) + strings.Repeat(".", 15) + "]  50.0 %, 1s left \x1b[K",  // 0.8 s for three, four left
			"sin [" + strings.Repeat("#", 18) + strings.Repeat(".", 12) + "]  62.5 %, 30s left \x1b[K", // 40 s for four, three left
			"sin [" + strings.Repeat("#", 30) + "] 100.0 %, 0s left \x1b[K",
		}, lines)
	})
	(&progress{of: 8}).show(1) // without a terminal it writes nothing
}
