package interp

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/irjson"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/target/codegen"
)

// kind is the name of the targets that the package serves.
const kind = "interp"

// Format is the name of the format of its modules: magic, the number of functions, and for each its name
// and the function as package irjson writes it, both with their length before them (varints).
const Format = "tir"

const magic = "irscope-tir\x00"

// language is that of TVMScript, in which kernels are printed.
const language = "tvmscript"

// Build is the codegen.Build of the interpreter. It also takes functions for kinds of target that no code is generated for, GPUs for one, with those of
// the host that launch them: the interpreter stands in for both.
func Build(ctx context.Context, funcs []codegen.Func, t target.Target) (*codegen.Library, error) {
	if t.IsZero() || t.Kind().Code && t.Kind().Name != kind {
		return nil, fmt.Errorf("code generator interp cannot generate code for target %q", t)
	}
	seen := map[string]bool{}
	lib := &codegen.Library{Format: Format, Bytes: binary.AppendUvarint([]byte(magic), uint64(len(funcs)))}
	for _, f := range funcs {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("target interp: %w", context.Cause(ctx))
		}
		symbol := ir.GlobalSymbol(f.Prim)
		for _, n := range []string{f.Name, symbol} {
			if n != "" && seen[n] && n != f.Name {
				return nil, fmt.Errorf("target interp: two functions are named %q", n)
			}
		}
		seen[f.Name], seen[symbol] = true, true
		var body bytes.Buffer
		if err := irjson.Save(&body, f.Prim, irjson.Options{Blobs: irjson.Raw}); err != nil {
			return nil, fmt.Errorf("target interp: function %s: %w", f.Name, err)
		}
		for _, part := range [][]byte{[]byte(f.Name), body.Bytes()} {
			lib.Bytes = append(binary.AppendUvarint(lib.Bytes, uint64(len(part))), part...)
		}
		lib.Kernels = append(lib.Kernels, codegen.Kernel{
			Name: f.Name, Symbol: symbol, Bytes: body.Len(), Language: language, Text: func() string { return text(f.Name, f.Prim) },
		})
	}
	return lib, nil
}

func text(name string, f *tir.PrimFunc) string {
	return script.Function(name, f, script.Options{}).Source
}
