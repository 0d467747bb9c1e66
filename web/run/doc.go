// Package run starts runs of the compiler for visitors of irscope, and keeps
// what they say: requests, the queue with its admission, the log that any number
// of readers follow, limits, canceling and sharing of identical runs.
//
// A run goes through a Runner: a serialisable Request in, events and texts out.
// The package inproc below holds the Runner that calls the compiler in this
// process; another that starts a worker can take its place. Only the web packages
// and cmd/explorer import this package. It must not know HTTP, passes or IR; it
// imports of ours the event format and the store.
package run
