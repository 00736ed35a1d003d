// Package engine holds what every kind of kernel shares: settings, devices, the record of the running case, statistics, summary.
package engine
