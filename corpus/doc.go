// Package corpus holds cases on file: the plain data of a case, its text form, and the cases that
// this project keeps for ever. Start here.
//
// [Parse] reads a case file and [Format] writes one, [Load] reads a whole tree of them and [Save]
// adds one to it; [Files] are our own cases. Nothing here runs a kernel.
//
// There are three kinds of file, each with a type of its own, and with its own functions to parse,
// format, load and save it. [Strays] finds files that are of none.
//
//	.case      [Case]      one input of a reduction or of a kernel on a device; told of below
//	.cases     [Table]     rows of operands of an operation on floating-point words
//	.residues  [Residues]  rows of operands modulo q, or the numbers that a transform takes
//
// # The file
//
// A case is one text file in UTF-8, a key and its value on each line. For instance:
//
//	gamma case v1
//	# Lost last lane: missing barrier. Reduced from 1024 leaves.
//	law sum.enclosure
//	kernel shaders/sum.metal#tree
//	expect holds
//	behaviour rne ftz=off contract=off order=accesses seed=7
//	launch groups=1 threads=32
//	tree lanes/32/1024
//	n 1024
//	x 1023 -0x1.8p-20    # -1.43e-06
//
// The shortest file that can be written by hand has four lines: the first, law, kernel and n; all
// its leaves are then +0. Every line ends in a newline, the last one too. The grammar:
//
//	file     = "gamma case v1" NL { line NL }
//	line     = "" | "#" comment | key SPACE value | leaf
//	leaf     = ( "x" | "y" ) SPACE index SPACE number [ SPACE "#" decimal ]
//	key      = one of the keys below, each at most once; law, kernel and n must be there
//	index    = 0 to n-1, each at most once for x and once for y
//	number   = [ "+" | "-" ] ( hexfloat | "inf" ) | "nan" | "nan:0x" bits
//	hexfloat = "0x" hexdigits [ "." hexdigits ] "p" [ "+" | "-" ] digits
//
// Lines may stand in any order behind the first, which is how the canonical form lists the keys:
//
//	law        the law's name: words in lower case with dots between them
//	kernel     the subject's name
//	expect     holds, the default, or violated: a known open fault, whose replay fails when it starts to pass
//	want       the right result, if the author knows it: a hex float, inf, -inf or nan, in no format of
//	           its own; where there are rows, one for each or one for all
//	behaviour  what the device does where it is free to choose, as model.ParseBehaviour reads it; default: plain
//	launch     groups=N threads=N, or groups=X,Y,Z threads=X,Y,Z; default: none
//	tree       the schedule, as package sumtree writes it; default: the kernel's own
//	seed       a number that feeds what a law draws beside the values; default 0
//	rows       the number of rows, which follow each other in x, n/rows leaves each; default 1
//	isolate    yes: the kernel hung or died on the case, so that it is replayed in a child process
//	format     the format of x and y; default binary32; known are binary64, binary32, binary16, bfloat16,
//	           e5m2, e4m3 and toy2 to toy11
//	n          the number of leaves, 0 to 2^28
//	ny         the number of second factors where rows share them, n/rows; default n
//	gen        a recipe for x and y, in place of x and y lines; see below
//	sha256     the Digest of the recipe's values
//	x          a leaf
//	y          the second factor that belongs to a leaf
//
// Leaves that are not listed are +0; a -0 is listed. One y line at least makes the case a dot
// product, and if all its second factors are +0, it is "y 0 0x0p+0". A sum of squares lists its
// leaves as both factors.
//
// Values are exact. A hex float that the format does not hold is an error, which names its
// neighbours; a decimal number is an error, which gives its hex float.
//
// A comment stands on a line of its own and is kept. The decimal behind a leaf is derived from its
// value and written anew each time.
//
// # The canonical form
//
// [Canonical] gives each case one spelling: comments first, keys in the order above, those at
// their default left out but expect, x before y in ascending order, +0 left out, one space between
// words, numbers as [FormatValue] writes them. A test holds every file below corpus to it, and to
// the name that [FileName] gives.
//
// # Recipes
//
// A long input is stored by the recipe that expands into it and the sha256 of the bits that came
// out, so that a changed generator fails loudly. [Options.Expand] runs recipes; these two need none:
//
//	gen const value=V [first=V] [y=V]    every leaf is value, the first one first; y makes it a dot product
//	gen iota                             leaf i is i
//
// If the digest is missing, the error says what it would be. A case whose recipe nobody here can
// run is loaded all the same, with [Case.Deferred] set; [Case.Expand] says what is missing.
package corpus
