// Package reducer compares the two folds of the log of a run: event.Run in Go and the page's model in TypeScript. It holds tests
// only.
package reducer
