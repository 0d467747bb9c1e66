package instruments

import (
	"fmt"
	"io"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/compact"
)

// PrintOptions says which passes are printed. "all" in a list means every pass.
type PrintOptions struct {
	Before, After []string
	// OnlyChanged prints after a pass only the functions that it changed, and nothing where
	// it changed none.
	OnlyChanged bool
	// Compact prints the short form for reading, which is no TVMScript.
	Compact bool
}

// Print writes the module before and after passes, as TVM's PassPrintingInstrument,
// PrintBeforeAll and PrintAfterAll do. Names must be those of passes as they run.
func Print(w io.Writer, snaps *Snapshots, o PrintOptions) *pass.Instrument {
	match := func(list []string, name string) bool {
		return slices.Contains(list, name) || slices.Contains(list, "all")
	}
	return &pass.Instrument{
		Name: "PassPrintingInstrument",
		RunBeforePass: func(m *ir.Module, s *pass.Step) error {
			if !match(o.Before, s.Pass.Name) {
				return nil
			}
			return printModule(w, "Print IR before: "+s.Pass.Name, m, o.form)
		},
		RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			if !match(o.After, s.Pass.Name) {
				return nil
			}
			if !o.OnlyChanged {
				return printModule(w, "Print IR after: "+s.Pass.Name, m, o.form)
			}
			delta := snaps.Delta(s.Input, m)
			if len(delta) == 0 {
				return nil
			}
			if _, err := fmt.Fprintf(w, "Print IR after: %s (%d functions changed)\n", s.Pass.Name, len(delta)); err != nil {
				return err
			}
			for _, d := range delta {
				text := "# " + d.Name + " was removed\n"
				if d.After != nil {
					text = o.form(d.After.Text)
				}
				if _, err := io.WriteString(w, text+"\n"); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// form returns a printed text in the form that is asked for.
func (o PrintOptions) form(text string) string {
	if o.Compact {
		return compact.Of(text).String()
	}
	return text
}

func printModule(w io.Writer, title string, m *ir.Module, form func(string) string) error {
	_, err := fmt.Fprintf(w, "%s\n%s\n\n", title, form(script.Module(m, script.Options{}).Source))
	return err
}
