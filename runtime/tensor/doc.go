// Package tensor holds tensors in the memory of the host: an element type, a shape and
// the bytes of a compact row-major little-endian array, with typed views, conversion of
// every element type to numbers, comparison, seeded filling and summaries.
//
// A type below a byte (int4, float4_e2m1fn) takes one byte for each element here, as
// dtype.DType.Bytes says; packed files are unpacked by whoever reads them.
//
// The compiler, importers, the runtime and tests may import it. It knows nothing of
// devices, graphs or files.
package tensor
