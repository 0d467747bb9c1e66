package vm

import (
	"encoding/binary"
	"math"

	"github.com/irscope/irscope/runtime/dtype"
)

// codeMagic begins an encoded executable; its last byte is the version of the encoding.
const codeMagic = "irscVM\x00\x01"

// blobAlign is the alignment of tensors in the constants blob.
const blobAlign = 64

// onceBit marks the kind of a function that runs once. Programs that do not know it refuse the kind.
const onceBit = 1 << 8

func once(is bool) uint64 {
	if is {
		return onceBit
	}
	return 0
}

// Encode writes the executable as code and the data of its tensors as chunks of one blob:
// the tensors stand there in order, each at a multiple of 64 bytes. Chunks share the
// memory of the constants. Decode is the inverse.
func (e *Executable) Encode() (code []byte, blob [][]byte) {
	w := writer(codeMagic)
	w.uint(uint64(len(e.Funcs)))
	for _, f := range e.Funcs {
		w.uint(uint64(f.Kind) | once(f.Once))
		w.str(f.Name)
		for _, v := range []int64{f.Start, f.End, f.NumArgs, f.RegisterFileSize} {
			w.int(v)
		}
		w.uint(uint64(len(f.ParamNames)))
		for _, n := range f.ParamNames {
			w.str(n)
		}
	}
	var at uint64
	w.uint(uint64(len(e.Consts)))
	for _, c := range e.Consts {
		w = append(w, byte(c.Kind))
		switch c.Kind {
		case ConstTensor:
			w.dtype(c.Tensor.DType)
			w.ints(c.Tensor.Shape)
			if pad := (blobAlign - at%blobAlign) % blobAlign; pad > 0 {
				blob = append(blob, make([]byte, pad))
				at += pad
			}
			w.uint(at)
			w.uint(uint64(len(c.Tensor.Data)))
			blob = append(blob, c.Tensor.Data)
			at += uint64(len(c.Tensor.Data))
		case ConstSplat:
			w.dtype(c.Tensor.DType)
			w.ints(c.Tensor.Shape)
			w.str(string(c.Tensor.Data))
		case ConstShape:
			w.ints(c.Shape)
		case ConstString:
			w.str(c.Str)
		case ConstInt:
			w.int(c.Int)
		case ConstFloat:
			w.uint(math.Float64bits(c.Float))
		case ConstDType:
			w.dtype(c.DType)
		}
	}
	w.ints(e.InstrOffset)
	w.ints(e.InstrData)
	return w, blob
}

type writer []byte

func (w *writer) uint(v uint64) { *w = binary.AppendUvarint(*w, v) }
func (w *writer) int(v int64)   { *w = binary.AppendVarint(*w, v) }

func (w *writer) str(s string) {
	w.uint(uint64(len(s)))
	*w = append(*w, s...)
}

func (w *writer) ints(vs []int64) {
	w.uint(uint64(len(vs)))
	for _, v := range vs {
		w.int(v)
	}
}

func (w *writer) dtype(d dtype.DType) {
	*w = append(*w, byte(d.Code), d.Bits, byte(d.Lanes), byte(d.Lanes>>8))
}
