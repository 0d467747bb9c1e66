package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler"
)

// codeReport says what became of the kernels of a program whose code generator may leave functions to another one.
type codeReport struct {
	Target  string             `json:"target"`
	Native  int                `json:"native"`            // kernels that the generator of the target made
	Threads int                `json:"threads,omitempty"` // that run them
	Refused []compiler.Refusal `json:"refused"`
}

// printCode says how many kernels are for the target, and which are not and why. It says nothing of targets that take all functions.
func printCode(w io.Writer, rep *report, target string, res *compiler.Result, threads threadsFlag) {
	if !compiler.MayRefuse(target) {
		return
	}
	rep.Code = &codeReport{Target: target, Native: len(res.Kernels) - len(res.Refused), Threads: int(threads), Refused: slices.Clone(res.Refused)}
	kind, _, _ := strings.Cut(target, " ")
	say(w, "code for %s: %d of %d kernels%s", kind, rep.Code.Native, len(res.Kernels), threads.words())
	for _, text := range refusals(res.Refused) {
		say(w, "  %s", text)
	}
}

// refusals writes a line for each reason with the functions that it holds for, in the order of the first of each.
func refusals(list []compiler.Refusal) (lines []string) {
	names := map[string][]string{}
	var order []string
	for _, r := range list {
		key := fmt.Sprintf("as %s, %s: ", r.By, r.Reason)
		if names[key] == nil {
			order = append(order, key)
		}
		names[key] = append(names[key], r.Name)
	}
	for _, key := range order {
		lines = append(lines, key+strings.Join(names[key], ", "))
	}
	return lines
}

// printPassedOver says which modules of a program this machine cannot execute, whose kernels others have.
func printPassedOver(w io.Writer, rep *report, passedOver []error) {
	for _, err := range passedOver {
		rep.PassedOver = append(rep.PassedOver, err.Error())
		say(w, "%s; other modules have its kernels", err)
	}
}
