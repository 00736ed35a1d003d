package apple

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
)

// reference is Part A.3 of the project's page on Metal: what was found out about selectors, types and values.
func reference(t *testing.T) string {
	text, err := os.ReadFile("testdata/reference.md")
	require.NoError(t, err)
	return string(text)
}

// TestReferenceIsThePages holds our copy against the page, where the page is.
func TestReferenceIsThePages(t *testing.T) {
	page, err := os.ReadFile("../../../shared/reference/metal-and-msl.md")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("../shared/reference/metal-and-msl.md does not lie beside this checkout: the selectors are not compared with it")
	}
	require.NoError(t, err)
	require.Contains(t, string(page), reference(t), "copy Part A.3 to testdata/reference.md, and check the tables against it")
}

var (
	quoted    = regexp.MustCompile("`[^`]*`")
	prototyp  = regexp.MustCompile(`^(id|void|void\*) \(id,SEL.*\)$`)
	parameter = regexp.MustCompile(`(id|NSUInteger|NSInteger|MTLSize|const void\*|id\*)(?: [A-Za-z]+)?(?:,|\)|$)`)
)

// TestMessages checks every selector and its C types against the page, and that what is not on it is marked.
func TestMessages(t *testing.T) {
	page := reference(t)
	seen := map[string]bool{}
	var memory, types []string
	for m := range messages {
		d := &table[m]
		name := d.on + " " + d.selector
		require.False(t, seen[name], "%s is in the table twice", name)
		seen[name] = true
		params := prototypes[d.sig].params
		if strings.Contains(d.selector, ":") || len(params) > 0 {
			require.Equal(t, len(params), strings.Count(d.selector, ":"), "%s: a colon for each argument", name)
		}
		// Cocoa's rule of ownership: what new, alloc, copy and retain return is the caller's.
		first := regexp.MustCompile(`^(new|alloc|copy|mutableCopy|retain)([A-Z:].*)?$`).MatchString(d.selector)
		require.Equal(t, first, d.owned, "%s: +1 by its name", name)
		if strings.Contains(d.selector, "error:") {
			require.Equal(t, cError, params[len(params)-1], name)
		}
		if d.page == "" {
			require.NotContains(t, page, "`"+d.selector+"`", "%s is on the page: quote it", name)
			require.NotEqual(t, fromPage, d.types, name)
			if d.types == fromMemory {
				memory = append(memory, name)
			}
			continue
		}
		require.Contains(t, page, d.page, "%s: the page does not say so", name)
		property := d.selector
		if p, ok := strings.CutPrefix(d.selector, "set"); ok && d.on == "MTLCompileOptions" {
			property = strings.ToLower(p[:1]) + strings.TrimSuffix(p[1:], ":")
		}
		if d.selector != "setConstantValue:type:withName:" { // the page shortens it
			require.Contains(t, quoted.FindAllString(d.page, -1), "`"+property+"`", "%s is not in the words that are quoted", name)
		}
		switch d.types {
		case fromMemory:
			types = append(types, name)
		case fromPage:
			checkTypes(t, d)
		}
	}
	for name := range handlers {
		class, selector, _ := strings.Cut(name, " ")
		if class == "+" || class == "*" {
			continue
		}
		require.True(t, seen[class+" "+selector], "the fake knows %s, and the table does not", name)
	}
	t.Logf("selectors from memory: %s", strings.Join(memory, ", "))
	t.Logf("C types from memory: %s", strings.Join(types, ", "))
	// What is not on the page is counted here, so that it cannot grow unseen.
	require.Len(t, memory, 5)
	require.Len(t, types, 10)
}

