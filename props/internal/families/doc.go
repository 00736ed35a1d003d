// Package families expands recipes into vectors: the families that values are drawn from.
package families
