package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir/nearest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// args wraps a cobra argument check: its failure is a usage error that says what is expected, in the words of the usage line.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, list []string) error {
		if check(cmd, list) == nil {
			return nil
		}
		text := cmd.Name() + ": expected " + operands(cmd)
		if len(list) > 0 {
			text += ", got " + strings.Join(list, " ")
		}
		// The value of a flag that can stand alone was taken for an argument.
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" && f.Value.Type() != "bool" && len(list) > 0 && !strings.Contains(text, "; a value") {
				text += fmt.Sprintf("; a value of --%s follows =, as in --%s=%s", f.Name, f.Name, list[len(list)-1])
			}
		})
		return usageError{errors.New(text)}
	}
}

// operands returns what of the usage line of a command is no flag; where the line has several forms, those in full.
func operands(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.Use, " ")
	if forms := strings.Split(rest, " | "); len(forms) > 1 {
		for i, f := range forms {
			forms[i] = strings.TrimPrefix(f, cmd.Name()+" ")
		}
		return strings.Join(forms, " or ")
	}
	var list []string
	words := strings.Fields(rest)
	for i := 0; i < len(words); i++ {
		if strings.HasPrefix(strings.TrimPrefix(words[i], "["), "-") {
			i++ // its value
			continue
		}
		list = append(list, words[i])
	}
	if len(list) == 0 {
		return "no argument"
	}
	return strings.Join(list, " ")
}

// valueForms says what the value of a flag is, by its type, where the error of the flag says it in terms of Go.
var valueForms = map[string]string{
	"int":      "a whole number",
	"uint64":   "a whole number of 0 or more",
	"float64":  "a number",
	"bool":     "true or false",
	"duration": "a time such as 20s or 1m30s",
}

// badFlag is the error in a flag: which values it takes, or which flag was meant.
func badFlag(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &value):
		if form := valueForms[value.GetFlag().Value.Type()]; form != "" {
			err = fmt.Errorf("--%s is %q, expected %s", value.GetFlag().Name, value.GetValue(), form)
		} else {
			err = fmt.Errorf("--%s is %q: %w", value.GetFlag().Name, value.GetValue(), value.Unwrap())
		}
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := nearest.Name(unknown.GetSpecifiedName(), slices.Values(known)); near != "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, near)
		}
	}
	return usageError{err}
}
