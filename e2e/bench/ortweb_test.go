package bench

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/abi"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	wasmloader "github.com/irscope/irscope/runtime/wasm"
	"github.com/irscope/irscope/target"
)

// BenchmarkONNXRuntimeWeb is BenchmarkONNXRuntime for WebAssembly: the models on one thread in wazero, as the server runs them, in the engine of Node.js, V8, to which the kernels
// of a run are given with their memory, and in ONNX Runtime there. ONNXRUNTIME_WEB names a folder in which the npm package onnxruntime-web is installed:
//
//	npm install --prefix DIR --ignore-scripts onnxruntime-web@1.30.0
//	ONNXRUNTIME_WEB=DIR go test -run '^$' -bench ONNXRuntimeWeb -benchtime 5x ./e2e/bench
func BenchmarkONNXRuntimeWeb(b *testing.B) {
	folder := os.Getenv("ONNXRUNTIME_WEB")
	if folder == "" {
		b.Skip("ONNXRUNTIME_WEB does not name a folder with the npm package onnxruntime-web")
	}
	for _, c := range slices.Concat(onnxtest.Light(b), onnxtest.Real(b)) {
		b.Run(c.Name, func(b *testing.B) {
			data, err := os.ReadFile(c.Path)
			must(b, err)
			args, err := onnxtest.Tensors(c.Sets[0].Inputs)
			must(b, err)
			res, err := compiler.Compile(b.Context(), compiler.Request{Module: importModel(b, data), Target: target.Default()})
			must(b, err)
			names, _ := inputsOf(b, res)
			prog, rec := loadRecorded(b, res)
			v8 := startOther(b, b.TempDir(), "replay.cjs", rec.save(b, prog, args))
			ort := startONNXRuntime(b, folder, "onnxruntime-web", c.Path, names, args)
			var theirs, inV8, inWazero []float64
			for b.Loop() {
				theirs = append(theirs, ort.round(b))
				inV8 = append(inV8, v8.round(b))
				inWazero = append(inWazero, roundOf(b, prog, args))
			}
			base := median(theirs)
			b.ReportMetric(base, "ort-ms")
			for name, times := range map[string][]float64{"v8": inV8, "wazero": inWazero} {
				b.ReportMetric(median(times), name+"-ms")
				b.ReportMetric(median(times)/base, name+"/ort")
			}
		})
	}
}

// recorder is the loader of WebAssembly, which writes down what kernels a run calls.
type recorder struct {
	runtime.Loader
	on    bool
	code  []byte
	image []byte // the memory before the first of the calls
	Calls []recordedCall
	// Results is what the tensors of the last call hold after it, as a hash.
	Results string
}

// recordedCall is a call of a kernel. Cells are its arguments as they lie in memory, Parts the descriptors of tensors among them, by address; Tensors are addresses and lengths of their elements.
type recordedCall struct {
	Kernel  string
	Args    int
	Cells   []byte
	Parts   map[uint32][]byte
	Tensors [][2]uint32
}

// loadRecorded is load with a recorder.
func loadRecorded(b *testing.B, res *compiler.Result) (*artifact.Program, *recorder) {
	b.Helper()
	rec := &recorder{Loader: wasmloader.NewLoader(wasmloader.Options{})}
	eng := runtime.NewEngine(rec)
	prog, err := res.Artifact.Open(b.Context(), eng, runtime.DeviceOptions{}, vm.Options{})
	must(b, err)
	b.Cleanup(func() {
		must(b, prog.Close())
		must(b, eng.Close())
	})
	return prog, rec
}

// save records a run and writes it to a folder, whose name it returns.
func (r *recorder) save(b *testing.B, prog *artifact.Program, args []*tensor.Tensor) string {
	b.Helper()
	for _, r.on = range []bool{false, true} { // the first run may do what later ones need not
		_, err := prog.Run(b.Context(), "main", args...)
		must(b, err)
	}
	r.on = false
	dir := b.TempDir()
	calls, err := json.Marshal(map[string]any{"calls": r.Calls, "results": r.Results, "args": abi.ArgsAddr, "result": abi.ResultAddr, "page": abi.PageSize})
	must(b, err)
	for name, data := range map[string][]byte{"calls.json": calls, "module.wasm": r.code, "memory": r.image} {
		must(b, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	r.image, r.Calls = nil, nil
	return dir
}

// Prepare implements runtime.Loader.
func (r *recorder) Prepare(ctx context.Context, code []byte) (runtime.Code, error) {
	c, err := r.Loader.Prepare(ctx, code)
	r.code = code // an artifact has one module of a format
	return recordedCode{c, r}, err
}

type recordedCode struct {
	runtime.Code
	rec *recorder
}

// Load implements runtime.Code.
func (c recordedCode) Load(s *runtime.Session) (runtime.Library, error) {
	lib, err := c.Code.Load(s)
	return recordedLibrary{lib, c.rec}, err
}

type recordedLibrary struct {
	runtime.Library
	rec *recorder
}

// Entry implements runtime.Library.
func (l recordedLibrary) Entry(name string) runtime.Entry {
	if e := l.Library.Entry(name); e != nil {
		return recordedEntry{e, name, l.rec}
	}
	return nil
}

type recordedEntry struct {
	runtime.Entry
	name string
	rec  *recorder
}

// Call implements runtime.Entry.
func (e recordedEntry) Call(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	mem := s.Device().Memory()
	if e.rec.on && e.rec.image == nil {
		e.rec.image = slices.Clone(mem[:s.Device().Stats().Grown])
	}
	v, err := e.Entry.Call(s, args)
	if !e.rec.on || err != nil {
		return v, err
	}
	c := recordedCall{Kernel: e.name, Args: len(args), Parts: map[uint32][]byte{}, Cells: slices.Clone(mem[abi.ArgsAddr:][:len(args)*abi.CellSize])}
	sum := sha256.New()
	for i := range args {
		cell := c.Cells[i*abi.CellSize:]
		if binary.LittleEndian.Uint32(cell) != abi.TypeDLTensorPtr {
			continue
		}
		at := binary.LittleEndian.Uint32(cell[abi.CellValue:])
		desc := slices.Clone(mem[at:][:abi.DLTensorSize])
		c.Parts[at] = desc
		bytes := uint32(desc[abi.DLTensorTypeBits]+7) / 8
		shape := binary.LittleEndian.Uint32(desc[abi.DLTensorShape:])
		if n := binary.LittleEndian.Uint32(desc[abi.DLTensorNDim:]); n > 0 {
			c.Parts[shape] = slices.Clone(mem[shape:][:8*n])
			for k := range n {
				bytes *= binary.LittleEndian.Uint32(mem[shape+8*k:])
			}
		}
		elems := binary.LittleEndian.Uint32(desc[abi.DLTensorData:]) + binary.LittleEndian.Uint32(desc[abi.DLTensorByteOffset:])
		c.Tensors = append(c.Tensors, [2]uint32{elems, bytes})
		sum.Write(mem[elems:][:bytes])
	}
	e.rec.Calls, e.rec.Results = append(e.rec.Calls, c), hex.EncodeToString(sum.Sum(nil))
	return v, nil
}
