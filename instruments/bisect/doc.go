// Package bisect finds what is at fault when passes crash, leave a module that is not well-formed, compute something else than they
// were given, or make a program slower: the pass, then the function, then the rewrite that the pass reports. It ends with the
// shortest pipeline and the smallest module that still show the fault.
//
// A fault is a Predicate. A crash and an invalid module name their pass at once. For the others the module after each pass is
// kept, which costs little since modules share what passes leave alone, and the first one that shows the fault is found by
// halving. The function is found in modules that mix what the pass was given with what it made; the rewrite likewise, in
// functions to which only some of the reported rewrites are applied. Passes are then removed by delta debugging under the constraints of
// package pipeline, and package reduce makes the module smaller.
//
// How programs are executed is given by the caller (Hooks); Compare is what most callers compare outputs with. The package knows neither the
// driver nor the web. It may be imported by the driver and the command line.
package bisect
