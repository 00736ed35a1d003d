// Package props is the judge: laws, the engines that draw cases for them, and their reports.
package props
