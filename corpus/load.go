package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gamma/model"
)

// File is what a case file holds, and where it was loaded from.
type File[B Body] struct {
	Path string
	Body B
}

// Load reads every file of fsys whose body is of type B, or every case file if B is Body, at any depth, in the order of their
// paths. A file that cannot be read is an error of its own, with its place, and does not keep the
// others from being loaded. A root that does not exist holds no cases.
//
// Where a name ends in the eight hex digits that FileName gives, they must be those of the
// content: so a file cut off between two lines is found. Other names are the author's own.
func Load[B Body](fsys fs.FS, o Options) (files []File[B], errs []error) {
	among := kindsOf[B]()
	errs = walk(fsys, func(name string, d fs.DirEntry) error {
		i := slices.IndexFunc(among, func(k *kind) bool { return k.ext == path.Ext(name) })
		if i < 0 {
			return nil
		}
		b, err := among[i].load(fsys, name, d, o)
		if err == nil {
			files = append(files, File[B]{name, b.(B)})
		}
		return err
	})
	return files, errs
}

// walk calls f for every file of fsys, and returns all errors.
func walk(fsys fs.FS, f func(name string, d fs.DirEntry) error) (errs []error) {
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == "." && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			err = fmt.Errorf("%s: the directory cannot be read: %w", name, err)
		case !d.IsDir():
			err = f(name, d)
		}
		if err != nil {
			errs = append(errs, err)
		}
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	return errs
}

// load reads one file.
func (k *kind) load(fsys fs.FS, name string, d fs.DirEntry, o Options) (Body, error) {
	if !d.Type().IsRegular() {
		return nil, fmt.Errorf("%s: it is not a regular file; put the file itself here", name)
	}
	info, err := d.Info()
	if err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	if info.Size() > int64(k.maxBytes) {
		return nil, fmt.Errorf("%s: it has %d bytes, more than %d; %s", name, info.Size(), k.maxBytes, k.tooLong)
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", name, err)
	}
	o.File = name
	b, err := parse(text, []*kind{k}, o)
	if err != nil {
		return nil, err
	}
	if said := hashInName(name); said != "" {
		want, err := FileName(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if now := hashInName(want); said != now {
			return nil, &Error{model.Position{File: name, Line: 1, Column: 1}, fmt.Errorf(
				"the name says %s and the content is %s: the file is cut off, or was edited; complete it, or rename it to %s", said, now, want,
			)}
		}
	}
	return b, nil
}

// UnknownFiles returns an error for each file of a law's directory, one whose name has a dot, that is of no kind which this package
// reads, so that a case under a wrong name is not passed over in silence. Names that begin with a dot are temporary.
func UnknownFiles(fsys fs.FS) []error {
	return walk(fsys, func(name string, _ fs.DirEntry) error {
		dir, ext := path.Dir(name), path.Ext(name)
		if strings.HasPrefix(path.Base(name), ".") || dir == "." || !strings.Contains(dir, ".") || slices.Contains(Extensions(), ext) {
			return nil
		}
		return fmt.Errorf("%s: no kind of case file has the extension %s; known are %s", name, quote(ext), strings.Join(Extensions(), ", "))
	})
}
