package wasmbin

import "fmt"

// FuncRef names a function of a module, imported or defined; it stays valid while more are added.
type FuncRef struct {
	imported bool
	index    int
}

// GlobalRef names a global of a module.
type GlobalRef struct {
	imported bool
	index    int
}

// Module is a WebAssembly module under construction. The zero value is an empty module.
type Module struct {
	types    []FuncType
	typeIDs  map[string]int
	imports  []importEntry
	impFuncs []funcImport
	impGlobs []globalDecl
	funcs    []*Func
	globals  []globalDecl
	exports  []export
	memory   *Limits
	data     []segment
	custom   []customSection
}

type importEntry struct {
	module, name string
	kind         byte // 0 function, 2 memory, 3 global
	typeID       int
	limits       Limits
	global       globalDecl
}

type funcImport struct {
	name string
	typ  FuncType
}

type globalDecl struct {
	name    string
	typ     ValType
	mutable bool
	init    int64 // defined integer globals only
}

type export struct {
	name string
	kind byte
	fn   FuncRef
	glob GlobalRef
}

type customSection struct {
	name string
	body []byte
}

type segment struct {
	base  GlobalRef
	based bool
	off   uint32
	bytes []byte
}

// Limits are the bounds of a memory in pages of 64 KiB; Max 0 means unbounded.
type Limits struct {
	Min, Max uint32
	Shared   bool
}

func (m *Module) typeID(t FuncType) int {
	k := t.key()
	if id, ok := m.typeIDs[k]; ok {
		return id
	}
	if m.typeIDs == nil {
		m.typeIDs = map[string]int{}
	}
	m.types = append(m.types, t)
	m.typeIDs[k] = len(m.types) - 1
	return len(m.types) - 1
}

// ImportFunc imports a function. Importing the same name again with the same type returns the
// first reference.
func (m *Module) ImportFunc(module, name string, t FuncType) FuncRef {
	id := m.typeID(t)
	n := 0
	for _, e := range m.imports {
		if e.kind != 0 {
			continue
		}
		if e.module == module && e.name == name && e.typeID == id {
			return FuncRef{imported: true, index: n}
		}
		n++
	}
	m.imports = append(m.imports, importEntry{module: module, name: name, typeID: id})
	m.impFuncs = append(m.impFuncs, funcImport{name: name, typ: t})
	return FuncRef{imported: true, index: n}
}

// ImportMemory imports the one memory of the module.
func (m *Module) ImportMemory(module, name string, l Limits) {
	m.imports = append(m.imports, importEntry{module: module, name: name, kind: 2, limits: l})
}

// ImportGlobal imports a global.
func (m *Module) ImportGlobal(module, name string, t ValType, mutable bool) GlobalRef {
	g := globalDecl{name: name, typ: t, mutable: mutable}
	m.imports = append(m.imports, importEntry{module: module, name: name, kind: 3, global: g})
	m.impGlobs = append(m.impGlobs, g)
	return GlobalRef{imported: true, index: len(m.impGlobs) - 1}
}

// AddGlobal defines an integer global.
func (m *Module) AddGlobal(name string, t ValType, mutable bool, init int64) GlobalRef {
	m.globals = append(m.globals, globalDecl{name: name, typ: t, mutable: mutable, init: init})
	return GlobalRef{index: len(m.globals) - 1}
}

// AddMemory defines the one memory of the module, for modules that import none.
func (m *Module) AddMemory(l Limits) { m.memory = &l }

// AddFunc starts a function. The name goes to the name section, so that stack traces show it,
// and to the printed text; it need not be unique.
func (m *Module) AddFunc(name string, t FuncType) *Func {
	f := newFunc(m, name, t, FuncRef{index: len(m.funcs)})
	m.funcs = append(m.funcs, f)
	return f
}

// ExportFunc exports a function. Names of exports must be unique; Encode reports one that is not.
func (m *Module) ExportFunc(name string, f FuncRef) {
	m.exports = append(m.exports, export{name: name, fn: f})
}

// ExportMemory exports the memory.
func (m *Module) ExportMemory(name string) {
	m.exports = append(m.exports, export{name: name, kind: 2})
}

// ExportGlobal exports a global.
func (m *Module) ExportGlobal(name string, g GlobalRef) {
	m.exports = append(m.exports, export{name: name, kind: 3, glob: g})
}

// AddData places bytes in memory at an absolute address when the module is instantiated.
func (m *Module) AddData(off uint32, b []byte) {
	m.data = append(m.data, segment{off: off, bytes: b})
}

// AddDataAt places bytes in memory at the address that an imported immutable i32 global holds,
// which makes the module independent of its position.
func (m *Module) AddDataAt(base GlobalRef, b []byte) {
	m.data = append(m.data, segment{base: base, based: true, bytes: b})
}

// AddCustom adds a custom section, which the machine ignores.
func (m *Module) AddCustom(name string, body []byte) {
	m.custom = append(m.custom, customSection{name, body})
}

// Funcs are the defined functions, in order.
func (m *Module) Funcs() []*Func { return m.funcs }

func (m *Module) funcType(r FuncRef) (FuncType, error) {
	if r.imported {
		if r.index < len(m.impFuncs) {
			return m.impFuncs[r.index].typ, nil
		}
	} else if r.index < len(m.funcs) {
		return m.funcs[r.index].Type, nil
	}
	return FuncType{}, fmt.Errorf("reference to a function that the module does not have")
}

func (m *Module) funcName(r FuncRef) string {
	if r.imported {
		return m.impFuncs[r.index].name
	}
	return m.funcs[r.index].Name
}

func (m *Module) global(r GlobalRef) globalDecl {
	if r.imported {
		return m.impGlobs[r.index]
	}
	return m.globals[r.index]
}

func (m *Module) funcIndex(r FuncRef) int {
	if r.imported {
		return r.index
	}
	return len(m.impFuncs) + r.index
}

func (m *Module) globalIndex(r GlobalRef) int {
	if r.imported {
		return r.index
	}
	return len(m.impGlobs) + r.index
}
