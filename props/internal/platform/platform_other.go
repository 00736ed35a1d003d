//go:build !unix

package platform

import (
	"errors"
	"os"
	"os/exec"
)

// MapFile returns an error: files are not mapped on this system.
func MapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

// MapZeros returns an error, too.
func MapZeros(int) ([]byte, error) { return nil, errors.ErrUnsupported }

// Unmap ends a mapping by MapFile or MapZeros.
func Unmap([]byte) error { return nil }

// OwnGroup does nothing: this system has no groups of processes.
func OwnGroup(*exec.Cmd) {}

// EndGroup ends a process.
func EndGroup(p *os.Process) error { return p.Kill() }

// ProcessLives reports whether a process of this number exists.
func ProcessLives(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}

// Blocking does nothing: pipes of this system wait in the system.
func Blocking(*os.File) {}
