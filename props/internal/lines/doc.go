// Package lines reads files of lines of JSON that Gamma's programs have written, and says of a line that cannot be read what is wrong with it, in the words of those
// who have to put it right. Start at Each.
package lines
