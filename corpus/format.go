package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Format returns the case file of b in canonical form. The values of a Case are stored by its recipe if that, run here and now,
// gives these very bits, and is one of this package's own or gives more than 4096 values beside +0; else they are listed. Those of
// Residues are stored by their recipe if they have one.
func Format(b Body, o Options) ([]byte, error) {
	e := b.codec(o)
	h := b.Head()
	var out bytes.Buffer
	out.WriteString(e.kind().header + version + "\n")
	for _, text := range h.Comments {
		for line := range strings.SplitSeq(text, "\n") {
			out.WriteString(strings.TrimRight("# "+comment(line), " ") + "\n")
		}
	}
	if err := writeKeys(&out, e, &h, true, true); err != nil {
		return nil, fmt.Errorf("corpus: the %s cannot be written: %w", e.kind().name, err)
	}
	e.write(&out)
	if k := e.kind(); out.Len() > k.maxBytes {
		return nil, fmt.Errorf("corpus: the %s cannot be written: the file takes %d bytes, more than %d; %s", k.name, out.Len(), k.maxBytes, k.tooLong)
	}
	return out.Bytes(), nil
}

// Canonical returns the canonical form of a case file of any kind: keys in their order, numbers in their one
// spelling, derived comments anew, comments on lines of their own kept and moved to the top.
// Recipes stay recipes.
func Canonical(text []byte) ([]byte, error) {
	b, err := Parse[Body](text, Options{keepGen: true})
	if err != nil {
		return nil, err
	}
	return Format(b, Options{})
}

// writeKeys checks what e holds and writes its keys, the calls before, and its rows: all of each, or what counts in the name; rows that
// run alone only if asked for. A key can be written if its text can be read, and is read as the same.
func writeKeys(out *bytes.Buffer, e codec, h *Header, all, alone bool) error {
	if err := e.check(h); err != nil {
		return err
	}
	var read Header
	back := e.kind().new().codec(Options{}).keys(&read)
	for i, k := range e.keys(h) {
		if k.aside && !all {
			continue
		}
		text := k.text()
		if text == "" && !k.required {
			continue
		}
		if err := back[i].set(text); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		if again := back[i].text(); !k.aside && again != text {
			return fmt.Errorf("%s: %s reads back as %s", k.name, quote(text), quote(again))
		}
		out.WriteString(k.name + " " + text + "\n")
	}
	if err := writeBefore(out, h, all); err != nil {
		return fmt.Errorf("%s: %w", beforeKey, err)
	}
	if !all {
		e.identify(out)
	}
	rows := e.rows()
	if rows == nil || !alone && !rows.batch {
		return nil
	}
	for i := range *rows.list {
		if err := rows.write(out, &(*rows.list)[i], all); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// identity returns a digest of what b runs: everything but what it expects, its comments and the way its values are stored. Rows
// count only in a batch: others are added to the file of their keys.
func identity(b Body) (string, error) {
	var out bytes.Buffer
	h := b.Head()
	e := b.codec(Options{})
	if err := writeKeys(&out, e, &h, false, false); err != nil {
		return "", fmt.Errorf("corpus: the %s has no name: %w", e.kind().name, err)
	}
	digest := sha256.Sum256(out.Bytes())
	return hex.EncodeToString(digest[:]), nil
}
