// Package words judges operations on words: error-free transforms, double words, complex numbers.
package words
