package main

import (
	"fmt"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/spf13/cobra"
)

// progress tells on a terminal which pass runs. Without a line it does nothing.
type progress struct {
	line         *terminal.Progress
	total, ended int
}

// startProgress starts the line of progress of a command, where standard error is a terminal. The caller stops it.
func startProgress(cmd *cobra.Command, what string) *progress {
	p := &progress{line: terminal.StartProgress(cmd.ErrOrStderr())}
	p.line.Set(what)
	return p
}

// Set says what is being done from now on.
func (p *progress) Set(what string) { p.line.Set(what) }

// Stop removes the line.
func (p *progress) Stop() { p.line.Stop() }

// expect says which passes are to come; nil if that is not known.
func (p *progress) expect(pl *pass.Pass) {
	p.total, p.ended = 0, 0
	if pl != nil {
		p.total = leaves(pl)
	}
}

// leaves counts the passes of a pipeline that are no sequences.
func leaves(p *pass.Pass) int {
	if len(p.Children) == 0 {
		return 1
	}
	n := 0
	for _, c := range p.Children {
		n += leaves(c)
	}
	return n
}

// planned tells whether a step is one that leaves counts, or a sequence of such: not a pass that another runs inside of it or requires.
func planned(s *pass.Step) bool {
	for ; s != nil; s = s.Parent {
		if s.RequiredBy != "" || s.Parent != nil && len(s.Parent.Pass.Children) == 0 {
			return false
		}
	}
	return true
}

// instrument returns the instrument that follows the passes.
func (p *progress) instrument() *pass.Instrument {
	ended := func(s *pass.Step, n int) {
		if planned(s) {
			p.ended += n
		}
	}
	return &pass.Instrument{
		Name: "Progress", Replayable: true,
		RunBeforePass: func(_ *ir.Module, s *pass.Step) error {
			if len(s.Pass.Children) > 0 || !planned(s) {
				return nil
			}
			if p.total > 0 {
				p.line.Set(fmt.Sprintf("[%d/%d] %s", p.ended+1, p.total, s.Pass.Name))
			} else {
				p.line.Set(s.Pass.Name)
			}
			return nil
		},
		RunAfterPass: func(_ *ir.Module, s *pass.Step) error {
			if len(s.Pass.Children) == 0 {
				ended(s, 1)
			}
			return nil
		},
		PassSkipped: func(_ *ir.Module, s *pass.Step, _ pass.SkipReason) { ended(s, leaves(s.Pass)) },
	}
}
