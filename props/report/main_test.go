package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommand: the command writes both pages, names what is missing, and leaves a report alone that it cannot better.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	const line = `{"seed":"fixed","device":"cpu","law":"sum.enclosure","subject":"mykernel.Sum","cases":5,"holds":5}` + "\n"
	good, torn, empty := file("good.jsonl", line), file("torn.jsonl", line+line[:40]), file("empty.jsonl", "")
	html, md := filepath.Join(dir, "report.html"), filepath.Join(dir, "report.md")
	read := func(name string) string {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(b)
	}
	for _, row := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{good, "-o", html, "-o", md}, 0, ""},
		{[]string{"-o", html, "-title", "Mine", good, "-before", good}, 0, ""},
		{[]string{torn, "-o", html}, 1, torn + ":2: it is not a line of summary.jsonl: the line is torn"},
		{[]string{good, empty, "-o", html}, 1, empty + ": no law was judged in it"},
		{[]string{good, "-matrix", empty, "-o", html}, 1, empty + ": it is not a kill matrix"},
		{[]string{empty, "-o", html}, 2, "nothing to report"},
		{[]string{good, "-before", empty, "-o", html}, 2, "the run to compare with: no law was judged"},
		{[]string{good, "-o", filepath.Join(dir, "absent", "r.html")}, 2, "the report cannot be written"},
		{[]string{good, "-o", dir}, 2, "it is a folder; name a file"},
		{[]string{good, "-o", filepath.Join(dir, ".", "good.jsonl")}, 2, "it is read, and is not written over; give the result another name"},
		{[]string{good, "-before", torn, "-o", torn}, 2, "it is read, and is not written over"},
		{[]string{good}, 2, "usage: go run . run.jsonl… -o report.html"},
		{[]string{"-o", html}, 2, "usage"},
		{[]string{"-x"}, 2, "flag provided but not defined"},
	} {
		before := ""
		if row.code == 2 {
			before = read(html)
		}
		var errs bytes.Buffer
		require.Equal(t, row.code, run(row.args, &errs), "%q: %s", row.args, errs.String())
		if row.says == "" {
			require.Empty(t, errs.String())
		}
		require.Contains(t, errs.String(), row.says)
		if row.code == 2 {
			require.Equal(t, before, read(html), "%q changed the report that was there", row.args)
		} else {
			require.Contains(t, read(html), "mykernel.Sum")
		}
	}
	require.Contains(t, read(md), "**mykernel.Sum**")
	require.Equal(t, line, read(good))
	if _, err := os.Stat("/dev/full"); err == nil { // under another name, so that a fault replaces the link alone
		full := filepath.Join(dir, "full.html")
		require.NoError(t, os.Symlink("/dev/full", full))
		var errs bytes.Buffer
		require.Equal(t, 2, run([]string{good, "-o", full}, &errs))
		require.Contains(t, errs.String(), "the report cannot be written, and what was there is as it was: write /dev/full: no space left on device")
	}
}
