// Package corpus holds cases on file: the plain data of a case, its text form, and the cases that
// this project keeps for ever. Start here.
//
// [Parse] reads a case file and [Format] writes one, [Load] reads a whole tree of them and [Save]
// adds one to it; [Files] are our own cases. Nothing here runs a kernel.
//
// A file is a [Header], which every file has, and a [Body]. There are five kinds, told apart by the first line and by the end of
// the name. [UnknownFiles] finds files of no kind.
//
//	gamma case v1      .case      [Case]      one input of a reduction or of a kernel on a device
//	gamma cases v1     .cases     [Table]     rows of operands of an operation on floating-point words
//	gamma residues v1  .residues  [Residues]  rows of operands modulo q, or the numbers that a transform takes
//	gamma arrays v1    .arrays    [Arrays]    the arrays that a kernel takes which computes a formula
//	gamma integers v1  .integers  [Integers]  the terms of a sum of integers: law, kernel, bits, n, and x as in a case
//
// # The file
//
// A file is text in UTF-8, a key and its value on each line. For instance:
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
//	gamma cases v1
//	# Found by props.Attack.
//	law dd.mul
//	kernel dd.Times3
//	words 4
//	row 0x1.000002p+0 0x1.fffffap-25 0x1.000002p+0 0x1.fffffcp-25 holds reaches 0.9999 # the page's witness
//
//	gamma residues v1
//	# One wrong twiddle: x holds 5 at place 17 and 96 at place 5.
//	law ntt.convolution
//	kernel ntt.Mutant
//	expect violated
//	bits 64
//	modulus 97
//	n 32
//	ring negacyclic
//	root 19
//	x 5 96
//	x 17 5
//	y 0 1
//
//	gamma arrays v1
//	# Layer norm by one pass: two elements about 1000.
//	law formula.enclosure
//	kernel mykernel.LayerNorm
//	expect holds
//	axis row 1
//	axis n 2
//	input x binary32 row n
//	value x 0 0x1.f48p+9    # 1001
//	value x 1 0x1.f4p+9    # 1000
//
// The shortest case that can be written by hand has four lines: the first, law, kernel and n; all
// its leaves are then +0. Every line ends in a newline, the last one too. The grammar:
//
//	file     = "gamma " kind " v1" NL { line NL }
//	line     = "" | "#" comment | key SPACE value | element | row
//	element  = ( "x" | "y" ) SPACE index SPACE number [ SPACE "#" decimal ]
//	row      = "row" { SPACE number } SPACE ( "holds" | "violated" ) [ SPACE "reaches" SPACE ratio ] [ SPACE "#" comment ]
//	index    = 0 to n-1, each at most once for x and once for y
//	number   = [ "+" | "-" ] ( hexfloat | "inf" ) | "nan" | "nan:0x" bits       in residues: word
//	hexfloat = "0x" hexdigits [ "." hexdigits ] "p" [ "+" | "-" ] digits
//	word     = digits | "0x" hexdigits
//
// Each key but before stands at most once, and all of them before the rows; otherwise lines may stand in any order after the first. Every file has these:
//
//	law        the law's name: words in lower case with dots between them; must be there
//	kernel     the subject's name; must be there
//	expect     holds, the default, or violated: a known open fault, whose replay fails when it starts to pass; rows have their own
//	behaviour  what the device does where it is free to choose, as model.ParseBehaviour reads it; default: plain
//	launch     groups=N threads=N, or groups=X,Y,Z threads=X,Y,Z; default: none
//	seed       a number that feeds what a law draws beside the values; default 0
//	isolate    yes: the kernel hung or died on the case, so that it is replayed in a child process
//	before     a line of a case file of the same kernel, which is called with that first; there may be many of these lines, and each that
//	           begins as a file does begins another call
//
// A case has these as well:
//
//	want       the right result, if the author knows it: a hex float, inf, -inf or nan, in no format of
//	           its own; where there are rows, one for each or one for all
//	tree       the schedule, as package sumtree writes it; default: the kernel's own
//	rows       the number of rows, which follow each other in x, n/rows leaves each; default 1
//	format     the format of x and y; default binary32; known are binary64, binary32, binary16, bfloat16,
//	           e5m2, e4m3 and toy2 to toy11
//	n          the number of leaves, 0 to 2^28; must be there
//	ny         the number of second factors where rows share them, n/rows; default n
//	gen        a recipe for x and y, in place of x and y lines; see below
//	sha256     the Digest of the recipe's values
//	x          a leaf
//	y          the second factor that belongs to a leaf
//
// A table has these:
//
//	batch      yes, where the rows must run in one call, in their order
//	format     as in a case
//	words      the number of operand words of a row; must be there
//	row        operands, with what is expected of them and which part of its bound the error is recorded to reach
//
// And residues these. A file has rows, all of as many words, or n and x, or neither:
//
//	bits       8, 16, 32 or 64: the bits of a word; must be there
//	modulus    q, of 64 bits at most, whether the kernel can take it or not; must be there
//	batch      as in a table
//	n          the points of a transform, 1 to 2^22; its presence makes the file one of a transform
//	count      the number of transforms, one after the other in x and in y, which one call runs; default 1
//	ring       cyclic or negacyclic; a transform needs it
//	root       the root of unity; a transform needs it
//	gen        a recipe for x and y, in place of their lines; see below
//	sha256     the DigestResidues of what the recipe gives
//	x, y       words
//	row        operands, with what is expected of them
//
// Arrays have these beside the common ones. Each names an axis or an input first:
//
//	axis       a size, 0 to 2^28
//	input      the type of the elements (a format as in a case, int8 to int64, uint8 to uint64, bool), then the axes, the slowest first
//	gen        a recipe for an input's elements, in place of its value lines; see below
//	sha256     the Digest of what the recipe gives
//	value      an index and an element: a number, a decimal integer, or 0 or 1
//
// Elements that are not listed are +0; a -0 is listed. One y line at least says that there is a y, in a case that it is a dot
// product, and if all its elements are +0, it is "y 0 0x0p+0". A sum of squares lists its
// leaves as both factors.
//
// Values are exact. A hex float that the format does not hold is an error, which names its
// neighbours; a decimal number is an error, which gives its hex float.
//
// A comment stands on a line of its own or at the end of a row, and is kept. The decimal after a leaf is derived from its
// value and written anew each time.
//
// # The canonical form
//
// [Canonical] gives each file one spelling: comments first, keys in one order, which is each kind's list of keys in the source, those at
// their default left out but expect, x before y in ascending order, +0 left out, one space between
// words, numbers as [FormatValue] writes them or decimal. A test holds every file below corpus to it, and to
// the name that [FileName] gives.
//
// # Recipes
//
// A long input is stored by the recipe that expands into it and the sha256 of the bits that came
// out, so that a changed generator fails loudly. [Options.Expand] runs the recipes of cases and [Residues.Expand] those of residues;
// these two need neither:
//
//	gen const value=V [first=V] [y=V]    every element is value, the first one first; y sets all of y
//	gen iota                             element i is i, in residues modulo q
//
// If the digest is missing, the error says what it would be. A case whose recipe nobody here can
// run is loaded all the same, with [Case.Deferred] set; [Case.Expand] says what is missing.
package corpus
