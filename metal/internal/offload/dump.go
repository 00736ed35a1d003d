package offload

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Dump writes a printed kernel to a folder, with what it is built with, as a file with an extension; "" writes nothing. A folder that cannot be
// written to is an error, since somebody asked for it by a variable of the environment.
func Dump(device, variable, dir, extension, how string, s *Source) error {
	if dir == "" {
		return nil
	}
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, s.Name)
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		path := filepath.Join(dir, name[:min(len(name), 80)]+"-"+s.Key[:min(len(s.Key), 12)]+extension)
		err = os.WriteFile(path, []byte("// "+how+"\n"+s.Text), 0o644)
	}
	if err != nil {
		return fmt.Errorf("%s: writing the printed kernel %s to %s=%s: %w; name a folder that can be written to, or unset it", device, s.Name, variable, dir, err)
	}
	return nil
}
