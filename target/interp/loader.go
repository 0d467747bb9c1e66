package interp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/target"
)

// Loader is the runtime.Loader of the modules that Build makes.
type Loader struct{}

// NewLoader returns a loader.
func NewLoader() *Loader { return &Loader{} }

// Format implements runtime.Loader.
func (*Loader) Format() string { return Format }

// PtrBits implements runtime.Loader: arguments are handed over as values, descriptors are not read.
func (*Loader) PtrBits() int { return 0 }

// Close implements runtime.Loader.
func (*Loader) Close() error { return nil }

// limits bound what one function of a module may be.
func limits(bytes int) irjson.Limits {
	l := irjson.DefaultLimits()
	l.FileBytes, l.BlobBytes, l.StringBytes = int64(bytes), int64(bytes), bytes
	return l
}

// Prepare reads a module, verifies its functions and compiles those with a symbol for the interpreter.
func (*Loader) Prepare(ctx context.Context, module []byte) (runtime.Code, error) {
	funcs, err := read(ctx, module)
	if err != nil {
		return nil, fmt.Errorf("reading a kernel module of %d bytes: %w", len(module), err)
	}
	c := &code{}
	lookup := func(name string) *tir.PrimFunc { return funcs[name] }
	for _, name := range slices.Sorted(maps.Keys(funcs)) {
		symbol := ir.GlobalSymbol(funcs[name])
		if symbol == "" {
			continue
		}
		if c.entries == nil {
			c.entries = map[string]*entry{}
		}
		if c.entries[symbol] != nil {
			return nil, fmt.Errorf("reading a kernel module: two kernels are named %q", symbol)
		}
		p, err := interp.Compile(funcs[name], &interp.Options{Name: symbol, Lookup: lookup, MaxSteps: math.MaxInt64, Barriers: barriersOf(funcs[name])})
		if err != nil {
			return nil, fmt.Errorf("preparing a kernel for the interpreter: %w", err)
		}
		c.entries[symbol] = &entry{p}
		c.names = append(c.names, symbol)
	}
	slices.Sort(c.names)
	return c, nil
}

// barriersOf returns what the target of a function says of barriers.
func barriersOf(f *tir.PrimFunc) interp.Barriers {
	t, err := target.Parse(f.Attrs.Str(ir.AttrTarget, ""))
	if err != nil || t.Kind().Name != kind {
		return interp.BarriersAuto // of no target, or of one whose code the interpreter stands in for
	}
	text, _ := t.Attr("barriers").(string)
	return interp.BarriersOf(text)
}

// read returns the functions of a module by name.
func read(ctx context.Context, module []byte) (map[string]*tir.PrimFunc, error) {
	rest, ok := bytes.CutPrefix(module, []byte(magic))
	if !ok {
		return nil, errors.New("it is not a module of the format " + Format)
	}
	n, size := binary.Uvarint(rest)
	if size <= 0 || n > uint64(len(rest)) {
		return nil, errors.New("its number of functions is missing")
	}
	rest = rest[size:]
	part := func() ([]byte, error) {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n > uint64(len(rest)-size) {
			return nil, errors.New("it is truncated")
		}
		p := rest[size : size+int(n)]
		rest = rest[size+int(n):]
		return p, nil
	}
	funcs := map[string]*tir.PrimFunc{}
	for range n {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w", runtime.ErrStopped, context.Cause(ctx))
		}
		name, err := part()
		if err != nil {
			return nil, err
		}
		body, err := part()
		if err != nil {
			return nil, err
		}
		f, err := function(string(name), body)
		if err != nil {
			return nil, err
		}
		if funcs[string(name)] != nil {
			return nil, fmt.Errorf("two functions are named %q", name)
		}
		funcs[string(name)] = f
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes follow its last function", len(rest))
	}
	return funcs, nil
}

// function reads and verifies one function.
func function(name string, body []byte) (*tir.PrimFunc, error) {
	root, err := irjson.Load(bytes.NewReader(body), limits(len(body)))
	if err != nil {
		return nil, fmt.Errorf("function %q: %w", name, err)
	}
	f, ok := root.(*tir.PrimFunc)
	if !ok {
		return nil, fmt.Errorf("function %q is a %T, expected a PrimFunc", name, root)
	}
	for _, d := range tir.Verify(name, f) {
		if d.Severity == ir.Error {
			return nil, fmt.Errorf("function %q: %s", name, d)
		}
	}
	return f, nil
}

// code is a module that is ready to run: programs hold nothing of a device.
type code struct {
	names   []string
	entries map[string]*entry
}

// Release implements runtime.Code.
func (*code) Release() {}

// Load implements runtime.Code.
func (c *code) Load(*runtime.Session) (runtime.Library, error) { return c, nil }

// Names implements runtime.Library.
func (c *code) Names() []string { return c.names }

// Entry implements runtime.Library.
func (c *code) Entry(name string) runtime.Entry {
	if e := c.entries[name]; e != nil {
		return e
	}
	return nil
}

// Close implements runtime.Library.
func (*code) Close() error { return nil }
