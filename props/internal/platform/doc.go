// Package platform has what the judge asks of the operating system and the processor, and nothing else: all files of the judge that differ between systems.
package platform
