package offload

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Times that a child has to end. A process whose driver hangs may outlive a kill, and one that it started may keep its pipes open: neither holds
// up the parent.
const (
	pipeTime = 2 * time.Second // for the pipes, after its end
	killTime = 10 * time.Second
)

// Restart starts this executable again, as a child that ServeChild knows by the variable. device begins errors.
func Restart(device, variable string) (*Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("%s: isolating needs the path of this executable: %w", device, err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variable+"="+token)
	return start(device, cmd)
}

// start starts cmd as a child.
func start(device string, cmd *exec.Cmd) (*Child, error) {
	var last tail
	cmd.Stderr, cmd.WaitDelay = &last, pipeTime
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("%s: starting a child: %w", device, err)
	}
	out, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("%s: starting a child: %w", device, err)
	}
	cmd.Stdout = w
	err = cmd.Start()
	_ = w.Close() // the child has its own, if there is one
	if err != nil {
		_ = out.Close()
		return nil, fmt.Errorf("%s: starting a child, %s: %w", device, cmd.Path, err)
	}
	ended := make(chan string, 1)
	go func() {
		how := "it ended"
		if err := cmd.Wait(); err != nil {
			how = err.Error()
		}
		ended <- how
		time.Sleep(pipeTime) // for what is still in the pipe
		_ = out.Close()      // whoever reads goes on, even if another process keeps the pipe open
	}()
	return &Child{In: in, Out: out, Kill: sync.OnceValue(func() (how string) {
		_ = in.Close()
		// It may have ended by itself, and then killing it fails.
		_ = cmd.Process.Kill()
		select {
		case how = <-ended:
		case <-time.After(killTime):
			how = fmt.Sprintf("process %d does not end although it was killed; look at the driver", cmd.Process.Pid)
			_ = out.Close()
		}
		if t := last.text(); t != "" {
			how += ": " + t
		}
		return how
	})}, nil
}

// tail keeps the beginning and the end of what a child writes to its error output: a Go program that crashes says why first, and then much else.
type tail struct {
	mu          sync.Mutex
	first, last []byte
}

const mostTail = 1000

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if room := mostTail - len(t.first); room > 0 {
		t.first = append(t.first, p[:min(room, n)]...)
		p = p[min(room, n):]
	}
	t.last = append(t.last, p...)
	if extra := len(t.last) - mostTail; extra > 0 {
		t.last = append([]byte(nil), t.last[extra:]...)
	}
	return n, nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(append(t.first[:len(t.first):len(t.first)], t.last...)))
}
