package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChildText: of what a dead child printed, the beginning and the last line are told, however long it is.
func TestChildText(t *testing.T) {
	for _, c := range []struct{ printed, told string }{
		{"", ""},
		{" one\n\ntwo \n", "one; two"},
		{"Traceback:\n File a\n File b\n File c\nModuleNotFoundError: No module named 'numpy'\n", "Traceback:; File a; File b; …; ModuleNotFoundError: No module named 'numpy'"},
		{strings.Repeat("x\n", headSize) + "the end\n", "x; x; x; …; the end"},
		{strings.Repeat("\n", 2*headSize), ""},
	} {
		var b headBuffer
		for part := range strings.SplitAfterSeq(c.printed, "\n") {
			fmt.Fprint(&b, part)
		}
		require.Equal(t, c.told, b.String())
	}
}
