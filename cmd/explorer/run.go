package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/spf13/cobra"
)

// entry is the function that models are imported as.
const entry = "main"

// modelDoc says what a MODEL argument may be.
const modelDoc = "MODEL is an ONNX file, a TVMScript or JSON file whose module has a graph function main, - for standard input, or\n" +
	"gallery:NAME for a built-in model."

func runCommand() *cobra.Command {
	var cf compileFlags
	var sf sourceFlags
	var df dataFlags
	specialize := true
	cmd := &cobra.Command{
		Use: "run MODEL", Short: "Import, compile and run a model; print what each pass did",
		Long: "Imports MODEL, compiles it, runs it, and prints a table of the passes, the outputs and the latency.\n" + modelDoc,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			rep := &report{Model: a[0]}
			return rep.write(cmd, cf.json, func(w io.Writer) error { return runModel(cmd, w, &cf, &sf, &df, specialize, rep) })
		},
	}
	cf.register(cmd, defaultPipeline)
	cf.registerPasses(cmd)
	cf.registerPatch(cmd)
	cf.registerScript(cmd)
	cf.registerJSON(cmd)
	sf.register(cmd)
	df.register(cmd)
	cmd.Flags().BoolVar(&specialize, "specialize", true, "where shapes are symbolic, compile again for the sizes of this run, and time that code")
	return cmd
}

func runModel(cmd *cobra.Command, w io.Writer, cf *compileFlags, sf *sourceFlags, df *dataFlags, specialize bool, rep *report) error {
	in, err := df.load()
	if err != nil {
		return err
	}
	c, err := importModel(cmd, cf, sf, rep, true)
	if err != nil {
		return err
	}
	if err := in.place(c.inputs, c.outputs); err != nil {
		return err
	}
	if err := c.compile(cmd, w, cf); err != nil {
		return err
	}
	ins, err := in.tensors(c.Artifact.Function(entry), df.seed, rep)
	if err != nil {
		return err
	}
	art := c.Artifact
	fmt.Fprintln(w)
	if specialize {
		if art, err = c.specialize(cmd.Context(), w, cf, ins); err != nil {
			return err
		}
	}
	start := time.Now()
	prog, err := open(cmd, art)
	if err != nil {
		return err
	}
	defer prog.Close()
	rep.Load = time.Since(start)
	fmt.Fprintf(w, "import %s, compile %s (code generation %s), load %s\n",
		short(rep.Import), short(rep.Compile), short(rep.Codegen), short(rep.Load))
	return execute(cmd.Context(), w, prog, in, ins, df, rep)
}

// compiled is a model on its way through the compiler, with what was seen there.
type compiled struct {
	*compiler.Result
	req    compiler.Request
	source *ir.Module
	// inputs and outputs are the names of the parameters and results of main.
	inputs, outputs []string
	rep             *report
}

// importModel checks the flags and imports the model of the report. Where it is to run now it needs a graph function main,
// otherwise any public function.
func importModel(cmd *cobra.Command, cf *compileFlags, sf *sourceFlags, rep *report, now bool) (*compiled, error) {
	cf.printed = cmd.ErrOrStderr()
	req, err := cf.request()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	source, err := sf.loadOne(cmd, rep.Model)
	if err != nil {
		return nil, err
	}
	rep.Import = time.Since(start)
	req.Module = source
	if req.Pipeline, err = cf.patched(req.Pipeline, source); err != nil {
		return nil, err
	}
	c := &compiled{req: req, source: source, rep: rep}
	if c.inputs, c.outputs, err = entryNames(source); err != nil && (now || !anyPublic(source)) {
		return nil, fmt.Errorf("%s: %w", label(rep.Model), err)
	}
	return c, nil
}

