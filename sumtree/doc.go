// Package sumtree describes reduction schedules: which partial results are combined in which order.
package sumtree
