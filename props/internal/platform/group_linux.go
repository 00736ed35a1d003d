package platform

import (
	"os/exec"
	"syscall"
)

// EndWithThread makes the system end a command, which OwnGroup was called for and which is not started yet, when the thread that starts it ends.
// A goroutine has to hold that thread until then.
func EndWithThread(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
