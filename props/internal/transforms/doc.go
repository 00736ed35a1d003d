// Package transforms judges number-theoretic transforms.
package transforms
