package main

import (
	"fmt"

	"github.com/spf13/pflag"
)

// jsonForm is the value of --json: text, one report at the end, or a line for each event as it happens.
type jsonForm string

const (
	jsonNone   jsonForm = ""
	jsonReport jsonForm = "report"
	jsonLines  jsonForm = "lines"
)

// register adds the flag. Without a value it asks for a report.
func (f *jsonForm) register(fl *pflag.FlagSet, doc string) {
	fl.Var(f, "json", doc)
	fl.Lookup("json").NoOptDefVal = string(jsonReport)
}

// String implements pflag.Value.
func (f *jsonForm) String() string { return string(*f) }

// Type implements pflag.Value; it is how help calls the value.
func (f *jsonForm) Type() string { return "form" }

// Set implements pflag.Value.
func (f *jsonForm) Set(s string) error {
	switch s {
	case string(jsonReport), "true":
		*f = jsonReport
	case string(jsonLines):
		*f = jsonLines
	case "false":
		*f = jsonNone
	default:
		return fmt.Errorf("expected report or lines")
	}
	return nil
}
