package page

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"gamma/corpus"
)

// Save writes a file by way of a temporary one beside it: the file appears whole, or what was there before stays as it is.
func Save(name string, write func(w io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if err := corpus.WriteFile(filepath.Clean(name), b.Bytes()); err != nil {
		return fmt.Errorf("%s: the report cannot be written, and what was there is as it was: %w", name, errors.Unwrap(err))
	}
	return nil
}
