package inproc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web/catalog"
)

// batches are the values with which models with a symbolic dimension run.
var batches = [...]int64{1, 3, 8}

// Gallery returns a built-in model by name, for Config.
func Gallery(name string) ([]byte, bool) {
	m, ok := gallery.Lookup(name)
	return m.Bytes, ok
}

// Catalog describes what the compiler offers: the gallery, the targets, the registry of
// passes and the pipelines. It imports each model of the gallery once.
func Catalog(ctx context.Context) (catalog.Catalog, error) {
	var out catalog.Catalog
	for _, m := range gallery.Models() {
		described, err := describeModel(ctx, m)
		if err != nil {
			return out, fmt.Errorf("describe model %s of the gallery: %w", m.Name, err)
		}
		out.Models = append(out.Models, described)
	}
	for _, k := range compiler.RunKinds() {
		out.Targets = append(out.Targets, catalog.Target{Name: k.Name, Doc: k.Doc, StandIn: !k.Code})
	}
	for _, key := range slices.Sorted(maps.Keys(configs())) {
		out.Config = append(out.Config, configs()[key])
	}
	for _, p := range pipeline.All() {
		out.Passes = append(out.Passes, DescribePass(p))
	}
	var err error
	if out.Scripts, err = describeScripts(ctx); err != nil {
		return out, err
	}
	for _, name := range pipeline.Names() {
		for _, t := range target.Kinds() {
			pl, err := pipeline.Lookup(name, target.Of(t.Name))
			if err != nil {
				return out, err
			}
			out.Pipelines = append(out.Pipelines, catalog.Pipeline{Name: name, Target: t.Name, Doc: pl.Doc, Steps: instruments.Plan(pl)})
		}
	}
	return out, nil
}

// configs describes the options of the pass context by key.
var configs = sync.OnceValue(func() map[string]catalog.Option {
	out := map[string]catalog.Option{}
	for key, c := range pass.ListConfigs() {
		out[key] = catalog.Option{Key: key, Type: c["type"], Default: plain(pass.Config{}.Get(key)), Doc: c["doc"]}
	}
	return out
})

// DescribePass describes a pass of the registry.
func DescribePass(p *pass.Pass) catalog.Pass {
	d := catalog.Pass{
		Name: p.Name, Level: p.Level, Role: instruments.Role(p), Kind: event.PassKind(p.Kind.String()), IR: "relax",
		Doc: p.Doc, Without: p.Without, Required: p.Required,
	}
	if p.Kind == pass.PrimFunc || pipeline.OnLoops(p.Name) {
		d.IR = "tir"
	}
	for _, key := range p.Config {
		d.Config = append(d.Config, configs()[key])
	}
	for _, o := range p.Options {
		opt := catalog.PassOption{Name: o.Name, Type: o.Type(), Default: plain(ir.Normalize(pipeline.Held(p).Arg(o.Name))), Doc: o.Doc}
		for _, v := range o.Choices {
			opt.Choices = append(opt.Choices, plain(ir.Normalize(v)))
		}
		d.Options = append(d.Options, opt)
	}
	for _, c := range pipeline.Constraints() {
		if c.After == p.Name {
			d.Before = append(d.Before, catalog.Order{Pass: c.Before, Why: c.Why, Needs: c.Needs})
		}
		if c.Before == p.Name {
			d.After = append(d.After, catalog.Order{Pass: c.After, Why: c.Why, Needs: c.Needs})
		}
	}
	return d
}

// plain turns a value of the compiler into one that JSON can hold.
func plain(v ir.Value) any {
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return v
	case *ir.Attrs:
		out := make(map[string]any, v.Len())
		for i := range v.Len() {
			key, x := v.At(i)
			out[key] = plain(x)
		}
		return out
	case []ir.Value:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = plain(x)
		}
		return out
	}
	return fmt.Sprint(v)
}

// describeModel describes a model of the gallery by what the importer makes of it.
func describeModel(ctx context.Context, m gallery.Model) (catalog.Model, error) {
	out := catalog.Model{Name: m.Name, Title: m.Title, Doc: m.Description, Inputs: []catalog.Input{}}
	file, err := onnxpb.Read(m.Bytes, onnxpb.Options{})
	if err != nil {
		return out, err
	}
	mod, err := onnx.Import(ctx, file, onnx.Options{})
	if err != nil {
		return out, err
	}
	metrics := instruments.NewMeter().Measure(mod)
	out.Ops, out.Functions = metrics.Ops, metrics.Functions
	main, ok := mod.Lookup(compiler.Entry).(*relax.Function)
	if !ok {
		return out, fmt.Errorf("it has no Relax function %s", compiler.Entry)
	}
	for _, p := range main.Params {
		in := catalog.Input{Name: p.Name, Shape: []any{}}
		if t, ok := p.SInfo.(*relax.TensorStructInfo); ok {
			in.DType = t.DType.String()
			dims, _ := t.Dims()
			for _, d := range dims {
				if n, ok := tir.AsInt(d); ok {
					in.Shape = append(in.Shape, n)
				} else {
					in.Shape = append(in.Shape, relax.FormatPrim(d))
				}
			}
		}
		out.Inputs = append(out.Inputs, in)
	}
	ir.Walk(main, func(n ir.Node) bool {
		if c, ok := n.(*relax.Constant); ok {
			out.Parameters += c.Data.NumElements()
		}
		return true
	})
	if m.Symbolic != "" {
		for _, n := range batches {
			out.Bindings = append(out.Bindings, map[string]int64{m.Symbolic: n})
		}
	}
	return out, nil
}
