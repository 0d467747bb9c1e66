// Package patch edits the IR in the middle of a pipeline: functions that a user wrote take the
// place of those that a step left behind, and the rest of the pipeline goes on from there.
//
// A Patch is data, which can be kept and sent. Make makes one of an edited text, Insert puts it
// into a pipeline as a pass of its own. The runner and the command line import the package; it
// knows no passes.
package patch
