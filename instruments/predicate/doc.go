// Package predicate judges runs of the compiler, and modules, by functions that users write in Starlark: whether a lesson is solved, or
// whether a fault shows. Judge asks a function check about a run:
//
//	def check(run, start):
//	    if run.kernels >= start.kernels:
//	        return "There are still %d kernels." % run.kernels
//	    return run.same_outputs(start)
//
// Holds asks a function predicate about a module:
//
//	def predicate(mod):
//	    return "T.exp" in mod.script()
//
// A check reads what the log of a run says and may ask for the module after any step. Both change nothing, have no clock, files or
// random numbers, and their steps, memory and time are limited.
//
// Packages web/run/inproc and instruments/driver import it; it must not know the web, lessons or how runs are kept.
package predicate
