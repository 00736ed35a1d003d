// Package merge puts the results of shards together: start here.
//
// A run that is cut into parts by -gamma.shard leaves a file of lines for each part; engine.Ledger says what they are. Read reads any number of such files
// and adds up what their blocks say, by engine.LawStats.Merge alone: the same whatever the order of the files is, and however many parts there were. The same
// block twice counts once. What is missing, doubled, torn, or of another run is named with file and line, and then there is no result.
package merge
