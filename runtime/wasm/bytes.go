package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/irscope/irscope/runtime/abi"
)

// The few pieces of the WebAssembly binary format (core specification 2.0, section 5)
// that loading needs: writing modules without code, and finding data segments.

const (
	sectionCustom = 0
	sectionType   = 1
	sectionImport = 2
	sectionTable  = 4
	sectionMemory = 5
	sectionGlobal = 6
	sectionExport = 7
	sectionStart  = 8
	sectionData   = 11

	externFunc   = 0
	externMemory = 2
	externGlobal = 3

	opI32Const  = 0x41
	opGlobalGet = 0x23
	opEnd       = 0x0b
)

var wasmHeader = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

func uleb(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// sleb appends v in signed LEB128.
func sleb(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func wasmName(b []byte, s string) []byte { return append(uleb(b, uint64(len(s))), s...) }

func section(b []byte, id byte, items [][]byte) []byte {
	body := uleb(nil, uint64(len(items)))
	for _, it := range items {
		body = append(body, it...)
	}
	return append(uleb(append(b, id), uint64(len(body))), body...)
}

// memoryModule is a module that defines and exports a memory of min to max pages.
func memoryModule(min, max uint64) []byte {
	b := append([]byte{}, wasmHeader...)
	b = section(b, sectionMemory, [][]byte{uleb(uleb([]byte{1}, min), max)})
	return section(b, sectionExport, [][]byte{append(wasmName(nil, abi.ImportMemory), externMemory, 0)})
}

// Names of the modules that an env module imports from.
const (
	memModule  = "memory"
	hostModule = "host"
)

// envModule is the module that kernels import: it passes the memory of memModule and the
// named functions of hostModule through and adds the global data_base.
func envModule(funcs []string, dataBase uint32) ([]byte, error) {
	var types, imports, exports [][]byte
	imports = append(imports, append(wasmName(wasmName(nil, memModule), abi.ImportMemory), externMemory, 0, 0))
	exports = append(exports,
		append(wasmName(nil, abi.ImportMemory), externMemory, 0),
		append(wasmName(nil, abi.ImportDataBase), externGlobal, 0))
	for i, f := range funcs {
		sig, ok := abi.Import(f)
		if !ok {
			return nil, fmt.Errorf("unknown import %s.%s", abi.ImportModule, f)
		}
		types = append(types, funcType(sig))
		imports = append(imports, uleb(append(wasmName(wasmName(nil, hostModule), f), externFunc), uint64(i)))
		exports = append(exports, uleb(append(wasmName(nil, f), externFunc), uint64(i)))
	}
	b := append([]byte{}, wasmHeader...)
	b = section(b, sectionType, types)
	b = section(b, sectionImport, imports)
	b = section(b, sectionGlobal, [][]byte{append(sleb([]byte{byte(abi.I32), 0, opI32Const}, int64(int32(dataBase))), opEnd)})
	return section(b, sectionExport, exports), nil
}

func funcType(sig abi.Signature) []byte {
	b := uleb([]byte{0x60}, uint64(len(sig.Params)))
	for _, p := range sig.Params {
		b = append(b, byte(p))
	}
	b = uleb(b, uint64(len(sig.Results)))
	for _, r := range sig.Results {
		b = append(b, byte(r))
	}
	return b
}

var errShortModule = errors.New("a section ends beyond the module")

// outline is what the loader must know of a module before wazero instantiates it.
type outline struct {
	data                 uint64 // bytes that active data segments cover from data_base up
	memory, table, start bool   // whether the module defines these
	messages             []abi.Message
}

// inspect reads the outline of a module. A data segment at another place than data_base is
// an error: it would overwrite what others have on the device.
func inspect(wasm []byte) (outline, error) {
	r := reader{b: wasm[min(len(wasm), len(wasmHeader)):]}
	var o outline
	for len(r.b) > 0 && r.err == nil {
		id := r.byte()
		body := reader{b: r.bytes(r.uleb())}
		if r.err != nil {
			break
		}
		if id == sectionCustom {
			if name := string(body.bytes(body.uleb())); body.err == nil && name == abi.MessageSection {
				var err error
				if o.messages, err = abi.DecodeMessages(body.b); err != nil {
					return outline{}, err
				}
			}
			continue
		}
		if id != sectionData {
			o.memory = o.memory || id == sectionMemory
			o.table = o.table || id == sectionTable
			o.start = o.start || id == sectionStart
			continue
		}
		n := body.uleb()
		for i := uint64(0); i < n && body.err == nil; i++ {
			switch flag := body.uleb(); flag {
			case 0:
				if op := body.byte(); op != opGlobalGet && body.err == nil {
					return outline{}, fmt.Errorf("data segment %d: its offset is not global.get %s", i, abi.ImportDataBase)
				}
				body.uleb()
				if end := body.byte(); end != opEnd && body.err == nil {
					return outline{}, fmt.Errorf("data segment %d: its offset is not global.get %s alone", i, abi.ImportDataBase)
				}
				o.data = max(o.data, uint64(len(body.bytes(body.uleb()))))
			case 1:
				body.bytes(body.uleb())
			default:
				return outline{}, fmt.Errorf("data segment %d: kind %d is not supported", i, flag)
			}
		}
		if body.err != nil {
			return outline{}, body.err
		}
	}
	return o, r.err
}

// reader reads the binary format; after the first error it yields zeros.
type reader struct {
	b   []byte
	err error
}

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) bytes(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.b)) {
		r.err = errShortModule
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) uleb() uint64 {
	v, n := binary.Uvarint(r.b)
	if r.err != nil || n <= 0 {
		r.err = errShortModule
		return 0
	}
	r.b = r.b[n:]
	return v
}
