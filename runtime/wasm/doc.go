// Package wasm loads and runs kernel modules in WebAssembly, by wazero: a [Loader] translates
// modules, each once, and puts them on devices of package runtime. On each device the memory of the device
// is the linear memory of all modules there, and Go functions serve what kernels import: mathematics,
// workspaces, errors, and the question whether to stop.
//
// Whoever makes an engine imports this package and hands the loader to it. It is the only one that
// imports wazero, and imports no others of ours than runtime and runtime/abi.
package wasm
