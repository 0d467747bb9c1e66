// Package runtime runs generated kernels: devices with host memory, tensors and storages
// that live there, kernel modules of any format, and packed calls with Values as arguments.
//
// An [Engine] makes devices and has a [Loader] for each format of code, which whoever makes the
// engine hands to it. A [Device] owns a memory of up to 4 GiB that never moves, a heap in it, and
// the kernel modules loaded onto it. Tensors are uploaded once and stay until released;
// they, storages, tuples and closures are counted by reference (Retain, Release), as
// what they hold is not Go memory.
//
// Work on a device happens in a [Session], one at a time for each device, as on a stream:
// Begin waits for the device, End lets the next one in. A session whose context is
// canceled sets a flag that kernels poll. Devices are independent, so a server
// runs as many models side by side as it has devices; several executables may also share
// one. Close returns all memory of a device to the system.
//
// Everything may import this package and those below it: together they load and run a
// compiled artifact and know nothing of the compiler, of IR or of the web. It imports
// only packages below runtime and the standard library, and no engine of any format.
package runtime
