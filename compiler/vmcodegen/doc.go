// Package vmcodegen turns lowered Relax functions into an executable of the Relax virtual
// machine. It is TVM's VMCodeGen.
//
// It is imported by the facade; it knows no passes and no target.
package vmcodegen
