// Package token holds what every part of the front end for Metal Shading Language shares: tokens,
// and the errors that carry their places.
//
// Start here: Token, and Error with its List.
package token
