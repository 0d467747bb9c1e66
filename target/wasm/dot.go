package wasm

import "github.com/irscope/irscope/target/wasm/wasmbin"

// MulPairs multiplies lanes of 16 bits and adds neighbors.
func (g *gen) MulPairs(x, y *node) *node { return g.op(wasmbin.I32x4DotI16x8S, x, y) }

// DotBytes is no instruction of WebAssembly: the relaxed one leaves open what it computes.
func (g *gen) DotBytes(_, _, _ *node) *node { return nil }
