// Package battery crosses scalar laws with tables of special values, and draws with gopter.
package battery
