//go:build unix

// Command mutants measures whether the tests find faults: it seeds small ones into the packages where a fault would make the
// program lie, runs the tests that reach them, and lists those that no test noticed.
//
// All drawn mutants are compiled into the test binaries at once, each behind a switch (package mutant), by an overlay that
// leaves the tree alone. So a mutant costs the run of a few tests and no compilation. The order of work:
//
//  1. sites.go finds the places that can be mutated; a sample is drawn from all files.
//  2. render.go writes the files with the switches; judge.go builds the test binaries.
//  3. Each test runs once alone to record which mutants it reaches and how long it takes.
//  4. For each mutant the tests that reach it run, the quickest first, until one fails, or does not end in
//     several times its usual time.
//
// Survivors are compared with survivors.txt, which gives for each known one the reason why it may live.
package main
