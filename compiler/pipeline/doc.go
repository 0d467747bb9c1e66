// Package pipeline holds the list of all passes, the pipelines made of them for each kind of
// target, and the constraints on their order. It is where a new pass is added.
//
// It is imported by the facade, the command line and the web's catalogue.
package pipeline
