package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
)

// splitCallTIRBuiltin is SplitCallTIRByPattern(patterns, fcodegen): fcodegen(matches) returns [source, how many of the matches it takes,
// buffers that it is called with].
func splitCallTIRBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args)+len(kwargs) < 2 {
		return registered(transform.SplitCallTIRByPattern).CallInternal(t, args, kwargs)
	}
	var list starlark.Value
	var fcodegen starlark.Callable
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "patterns", &list, "fcodegen", &fcodegen); err != nil {
		return nil, err
	}
	var patterns []*tir.PrimFunc
	if err := eachOf(list, func(v starlark.Value) error {
		f, err := asNode[*tir.PrimFunc](v, "a PrimFunc")
		patterns = append(patterns, f)
		return err
	}); err != nil {
		return nil, fmt.Errorf("SplitCallTIRByPattern: patterns: %w", err)
	}
	shown := *transform.SplitCallTIRByPattern
	shown.Options = nil
	return calling(&shown, []starlark.Value{fcodegen}, func(r *run) *pass.Pass {
		return transform.SplitCallTIRByPatternWith(patterns, func(matches []transform.TIRMatch) (transform.LibraryCode, error) {
			given := make([]starlark.Value, len(matches))
			for i, m := range matches {
				given[i] = matchResult(m)
			}
			v, err := r.call(fcodegen, starlark.NewList(given))
			if err != nil {
				return transform.LibraryCode{}, err
			}
			code, err := libraryCode(v)
			if err != nil {
				return code, fmt.Errorf("fcodegen: %w", err)
			}
			return code, nil
		})
	}), nil
}

// matchResult is TVM's MatchResult.
func matchResult(m transform.TIRMatch) starlark.Value {
	symbols, buffers := make([]starlark.Value, len(m.Symbols)), make([]starlark.Value, len(m.Buffers))
	for i, e := range m.Symbols {
		symbols[i] = starlark.None
		if e != nil {
			symbols[i] = &Node{e}
		}
	}
	for i, b := range m.Buffers {
		buffers[i] = &Node{b}
	}
	return starlarkstruct.FromStringDict(starlark.String("MatchResult"), starlark.StringDict{
		"pattern": &Node{m.Pattern}, "symbol_values": starlark.NewList(symbols), "matched_buffers": starlark.NewList(buffers),
	})
}

// libraryCode reads [source, count, buffers], or [source, 0] for nothing.
func libraryCode(v starlark.Value) (code transform.LibraryCode, err error) {
	l, ok := v.(starlark.Indexable)
	if !ok || l.Len() < 2 || l.Len() > 3 {
		return code, fmt.Errorf("expected [source, how many matches it computes, buffers that it takes], got %s", describe(v))
	}
	if code.Source, ok = starlark.AsString(l.Index(0)); !ok {
		return code, fmt.Errorf("the source is a string, got %s", describe(l.Index(0)))
	}
	if code.Matched, err = starlark.AsInt32(l.Index(1)); err != nil {
		return code, fmt.Errorf("how many matches it computes is a number, got %s", describe(l.Index(1)))
	}
	if l.Len() < 3 {
		if code.Matched != 0 {
			err = errors.New("the buffers that it takes are missing")
		}
		return code, err
	}
	code.Args = []*tir.Buffer{}
	return code, eachOf(l.Index(2), func(v starlark.Value) error {
		b, err := asNode[*tir.Buffer](v, "a buffer")
		code.Args = append(code.Args, b)
		return err
	})
}

// attachModulesBuiltin is AttachExternModules(extern_modules) with modules, or with their texts.
func attachModulesBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	list := argument(args, kwargs, "extern_modules")
	var modules []*ir.Module
	if list != nil && len(args)+len(kwargs) == 1 {
		texts := false
		if err := eachOf(list, func(v starlark.Value) error {
			switch v := v.(type) {
			case *Module:
				modules = append(modules, v.m)
			case starlark.String:
				texts = true
			default:
				return fmt.Errorf("expected modules, got %s", describe(v))
			}
			return nil
		}); err != nil {
			return nil, fmt.Errorf("AttachExternModules: extern_modules: %w", err)
		}
		if texts && len(modules) > 0 {
			return nil, errors.New("AttachExternModules: extern_modules are either modules or texts")
		}
	}
	if len(modules) == 0 {
		return registered(transform.AttachExternModules).CallInternal(t, args, kwargs)
	}
	shown := *transform.AttachExternModules
	shown.Options = nil
	return calling(&shown, nil, func(*run) *pass.Pass { return transform.AttachExternModulesWith(modules...) }), nil
}
