package inproc

import (
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/web/run"
)

// PatchFile implements run.Compiler.
func (r *Runner) PatchFile(p run.Patch) string { return driver.EditOf(p).File() }
