package judge_test

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSubjectsShowFields: go doc shows the fields of each subject, or the documentation has the command that does.
func TestSubjectsShowFields(t *testing.T) {
	doc := func(name string) string {
		out, err := exec.Command("go", "doc", name).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	for _, name := range []string{"Reduction", "Dot", "Operation", "Modular", "NTT", "Kernel", "Wrapping", "FFT"} {
		text := doc("gamma/props/judge." + name)
		if m := regexp.MustCompile(`"go doc\s+([\w./]+)"`).FindStringSubmatch(text); m != nil {
			text = doc(m[1])
		}
		require.Regexp(t, `(?m)^\tName +string$`, text, name)
		require.Regexp(t, `(?m)^\t(Run|Plan) +func`, text, name)
	}
}
