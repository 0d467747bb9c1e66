package artifact

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/internal/kerneltest"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/runtime/wasm"
)

// sample is main(x: float32[3], n: float32[n]) = x + (1, 2, 3).
func sample(t testing.TB) *Artifact {
	t.Helper()
	b := vm.NewBuilder()
	b.EmitFunction("main", 2, []string{"x", "y"})
	shape := b.Shape([]int64{3})
	b.EmitCall("vm.builtin.alloc_storage", []vm.Arg{vm.VM(), shape, b.Int(0), b.DType(dtype.Float32T), b.String("global")}, 2)
	b.EmitCall("vm.builtin.alloc_tensor", []vm.Arg{vm.Register(2), b.Int(0), shape, b.DType(dtype.Float32T)}, 3)
	b.EmitCall("add", []vm.Arg{vm.Register(0), b.Tensor(tensor.MustOf([]int64{3}, []float32{1, 2, 3})), vm.Register(3)}, vm.VoidReg)
	b.EmitRet(vm.Register(3))
	b.EndFunction("main")
	exec, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return &Artifact{
		Target: "wasm", Exec: exec, Modules: modules(kerneltest.Basic()),
		Functions: []Signature{{
			Name: "main",
			Params: []Param{
				{Name: "x", Type: Tensor(dtype.Float32T, Static(3)...)},
				{Name: "y", Type: Tensor(dtype.Float32T, Dim{Expr: "n"}, Dim{Expr: "n"}, Dim{Expr: "n * 2"})},
			},
			Result: Tensor(dtype.Float32T, Static(3)...),
		}},
	}
}

func saved(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	if err := Save(dir, sample(t)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSaveLoadRun(t *testing.T) {
	dir := saved(t)
	if err := Save(dir, sample(t)); err != nil { // over itself
		t.Fatal(err)
	}
	a, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a.Target != "wasm" || len(a.Modules) != 1 || a.Function("main") == nil || a.Function("other") != nil {
		t.Errorf("%+v", a)
	}
	if got := a.Function("main").Params[1].Type.String(); got != "float32[n, n, n * 2]" {
		t.Error(got)
	}
	e := runtime.NewEngine(wasm.NewLoader(wasm.Options{}))
	defer e.Close()
	p, err := a.Open(context.Background(), e, runtime.DeviceOptions{}, vm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	x := tensor.MustOf([]int64{3}, []float32{10, 20, 30})
	y := func(shape ...int64) *tensor.Tensor { return tensor.MustNew(dtype.Float32T, shape...) }
	out, err := p.Run(context.Background(), "main", x, y(2, 2, 4))
	if err != nil || !slices.Equal(out[0].Floats(), []float64{11, 22, 33}) {
		t.Errorf("%v %v", out, err)
	}
	for want, in := range map[string][]*tensor.Tensor{
		"main takes 2 inputs (x, y), got 1":                                                                     {x},
		"input x is float32[4], expected float32[3]: dimension 0 differs":                                       {y(4), y(1, 1, 2)},
		"input x is int64[3], expected float32[3]: the element types differ":                                    {tensor.MustNew(dtype.Int64T, 3), y(1, 1, 2)},
		"input y is float32[1], expected float32[n, n, n * 2]: the numbers of dimensions differ":                {x, y(1)},
		"input y is float32[1, 2, 2], expected float32[n, n, n * 2]: dimension n is 2 here and 1 in an earlier": {x, y(1, 2, 2)},
	} {
		if _, err := p.Run(context.Background(), "main", in...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	edit := func(old, with string) func(string) error {
		return func(dir string) error {
			name := filepath.Join(dir, manifestFile)
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if !bytes.Contains(b, []byte(old)) {
				t.Errorf("the manifest has no %s", old)
			}
			return os.WriteFile(name, bytes.ReplaceAll(b, []byte(old), []byte(with)), 0o644)
		}
	}
	for name, c := range map[string]struct {
		damage func(dir string) error
		want   string
	}{
		"no manifest":  {func(dir string) error { return os.Remove(filepath.Join(dir, manifestFile)) }, "manifest.json"},
		"no json":      {func(dir string) error { return os.WriteFile(filepath.Join(dir, manifestFile), []byte("x"), 0o644) }, "this is not an artifact"},
		"magic":        {edit("irscope-artifact", "other"), `magic "other"`},
		"version":      {edit(`"version": 2`, `"version": 7`), "format version 7"},
		"no version":   {edit(`"version": 2`, `"version": 0`), "format version 0"},
		"old version":  {edit(`"version": 2`, `"version": 1`), `unknown field "modules"`},
		"old modules":  {edit(`"modules"`, `"kernels"`), `unknown field "kernels"`},
		"no kind":      {edit(`"kind": "wasm"`, `"kind": ""`), `module 0: "" is not a kind of a kernel module`},
		"path as kind": {edit(`"kind": "wasm"`, `"kind": "../x"`), `"../x" is not a kind`},
		"format":       {edit(`"format": "wasm"`, `"format": "wa sm"`), `"wa sm" is not a format`},
		"long format":  {edit(`"format": "wasm"`, `"format": "`+strings.Repeat("x", 65)+`"`), "is not a format"},
		"no symbols":   {edit(`"symbols": [`, `"symbols": null, "none": [`), `unknown field "none"`},
		"null symbols": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, manifestFile), []byte(`{"magic": "irscope-artifact", "version": 2, "modules": [{"kind": "a", "format": "b"}]}`), 0o644)
		}, "module 0: its symbols are missing"},
		"symbol order": {edit(`"add"`, `"zero"`), `symbol "fill" of a kernel module is empty, repeated or out of order`},
		"symbol twice": {edit(`"fill"`, `"add"`), `symbol "add"`},
		"empty symbol": {edit(`"add"`, `""`), `symbol ""`},
		"trailing":     {edit("\n}\n", "\n}\n{}"), "this is not an artifact"},
		"many modules": {func(dir string) error {
			text := `{"magic": "irscope-artifact", "version": 2, "modules": [` + strings.Repeat(`{},`, maxModules) + `{}]}`
			return os.WriteFile(filepath.Join(dir, manifestFile), []byte(text), 0o644)
		}, "65537 kernel modules, at most 65536 are allowed"},
		"field":        {edit(`"target"`, `"aim"`), "unknown field"},
		"outside":      {edit(`"executable.bin"`, `"../executable.bin"`), "is not the name of a file"},
		"absolute":     {edit(`"executable.bin"`, `"/etc/passwd"`), "is not the name of a file"},
		"missing":      {func(dir string) error { return os.Remove(filepath.Join(dir, constantsFile)) }, "constants.bin"},
		"signature":    {edit(`"name": "main"`, `"name": "start"`), "function start with 2 parameters"},
		"dimension":    {edit(`"shape": [`, `"shape": [-1,`), "a dimension is -1"},
		"kernel bytes": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "kernels/0.wasm"), nil, 0o644) }, "has 0 bytes"},
		"huge":         {func(dir string) error { return os.Truncate(filepath.Join(dir, manifestFile), maxManifest+1) }, "at most"},
		"link": {func(dir string) error {
			name := filepath.Join(dir, executableFile)
			if err := os.Rename(name, filepath.Join(dir, "..", "moved")); err != nil {
				return err
			}
			return os.Symlink("../moved", name)
		}, "executable.bin"},
		"flipped bit": {func(dir string) error {
			name := filepath.Join(dir, executableFile)
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			b[len(b)/2] ^= 1
			return os.WriteFile(name, b, 0o644)
		}, "damaged"},
	} {
		dir := saved(t)
		if err := c.damage(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("a missing folder was loaded")
	}
}

