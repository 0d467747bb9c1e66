package wasm

import (
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// hostSig is the signature of a function that the runtime offers.
type hostSig struct {
	params []wasmbin.ValType
	result wasmbin.ValType
}

// hostFunc looks up a function of the host by its name.
func hostFunc(name string) (hostSig, bool) {
	s, ok := abi.Import(name)
	if !ok {
		return hostSig{}, false
	}
	var out hostSig
	for _, p := range s.Params {
		out.params = append(out.params, wasmbin.ValType(p))
	}
	if len(s.Results) > 0 {
		out.result = wasmbin.ValType(s.Results[0])
	}
	return out, true
}

// hostFunc imports a function of the host.
func (m *module) hostFunc(name string) wasmbin.FuncRef {
	s, _ := hostFunc(name)
	t := wasmbin.FuncType{Params: s.params}
	if s.result != wasmbin.None {
		t.Results = []wasmbin.ValType{s.result}
	}
	return m.bin.ImportFunc(abi.ImportModule, name, t)
}

// hostCall calls a math function of the host; its result depends on the arguments only.
func (g *gen) hostCall(name string, args ...*node) *node {
	s, _ := hostFunc(name)
	return g.pureCall(g.mod.hostFunc(name), s.result, args...)
}
