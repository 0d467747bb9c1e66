// Package interp serves targets of the kind interp: lowered functions are kept as they are, and the
// interpreter of package compiler/tir/interp runs them on the memory of a device, beside the kernels of other
// kinds. It is slow and checks every access: the oracle for code generators, and the smallest example of
// one.
//
// [Build] is the code generator and [Loader] what makes its modules callable. Facade packages and tests
// import it. The loader cannot lie below runtime/, as it needs the IR; whoever makes an engine hands it in.
package interp
