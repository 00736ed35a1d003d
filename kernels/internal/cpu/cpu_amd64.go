package cpu

// cpuid runs the instruction CPUID for a leaf and a subleaf.
//
//go:noescape
func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

// xgetbv reads the extended control register 0: the parts of the registers that the operating system saves. It may run only if
// CPUID says OSXSAVE.
//
//go:noescape
func xgetbv() (eax, edx uint32)

// Detect asks CPUID what the machine has, and XGETBV what the operating system saves when it switches processes.
//
// Source: [Intel SDM] volume 1, §14.3 and §15.2.
func Detect() Features {
	const (
		osxsave, avx, fma         = 1 << 27, 1 << 28, 1 << 12                           // leaf 1, ecx
		avx2, f, dq, ifma, bw, vl = 1 << 5, 1 << 16, 1 << 17, 1 << 21, 1 << 30, 1 << 31 // leaf 7, ebx
		registers256              = 1<<1 | 1<<2                                         // xmm, ymm
		registers512              = registers256 | 1<<5 | 1<<6 | 1<<7                   // masks, upper halves of zmm, zmm16 to 31
	)
	if leaves, _, _, _ := cpuid(0, 0); leaves < 7 {
		return Features{}
	}
	_, _, ecx, _ := cpuid(1, 0)
	if ecx&osxsave == 0 || ecx&avx == 0 {
		return Features{}
	}
	saved, _ := xgetbv()
	_, ebx, _, _ := cpuid(7, 0)
	wide := saved&registers512 == registers512 && ebx&(f|dq|bw|vl) == f|dq|bw|vl
	half := saved&registers256 == registers256 && ebx&avx2 != 0
	return Features{AVX2: half, FMA: half && ecx&fma != 0, AVX512: wide, IFMA: wide && ebx&ifma != 0}
}
