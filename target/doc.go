// Package target says what code is generated for: a kind of code generator, the device it
// serves, features, attributes and memory scopes, and the target of the host code around it.
//
// A target is written as a string, `wasm -mattr=+simd128`, or as JSON, and prints in one
// canonical form. Passes, schedules, code generators and the command line import it; it
// imports only runtime/dtype and the standard library, and knows no code generator: what a
// kind means is in the package of its generator.
package target
