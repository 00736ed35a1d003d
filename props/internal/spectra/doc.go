// Package spectra judges discrete Fourier transforms: their errors by proven bounds, and what they promise beside.
package spectra
