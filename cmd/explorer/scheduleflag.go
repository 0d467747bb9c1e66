package main

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/instruments/request"
	"github.com/spf13/cobra"
)

// registerSchedule adds the flag for schedules of kernels.
func (f *compileFlags) registerSchedule(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.schedules, "schedule", nil, "script that schedules a kernel in place of the default schedule, as `[KERNEL=]FILE` (repeatable); KERNEL is the name of a PrimFunc, and can be left out if the module has only one")
}

// readSchedules reads the schedules that the flags name.
func (f *compileFlags) readSchedules() ([]request.Schedule, error) {
	var out []request.Schedule
	for _, flag := range f.schedules {
		kernel, file, named := strings.Cut(flag, "=")
		if !named {
			kernel, file = "", flag
		}
		if file == "" || named && kernel == "" {
			return nil, usageError{fmt.Errorf("--schedule %s: expected [KERNEL=]FILE", flag)}
		}
		text, err := readScript(file)
		if err != nil {
			return nil, fmt.Errorf("--schedule %s: %w", flag, err)
		}
		out = append(out, request.Schedule{Kernel: kernel, Source: text})
	}
	s, err := request.Settings{Schedules: out}.Normalize()
	if err != nil {
		return nil, usageError{fmt.Errorf("--schedule: %w", err)}
	}
	return s.Schedules, nil
}
