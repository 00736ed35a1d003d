// Package process judges kernels that are another program: in Python, Julia, C++ or anything that reads its standard input and writes to its standard
// output. Start here:
//
//	p := process.Python(t, "kernels.py")
//	props.Reduction{Name: "kernels.total", RunErr: p.Sum("total")}.Check(t)
//
// where kernels.py has
//
//	import gamma
//
//	@gamma.kernel
//	def total(x):
//		return x.sum()
//
// The client, gamma.py, is part of this package and needs NumPy alone; [Python] puts it where import finds it. Any other program is a client that
// speaks the protocol below: [Start] runs it.
//
// # Faults of a client
//
// A client that crashes, does not return within -gamma.timeout, breaks the protocol, or gives results of another type or length has broken, and the
// verdict says how; one that raises an exception has returned an error. It is ended with all processes that it has started, and a new one gets the next
// call. What it writes to standard error is kept as far as its first lines, which the report shows when it dies. A client that cannot be started, or
// does not say hello, is not started again. On Linux a client ends when the test does, whatever ends that; elsewhere one that reads ends then.
//
// # Protocol
//
// Version 1. Both sides send frames; all numbers are little-endian. The client sends a frame of kind hello first. Then the judge sends calls, each after
// the result of the one before it, until it closes the client's standard input. A frame is a head of 16 bytes and a body:
//
//	offset  bytes  meaning
//	     0      4  the text GMMA
//	     4      2  version of the protocol, 1
//	     6      2  kind: 0 hello, 1 call, 2 results, 3 and more: why there are none
//	     8      4  number of the call, which its results repeat; 0 in a hello
//	    12      4  bytes of the body, at most 2^30
//
// The body of a hello is empty. (One byte 1 says that frames pass through shared memory, as between two processes of this package.)
//
// The body of a call, and of results, is
//
//	0      2  length of the function's name; 0 in results
//	2      2  number of arrays
//	4      4  0
//	8         the name in UTF-8, and zeros up to a multiple of 8 bytes
//
// and then each array:
//
//	0      4  type of the elements as NumPy writes it, with zeros after it: f4 f8 c8 c16 i1 i2 i4 i8 u1 u2 u4 u8 b1
//	4      1  number of dimensions; an array of none is a number
//	5      1  length of the array's name
//	6      2  0
//	8         each dimension in 8 bytes
//	          the name in UTF-8, and zeros up to a multiple of 8 bytes
//	          the elements in row-major order, and zeros up to a multiple of 8 bytes
//
// Formats of 16 and 8 bits, such as bfloat16, are encodings in u2. Arrays of a result stand in the order of what the function returns, and their names
// are not read. A b1 is a byte, 0 or 1.
//
// The body of kind 3 and more is a text in UTF-8: 3, the function returned an error; 4, it cannot be called so; 5, it wrote where it must not; 6, it left
// the thread's rounding or flushing changed.
package process
