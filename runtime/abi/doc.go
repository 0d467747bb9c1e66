// Package abi holds the constants on which generated kernels and the runtime agree:
// where things lie in the linear memory of a device, how arguments and tensors are
// laid out there, what a kernel module imports and exports, and what a kernel returns.
//
// A kernel module is a WebAssembly module. It imports [ImportMemory], the one linear
// memory of the device, the immutable i32 global [ImportDataBase], and whichever
// functions of [ImportModule] it calls; it exports one function for each kernel under
// the kernel's global_symbol with the packed signature
//
//	(self_handle i32, args i32, num_args i32, result i32) -> i32
//
// where args points at num_args cells of [CellSize] bytes and result at one cell.
// The import of the memory declares a minimum of [MemoryMinPages] pages and no maximum.
// A module may hold data segments: active ones whose offset is exactly
// `global.get data_base`; the loader reserves their bytes, [DataAlign] aligned, before
// it instantiates the module. The texts of its errors stand in a custom section,
// [MessageSection], which only the host reads. Zero is returned for success, [ErrRaised] after
// [ImportRaise] or a failed import was called, [ErrStopped] when [ImportBudget] asked for it; a
// function that returns no code traps instead.
//
// The host trusts nothing that it reads in linear memory: what it must rely on (whether
// to stop, the texts of errors, what is allocated where, shapes and types of tensors) it keeps
// outside, and what kernels compute for it (results, shapes) it checks.
//
// Kernels of one device never run at the same time, so the areas below [ReservedBytes]
// need no lock.
//
// Code generators and the runtime import this package; it imports nothing.
package abi
