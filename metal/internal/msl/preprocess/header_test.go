package preprocess

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestHeaderFiles finds headers in a folder as in a map: beside the file that includes them, and from the folder's root.
func TestHeaderFiles(t *testing.T) {
	files := fstest.MapFS{
		"lib/kernels/utils.h":  {Data: []byte("#pragma once\n#include \"../types.h\"\nutils")},
		"lib/types.h":          {Data: []byte("#include \"lib/both.h\"\ntypes")},
		"lib/both.h":           {Data: []byte("both.folder")},
		"lib/kernels/once.h":   {Data: []byte("once")},
		"lib/kernels/line.h":   {Data: []byte("\n  oops @")},
		"lib/kernels/sub/x.h":  {Data: []byte("deep")},
		"lib/kernels/metal_my": {Data: []byte("mine")},
	}
	o := Options{FileName: "lib/kernels/k.metal", Files: files}
	for _, c := range []struct{ name, src, want string }{
		{"beside, and above", "#include \"utils.h\"\nend", "both . folder types utils end"},
		{"from the root", "#include \"lib/kernels/utils.h\"\n#include <lib/kernels/utils.h>", "both . folder types utils"},
		{"once", "#import \"once.h\"\n#include \"once.h\"\n#import \"lib/kernels/once.h\"", "once"},
		{"has", "#if __has_include(\"utils.h\") && !__has_include(\"sub\") && !__has_include(\"/utils.h\")\nyes\n#endif", "yes"},
		{"a name like Metal's", "#include \"metal_my\"", "mine"},
		{"Metal's own", "#include <metal_stdlib>\n#include <metal/metal_simdgroup>\nend", "end"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, run(t, c.src, o)) })
	}
	o.Headers = map[string]string{"lib/both.h": "both.map"}
	require.Equal(t, "both . map types utils", run(t, "#include \"utils.h\"", o), "the map is looked at first")
	_, diags := Run("#include \"line.h\"", o)
	require.ErrorContains(t, diags.Err(), "lib/kernels/line.h:2:8: ")
	for _, target := range []string{"sub", "nothing.h", "../../../etc/passwd", "/lib/types.h", ""} {
		_, diags := Run("#include \""+target+"\"", o)
		require.ErrorContains(t, diags.Err(), "there is no header", target)
	}
	files["lib/kernels/large.h"] = &fstest.MapFile{Data: []byte(strings.Repeat(" ", MaxSource+1))}
	_, diags = Run("#include \"large.h\"", o)
	require.ErrorContains(t, diags.Err(), "there is no header \"large.h\"")
}

// TestHeadersOfMetal refuses headers that only look like Metal's, with the list of those there are.
func TestHeadersOfMetal(t *testing.T) {
	for _, name := range metalHeaders {
		require.Equal(t, "1", run(t, "#include <"+name+">\n#if __has_include(<"+name+">)\n1\n#endif", Options{}), name)
	}
	for _, name := range []string{"metal_float64", "metal_bf16", "metal/metal_nothing"} {
		_, diags := Run("\n#include <"+name+">", Options{FileName: "k.metal"})
		require.ErrorContains(t, diags.Err(), "k.metal:2:2: error: Metal has no header \""+name+"\"; there are metal_array, metal_assert, metal_atomic, ")
		require.Equal(t, "0", run(t, "#if !__has_include(<"+name+">)\n0\n#endif", Options{}))
	}
	_, diags := Run("#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>", Options{FileName: "k.metal"})
	require.ErrorContains(t, diags.Err(), "k.metal:1:2: error: not supported: MetalPerformancePrimitives")
	require.Equal(t, "MetalPerformancePrimitives", diags[0].Feature)
}

// TestAssert: assert keeps the text of its condition. After NDEBUG the headers take it away, and a source may have one of its own.
func TestAssert(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"text", "assert(a<b && f(x, y));", `__assert ( ( a < b && f ( x , y ) ) , "a<b && f(x, y)" ) ;`},
		{"ndebug", "#define NDEBUG\n#include <metal_stdlib>\nassert(a);", "( ( void ) 0 ) ;"},
		{"ndebug, late", "#include <metal_stdlib>\n#define NDEBUG\nassert(a);", `__assert ( ( a ) , "a" ) ;`},
		{"own", "#undef assert\n#define assert(x) own(x)\n#define NDEBUG\n#include <metal_stdlib>\nassert(a);", "own ( a ) ;"},
		{"undefined", "#undef assert\n#define NDEBUG\n#include <metal_stdlib>\nassert(a);", "assert ( a ) ;"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, run(t, c.src, Options{})) })
	}
	require.Equal(t, "( ( void ) 0 )", run(t, "#include <metal_stdlib>\nassert(0)", Options{Defines: map[string]string{"NDEBUG": "1"}}))
	_, diags := Run("#include <metal_stdlib>\n#include <metal_assert>", Options{Defines: map[string]string{"NDEBUG": "1"}})
	require.Empty(t, diags)
}
