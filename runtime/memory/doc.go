// Package memory manages the bytes of one linear memory: a Reservation of address space
// that grows in place and never moves, between guards where the system has them, and a Heap that hands out aligned pieces of it
// with exact accounting.
//
// Only package runtime imports it. It knows nothing of tensors, kernels or WebAssembly.
package memory
