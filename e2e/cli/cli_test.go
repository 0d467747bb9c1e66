// Package cli tests the command line as its users meet it: scripts in testdata/script run the
// program and look at what it prints, writes and returns. It holds tests only.
package cli

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	fixture "github.com/irscope/irscope/e2e/fixture/program"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/npy"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/rogpeppe/go-internal/testscript"
)

// program is the path of the built command, set by TestMain.
var program string

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, &program)) }

func TestScripts(t *testing.T) {
	models, err := filepath.Abs(filepath.Join("..", "..", "testdata", "models"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("MODELS", models)
			env.Setenv("GOGC", os.Getenv("GOGC"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"examples": examples,
			"exits":    exits,
			"json":     checkJSON,
			"same":     sameJSON,
			"flip":     flip,
			"cut":      cut,
			"replace":  replace,
			"npy":      writeNPY,
			"npz":      writeNPZ,
			"files":    countFiles,
			"session":  writeSession,
			"repack":   repack,
		},
		Condition: func(cond string) (bool, error) {
			if cond != "native" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return native.Available() == nil, nil
		},
		RequireExplicitExec: true, RequireUniqueNames: true,
	})
}

// need stops the script unless there are n arguments.
func need(ts *testscript.TestScript, neg bool, args []string, n int, usage string) {
	if neg || len(args) < n {
		ts.Fatalf("usage: %s", usage)
	}
}

// exits runs irscope and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "exits CODE ARGS...")
	code := 0
	var failed *exec.ExitError
	if err := ts.Exec("irscope", args[1:]...); errors.As(err, &failed) {
		code = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, expected %s", code, args[0])
	}
}

// flip inverts the byte at an offset; a negative one counts from the end.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "flip FILE OFFSET")
	data := []byte(ts.ReadFile(args[0]))
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	if at < 0 {
		at += len(data)
	}
	data[at] ^= 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

// cut writes the first n bytes of a file to another.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, "cut FROM N TO")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(ts.ReadFile(args[0])[:n]), 0o600))
}

// replace replaces a string in a file, which must have it.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, "replace FILE OLD NEW")
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o600))
}

// writeNPY writes a float32 array of a shape such as 3x64, filled from seed 0 or with a value.
func writeNPY(ts *testscript.TestScript, neg bool, args []string) {
	value := ""
	if len(args) == 3 {
		args, value = args[:2], args[2]
	}
	need(ts, neg, args, 2, "npy FILE SHAPE [VALUE]")
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	t := array(ts, args[1])
	if value != "" {
		x, err := strconv.ParseFloat(value, 64)
		ts.Check(err)
		for i := range t.Len() {
			t.SetFloat(i, x)
		}
	}
	ts.Check(npy.Write(f, t))
	ts.Check(f.Close())
}

// writeNPZ writes an archive with one such array.
func writeNPZ(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, "npz FILE NAME SHAPE")
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	z := zip.NewWriter(f)
	in, err := z.Create(args[1] + ".npy")
	ts.Check(err)
	ts.Check(npy.Write(in, array(ts, args[2])))
	ts.Check(z.Close())
	ts.Check(f.Close())
}

// array returns a tensor of a shape such as 3x64.
func array(ts *testscript.TestScript, dims string) *tensor.Tensor {
	var shape []int64
	for _, s := range strings.Split(dims, "x") {
		n, err := strconv.ParseInt(s, 10, 64)
		ts.Check(err)
		shape = append(shape, n)
	}
	t, err := tensor.New(tensor.TypeOf[float32](), shape)
	ts.Check(err)
	t.Random(0)
	return t
}

// countFiles checks that at least n files match a pattern.
func countFiles(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "files N PATTERN")
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	list, err := filepath.Glob(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(list) < n {
		ts.Fatalf("%d files match %s, expected %d or more", len(list), args[1], n)
	}
}
