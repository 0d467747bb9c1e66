package wasm

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/abi"
)

// data is the data segment of a module: strings and constants, each once.
type data struct {
	bytes   []byte
	strings map[string]int
	blobs   map[*ir.Blob]int
}

// str returns the offset of s with a zero byte after it.
func (d *data) str(s string) int {
	if at, ok := d.strings[s]; ok {
		return at
	}
	at := len(d.bytes)
	d.bytes = append(append(d.bytes, s...), 0)
	d.strings[s] = at
	return at
}

// blob returns the offset of the elements of b, aligned as tensors are.
func (d *data) blob(b *ir.Blob) int {
	if at, ok := d.blobs[b]; ok {
		return at
	}
	for len(d.bytes)%abi.DataAlign != 0 {
		d.bytes = append(d.bytes, 0)
	}
	at := len(d.bytes)
	d.bytes = append(d.bytes, b.Bytes()...)
	d.blobs[b] = at
	return at
}
