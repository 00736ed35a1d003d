package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// FileName returns the name that b is saved under: law, kernel as a slug, and eight hex digits of
// the sha256 of what it runs, as in "sum.enclosure-kernels-sumkahan-1a2b3c4d.case". What it
// expects, its comments and the way its values are stored do not count: a known open fault that is
// found again meets its own file. Nor do rows, unless they are a batch: they are added to the file of their keys.
func FileName(b Body) (string, error) {
	id, err := identity(b)
	if err != nil {
		return "", err
	}
	return fileName(b, id), nil
}

// fileName returns the name of a file whose identity is known.
func fileName(b Body, id string) string {
	h := b.Head()
	return fmt.Sprintf("%s-%s-%s%s", h.Law, slug(h.Kernel), id[:8], b.codec(Options{}).kind().ext)
}

// hashPattern matches what FileName and Save give the end of a name.
var hashPattern = regexp.MustCompile(`-([0-9a-f]{8})(?:-[0-9]+)?\.[a-z]+$`)

// hashInName returns the hex digits at the end of a file's name, or "".
func hashInName(name string) string {
	if m := hashPattern.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
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

// Save writes b below dir, as dir/<law>/<FileName>, and returns the file's path. The file appears
// whole or not at all. If a file whose name has the same hex digits holds the same, comments and expectations aside, it
// stays as it is, but for rows that it does not have, which are added to its end. If all files of this name hold anything else, the new
// one gets -2 and so on at the end of its name.
func Save(dir string, b Body, o Options) (string, error) {
	file, _, err := SaveFor(dir, b, o)
	return file, err
}

// SaveFor saves as Save does, and also returns what takes back what it has written: the file, or the rows that were added to one. Rows that others
// have added since stay.
func SaveFor(dir string, b Body, o Options) (path string, undo func() error, err error) {
	text, err := Format(b, o)
	if err != nil {
		return "", nil, err
	}
	id, err := identity(b)
	if err != nil {
		return "", nil, err
	}
	name := fileName(b, id)
	k := b.codec(o).kind()
	dir = filepath.Join(dir, string(b.Head().Law))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, fmt.Errorf("corpus: the directory for the %s cannot be made: %w", k.name, err)
	}
	unlock, err := lock(dir)
	if err != nil {
		return "", nil, fmt.Errorf("corpus: the %s cannot be saved: %w", k.name, err)
	}
	defer unlock()
	base := filepath.Join(dir, strings.TrimSuffix(name, k.ext))
	for n := 1; n <= 100; n++ {
		file, undo, err := addTo(dir, name, id, b)
		if err == nil && file == "" {
			if file = base + k.ext; n > 1 {
				file = fmt.Sprintf("%s-%d%s", base, n, k.ext)
			}
			undo = func() error { return os.Remove(file) }
			if rows := b.codec(o).rows(); rows != nil {
				undo = takeBack(file, *rows.list)
			}
			if err = write(file, text, false); errors.Is(err, fs.ErrExist) {
				continue // it holds something else, or another process has just written it: look again
			}
		}
		if err != nil {
			return "", nil, fmt.Errorf("corpus: the %s cannot be saved: %w", k.name, err)
		}
		return file, undo, nil
	}
	return "", nil, fmt.Errorf("corpus: the %s cannot be saved: %s%s and a hundred others of this name hold something else; look at them and remove what is broken", k.name, base, k.ext)
}

// addTo looks for a file of dir that holds the same as b, whose name and identity are given, and returns its path, or "" if there is
// none. It adds the rows of b that the file does not have, and undo takes them away.
func addTo(dir, name, id string, b Body) (path string, undo func() error, err error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, err
	}
	nothing := func() error { return nil }
	for _, d := range list {
		if filepath.Ext(d.Name()) != filepath.Ext(name) || hashInName(d.Name()) != hashInName(name) {
			continue
		}
		file := filepath.Join(dir, d.Name())
		old, err := os.ReadFile(file)
		if err != nil {
			return "", nil, err
		}
		was, err := Parse[Body](old, Options{keepGen: true})
		if err != nil {
			continue // Load tells of it
		}
		if held, err := identity(was); err != nil || held != id {
			continue
		}
		rows := was.codec(Options{}).rows()
		if rows == nil {
			return file, nothing, nil
		}
		added, err := rows.add(b.codec(Options{}).rows())
		if err != nil {
			continue // rows of another length
		}
		if len(added) == 0 {
			return file, nothing, nil
		}
		text, err := Format(was, Options{})
		if err != nil {
			return "", nil, err
		}
		return file, takeBack(file, added), write(file, text, true)
	}
	return "", nil, nil
}

// takeBack returns what takes rows out of a file, which goes with its last row.
func takeBack(file string, added []Row) func() error {
	gone := rowsBy(added)
	return func() error {
		unlock, err := lock(filepath.Dir(file))
		if err != nil {
			return err
		}
		defer unlock()
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		b, err := Parse[Body](text, Options{keepGen: true})
		if err != nil {
			return err
		}
		rows := b.codec(Options{}).rows()
		*rows.list = slices.DeleteFunc(*rows.list, func(r Row) bool { return gone[rowKey(&r)] })
		if len(*rows.list) == 0 {
			return os.Remove(file)
		}
		if text, err = Format(b, Options{}); err != nil {
			return err
		}
		return write(file, text, true)
	}
}

// WriteFile writes a file that appears whole or not at all, in place of an older one. Of a link it is the file that it leads to; what is no regular file, such as a pipe, is written as it is.
func WriteFile(name string, text []byte) error {
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		err = &fs.PathError{Op: "write", Path: name, Err: errors.New("it is a folder; name a file")}
	case err == nil && !info.Mode().IsRegular():
		err = os.WriteFile(name, text, 0o644)
	default:
		err = write(name, text, true)
	}
	if err != nil {
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
