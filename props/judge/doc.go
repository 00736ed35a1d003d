// Package judge judges kernels in programs that are no tests: it links neither package testing nor an engine of tests.
//
//	sum := judge.Reduction{Name: "mykernel.Sum", Run: mykernel.Sum}
//	for _, law := range judge.Laws() {
//		report, judged, err := judge.Find(law, sum, 1000)
//		…
//	}
//
// [Search] looks for a case that fails, [Find] returns the report of one, [Judge] judges one case, and [Examine] makes one smaller and explains it.
// The subjects are those of package props, whose types have methods for tests as well; the two kinds convert into each other.
package judge
