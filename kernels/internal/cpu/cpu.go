// Package cpu says which vector instructions kernels may use.
package cpu

// Features says which vector instructions the machine and its operating system offer to this process.
type Features struct {
	AVX2   bool // 256 bits: AVX2
	FMA    bool // 256 bits: AVX2 and fused multiply-adds
	AVX512 bool // 512 bits: AVX-512 F, DQ, BW and VL
	IFMA   bool // products of 52 bits: AVX-512 IFMA
}
