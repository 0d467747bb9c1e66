// Package tirpass holds the passes over PrimFuncs: the CPU lowering pipeline of TVM
// v0.23 from scheduled blocks down to flat buffers, vectors and the packed calling
// convention. One pass a file; package pipeline orders them.
//
// It may be imported by pipeline and by tests; it knows no graph level, no target's code
// generator and no runtime.
package tirpass
