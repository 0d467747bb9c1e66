package inproc

import (
	"reflect"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/run"
)

// DefaultReuse is the number of bytes that a Runner keeps of earlier runs unless it is told
// otherwise.
const DefaultReuse = 128 << 20

// kept is what is remembered under a key: an imported model, what a step left behind, or generated code.
type kept struct {
	model *driver.Model
	step  driver.Snapshot
	code  driver.Code
}

// memory holds models, modules and code by the hash of what made them. Their parts are functions,
// constants and programs: what modules share counts once, and for as long as one of them is kept.
type memory = lru.Shared[string, any, kept]

// newMemory returns a memory of at most limit bytes.
func newMemory(limit int64) *memory { return lru.NewShared[string, any, kept](limit, measure) }

// keepModel remembers an imported model.
func keepModel(mem *memory, m *driver.Model) {
	mem.Put(m.ID, kept{model: m}, perModule, parts(m.Module))
}

// steps is a memory as a run sees it, which keeps the texts of what it takes from it.
type steps struct {
	*memory
	sink run.Sink
}

// Step implements driver.Steps.
func (s steps) Step(key string) (driver.Snapshot, bool) {
	found, ok := s.Get(key)
	return found.step, ok
}

// PutStep implements driver.Steps.
func (s steps) PutStep(key string, snap driver.Snapshot) { keepStep(s.memory, key, snap) }

// DropStep implements driver.Steps.
func (s steps) DropStep(key string) { s.Drop(key) }

// Keep implements driver.Steps.
func (s steps) Keep(hashes []string) (bool, error) { return s.sink.Keep(hashes) }

// programs is a memory as a run sees it that looks for programs.
type programs struct{ *memory }

// Code implements driver.Programs.
func (p programs) Code(key string) (driver.Code, bool) {
	found, ok := p.Get(key)
	return found.code, ok
}

// PutCode implements driver.Programs.
func (p programs) PutCode(key string, c driver.Code) { keepCode(p.memory, key, c) }

// keepStep remembers what a step left behind.
func keepStep(mem *memory, key string, snap driver.Snapshot) {
	mem.Put(key, kept{step: snap}, perModule+perPart*int64(snap.Module.Len())+eventBytes(snap.Events), parts(snap.Module))
}

// keepCode remembers code. The constants of its program are those of its module; without one they count by themselves.
func keepCode(mem *memory, key string, c driver.Code) {
	bytes, held := int64(perModule), []any{c.Artifact}
	if c.Module == nil {
		for _, x := range c.Artifact.Exec.Consts {
			if x.Tensor != nil {
				bytes += int64(len(x.Tensor.Data))
			}
		}
	} else {
		bytes += perPart*int64(c.Module.Len()+len(c.Kernels)) + event.Event{Body: c.Body}.Size()
		held = append(held, parts(c.Module)...)
	}
	mem.Put(key, kept{code: c}, bytes, held)
}

// programBytes returns the bytes of a program without its constants.
func programBytes(a *artifact.Artifact) int64 {
	bytes := 8*int64(len(a.Exec.InstrData)+len(a.Exec.InstrOffset)) + perPart*int64(len(a.Exec.Consts))
	for _, m := range a.Modules {
		bytes += int64(len(m.Bytes))
	}
	return bytes
}

// Estimates of what is not measured: a module without its functions, an entry of its tables,
// a reference of one node to another, and where a node came from.
const (
	perModule = 2 << 10
	perPart   = 96
	perEdge   = 24
	perSpan   = 64
)

// parts lists the functions of a module.
func parts(m *ir.Module) []any {
	out := make([]any, 0, m.Len())
	for _, fn := range m.Funcs() {
		out = append(out, fn)
	}
	return out
}

// measure returns the bytes of a part: of a function its nodes, each once, and the constants
// that it holds; of a constant its elements; of a program its code. Versions of a function share nodes too, which
// count for each of them.
func measure(p any) (int64, []any) {
	switch p := p.(type) {
	case *ir.Blob:
		return int64(len(p.Stored())) + perPart, nil
	case *artifact.Artifact:
		return programBytes(p), nil
	}
	fn := p.(ir.Function)
	var holds []any
	bytes := int64(perPart)
	seen := map[ir.Node]bool{}
	blobs := map[*ir.Blob]bool{}
	ir.Walk(fn, func(n ir.Node) bool {
		bytes += perEdge
		if seen[n] {
			return false
		}
		seen[n] = true
		bytes += int64(reflect.TypeOf(n).Elem().Size())
		if n.Meta().Span != nil {
			bytes += perSpan
		}
		var blob *ir.Blob
		switch n := n.(type) {
		case *relax.Constant:
			blob = n.Data
		case *tir.AllocateConst:
			blob = n.Data
		}
		if blob != nil && !blobs[blob] {
			blobs[blob] = true
			holds = append(holds, blob)
		}
		return true
	})
	return bytes, holds
}

// eventBytes estimates what events hold.
func eventBytes(events []event.Event) int64 {
	n := int64(0)
	for _, e := range events {
		n += e.Size()
	}
	return n
}
