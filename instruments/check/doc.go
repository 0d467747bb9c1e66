// Package check says, as plain data, what became of the results of a module along its passes: after each pass that leaves the module
// runnable it is run on the same inputs, and its outputs are compared with those before the first pass. The first step whose outputs
// differ names the pass at fault, and the functions that it changed wrongly.
//
// Package execute makes a report; the command line prints it, and the page shows it. It imports package event for numbers, and knows
// no compiler.
package check
