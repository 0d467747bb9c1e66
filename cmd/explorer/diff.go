package main

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/spf13/cobra"
)

// diffFlags are those of diff alone.
type diffFlags struct {
	from, to string
	context  int
}

func diffCommand() *cobra.Command {
	var cf compileFlags
	var sf sourceFlags
	var df diffFlags
	cmd := &cobra.Command{
		Use: "diff A B | diff IN --from POINT --to POINT", GroupID: groupCompare, Short: "Show how two modules differ, or what passes did to one",
		Long: `Prints the functions in which two modules differ, line by line, as the page shows them: of two files,
or of two points of a pipeline that is run on one file. A, B and IN are ` + inputDoc + `.
They may also be what another compiler printed of its passes, a file, folder or archive as 'irscope import' reads
them: of two of these the last IR is compared, of one the IR at two points.

A POINT is start, end, the name of a pass, or a step of the pipeline such as 1.4 or 1.4/FuseOps, which
'irscope passes --pipeline NAME' lists. It stands for the module after that pass; before:POINT for the
module before it. PASS#1 is the second run of a pass, PASS the first.

Returns 0 if there is no difference, 1 if there is one, and 2 if anything fails.`,
		Example: `  # Two files
  irscope diff before.py after.py
  # What fusion does to a model
  irscope diff model.onnx --from before:FuseOps --to FuseTIR
  # What one pass of a list does, in the short form
  irscope diff gallery:cnn --passes LegalizeOps,FoldConstant --from LegalizeOps --compact
  # What a pass of another compiler did
  irscope diff after.txt --from before:SROAPass --to SROAPass`,
		Args: args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, a []string) error {
			same, err := diff(cmd, a, &cf, &sf, &df)
			return compared(same, err)
		},
	}
	cf.register(cmd, "")
	cf.registerPasses(cmd, true)
	sf.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&df.from, "from", "", "`point` of the pipeline to compare (default: start if --to is given)")
	fl.StringVar(&df.to, "to", "", "`point` of the pipeline to compare it with (default: end if --from is given)")
	fl.IntVarP(&df.context, "context", "U", 3, "`number` of unchanged lines around changes; -1 shows all")
	return cmd
}

// compared turns the outcome of a comparison into the end of the program.
func compared(same bool, err error) error {
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		return exitError{err, exitTrouble}
	case !same:
		return exitError{nil, exitDifferent}
	}
	return nil
}

// side is one side of a comparison.
type side struct {
	label   string
	sources []frontend.Source
}

func diff(cmd *cobra.Command, in []string, cf *compileFlags, sf *sourceFlags, df *diffFlags) (same bool, err error) {
	if df.context < -1 {
		return false, usageError{fmt.Errorf("-U is %d, expected 0 or more, or -1 for all", df.context)}
	}
	w := newDiffWriter(cmd.OutOrStdout(), colors(cmd), df.context)
	w.compact = cf.compact
	piped := cf.pipeline != "" || cf.passes != "" || df.from != "" || df.to != ""
	switch {
	case len(in) == 2 && piped:
		return false, usageError{errors.New("give either two files or one file with --from and --to")}
	case len(in) == 2 && in[0] == "-" && in[1] == "-":
		return false, usageError{errors.New("only one of the two can be standard input")}
	case len(in) == 1 && !piped:
		return false, usageError{errors.New("give a second file, or two points of a pipeline with --from and --to")}
	}
	found := 0
	for _, name := range in {
		is, err := isDump(name)
		if err != nil {
			return false, err
		}
		if is {
			found++
		}
	}
	switch {
	case found > 0 && (cf.compact || cf.pipeline != "" || cf.passes != ""):
		return false, usageError{errors.New("what another compiler printed cannot be run or shortened: --pipeline, --passes and --compact do not apply")}
	case found == 1 && len(in) == 2:
		return false, usageError{errors.New("only one of the two is what another compiler printed; give two of them, or two modules")}
	case found > 0:
		return diffDumps(cmd, w, in, df)
	case len(in) == 1:
		return diffPoints(cmd, w, in[0], cf, sf, df)
	}
	var sides [2]side
	for i, name := range in {
		sides[i].label = label(name)
		if sides[i].sources, err = sf.load(cmd, name); err != nil {
			return false, err
		}
	}
	return w.modules(sides[0], sides[1])
}

// diffPoints runs passes on a file and compares two points on the way. The difference is
// printed even if a later pass fails.
func diffPoints(cmd *cobra.Command, w *diffWriter, in string, cf *compileFlags, sf *sourceFlags, df *diffFlags) (bool, error) {
	req, err := cf.request(cmd.Context())
	if err != nil {
		return false, err
	}
	if req.Module, err = sf.loadOne(cmd, in); err != nil {
		return false, err
	}
	way := &waypoints{}
	runErr := way.run(cmd, cf, req)
	if err := errors.Join(runErr, cmd.Context().Err()); cmd.Context().Err() != nil {
		return false, err
	}
	var sides [2]side
	for i, spec := range []string{orDefault(df.from, pointStart), orDefault(df.to, pointEnd)} {
		m, at, err := way.find(spec)
		if err != nil {
			return false, errors.Join(err, runErr)
		}
		sides[i] = side{label(in) + ": " + at, []frontend.Source{{Module: m}}}
	}
	same, err := w.modules(sides[0], sides[1])
	return same, errors.Join(err, runErr)
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// modules prints the differences of the modules of two files, paired in order.
func (d *diffWriter) modules(a, b side) (same bool, err error) {
	same = true
	for i := range max(len(a.sources), len(b.sources)) {
		var x, y frontend.Source
		if i < len(a.sources) {
			x = a.sources[i]
		}
		if i < len(b.sources) {
			y = b.sources[i]
		}
		prefix := ""
		if len(a.sources) > 1 || len(b.sources) > 1 {
			prefix = orDefault(x.Name, y.Name) + "."
		}
		equal, err := d.module(a.label, b.label, prefix, x.Module, y.Module)
		if err != nil {
			return false, err
		}
		same = same && equal
	}
	return same, nil
}

// module prints the differences of two modules function by function, in the order in which
// they are printed. Either may be nil.
func (d *diffWriter) module(labelA, labelB, prefix string, a, b *ir.Module) (same bool, err error) {
	if a == b {
		return true, nil
	}
	same = true
	part := func(name, before, after string) error {
		if before == after || err != nil {
			return err
		}
		same = false
		return d.function(labelA, labelB, prefix+name, before, after)
	}
	if err := part("module", header(a), header(b)); err != nil {
		return false, err
	}
	seen := map[string]bool{}
	for _, m := range []*ir.Module{b, a} {
		if m == nil {
			continue
		}
		for _, name := range script.FuncNames(m) {
			if seen[name] {
				continue
			}
			seen[name] = true
			x, y := lookup(a, name), lookup(b, name)
			if x == y {
				continue
			}
			if err := part(name, functionText(name, x), functionText(name, y)); err != nil {
				return false, err
			}
		}
	}
	return same, nil
}

func lookup(m *ir.Module, name string) ir.Function {
	if m == nil {
		return nil
	}
	return m.Lookup(name)
}

func functionText(name string, f ir.Function) string {
	if f == nil {
		return ""
	}
	return script.Function(name, f, script.Options{}).Source
}

// header is the text of a module without its functions; "" where it says nothing.
func header(m *ir.Module) string {
	if m == nil || m.Attrs().Len() == 0 && len(m.GlobalInfos()) == 0 {
		return ""
	}
	return script.Module(m.Without(script.FuncNames(m)...), script.Options{}).Source
}
