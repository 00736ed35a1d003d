// Package vectors judges sums and dot products.
package vectors
