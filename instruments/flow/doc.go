// Package flow holds graphs of functions as plain values: the dataflow of a Relax
// function or the loop nest of a PrimFunc. Diff compares two of them, Hide leaves out
// kinds of node, and Fold makes a large graph small. All are deterministic, linear or close
// to it, and leave their arguments as they were.
//
// Package fromir makes graphs from the IR and package web/graph draws them. flow imports the
// standard library only, so that both sides may import it.
package flow