// TestModuleMismatch opens artifacts whose modules are not what their entry says.
func TestModuleMismatch(t *testing.T) {
	e := runtime.NewEngine(wasm.NewLoader(wasm.Options{}))
	defer e.Close()
	for name, c := range map[string]struct {
		edit func(*runtime.Binary)
		want string
	}{
		"format":  {func(b *runtime.Binary) { b.Format = "elf" }, `kernel module 0: no loader for kernel modules of format "elf": there are loaders for wasm`},
		"symbols": {func(b *runtime.Binary) { b.Symbols = []string{"add"} }, "kernel module 0 has the kernels [add fill"},
		"bytes":   {func(b *runtime.Binary) { b.Bytes = []byte("ELF") }, "kernel module 0: compiling a kernel module of 3 bytes"},
	} {
		a := sample(t)
		c.edit(&a.Modules[0])
		if _, err := a.Open(context.Background(), e, runtime.DeviceOptions{MaxBytes: 4 << 20}, vm.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	bad := sample(t)
	bad.Modules[0].Format = "../x"
	if err := Save(t.TempDir(), bad); err == nil || !strings.Contains(err.Error(), `"../x" is not a format`) {
		t.Errorf("a format that is not a word: %v", err)
	}
}

// TestKernels runs kernels by the signatures of an artifact that was saved.
func TestKernels(t *testing.T) {
	vector, number := Tensor(dtype.Float32T, Dim{Expr: "n"}), Type{Kind: KindPrim, DType: "int32"}
	a := sample(t)
	a.Functions = append(a.Functions,
		Signature{Name: "add", Kernel: true, Params: []Param{{Name: "a", Type: vector}, {Name: "b", Type: vector}, {Name: "out", Type: vector, Written: true}}},
		Signature{Name: "fill", Kernel: true, Params: []Param{{Name: "x", Type: Tensor(dtype.Int32T, Dim{Expr: "k"}), Written: true}, {Name: "k", Type: number}}})
	dir := filepath.Join(t.TempDir(), "out")
	if err := Save(dir, a); err != nil {
		t.Fatal(err)
	}
	a, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	e := runtime.NewEngine(wasm.NewLoader(wasm.Options{}))
	defer e.Close()
	p, err := a.Open(t.Context(), e, runtime.DeviceOptions{MaxBytes: 4 << 20}, vm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	used := p.Device().Stats().Used
	x, y := tensor.MustOf([]int64{2}, []float32{1, 2}), tensor.MustOf([]int64{3}, []float32{1, 2, 3})
	out, err := p.Run(t.Context(), "add", x, x, tensor.MustNew(dtype.Float32T, 2))
	if err != nil || len(out) != 1 || !slices.Equal(out[0].Floats(), []float64{2, 4}) {
		t.Errorf("add: %v, %v", out, err)
	}
	two := tensor.MustOf([]int64{1}, []int32{2})
	out, err = p.Run(t.Context(), "fill", tensor.MustNew(dtype.Int32T, 2), two)
	if err != nil || !slices.Equal(out[0].Floats(), []float64{2, 0}) {
		t.Errorf("fill: %v, %v", out, err)
	}
	for name, c := range map[string]struct {
		kernel string
		in     []*tensor.Tensor
		want   string
	}{
		"count":  {"add", []*tensor.Tensor{x, x}, "add takes 3 inputs (a, b, out), got 2"},
		"shapes": {"add", []*tensor.Tensor{x, y, x}, "input b is float32[3], expected float32[n]: dimension n is 3 here and 2 in an earlier input"},
		"number": {"fill", []*tensor.Tensor{tensor.MustNew(dtype.Int32T, 3), two}, "input k is int32[1], expected int32: it is 2 here and 3 in an earlier input"},
		"float":  {"fill", []*tensor.Tensor{tensor.MustNew(dtype.Int32T, 3), x}, "the element types differ"},
		"many":   {"fill", []*tensor.Tensor{tensor.MustNew(dtype.Int32T, 3), tensor.MustNew(dtype.Int32T, 3)}, "expected a tensor of one element for a number"},
		"memory": {"fill", []*tensor.Tensor{tensor.MustNew(dtype.Int32T, 1<<21), tensor.MustOf([]int64{1}, []int32{1 << 21})}, "running fill: input x: uploading"},
	} {
		if _, err := p.Run(t.Context(), c.kernel, c.in...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if got := p.Device().Stats().Used; got != used {
		t.Errorf("%d bytes are left on the device, %d before", got, used)
	}
}

// TestTruncated cuts every file at every length.
func TestTruncated(t *testing.T) {
	files := mapFS(t)
	for name, f := range files {
		whole := f.Data
		for n := range whole {
			f.Data = whole[:n]
			if _, err := LoadFS(files); err == nil && name != manifestFile {
				t.Fatalf("%s cut at %d of %d was accepted", name, n, len(whole))
			}
		}
		f.Data = whole
	}
	if _, err := LoadFS(files); err != nil {
		t.Error(err)
	}
}

func mapFS(t testing.TB) fstest.MapFS {
	t.Helper()
	dir := saved(t)
	files := fstest.MapFS{}
	for _, name := range []string{manifestFile, executableFile, constantsFile, "kernels/0.wasm"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: b}
	}
	return files
}

// FuzzLoad loads damaged artifacts whose manifest is made to agree with the damage.
func FuzzLoad(f *testing.F) {
	files := mapFS(f)
	f.Add(files[manifestFile].Data, files[executableFile].Data, files[constantsFile].Data)
	e := runtime.NewEngine(wasm.NewLoader(wasm.Options{}))
	f.Cleanup(func() { e.Close() })
	f.Fuzz(func(t *testing.T, manifest, code, blob []byte) {
		fsys := fstest.MapFS{
			executableFile: {Data: code}, constantsFile: {Data: blob}, manifestFile: {Data: manifest},
			"kernels/0.wasm": files["kernels/0.wasm"],
		}
		var m Manifest
		if json.Unmarshal(manifest, &m) == nil {
			dir := t.TempDir()
			var err error
			if m.Executable, err = writeFile(dir, executableFile, [][]byte{code}); err != nil {
				t.Fatal(err)
			}
			if m.Constants, err = writeFile(dir, constantsFile, [][]byte{blob}); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			fsys[manifestFile] = &fstest.MapFile{Data: text}
		}
		a, err := LoadFS(fsys)
		if err != nil {
			return
		}
		p, err := a.Open(context.Background(), e, runtime.DeviceOptions{MaxBytes: 4 << 20}, vm.Options{MaxDepth: 4})
		if err != nil {
			return
		}
		defer p.Close()
		if len(a.Exec.InstrOffset) < 32 && len(a.Modules) == 0 {
			p.Run(context.Background(), "main", tensor.MustNew(dtype.Float32T, 3), tensor.MustNew(dtype.Float32T, 1, 1, 2))
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	dir := saved(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(dir); err != nil {
			b.Fatal(err)
		}
	}
}
