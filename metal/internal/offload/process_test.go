package offload

import (
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shell starts a script as a child.
func shell(t *testing.T, script string) *Child {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here, which plays the child: ", err)
	}
	c, err := start("test", exec.Command(sh, "-c", script))
	require.NoError(t, err)
	return c
}

// TestKill: a child that does not listen is killed, one that has ended says how, with its first and its last words, and one that leaves
// its pipes to another process is not waited for.
func TestKill(t *testing.T) {
	begun := time.Now()
	c := shell(t, "exec sleep 60")
	require.Equal(t, "signal: killed", c.Kill())
	require.Equal(t, "signal: killed", c.Kill(), "it says so again")

	c = shell(t, "echo first >&2; i=0; while [ $i -lt 500 ]; do echo and much else >&2; i=$((i+1)); done; echo last >&2; exit 7")
	_, err := io.ReadAll(c.Out)
	require.NoError(t, err)
	time.Sleep(100 * time.Millisecond)
	how := c.Kill()
	require.True(t, strings.HasPrefix(how, "exit status 7: first\nand much else"), how)
	require.True(t, strings.HasSuffix(how, "and much else\nlast"), how)
	require.Less(t, len(how), 2*mostTail+50)

	c = shell(t, "sleep 30 & exit 3")
	_, err = io.ReadAll(c.Out)
	require.Error(t, err, "the end of the child ends the reading")
	require.Equal(t, "exit status 3", c.Kill())
	require.Less(t, time.Since(begun), 20*time.Second)
}

// TestNoStart: what cannot be started is named.
func TestNoStart(t *testing.T) {
	_, err := start("test", exec.Command("/nowhere/gamma"))
	require.ErrorContains(t, err, "test: starting a child, /nowhere/gamma: ")
}