// compile compiles the model with the instruments that the flags ask for and writes the
// table of passes to w, also of a failure.
func (c *compiled) compile(cmd *cobra.Command, w io.Writer, cf *compileFlags) error {
	snaps := instruments.NewSnapshots()
	sink := &memorySink{}
	rec := instruments.NewRecorder(sink, snaps)
	if err := rec.Start(c.source, c.req.Pipeline, &event.RunStarted{
		Model: c.rep.Model, Target: c.req.Target.String(), OptLevel: cf.level, Pipeline: cf.pipeline,
	}); err != nil {
		return err
	}
	timing := &instruments.Timing{}
	printed := cmd.OutOrStdout()
	if cf.json {
		printed = cmd.ErrOrStderr()
	}
	list := cf.instruments(cmd, printed, snaps)
	users, err := cf.watches(cmd)
	if err != nil {
		return err
	}
	c.req.Instruments = append(append(list, timing.Instrument(), rec.Instrument()), users...)
	c.req.CodegenTime = func(d time.Duration) { c.rep.Codegen = d }
	start := time.Now()
	c.Result, err = compiler.Compile(cmd.Context(), c.req)
	c.rep.Compile, c.rep.Events, c.rep.Timing = time.Since(start), sink.events, timing
	printPasses(w, sink.events, cf.onlyChanged)
	for _, d := range c.Diagnostics {
		c.rep.Diagnostics = append(c.rep.Diagnostics, d.String())
		fmt.Fprintln(w, d)
	}
	if cf.timing {
		fmt.Fprintf(w, "\n%s", timing.Render())
	}
	var failed *pass.Error
	if err != nil && cf.pipeline != defaultPipeline && !errors.As(err, &failed) {
		return fmt.Errorf("%w (the pipeline %s does not lower a model to the end, %s does)", err, cf.pipeline, defaultPipeline)
	}
	return err
}

// open loads an artifact onto a device of its own. The engine lives as long as the process.
func open(cmd *cobra.Command, a *artifact.Artifact) (*artifact.Program, error) {
	eng := compiler.NewEngine()
	return a.Open(cmd.Context(), eng, runtime.DeviceOptions{}, vm.Options{Output: cmd.ErrOrStderr()})
}

// execute runs a loaded program on its inputs, prints outputs and latency, and compares.
func execute(ctx context.Context, w io.Writer, prog *artifact.Program, in *data, ins []*tensor.Tensor, df *dataFlags, rep *report) error {
	for _, n := range rep.Inputs {
		fmt.Fprintln(w, n)
	}
	var outs []*tensor.Tensor
	var err error
	for range df.repeat {
		start := time.Now()
		if outs, err = prog.Run(ctx, df.function, ins...); err != nil {
			return err
		}
		rep.Latency = append(rep.Latency, time.Since(start))
	}
	names := outputNames(prog.Artifact().Function(df.function).Outputs, len(outs))
	for i, t := range outs {
		s := t.Summarize(8)
		fmt.Fprintf(w, "output %s: %s  %s\n", names[i], t, s)
		rep.Outputs = append(rep.Outputs, newOutputReport(names[i], t, s))
	}
	sorted := slices.Sorted(slices.Values(rep.Latency))
	fmt.Fprintf(w, "latency %s (median of %d, best %s)\n", short(sorted[len(sorted)/2]), len(sorted), short(sorted[0]))
	if rep.Compared, err = in.compare(names, outs, tensor.Tolerance{RTol: df.rtol, ATol: df.atol}); err != nil {
		return err
	}
	var bad []string
	for _, x := range rep.Compared {
		fmt.Fprintf(w, "expected %s: %s\n", x.Output, x.text)
		if !x.Within {
			bad = append(bad, x.Output)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("outputs differ from what was expected by more than --rtol %g, --atol %g: %s", df.rtol, df.atol, strings.Join(bad, ", "))
	}
	return nil
}

// outputNames returns the names that the model gives its n outputs, and numbers where it
// gives none.
func outputNames(names []string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "output_" + strconv.Itoa(i)
		if i < len(names) {
			out[i] = names[i]
		}
	}
	return out
}
