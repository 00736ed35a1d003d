// Package sumtree describes reduction schedules: which partial results are combined in which order.
// Start here.
//
// A Tree says, for n leaves, every operation between them and the result. It is data: nothing in
// this package adds anything. Package sumtree/eval evaluates trees for the judge; kernels that
// follow a tree walk it themselves (Tree.Plain is made for that).
//
//   - Shape names a family of trees, one for each leaf count: left, pairwise/8, lanes/32, numpy,
//     random/splits/7, left@reverse. ParseShape reads a name, Shape.Tree builds, Shape.Height tells
//     the height without building.
//   - Builder makes any other tree, of every Kind of node.
//   - Parse and Tree.String are inverse to each other.
//   - Tree.WriteText and Tree.WriteSVG draw.
//   - Reveal finds the tree of a black box.
//
// # Text
//
//	tree  = shape "/" n | "dot:" shape "/" n | "fma:" shape "/" n | expr [ "#" n ]
//	expr  = term { "*" term }                         Product, from the left
//	term  = leaf | "(" { expr | leaf ".." leaf } ")"  Add, from the left: (0 1 2) is ((0 1) 2)
//	      | "fma(" expr expr expr ")"                 Fma: the first two are multiplied
//	      | format "(" expr ")"                       Round: binary16((0 1))
//	      | "fused" [ "{" adder "}" ] "(" { expr } ")"
//	      | "any(" { expr } ")"                       AnyOrder
//	      | "opaque" [ go-string ] "(" { expr } ")"
//
// 3..0 stands for 3 2 1 0. "#n" gives the leaf count where it is not one more than the largest
// leaf. In dot: and fma: n counts products, so that the tree has 2n leaves: slots 0 to n-1 are x,
// slots n to 2n-1 are y, and term i is x_i·y_i, slots i and n+i.
//
// # Randomness
//
// Everything random follows from a seed by math/rand/v2's PCG and integer arithmetic of this
// package, so that a name means the same tree on every machine and with every version of Go.
package sumtree
