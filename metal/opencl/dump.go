package opencl

import (
	"os"
	"path/filepath"
	"strings"

	"gamma/metal/record"
)

// DumpVariable names a folder for printed kernels.
const DumpVariable = "GAMMA_OPENCL_DUMP"

// dump writes a printed kernel to dir, with what it is built with. A folder that cannot be written to is an error, since somebody asked for it.
func dump(dir string, s *record.Source, options string) error {
	if dir == "" {
		return nil
	}
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, s.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return errorf("%s: %w", DumpVariable, err)
	}
	path := filepath.Join(dir, name[:min(len(name), 80)]+"-"+s.Key[:min(len(s.Key), 12)]+".cl")
	if err := os.WriteFile(path, []byte("// clBuildProgram "+options+"\n"+s.Text), 0o644); err != nil {
		return errorf("%s: %w", DumpVariable, err)
	}
	return nil
}
