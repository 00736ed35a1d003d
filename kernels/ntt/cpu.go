package ntt

// features says which vector instructions the machine and its operating system offer to this process.
type features struct {
	avx2   bool // 256 bits: AVX2
	avx512 bool // 512 bits: AVX-512 F, DQ, BW and VL
	ifma   bool // products of 52 bits: AVX-512 IFMA
}

// cpu decides which path transforms take, each time they run. Tests set fields to false to take the paths of older
// machines; nothing else writes to it.
var cpu = detect()
