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
// # Kernels of a module
//
// An [Object] is a module as a code generator writes it, and a [Loader] the runtime.Loader of objects. The kernels of an object run on the devices of package
// runtime beside those of other formats: they read the cells, descriptors and data that package abi describes in the memory of the device. What only the host can do, a
// kernel requests by returning: it keeps what it needs in its frame, and is entered again at an entry that it names (StatusAlloc and others).
//
// A kernel cannot be interrupted: a collection waits for it, and so does whoever cancels a run. So kernels count down a budget and request a poll when it is used up.
//
// Only Linux on amd64 is supported: elsewhere [Available] says so, and kernels run as WebAssembly. It imports runtime, its abi, asm, and golang.org/x/sys.
package native
