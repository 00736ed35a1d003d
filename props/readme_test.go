package props

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/props/internal/engine"
)

const (
	readmePage   = "../README.md"
	guidePage    = "../.github/GUIDE.md"
	settingsPage = "../.github/SETTINGS.md"
	devicesPage  = "../metal/DEVICES.md"
)

// updatesPages reports whether -update-pages is given, which the tests of pages in package props_test declare.
func updatesPages() bool {
	f := flag.Lookup("update-pages")
	return f != nil && f.Value.String() == "true"
}

// part is what stands in a page between the marks of a name.
type part struct{ name, body string }

// holdPage holds the generated parts of a page to what they are generated from, or writes them.
func holdPage(t *testing.T, page string, parts ...part) {
	t.Helper()
	old, err := os.ReadFile(page)
	require.NoError(t, err)
	text := string(old)
	for _, p := range parts {
		begin, end := "<!-- "+p.name+" -->\n", "<!-- end -->"
		head, rest, ok := strings.Cut(text, begin)
		require.True(t, ok, "%s has no mark for %s", page, p.name)
		_, rest, ok = strings.Cut(rest, end)
		require.True(t, ok, "%s has no end of %s", page, p.name)
		text = head + begin + p.body + end + rest
	}
	if updatesPages() {
		require.NoError(t, os.WriteFile(page, []byte(text), 0o644))
		return
	}
	require.Equal(t, text, string(old), "%s is out of date; run go test ./props -run %s -update-pages", page, t.Name())
}

// fenced returns a block of text.
func fenced(text string) string { return "```\n" + strings.TrimSpace(text) + "\n```\n" }

// TestReadme holds tables to what they are generated from: those of laws to the laws, that of settings to the flags. And it holds the README to its size.
func TestReadme(t *testing.T) {
	needsReadme(t)
	holdPage(t, lawsPage,
		part{"laws", lawTable(t)},
		part{"word laws", wordTable(t)},
		part{"residue laws", residueTable()},
		part{"wrapping laws", wrappingTable()},
		part{"Fourier laws", fourierTable()},
		part{"formula laws", formulaTable(t)},
		part{"scalar laws", scalarTable()},
		part{"covered names", coveredTable()},
	)
	holdPage(t, settingsPage, part{"flags", flagTable()})
	text, err := os.ReadFile(readmePage)
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(text), "\n"), 200, "lines of README.md")
	require.LessOrEqual(t, len(strings.Fields(string(text))), 1800, "words of README.md")
	guide, err := os.ReadFile(guidePage)
	require.NoError(t, err)
	require.Contains(t, string(guide), fmt.Sprintf(" %d faulty ones are found", len(mutants.Formulas())))
}

// flagTable returns the table of flags for the page of settings.
func flagTable() string {
	var b strings.Builder
	b.WriteString("| flag | variable | meaning |\n|---|---|---|\n")
	for _, o := range engine.Options() {
		fmt.Fprintf(&b, "| `-gamma.%s` | `%s` | %s |\n", o.Name, o.Env(), o.Text())
	}
	return b.String()
}

func needsReadme(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(readmePage); err != nil {
		t.Skip("no source tree here: this test reads README.md")
	}
}
