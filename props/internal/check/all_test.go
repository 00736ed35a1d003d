package check

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChosen: -run and -skip choose subjects as package testing chooses subtests.
func TestChosen(t *testing.T) {
	for _, c := range []struct {
		run, skip, test string
		want            bool
	}{
		{"", "", "TestPropSum/a.Sum", true},
		{"^TestProp", "", "TestPropSum/a.Sum", true},
		{"^TestPropDot$", "", "TestPropSum/a.Sum", false},
		{"^TestPropSum$/^a.Sum$", "", "TestPropSum/a.Sum", true},
		{"^TestPropSum$/^a.Sum$", "", "TestPropSum/a.SumKahan", false},
		{"^TestPropSum$/^a.Sum$/^sum.tree$", "", "TestPropSum/a.Sum", true},
		{"^TestPropSum$/^a.Sum$/^sum.tree$", "", "TestPropSum/a.Sum/sum.member", false},
		{"^TestPropSum$/^a.Sum$", "", "TestPropSum/a.Sum/sum.member", true},
		{"TestPropSum/x/y.metal#z", "", "TestPropSum/x/y.metal#z", true},
		{"TestPropDot/a|TestPropSum/b", "", "TestPropSum/a", false},
		{"TestPropDot/a|TestPropSum/b", "", "TestPropSum/b", true},
		{"TestProp(Dot|Sum)/[a/]", "", "TestPropSum/a", true},
		{`a\/b`, "", "TestPropSum/a", false},
		{"", "^TestPropSum$/Kahan", "TestPropSum/a.Sum", true},
		{"", "^TestPropSum$/Kahan", "TestPropSum/a.SumKahan", false},
		{"", "^TestPropSum$/a/^sum.tree$", "TestPropSum/a", true},
		{"", "^TestPropSum$/a/^sum.tree$", "TestPropSum/a/sum.tree", false},
	} {
		for name, value := range map[string]string{"test.run": c.run, "test.skip": c.skip} {
			f := flag.Lookup(name)
			was := f.Value.String()
			require.NoError(t, f.Value.Set(value))
			t.Cleanup(func() { require.NoError(t, f.Value.Set(was)) })
		}
		require.Equal(t, c.want, chosen(c.test), "-run %q -skip %q: %s", c.run, c.skip, c.test)
	}
}
