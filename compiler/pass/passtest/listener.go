package passtest

import "github.com/irscope/irscope/compiler/pass"

// Listener is an observer that keeps what it hears.
type Listener struct {
	Rewrites  []pass.Rewrite
	Decisions []pass.Decision
}

// Rewrite keeps r.
func (l *Listener) Rewrite(_ *pass.Step, r pass.Rewrite) { l.Rewrites = append(l.Rewrites, r) }

// Decision keeps d.
func (l *Listener) Decision(_ *pass.Step, d pass.Decision) { l.Decisions = append(l.Decisions, d) }
