// Package history tells what became of the nodes of a model on their way through a pipeline:
// where each was born, rewritten, fused, split and lowered, and where it died.
//
// A run is a list of steps. Each step holds, for the functions that it changed, a table of
// the lines that show a value, buffer, block, loop or kernel, with the nodes of the source
// model that each came from. Package fromir makes the tables, History answers questions
// about them. Steps are made and stored one by one, so a run that continues from stored
// steps uses their tables as they are.
//
// The web imports this package, so it knows no IR: it imports the standard library only.
package history
