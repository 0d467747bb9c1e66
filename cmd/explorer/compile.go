package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/spf13/cobra"
)

func compileCommand() *cobra.Command {
	var cf compileFlags
	var sf sourceFlags
	var dir string
	cmd := &cobra.Command{
		Use: "compile MODEL -o DIR", GroupID: groupCompile, Short: "Compile a model to a folder that exec runs without a compiler",
		Long: "Imports and compiles MODEL and writes the program to a folder for 'irscope exec'.\n" + modelDoc +
			" Public functions of a module\nwithout main are compiled too; exec runs them with --func.",
		Example: `  # Compile a built-in model to a folder
  irscope compile gallery:mlp -o out
  # Without one pass, with another that the level leaves out
  irscope compile model.onnx -o out --disable-pass FuseOps --require-pass EliminateCommonSubexpr`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if dir == "" {
				return usageError{errors.New("name the output folder with -o DIR")}
			}
			rep := &report{Model: a[0]}
			cf.threads = 1
			return rep.write(cmd, cf.json, func(w io.Writer) error {
				t, err := importModel(cmd, w, &cf, &sf, rep, driver.Request{})
				defer cf.progress.Stop()
				if err != nil {
					return err
				}
				if _, _, err := entryNames(t.Model.Module); err != nil && !anyPublic(t.Model.Module) {
					return fmt.Errorf("%s: %w", label(rep.Model), err)
				}
				if err := compileModel(cmd, w, &cf, t, rep); err != nil {
					return err
				}
				if err := compiler.AddTwins(cmd.Context(), t.Job.Target, t.Result); err != nil {
					return err
				}
				if err := artifact.Save(dir, t.Result.Artifact); err != nil {
					return fmt.Errorf("%w (name another folder with -o DIR)", err)
				}
				rep.Written, rep.Kernels = dir, len(t.Result.Kernels)
				fmt.Fprintln(w)
				say(w, "%s: %s, written to %s in %s", a[0], count(rep.Kernels, "kernel"), dir, short(rep.Import+rep.Compile))
				printCode(w, rep, t.Job.Target.String(), t.Result, 0)
				return nil
			})
		},
	}
	cf.register(cmd, driver.DefaultPipeline)
	cf.registerPasses(cmd, false)
	cf.registerPatch(cmd)
	cf.registerSchedule(cmd)
	cf.registerScript(cmd)
	cf.registerReproducer(cmd)
	cf.registerJSON(cmd)
	sf.register(cmd)
	cmd.Flags().StringVarP(&dir, "output", "o", "", "`folder` to write the program to")
	return cmd
}

func execCommand() *cobra.Command {
	var df dataFlags
	var form jsonForm
	var threads threadsFlag
	cmd := &cobra.Command{
		Use: "exec DIR", GroupID: groupCompile, Short: "Load a compiled program and run it, without the compiler",
		Long: "Loads the program that 'irscope compile' wrote to DIR and runs its function main, or any other public function.\n" +
			"A PrimFunc takes one tensor per parameter (of one element for a number); the tensors it writes are its outputs.",
		Example: `  # Run what 'irscope compile model.onnx -o out' wrote, on random inputs
  irscope exec out
  # On an input from a file, timed a hundred times
  irscope exec out --input input_0.pb --repeat 100`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			rep := &report{Model: a[0]}
			return rep.write(cmd, form, func(w io.Writer) error {
				in, err := df.load()
				if err != nil {
					return err
				}
				art, err := artifact.Load(a[0])
				if errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s is not a compiled program: %w ('irscope compile MODEL -o DIR' writes one)", a[0], err)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", a[0], err)
				}
				f := art.Function(df.function)
				if f == nil {
					return fmt.Errorf("%s: the program has no function %q, only %s; name one with --func", a[0], df.function, strings.Join(functionNames(art), ", "))
				}
				if err := in.place(paramNames(f), outputNames(f.Outputs, f.Result.Count())); err != nil {
					return err
				}
				engine, err := threads.engine()
				if err != nil {
					return err
				}
				how := driver.Request{Inputs: in.inputsOf(&df), Print: cmd.ErrOrStderr()}
				how.Settings.Seed = int64(df.seed)
				t := driver.Program(art, how, driver.Hooks{Engine: engine})
				err = t.Execute(cmd.Context())
				if t.Loaded == 0 {
					err = fmt.Errorf("%s: %w", a[0], err)
				}
				return printExecution(w, t, err, in, &df, rep)
			})
		},
	}
	df.register(cmd)
	threads.register(cmd)
	cmd.Flags().StringVar(&df.function, "func", entry, "public function to run, by `name`")
	form.register(cmd.Flags(), "write a JSON report instead of text; as lines, on one line")
	return cmd
}

func functionNames(a *artifact.Artifact) []string {
	var out []string
	for _, f := range a.Functions {
		out = append(out, f.Name)
	}
	return out
}

func paramNames(f *artifact.Signature) []string {
	var out []string
	for _, p := range f.Params {
		out = append(out, p.Name)
	}
	return out
}
