// Package bufferflow follows what buffers hold through a function: which elements have a value that is
// known, and which elements are overwritten before anything reads them.
//
// It is abstract interpretation over the tree of statements. A fact says that the elements of a buffer for
// which a condition holds have a certain value. Condition and value are expressions in the positions along
// the axes of the buffer, in loop variables around, and in variables that never change. Known walks forward and
// keeps the facts that hold before each statement; Unused walks backward and keeps the elements that nothing
// reads after it.
//
// Loops are where it takes thought. Where each element of a buffer is touched in one iteration only
// (own.go), what an iteration leaves holds for all before it, too. Elsewhere the facts at the start of an
// iteration are guessed from those before the loop, and the guess is weakened, by asking what holds whatever
// the loop variable is (forall.go), until the body keeps it.
//
// Everything errs to one side: a fact that is missing only means that less is simplified. So sizes are
// bounded by dropping facts, and time by a number of steps after which nothing is known anywhere.
// What TVM's src/tir/analysis/control_flow_graph.cc does with a graph of blocks is done here; unlike there, loops that run no
// iteration, threads, aliases, and values of earlier iterations are taken into account.
//
// It may be imported by passes over PrimFuncs. It knows arith and the nodes of the loop level.
package bufferflow
