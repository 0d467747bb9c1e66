package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/dumps"
	"github.com/irscope/irscope/instruments/event"
	"github.com/spf13/cobra"
)

// dumpHead is how much of a file is looked at to tell whether another compiler printed it, in bytes.
const dumpHead = 1 << 20

// isDump tells whether an input of diff is what another compiler printed of its passes: a folder, an archive, or a file that begins with
// one of the lines that they print.
func isDump(name string) (bool, error) {
	info, err := os.Stat(name)
	if name == "-" || strings.HasPrefix(name, galleryPrefix) || err != nil {
		return false, nil // whoever reads it says what is wrong
	}
	switch path.Ext(name) {
	case ".tar", ".tgz", ".gz", ".zip":
		return true, nil
	}
	if info.IsDir() {
		return true, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	head, err := io.ReadAll(io.LimitReader(f, dumpHead))
	return dumps.Knows(head), errors.Join(err, f.Close())
}

// diffDumps compares the last IR of two dumps, or the IR at two points of one.
func diffDumps(cmd *cobra.Command, w *diffWriter, in []string, df *diffFlags) (same bool, err error) {
	var read []*dumpRun
	for _, name := range in {
		d, err := readDump(cmd, name)
		if err != nil {
			return false, err
		}
		read = append(read, d)
	}
	if len(read) == 2 {
		return w.functions(label(in[0]), label(in[1]), read[0].at(read[0].end()), read[1].at(read[1].end()))
	}
	var labels [2]string
	var sides [2]map[string]dumpText
	for i, spec := range []string{orDefault(df.from, pointStart), orDefault(df.to, pointEnd)} {
		list, at, err := read[0].find(spec)
		if err != nil {
			return false, err
		}
		labels[i], sides[i] = label(in[0])+": "+at, read[0].at(list)
	}
	return w.functions(labels[0], labels[1], sides[0], sides[1])
}

// dumpRun is what was read of a dump, with all texts.
type dumpRun struct {
	*event.Run
	texts map[string]dumpText
	bytes int
	seq   int
	log   []event.Event
}

// dumpText is a text in its language.
type dumpText struct{ lang, text string }

// readDump reads a dump and keeps it. Messages about what could not be read go to standard error.
func readDump(cmd *cobra.Command, name string) (*dumpRun, error) {
	in, title, err := openDump(cmd, name)
	if err != nil {
		return nil, err
	}
	d := &dumpRun{texts: map[string]dumpText{}}
	err = errors.Join(dumps.Read(cmd.Context(), in, title, d), in.Close())
	if err != nil && (d.log == nil || errors.Is(err, context.Canceled)) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err != nil { // what was read before a limit counts
		say(cmd.ErrOrStderr(), "warning: %s: %v", name, err)
	}
	d.Run = event.Fold(d.log)
	for _, x := range d.Diagnostics {
		if x.Severity == event.SeverityWarning {
			say(cmd.ErrOrStderr(), "warning: %s: %s", name, x.Message)
		}
	}
	return d, nil
}

// Emit implements event.Sink.
func (d *dumpRun) Emit(e event.Event) error {
	e.Seq = d.seq
	d.seq++
	d.log = append(d.log, e)
	return nil
}

// Text implements event.Sink.
func (d *dumpRun) Text(language, text string) (string, error) {
	hash := event.HashText(text)
	if _, ok := d.texts[hash]; ok {
		return hash, nil
	}
	if d.bytes += len(text); d.bytes > importMemory {
		return "", &event.Error{Kind: event.KindLimit, Limit: "texts", Message: fmt.Sprintf("the texts of the dump take more than %d MiB, the limit here", importMemory>>20)}
	}
	d.texts[hash] = dumpText{language, text}
	return hash, nil
}

// at returns the texts of functions by name.
func (d *dumpRun) at(list []event.Function) map[string]dumpText {
	out := map[string]dumpText{}
	for _, f := range list {
		out[f.Name] = d.texts[f.Text]
	}
	return out
}

// end lists the functions behind the last step.
func (d *dumpRun) end() []event.Function {
	if len(d.Ends) == 0 {
		return d.FunctionsAfter(nil)
	}
	return d.FunctionsAfter(d.Ends[len(d.Ends)-1])
}

// find returns the functions at a point and what to call the point.
func (d *dumpRun) find(spec string) ([]event.Function, string, error) {
	name, before := strings.CutPrefix(spec, beforePrefix)
	switch {
	case name == pointStart && !before:
		return d.FunctionsAfter(nil), pointStart, nil
	case name == pointEnd && !before:
		return d.end(), pointEnd, nil
	}
	steps := d.All()
	i := findStep(len(steps), func(i int) (string, string) { return steps[i].Path, steps[i].Name }, name)
	if i < 0 {
		return nil, "", unknownStep(len(steps), func(i int) (string, string) { return steps[i].Path, steps[i].Name }, name)
	}
	if before {
		return d.FunctionsBefore(steps[i]), "before " + steps[i].Path, nil
	}
	return d.FunctionsAfter(steps[i]), "after " + steps[i].Path, nil
}

// functions prints the differences of two sets of functions, sorted by name.
func (d *diffWriter) functions(labelA, labelB string, a, b map[string]dumpText) (same bool, err error) {
	same = true
	names := map[string]bool{}
	for _, m := range []map[string]dumpText{a, b} {
		for name := range m {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a[name].text == b[name].text {
			continue
		}
		same = false
		d.language = orDefault(b[name].lang, a[name].lang)
		if err := d.function(labelA, labelB, name, a[name].text, b[name].text); err != nil {
			return false, err
		}
	}
	return same, nil
}
