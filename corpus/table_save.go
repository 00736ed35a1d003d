package corpus

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TableName returns the name that t is saved under: its kernel as a slug, as in "dd-times3.cases"; with eight hex digits of the
// sha256 of its keys and rows behind it if it is a batch, and of its keys alone if it has a behaviour or a launch. Two formats of
// one kernel have two names.
func TableName(t *Table) (string, error) {
	var b bytes.Buffer
	if err := t.writeHead(&b); err != nil {
		return "", fmt.Errorf("corpus: the table has no name: %w", err)
	}
	name := slug(t.Kernel)
	if f := t.Format.Name; f != "binary32" {
		name += "-" + slug(f)
	}
	if t.Batch {
		for i := range t.Rows {
			if err := t.writeRow(&b, &t.Rows[i], false); err != nil {
				return "", fmt.Errorf("corpus: the table has no name: %w", err)
			}
		}
	}
	if t.Batch || !t.Launch.IsZero() || !t.Behaviour.Plain() {
		name += fmt.Sprintf("-%x", sha256.Sum256(b.Bytes()))[:9]
	}
	return name + ".cases", nil
}

// SaveTable writes t below dir, as dir/<law>/<TableName>, and returns the file's path. Rows that stand in a file of that name
// already stay as they are there, and others are written behind them; a file that holds another table is an error.
func SaveTable(dir string, t *Table) (string, error) {
	text, err := FormatTable(t)
	if err != nil {
		return "", err
	}
	name, err := TableName(t)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, string(t.Law))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("corpus: the directory for the table cannot be made: %w", err)
	}
	file := filepath.Join(dir, name)
	switch old, err := os.ReadFile(file); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", fmt.Errorf("corpus: the table cannot be saved: %w", err)
	default:
		was, err := ParseTable(old, file)
		if err != nil {
			return "", fmt.Errorf("corpus: the rows cannot be added to the table on file: %w", err)
		}
		if text, err = was.join(t); err != nil {
			return "", fmt.Errorf("corpus: the rows cannot be added to %s: %w", file, err)
		}
		if bytes.Equal(text, old) {
			return file, nil
		}
	}
	return file, WriteFile(file, text)
}

// join returns the text of t with those rows of u that it has not.
func (t *Table) join(u *Table) ([]byte, error) {
	var a, b bytes.Buffer
	if err := errors.Join(t.writeHead(&a), u.writeHead(&b)); err != nil {
		return nil, err
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		return nil, errors.New("it says other things of its rows")
	}
	rows := map[string]bool{}
	key := func(t *Table, r *TableRow) string {
		var b bytes.Buffer
		if err := t.writeRow(&b, r, false); err != nil {
			return ""
		}
		return b.String()
	}
	for i := range t.Rows {
		rows[key(t, &t.Rows[i])] = true
	}
	for i := range u.Rows {
		if k := key(u, &u.Rows[i]); !rows[k] {
			rows[k] = true
			t.Rows = append(t.Rows, u.Rows[i])
		}
	}
	return FormatTable(t)
}
