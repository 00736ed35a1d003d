package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FileName returns the name that c is saved under: law, kernel as a slug, and eight hex digits of
// the sha256 of what it runs, as in "sum.enclosure-kernels-sumkahan-1a2b3c4d.case". What the case
// expects, its comments and the way its values are stored do not count: a known open fault that is
// found again meets its own file.
func FileName(c *Case) (string, error) {
	id, err := identity(c)
	if err != nil {
		return "", fmt.Errorf("corpus: the case has no name: %w", err)
	}
	return fmt.Sprintf("%s-%s-%s.case", c.Law, slug(c.Kernel), id[:8]), nil
}

// slug returns s in lower case, whatever is no ASCII letter or digit replaced by single hyphens.
func slug(s string) string {
	const most = 60
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case b.Len() >= most:
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// Save writes c below dir, as dir/<law>/<FileName>, and returns the file's path. The file appears
// whole or not at all, and no file that is there is changed: if one of this name holds the same
// case, comments and expectations aside, it stays as it is, and if it holds anything else, the new
// one gets -2 and so on behind its name.
func Save(dir string, c *Case, o Options) (string, error) {
	text, err := Format(c, o)
	if err != nil {
		return "", err
	}
	id, err := identity(c)
	if err != nil {
		return "", err
	}
	name, err := FileName(c)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, string(c.Law))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("corpus: the directory for the case cannot be made: %w", err)
	}
	base := filepath.Join(dir, strings.TrimSuffix(name, ".case"))
	for k := 1; k <= 100; k++ {
		file := base + ".case"
		if k > 1 {
			file = fmt.Sprintf("%s-%d.case", base, k)
		}
		switch old, err := os.ReadFile(file); {
		case err == nil:
			if c, err := Parse(old, Options{keepGen: true}); err == nil {
				if was, err := identity(c); err == nil && was == id {
					return file, nil
				}
			}
			continue
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("corpus: the case cannot be saved: %w", err)
		}
		switch err := write(file, text, false); {
		case err == nil:
			return file, nil
		case !errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("corpus: the case cannot be saved: %w", err)
		}
		k-- // another process was faster: look at what it wrote
	}
	return "", fmt.Errorf("corpus: the case cannot be saved: %s.case and a hundred others of this name hold something else; look at them and remove what is broken", base)
}

// WriteFile writes a file that appears whole or not at all, in place of an older one.
func WriteFile(name string, text []byte) error {
	if err := write(name, text, true); err != nil {
		return fmt.Errorf("corpus: %w", err)
	}
	return nil
}

// write makes file by a temporary one beside it. Without replace it is an error that wraps
// fs.ErrExist if the file is there.
func write(file string, text []byte, replace bool) (err error) {
	dir := filepath.Dir(file)
	t, err := os.CreateTemp(dir, ".gamma-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if e := os.Remove(t.Name()); err == nil && e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = e
		}
	}()
	_, err = t.Write(text)
	err = errors.Join(err, t.Chmod(0o644), t.Sync(), t.Close())
	if err != nil {
		return err
	}
	if replace {
		err = os.Rename(t.Name(), file)
	} else if err = os.Link(t.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		// The file system has no links: look, then rename.
		if _, e := os.Lstat(file); e == nil {
			err = fs.ErrExist
		} else {
			err = os.Rename(t.Name(), file)
		}
	}
	if err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes a rename durable, on systems where a directory can be synced.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // not on every system; the file itself is synced
	return d.Close()
}
