package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ResidueExpander turns the recipe of r, of which all but X and Y is known, into x and y, or no y. The same recipe must give the
// same words for ever: a file stores their DigestResidues, and a change is an error there.
type ResidueExpander func(r *Residues) (x, y []uint64, err error)

// Expand fills X and Y where they wait for their recipe, and does nothing otherwise. It runs this package's own recipes itself and
// leaves others to expand, which may be nil if there are none. It is an error if the recipe is not known, or now gives other words
// than when the file was saved.
func (r *Residues) Expand(expand ResidueExpander) error {
	if r.Gen == "" || r.X != nil {
		return nil
	}
	x, y, err := r.expand(expand)
	if err != nil {
		return err
	}
	if err := changed(r.Gen, DigestResidues(r.Bits, x, y), r.SHA256); err != nil {
		return err
	}
	r.X, r.Y = x, y
	return nil
}

// DigestResidues returns the sha256 of the text "residues bits lengthOfX lengthOfY" and a newline, then the words of x and of y, each
// in 8 bytes in little-endian order.
func DigestResidues(bits int, x, y []uint64) [32]byte {
	h := sha256.New()
	fmt.Fprintf(h, "residues %d %d %d\n", bits, len(x), len(y))
	var buf []byte
	for _, v := range [][]uint64{x, y} {
		for part := range slices.Chunk(v, 1024) {
			buf = buf[:0]
			for _, w := range part {
				buf = binary.LittleEndian.AppendUint64(buf, w)
			}
			h.Write(buf)
		}
	}
	return [32]byte(h.Sum(nil))
}

// digest returns the digest of X and Y, or the one on file while they wait for their recipe.
func (r *Residues) digest() ([32]byte, error) {
	if r.X == nil && r.Gen != "" {
		if r.SHA256 == [32]byte{} {
			return r.SHA256, errors.New("its numbers wait for their recipe, and it has no sha256; run Expand, or set X")
		}
		return r.SHA256, nil
	}
	if err := r.checkNumbers(); err != nil {
		return [32]byte{}, err
	}
	sum := DigestResidues(r.Bits, r.X, r.Y)
	if ownResidues(r.Gen) {
		x, y, err := r.expand(nil)
		if err != nil {
			return sum, err
		}
		if DigestResidues(r.Bits, x, y) != sum {
			return sum, fmt.Errorf("the recipe %s does not give its x and y; clear Gen", quote(r.Gen))
		}
	}
	return sum, nil
}

// expandsTo returns what Gen's sha256 is, for an error that misses it.
func (r *Residues) expandsTo() string {
	if !ownResidues(r.Gen) {
		return ", which the generator's package knows"
	}
	x, y, err := r.expand(nil)
	if err != nil {
		return "; and: " + err.Error()
	}
	return fmt.Sprintf("; it is %x", DigestResidues(r.Bits, x, y))
}

// expand runs the recipe.
func (r *Residues) expand(expand ResidueExpander) (x, y []uint64, err error) {
	switch words := strings.Fields(r.Gen); {
	case ownResidues(r.Gen) && words[0] == "iota":
		x, err = r.genIota(words[1:])
	case ownResidues(r.Gen):
		x, y, err = r.genConst(words[1:])
	case expand == nil:
		err = errors.New("no generator is at hand for it; give Expand the one of the package that saved it")
	default:
		x, y, err = expand(r)
	}
	if err == nil {
		filled := *r
		filled.X, filled.Y = x, y
		err = filled.checkNumbers()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("recipe %s: %w", quote(r.Gen), err)
	}
	return x, y, nil
}

// ownResidues reports whether gen is a recipe of this package.
func ownResidues(gen string) bool {
	word, _, _ := strings.Cut(gen, " ")
	return word == "const" || word == "iota"
}

