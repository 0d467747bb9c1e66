// Package compiler is the facade: it runs a pipeline on a module and makes a program of the
// result.
//
//	mod, err := onnx.Import(ctx, model, onnx.Options{})
//	out, err := compiler.Compile(ctx, compiler.Request{Module: mod, Target: target.Default()})
//	prog, err := out.Artifact.Open(ctx, engine, runtime.DeviceOptions{}, vm.Options{})
//
// It is the one package below compiler/ that knows code generators. It knows no instrument
// and no web: both watch a compilation through the instruments of the request.
package compiler
