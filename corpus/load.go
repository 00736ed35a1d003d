package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"

	"gamma/model"
)

// File is a case and where it was loaded from.
type File struct {
	Path string
	Case *Case
}

// Load reads every file of fsys whose name ends in .case, at any depth, in the order of their
// paths. A file that cannot be read is an error of its own, with its place, and does not keep the
// others from being loaded. A root that does not exist holds no cases.
//
// Where a name ends in the eight hex digits that FileName gives, they must be those of the
// content: so a file cut off between two lines is found. Other names are the author's own.
func Load(fsys fs.FS, o Options) (files []File, errs []error) {
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == "." && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: the directory cannot be read: %w", name, err))
			return nil
		case d.IsDir() || path.Ext(name) != ".case":
			return nil
		}
		c, err := loadFile(fsys, name, d, o)
		if err != nil {
			errs = append(errs, err)
		} else {
			files = append(files, File{name, c})
		}
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	return files, errs
}

// loadFile reads one case file.
func loadFile(fsys fs.FS, name string, d fs.DirEntry, o Options) (*Case, error) {
	if !d.Type().IsRegular() {
		return nil, fmt.Errorf("%s: it is no regular file; put the case itself here", name)
	}
	info, err := d.Info()
	if err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	if info.Size() > MaxFileBytes {
		return nil, fmt.Errorf("%s: it has %d bytes, more than %d; store large inputs by a recipe", name, info.Size(), MaxFileBytes)
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	o.File = name
	c, err := Parse(text, o)
	if err != nil {
		return nil, err
	}
	if said := hashInName.FindStringSubmatch(path.Base(name)); said != nil {
		want, err := FileName(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if now := hashInName.FindStringSubmatch(want); said[1] != now[1] {
			return nil, &Error{model.Position{File: name, Line: 1, Column: 1}, fmt.Errorf(
				"the name says %s and the content is %s: the file is cut off, or was edited; complete it, or rename it to %s", said[1], now[1], want,
			)}
		}
	}
	return c, nil
}

// hashInName matches the names that FileName and Save give.
var hashInName = regexp.MustCompile(`-([0-9a-f]{8})(?:-[0-9]+)?\.case$`)
