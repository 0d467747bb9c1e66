// Package artifact stores compiled programs in a folder and runs them without a compiler:
// a manifest with magic, format version, target, content hashes and function signatures,
// the VM executable, the tensor constants, and the kernel modules.
//
//	manifest.json    readable header; the other files are named in it with size and SHA-256
//	executable.bin   functions and bytecode, as package vm encodes them
//	constants.bin    tensor data, each at a multiple of 64 bytes
//	kernels/N.FORMAT kernel modules, each with the kind of target that it was made for
//
// Version 2 of the format is written; version 1, whose modules are all of one kind, is read as well.
//
// Reading is bounded by the size of the files and the limits below; damaged or hostile
// folders give errors. The facade, the command line and tests import it. It knows nothing
// of IR.
package artifact
