//go:build !linux

package platform

import "os/exec"

// EndWithThread does nothing: only Linux ends a process when its parent has ended.
func EndWithThread(*exec.Cmd) {}
