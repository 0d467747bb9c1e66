package main

import (
	"fmt"
	"runtime"

	"github.com/irscope/irscope/compiler"
	"github.com/spf13/cobra"

	devices "github.com/irscope/irscope/runtime"
)

// maxThreads bounds --threads.
const maxThreads = 1024

// threadsFlag is the flag of commands that run a program for how many threads run one kernel.
type threadsFlag int

func (f *threadsFlag) register(cmd *cobra.Command) {
	cmd.Flags().IntVar((*int)(f), "threads", runtime.GOMAXPROCS(0), "`number` of threads that run a kernel of machine code; outputs do not depend on it")
	cmd.Flags().Lookup("threads").DefValue = "all cores"
}

// engine returns an engine with so many threads.
func (f threadsFlag) engine() (*devices.Engine, error) {
	if f < 1 || f > maxThreads {
		return nil, usageError{fmt.Errorf("--threads is %d, expected 1 to %d", f, maxThreads)}
	}
	return compiler.NewEngineWith(compiler.EngineOptions{Threads: int(f)}), nil
}

// words says how many threads run what a program has of machine code, nothing where none do.
func (f threadsFlag) words() string {
	switch f {
	case 0:
		return ""
	case 1:
		return ", run on 1 thread"
	}
	return fmt.Sprintf(", run on %d threads", f)
}
