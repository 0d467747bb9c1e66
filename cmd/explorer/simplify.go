package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/spf13/cobra"
)

// simplifyFlags say what is known of the variables of an expression.
type simplifyFlags struct {
	ranges, assumed []string
	dtype           string
	explain, rules  bool
}

func simplifyCommand() *cobra.Command {
	var f simplifyFlags
	cmd := &cobra.Command{
		Use: "simplify EXPR", GroupID: groupPasses, Short: "Simplify an expression, and say which rules made it what it is",
		Long: `Simplifies an expression of TVMScript as passes simplify indices and conditions. Names that are not defined are
variables.

With --explain, each rule is printed with what it was applied to and what it made of that. canonical.collect collects the
terms of a sum, canonical.divide divides a comparison by what the coefficients share, and fold computes with constants. Rules that only answered a question on the way are not listed.`,
		Example: `  # What is left of a split index
  irscope simplify '(i // 4) * 4 + i % 4' --explain
  # What a condition comes to where the loop is known
  irscope simplify 'i * 8 + j < 128' --range i=0:16 --range j=0:8
  # All rules, with the lines that define them
  irscope simplify --rules`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if f.rules {
				if len(a) > 0 {
					return usageError{errors.New("--rules takes no expression")}
				}
				printRules(cmd.OutOrStdout())
				return nil
			}
			if len(a) == 0 {
				return usageError{errors.New("expected an expression, such as 'i * 4 // 2', or --rules")}
			}
			return f.simplify(cmd.OutOrStdout(), a[0])
		},
	}
	cmd.Flags().StringArrayVar(&f.ranges, "range", nil, "`NAME=LO:HI`: the variable is at least LO and less than HI, which are expressions; repeatable")
	cmd.Flags().StringArrayVar(&f.assumed, "assume", nil, "`CONDITION`: a condition that holds; repeatable")
	cmd.Flags().StringVar(&f.dtype, "dtype", "int32", "the `TYPE` of the variables")
	cmd.Flags().BoolVar(&f.explain, "explain", false, "print each rule with what it was applied to and what became of that")
	cmd.Flags().BoolVar(&f.rules, "rules", false, "list all rules instead")
	return cmd
}

// printRules lists the rules of the rewrite simplifier.
func printRules(w io.Writer) {
	rules := arith.Rules()
	width := 0
	for _, r := range rules {
		width = max(width, len(r.Name))
	}
	for _, r := range rules {
		fmt.Fprintf(w, "%-*s  %-7s  %s\n", width, r.Name, r.On, r.Text)
	}
}

// simplify prints what text, an expression, is simplified to.
func (f *simplifyFlags) simplify(w io.Writer, text string) error {
	d, err := dtype.Parse(f.dtype)
	if err != nil || !d.IsScalar() || d.IsHandle() || d.IsVoid() {
		return usageError{fmt.Errorf("--dtype %s: expected the type of a scalar, such as int32 or int64", f.dtype)}
	}
	// All expressions are read in one function, so that they share variables.
	texts, names := []string{text}, []string{}
	for _, r := range f.ranges {
		name, bounds, ok := strings.Cut(r, "=")
		lo, hi, ok2 := strings.Cut(bounds, ":")
		if !ok || !ok2 || !syntax.IsIdentifier(name) {
			return usageError{fmt.Errorf("--range %s: expected NAME=LO:HI, such as i=0:16", r)}
		}
		names = append(names, name)
		texts = append(texts, name, lo, hi)
	}
	texts = append(texts, f.assumed...)
	exprs, err := readExprs(texts, f.dtype)
	if err != nil {
		return err
	}
	a := arith.NewAnalyzer()
	for i := range names {
		v, ok := exprs[3*i+1].(*tir.Var)
		lo, hi := exprs[3*i+2], exprs[3*i+3]
		if !ok || !d.IsInteger() || lo.DType() != d || hi.DType() != d {
			if lo, hi = tir.CastTo(d, lo), tir.CastTo(d, hi); !ok || !d.IsInteger() {
				return usageError{fmt.Errorf("--range %s: only integers have a range", f.ranges[i])}
			}
		}
		a.BindRange(v, &tir.Range{Min: lo, Extent: a.Simplify(tir.Sub(hi, lo))})
	}
	for i, e := range exprs[3*len(names)+1:] {
		if !e.DType().IsBool() {
			return usageError{fmt.Errorf("--assume %s: expected a condition, got an expression of type %s", f.assumed[i], e.DType())}
		}
		defer a.EnterConstraint(e)()
	}
	if f.explain {
		a.Trace = func(r arith.Rewrote) {
			fmt.Fprintf(w, "%s\n    %s\n -> %s\n", r.Rule, exprText(r.Before), exprText(r.After))
		}
	}
	fmt.Fprintln(w, exprText(a.Simplify(exprs[0])))
	return nil
}

func exprText(e tir.Expr) string { return script.Node(e, script.Options{}) }

// readExprs reads expressions of TVMScript. Names in them that are free are variables of one type.
func readExprs(texts []string, dtype string) ([]tir.Expr, error) {
	var free []string
	var body strings.Builder
	for _, text := range texts {
		tree, errs := syntax.ParseExpr("expression", text)
		switch {
		case tree == nil:
			return nil, usageError{fmt.Errorf("%q is no expression: %s", text, errs.List[0].Message)}
		case strings.ContainsAny(text, "\n\r#") || strings.Trim(text[tree.End:], " \t)") != "":
			return nil, usageError{fmt.Errorf("%q is more than an expression of one line", text)}
		}
		freeNames(tree, &free)
		fmt.Fprintf(&body, "    T.evaluate((%s))\n", text)
	}
	params := make([]string, len(free))
	for i, name := range free {
		params[i] = name + ": T." + dtype
	}
	source := "from tvm.script import tir as T\n@T.prim_func\ndef main(" + strings.Join(params, ", ") + "):\n" + body.String()
	m, diags := parse.Module("expression", source, parse.Options{})
	for _, d := range diags {
		if d.Severity == ir.Error {
			text := d.Message
			if d.Help != "" {
				text += "; " + d.Help
			}
			return nil, usageError{errors.New(text)}
		}
	}
	var out []tir.Expr
	for _, f := range m.Funcs() {
		ir.Walk(f, func(n ir.Node) bool {
			if e, ok := n.(*tir.Evaluate); ok {
				out = append(out, e.Value)
			}
			return true
		})
	}
	if len(out) != len(texts) {
		return nil, usageError{errors.New("expected expressions alone")}
	}
	return out, nil
}

// freeNames appends the names in a tree that are variables, each once.
func freeNames(n *syntax.Node, names *[]string) {
	if n == nil {
		return
	}
	if n.Kind == syntax.Name && n.Text != "T" && !slices.Contains(*names, n.Text) {
		*names = append(*names, n.Text)
	}
	for i, kid := range n.Kids {
		if n.Kind == syntax.Call && i == 0 && kid.Kind == syntax.Name {
			continue // a function such as min
		}
		freeNames(kid, names)
	}
	for _, kw := range n.Keywords() {
		freeNames(kw.Value, names)
	}
}
