package compiler

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
)

// Entry is the Relax function that importers make of a model.
const Entry = "main"

// Names returns the names that a model has for the inputs and outputs of its entry, nil where it gives none. The names of
// parameters are identifiers made of them.
func Names(m *ir.Module) (inputs, outputs []string) {
	list := func(attr string) (names []string) {
		v, _ := m.Attrs().Get(attr)
		values, _ := v.([]ir.Value)
		for _, x := range values {
			names = append(names, fmt.Sprint(x))
		}
		return names
	}
	return list(ir.AttrInputNames), list(ir.AttrOutputNames)
}

// signatures describes the public functions of m: Relax functions, and PrimFuncs of which the modules have a kernel.
// Parameters and results of the entry are called what the model calls them.
func signatures(m *ir.Module, modules []runtime.Binary) []artifact.Signature {
	kernels := map[string]bool{}
	for _, b := range modules {
		for _, name := range b.Symbols {
			kernels[name] = true
		}
	}
	var out []artifact.Signature
	for gv, fn := range m.Funcs() {
		if p, ok := fn.(*tir.PrimFunc); ok && kernels[ir.GlobalSymbol(p)] && p.Attrs.Int(ir.AttrCallingConv, 0) == 0 {
			out = append(out, kernelSignature(p))
		}
		if f, ok := fn.(*relax.Function); ok && ir.GlobalSymbol(f) != "" {
			out = append(out, graphSignature(m, gv.Name, f))
		}
	}
	return out
}

// Signature describes a function of m by its name, as an artifact describes it; nil where there is none of that name. A PrimFunc must not be lowered.
func Signature(m *ir.Module, name string) *artifact.Signature {
	var sig artifact.Signature
	switch f := m.Lookup(name).(type) {
	case *relax.Function:
		sig = graphSignature(m, name, f)
	case *tir.PrimFunc:
		sig = kernelSignature(f)
		sig.Name = name
	default:
		return nil
	}
	return &sig
}

// graphSignature describes a Relax function of m.
func graphSignature(m *ir.Module, name string, f *relax.Function) artifact.Signature {
	sig := artifact.Signature{Name: name, Result: typeOf(f.Ret)}
	inputs, outputs := Names(m)
	for i, p := range f.Params {
		param := p.Name
		if name == Entry && i < len(inputs) {
			param = inputs[i]
		}
		sig.Params = append(sig.Params, artifact.Param{Name: param, Type: typeOf(p.SInfo)})
	}
	if name == Entry {
		sig.Outputs = outputs[:min(len(outputs), sig.Result.Count())]
	}
	return sig
}

// kernelSignature describes a public PrimFunc that is not lowered.
func kernelSignature(f *tir.PrimFunc) artifact.Signature {
	written := map[*tir.Var]bool{}
	ir.Walk(f.Body, func(n ir.Node) bool {
		if s, ok := n.(*tir.BufferStore); ok {
			written[s.Buffer.Data] = true
		}
		return true
	})
	sig := artifact.Signature{Name: ir.GlobalSymbol(f), Kernel: true, Result: artifact.Type{Kind: artifact.KindTuple}}
	for i, v := range f.Params {
		p := artifact.Param{Name: v.Name, Type: artifact.Type{Kind: artifact.KindPrim, DType: v.DType().String()}}
		if b := f.Buffers[i]; b != nil {
			rank := len(b.Shape)
			p = artifact.Param{Name: b.Name, Written: written[b.Data], Type: artifact.Type{
				Kind: artifact.KindTensor, DType: b.DType.String(), NDim: &rank, Shape: dimsOf(b.Shape),
			}}
		} else if v.DType().IsHandle() {
			p.Type = artifact.Type{Kind: artifact.KindObject}
		}
		if p.Written {
			sig.Outputs = append(sig.Outputs, p.Name)
			sig.Result.Fields = append(sig.Result.Fields, p.Type)
		}
		sig.Params = append(sig.Params, p)
	}
	return sig
}

// typeOf describes struct info as the runtime knows it.
func typeOf(s relax.StructInfo) artifact.Type {
	switch s := s.(type) {
	case *relax.TensorStructInfo:
		t := artifact.Type{Kind: artifact.KindTensor}
		if !s.DType.IsVoid() {
			t.DType = s.DType.String()
		}
		if s.NDim >= 0 {
			t.NDim = &s.NDim
		}
		if dims, ok := s.Dims(); ok {
			t.Shape = dimsOf(dims)
		}
		return t
	case *relax.ShapeStructInfo:
		t := artifact.Type{Kind: artifact.KindShape}
		if s.NDim >= 0 {
			t.NDim = &s.NDim
		}
		t.Shape = dimsOf(s.Values)
		return t
	case *relax.PrimStructInfo:
		return artifact.Type{Kind: artifact.KindPrim, DType: s.DType.String()}
	case *relax.TupleStructInfo:
		t := artifact.Type{Kind: artifact.KindTuple}
		for _, f := range s.Fields {
			t.Fields = append(t.Fields, typeOf(f))
		}
		return t
	case *relax.FuncStructInfo:
		return artifact.Type{Kind: artifact.KindFunc}
	}
	return artifact.Type{Kind: artifact.KindObject}
}

func dimsOf(values []tir.Expr) []artifact.Dim {
	var out []artifact.Dim
	for _, e := range values {
		if n, ok := tir.AsInt(e); ok {
			out = append(out, artifact.Dim{Value: n})
		} else {
			out = append(out, artifact.Dim{Expr: relax.FormatPrim(e)})
		}
	}
	return out
}
