// Package driver takes a request from its source to results: the module is read, passes run under a recorder, code is made, and
// the program runs. The command line and the runner of the page are thin over it, so that both say the same of the same request.
//
// A Request holds names and texts as their author wrote them. Resolve looks all of them up, once: a Job has values only, and
// nothing behind it interprets a name, a default or a registry again. Run does a job from its start to its end;
// Open, Task.Compile and Task.Execute do it by stages, for a caller that prints in between.
//
// What is special to a caller comes in Hooks: a memory of earlier runs, instruments, a history of values.
//
// It may be imported by the command line and by runners. It knows the compiler and the runtime, and neither flags nor the web.
package driver