// checkTypes holds a signature against the types in the words of the page.
func checkTypes(t *testing.T, d *declaration) {
	var params []string
	p := prototypes[d.sig]
	for _, c := range p.params {
		params = append(params, c.String())
	}
	ours := strings.Join(params, ",")
	var theirs []string
	for _, q := range quoted.FindAllString(d.page, -1) {
		q = strings.Trim(q, "`")
		if prototyp.MatchString(q) || strings.HasPrefix(q, "(…,") {
			theirs = append(theirs, q)
		}
	}
	if len(theirs) > 0 {
		which := theirs[0]
		if d.selector == "newBufferWithBytes:length:options:" {
			which = theirs[1]
		}
		_, rest, _ := strings.Cut(which, "(")
		rest = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(rest, "id,SEL"), "…"), ",")
		var list []string
		for _, m := range parameter.FindAllStringSubmatch(rest, -1) {
			list = append(list, m[1])
		}
		rest = strings.Join(list, ",")
		rest = strings.ReplaceAll(rest, "id opts", "id")
		require.Equal(t, rest, ours, d.selector)
		if result, _, ok := strings.Cut(which, " ("); ok {
			require.Equal(t, result, p.result.String(), d.selector)
		}
		return
	}
	// Otherwise the type is named in words.
	word := map[ctype]string{cUnsigned: "NSUInteger", cSigned: "NSInteger", cSize: "MTLSize", cPointer: "void*", cDouble: "double", cBool: "BOOL", cID: "NS"}
	switch {
	case len(p.params) == 0:
		require.Contains(t, d.page, word[p.result], d.selector)
	case d.sig == sVoidBytesUnsignedUnsigned:
		require.Contains(t, d.page, "(const void*, MTLDataType, NSUInteger)")
	default:
		require.Contains(t, d.page, word[p.params[0]], d.selector)
	}
}

// TestEnumerators checks every value against the page.
func TestEnumerators(t *testing.T) {
	page := reference(t)
	last := regexp.MustCompile(`^(.*?)[ =]+(0x[0-9a-f]+|[0-9]+)$`)
	seen := map[string]bool{}
	memory := 0
	for _, e := range slices.Concat(enumerators, families, commandBufferErrors) {
		require.False(t, seen[e.name], "%s is in the tables twice", e.name)
		seen[e.name] = true
		if e.page == "" {
			memory++
			continue
		}
		require.Contains(t, page, e.page, e.name)
		if e.page == "`languageVersion` = (major<<16)|minor" {
			major, minor, _ := strings.Cut(strings.TrimPrefix(e.name, "MTLLanguageVersion"), "_")
			hi, err := strconv.Atoi(major)
			require.NoError(t, err)
			lo, err := strconv.Atoi(minor)
			require.NoError(t, err)
			require.EqualValues(t, hi<<16|lo, e.value, e.name)
			continue
		}
		found := false
		for _, part := range strings.Split(strings.ReplaceAll(e.page, " default", ""), ", ") {
			m := last.FindStringSubmatch(part)
			require.NotNil(t, m, "%s: %q gives no value", e.name, part)
			n, err := strconv.ParseInt(m[2], 0, 64)
			require.NoError(t, err)
			name := strings.ReplaceAll(e.name, "_", ".")
			if strings.HasSuffix(name, m[1]) {
				found = true
				require.Equal(t, n, e.value, e.name)
			}
		}
		require.True(t, found, "%s: the words %q do not name it", e.name, e.page)
	}
	require.Equal(t, 3+10, memory, "values that Apple's headers have, and the page has not: families and the codes of errors")
	// Enumerations of package metal go to Metal as they are.
	require.EqualValues(t, 0, metal.NotEnqueued)
	require.EqualValues(t, 5, metal.Failed)
	require.EqualValues(t, dispatchSerial, metal.Serial)
	require.EqualValues(t, dispatchConcurrent, metal.Concurrent)
	require.Contains(t, page, "setBytes at most "+strconv.Itoa(metal.MaxSetBytes)+" bytes")
	require.Contains(t, page, "buffer indices 0.."+strconv.Itoa(metal.MaxBufferIndex))
	require.Contains(t, page, "threadgroup length multiple of 16")
	require.Contains(t, page, "the second needs non-uniform threadgroups (Apple4+/Mac2)")
}

// TestSignaturesAreUsed: each is some message's, and has a C type.
func TestSignaturesAreUsed(t *testing.T) {
	used := map[signature]bool{}
	for m := range messages {
		used[table[m].sig] = true
	}
	for s := range signatures {
		require.True(t, used[s], "no message has signature %s", s)
	}
	require.Equal(t, "id (id,SEL,const void*,NSUInteger,NSUInteger)", sIDBytesUnsignedUnsigned.String())
}