// genConst expands "const value=V [first=V] [y=V]".
func (r *Residues) genConst(words []string) (x, y []uint64, err error) {
	p := map[string]uint64{}
	for _, s := range words {
		key, val, _ := strings.Cut(s, "=")
		if key != "value" && key != "first" && key != "y" {
			return nil, nil, fmt.Errorf("it has no parameter %s; known are value, first and y", quote(key))
		}
		if _, twice := p[key]; twice {
			return nil, nil, fmt.Errorf("it gives %s twice", key)
		}
		if p[key], err = parseWord(val); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	value, ok := p["value"]
	if !ok {
		return nil, nil, errors.New("const needs value=, every word")
	}
	x = slices.Repeat([]uint64{value}, r.Len())
	if first, ok := p["first"]; ok {
		x[0] = first
	}
	if factor, ok := p["y"]; ok {
		y = slices.Repeat([]uint64{factor}, r.Len())
	}
	return x, y, nil
}

// genIota expands "iota".
func (r *Residues) genIota(words []string) ([]uint64, error) {
	if len(words) > 0 {
		return nil, fmt.Errorf("iota has no parameter %s", quote(words[0]))
	}
	if r.Modulus == 0 {
		return nil, errors.New("there is no number modulo 0")
	}
	x := make([]uint64, r.Len())
	for i := range x {
		x[i] = uint64(i) % r.Modulus
	}
	return x, nil
}

// ResiduesName returns the name that r is saved under: its kernel as a slug, and eight hex digits of the sha256 of what it runs, as in
// "montgomery-multiply-1a2b3c4d.residues". What is expected, comments and the way numbers are stored do not count; nor do rows,
// which are added to the file of their modulus, unless they are a batch.
func ResiduesName(r *Residues) (string, error) {
	id, err := r.identity()
	if err != nil {
		return "", fmt.Errorf("corpus: the residues have no name: %w", err)
	}
	return fmt.Sprintf("%s-%x.residues", slug(r.Kernel), id[:4]), nil
}

// identity returns the sha256 of what r runs.
func (r *Residues) identity() ([32]byte, error) {
	var b bytes.Buffer
	if err := r.writeHead(&b, false); err != nil {
		return [32]byte{}, err
	}
	if r.N != 0 {
		sum, err := r.digest()
		if err != nil {
			return [32]byte{}, err
		}
		fmt.Fprintf(&b, "%x\n", sum)
	}
	if r.Batch {
		for i := range r.Rows {
			if err := r.writeRow(&b, &r.Rows[i], false); err != nil {
				return [32]byte{}, err
			}
		}
	}
	return sha256.Sum256(b.Bytes()), nil
}

// SaveResidues writes r below dir, as dir/<law>/<ResiduesName>, and returns the file's path. Rows that stand in a file of that name
// already stay as they are there, and others are written behind them. A file of a transform that is there stays as it is; one that
// holds something else is an error.
func SaveResidues(dir string, r *Residues) (string, error) {
	text, err := FormatResidues(r)
	if err != nil {
		return "", err
	}
	name, err := ResiduesName(r)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, string(r.Law))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("corpus: the directory for the residues cannot be made: %w", err)
	}
	file := filepath.Join(dir, name)
	switch old, err := os.ReadFile(file); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", fmt.Errorf("corpus: the residues cannot be saved: %w", err)
	default:
		was, err := ParseResidues(old, file)
		if err != nil {
			return "", fmt.Errorf("corpus: the residues cannot be added to those on file: %w", err)
		}
		if text, err = was.join(r); err != nil {
			return "", fmt.Errorf("corpus: the residues cannot be added to %s: %w", file, err)
		}
		if bytes.Equal(text, old) {
			return file, nil
		}
	}
	return file, WriteFile(file, text)
}

// join returns the text of r with those rows of s that it has not.
func (r *Residues) join(s *Residues) ([]byte, error) {
	a, err := r.identity()
	if err != nil {
		return nil, err
	}
	b, err := s.identity()
	if err != nil {
		return nil, err
	}
	if a != b || len(r.Rows) > 0 && len(s.Rows) > 0 && len(r.Rows[0].Words) != len(s.Rows[0].Words) {
		return nil, errors.New("it holds something else; look at it, and move it away")
	}
	rows := map[string]bool{}
	key := func(row *ResidueRow) string { return fmt.Sprint(row.Words) }
	for i := range r.Rows {
		rows[key(&r.Rows[i])] = true
	}
	for i := range s.Rows {
		if k := key(&s.Rows[i]); !rows[k] {
			rows[k] = true
			r.Rows = append(r.Rows, s.Rows[i])
		}
	}
	return FormatResidues(r)
}
