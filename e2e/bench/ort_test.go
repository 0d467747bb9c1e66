package bench

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/e2e/fixture/node"
	"github.com/irscope/irscope/instruments/roofline"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// eachRound is how often a model runs in a round; the shortest counts.
const eachRound = 3

// other is a program that runs a model in a process of its own.
type other struct {
	*node.Process
	dir string // what it wrote its outputs to, if anything
}

// startOther starts a script of testdata in a folder.
func startOther(b testing.TB, folder, script string, args ...string) *other {
	b.Helper()
	process, err := node.Start(folder, filepath.Join("testdata", script), os.Stderr, args...)
	must(b, err)
	b.Cleanup(process.Stop)
	if line, _ := process.Line(); line != "ready" {
		b.Fatalf("%s does not run the model", script)
	}
	return &other{Process: process}
}

// startONNXRuntime loads a model in an npm package of a folder, with inputs.
func startONNXRuntime(b *testing.B, folder, pkg, model string, names []string, args []*tensor.Tensor) *other {
	b.Helper()
	var list []stored
	dir, outputs := b.TempDir(), b.TempDir()
	for i, a := range args {
		file := filepath.Join(dir, strconv.Itoa(i))
		must(b, os.WriteFile(file, a.Data, 0o600))
		list = append(list, stored{names[i], a.DType.String(), a.Shape, file})
	}
	data, err := json.Marshal(list)
	must(b, err)
	inputs := filepath.Join(dir, "inputs.json")
	must(b, os.WriteFile(inputs, data, 0o600))
	o := startOther(b, folder, "ort.cjs", pkg, model, inputs, outputs)
	o.dir = outputs
	return o
}

// stored is a tensor whose elements are in a file.
type stored struct {
	Name string  `json:"name"`
	Type string  `json:"type"`
	Dims []int64 `json:"dims"`
	File string  `json:"file"`
}

// outputs reads what ONNX Runtime's first run gave.
func (o *other) outputs(b *testing.B) []*tensor.Tensor {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(o.dir, "outputs.json"))
	must(b, err)
	var list []stored
	must(b, json.Unmarshal(data, &list))
	out := make([]*tensor.Tensor, len(list))
	for i, s := range list {
		dt, err := dtype.Parse(s.Type)
		must(b, err)
		data, err := os.ReadFile(s.File)
		must(b, err)
		out[i], err = tensor.FromBytes(dt, s.Dims, data)
		must(b, err)
	}
	return out
}

// round returns the shortest time of some runs in milliseconds.
func (o *other) round(b *testing.B) float64 {
	b.Helper()
	answer, err := o.Ask(strconv.Itoa(eachRound))
	must(b, err)
	ms, err := strconv.ParseFloat(strings.TrimSpace(answer), 64)
	must(b, err)
	return ms
}

// onnxRuntimeAndX86 returns the folder with ONNX Runtime and the target of this machine; without either the benchmark is skipped.
func onnxRuntimeAndX86(b *testing.B) (folder string, x86 target.Target) {
	b.Helper()
	if folder = os.Getenv("ONNXRUNTIME_NODE"); folder == "" {
		b.Skip("ONNXRUNTIME_NODE does not name a folder with the npm package onnxruntime-node")
	}
	x86, err := compiler.ForMachine(target.Of("x86"))
	if err != nil {
		b.Skip(err)
	}
	return folder, x86
}

// besideONNXRuntime runs a model as machine code and in ONNX Runtime, one after the other in each round, and reports medians and their ratio.
func besideONNXRuntime(b *testing.B, folder string, model []byte, x86 target.Target) {
	b.Helper()
	prog, names, args := programFor(b, model, x86)
	race(b, folder, model, prog, names, args)
}

// race is besideONNXRuntime for a model that is compiled. It returns what ONNX Runtime computes.
func race(b *testing.B, folder string, model []byte, prog *artifact.Program, names []string, args []*tensor.Tensor) []*tensor.Tensor {
	b.Helper()
	path := filepath.Join(b.TempDir(), "model.onnx")
	must(b, os.WriteFile(path, model, 0o600))
	ort := startONNXRuntime(b, folder, "onnxruntime-node", path, names, args)
	goruntime.GC() // a process that only runs has no garbage of a compilation, behind which results would lie in pages that nobody has touched
	var theirs, ours []float64
	for b.Loop() {
		theirs, ours = append(theirs, ort.round(b)), append(ours, roundOf(b, prog, args))
	}
	b.ReportMetric(median(theirs), "ort-ms")
	b.ReportMetric(median(ours), "x86-ms")
	b.ReportMetric(median(ours)/median(theirs), "x86/ort")
	return ort.outputs(b)
}

// BenchmarkONNXRuntime runs the light models and the trained ones on one thread as machine code, as WebAssembly, and in ONNX Runtime, one after the other in each round, and prints
// medians and ratios of processor time, which other processes disturb least. The metric yardstick is the rate of independent multiply-adds in the same run, the limit of all kernels.
// ONNXRUNTIME_NODE names a folder in which the npm package onnxruntime-node is installed:
//
//	npm install --prefix DIR --ignore-scripts onnxruntime-node
//	ONNXRUNTIME_NODE=DIR go test -run '^$' -bench ONNXRuntime -benchtime 10x ./e2e/bench
func BenchmarkONNXRuntime(b *testing.B) {
	folder, x86 := onnxRuntimeAndX86(b)
	eng := compiler.NewEngine()
	defer eng.Close()
	limit, err := roofline.Measure(b.Context(), eng, x86)
	must(b, err)
	for _, c := range slices.Concat(onnxtest.Light(b), onnxtest.Real(b)) {
		b.Run(c.Name, func(b *testing.B) {
			data, err := os.ReadFile(c.Path) // a light model as it is, with weights that are all the same
			must(b, err)
			args, err := onnxtest.Tensors(c.Sets[0].Inputs)
			must(b, err)
			targets := []target.Target{x86, target.Default()}
			progs, rounds := make([]*artifact.Program, len(targets)), make([][]float64, len(targets)+1)
			var names []string
			for i, t := range targets {
				progs[i], names, _ = programFor(b, data, t)
			}
			ort := startONNXRuntime(b, folder, "onnxruntime-node", c.Path, names, args)
			for b.Loop() {
				rounds[0] = append(rounds[0], ort.round(b))
				for i, p := range progs {
					rounds[i+1] = append(rounds[i+1], roundOf(b, p, args))
				}
			}
			base := median(rounds[0])
			b.ReportMetric(base, "ort-ms")
			for i, name := range []string{"x86", "wasm"} {
				b.ReportMetric(median(rounds[i+1]), name+"-ms")
				b.ReportMetric(median(rounds[i+1])/base, name+"/ort")
			}
			b.ReportMetric(limit.Flops/1e9, "yardstick-GFLOP/s")
		})
	}
}

// roundOf is other.round for a program.
func roundOf(b *testing.B, p *artifact.Program, args []*tensor.Tensor) float64 {
	b.Helper()
	best := math.Inf(1)
	for range eachRound {
		start := processTime()
		_, err := p.Run(b.Context(), "main", args...)
		must(b, err)
		best = min(best, float64((processTime()-start).Nanoseconds())/1e6)
	}
	return best
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
