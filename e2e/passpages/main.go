// Command passpages computes the examples on the pages of passes, docs/passes/NAME.md: it runs the passes that a page names on the
// module that it shows, and writes what the last of them changed between the marks. `go generate ./e2e/passpages` runs it; a test of
// this package compares, and asks for a page of each pass.
package main

//go:generate go run .

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/linediff"
	"github.com/irscope/irscope/target"
)

// pages is the folder of the pages, from the folder of this package.
const pages = "../../docs/passes"

// The marks in a page, each on a line of its own.
const (
	begin = "<!-- example:begin -->\n"
	end   = "<!-- example:end -->\n"
)

var (
	// source is the module of an example, command the line that says which passes run on it.
	source  = regexp.MustCompile("(?s)```python\n(.*?)```\n")
	command = regexp.MustCompile(`(?m)^ {4}irscope opt example\.py --passes (\S+|'[^']+')(?: --config (\S+)=(\S+))?$`)
)

// idle are the passes that have nothing to do here, as their pages say.
var idle = map[string]bool{"Normalize": true, "NormalizeGlobalVar": true, "relay.InferType": true, "tir.ConvertSSA": true, "tir.VerifySSA": true}

func main() {
	files, err := filepath.Glob(filepath.Join(pages, "*.md"))
	for _, path := range files {
		if err = rewrite(path); err != nil {
			break
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "passpages:", err)
		os.Exit(1)
	}
}

func rewrite(path string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := fresh(string(old))
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// fresh returns the text of a page with its example computed anew.
func fresh(page string) (string, error) {
	module, passes := source.FindStringSubmatch(page), command.FindStringSubmatch(page)
	head, rest, ok := strings.Cut(page, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if module == nil || passes == nil || !ok || !ok2 {
		return "", errors.New("a page has a python block, an indented line \"irscope opt example.py --passes LIST\", and the marks of the example, in this order")
	}
	config := map[string]any{}
	if passes[2] != "" {
		key, value, err := pass.ParseConfig(passes[2], passes[3])
		if err != nil {
			return "", err
		}
		config[key] = value
	}
	change, err := example(module[1], strings.Trim(passes[1], "'"), config)
	if err != nil {
		return "", err
	}
	return head + begin + change + end + tail, nil
}

// example runs passes on a module. It returns what the last of them did: for each function that it changed a difference that has all
// lines, or the error that it gave.
func example(text, passes string, config map[string]any) (string, error) {
	sources, _, err := frontend.Load(context.Background(), "example.py", []byte(text), frontend.Options{Form: frontend.Script})
	if err != nil {
		return "", err
	}
	list, err := pipeline.Parse(passes, pipeline.NewRegistry(), target.Default())
	if err != nil {
		return "", err
	}
	before, err := run(sources[0].Module, list[:len(list)-1], config)
	if err != nil {
		return "", err
	}
	after, err := run(before, list[len(list)-1:], config)
	if err != nil {
		return "```text\n" + strings.TrimSpace(err.Error()) + "\n```\n", nil
	}
	var b strings.Builder
	after.EachChange(before, func(name string, was, is ir.Function) {
		old, now := printed(name, was), printed(name, is)
		if old == now {
			return
		}
		b.WriteString("```diff\n")
		writeDiff(&b, old, now)
		b.WriteString("```\n")
	})
	if b.Len() == 0 && idle[list[len(list)-1].Name] {
		return "```text\nNothing changes.\n```\n", nil
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("%s changes nothing in the example", list[len(list)-1].Name)
	}
	return b.String(), nil
}

func run(m *ir.Module, list []*pass.Pass, config map[string]any) (*ir.Module, error) {
	level := 4
	res, err := compiler.Passes(context.Background(), compiler.Request{Module: m, Pipeline: pass.NewSequential("passes", list...), OptLevel: &level, Config: config})
	if err != nil {
		return nil, err
	}
	return res.Module, nil
}

func printed(name string, f ir.Function) string {
	if f == nil {
		return ""
	}
	return script.Function(name, f, script.Options{}).Source
}

// writeDiff writes all lines of two texts, each behind a sign.
func writeDiff(b *strings.Builder, before, after string) {
	old, now := linediff.Lines(before), linediff.Lines(after)
	write := func(sign string, lines []string) {
		for _, line := range lines {
			b.WriteString(strings.TrimRight(sign+line, " ") + "\n")
		}
	}
	x := 0
	for _, block := range linediff.Blocks(before, after) {
		write(" ", old[x:block.X0])
		write("-", old[block.X0:block.X1])
		write("+", now[block.Y0:block.Y1])
		x = block.X1
	}
	write(" ", old[x:])
}
