// Package dumps reads what other compilers print of their passes, and tells it as the events of a run, so that everything that shows,
// searches, compares or exports a run works on it unchanged.
//
// A reader of a format (llvm.go and others) cuts a stream of lines into dumps: which pass, before or after it, and the texts of the
// functions. The timeline turns dumps into steps: it pairs what is before a pass with what is after it, compares texts function by
// function, keeps each text once, and writes events. Reading takes one walk over the input, and memory for the module as it is at one
// point, not for the input.
//
// Nothing is invented: where a dump does not tell what a pass did, its step is unknown, with the reason; there are no metrics and no
// times of passes. What cannot be read is reported as a diagnostic with the line.
//
// The package imports only package event and package linediff, and must not know a compiler of ours, a store, or the web.
package dumps
