// Package native runs machine code in the memory of a device: code that the compiler wrote itself, as package asm encodes it, without cgo and without
// a library.
//
// # How it is kept safe
//
//   - Code is read by asm.Verify before a page of it can be executed: it touches only the sandbox of its call. No page is ever writable and executable.
//   - Kernels are leaves on the goroutine's stack: they push nothing and leave alone the registers of Go's runtime. So a fault in one looks to
//     the runtime like a call to a bad address, and debug.SetPanicOnFault makes it a panic, which Call returns as a [Fault].
//   - Memory is reserved with guards of 2 GiB on both sides ([Guard]), which every address that verified code can form falls into.
//
// A kernel cannot be interrupted: a collection waits for it. So callers give it work in pieces.
//
// Only Linux on amd64 is supported: elsewhere [Available] says so, and kernels run as WebAssembly. It imports asm and golang.org/x/sys/cpu.
package native
