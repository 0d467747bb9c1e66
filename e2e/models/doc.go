// Package models compiles and runs whole models and compares their outputs with published
// data and with those of other settings of the compiler. It holds tests only; data that is
// not in the repository is looked for in the folder that IRSCOPE_TESTDATA names, or in
// ../shared beside the repository, and skipped where it is absent.
package models
