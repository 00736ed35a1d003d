//go:build !linux

package process

import (
	"errors"
	"os"
)

// memory is for Linux: elsewhere frames go through pipes.
type memory struct{}

// memoryEnv is the variable that names shared memory to a child.
const memoryEnv = "GAMMA_PROCESS_MEMORY"

func newMemory() (*memory, string, error)        { return nil, "", errors.ErrUnsupported }
func openMemory() (*memory, error)               { return nil, nil }
func (*memory) close()                           {}
func (*memory) send([]byte, *os.File) error      { return errors.ErrUnsupported }
func (*memory) receive(*os.File) ([]byte, error) { return nil, errors.ErrUnsupported }

func await(*os.File) {}
