package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/spf13/cobra"
)

// profileFlags are the flags of run for what the program does while it runs.
type profileFlags struct {
	runs int
	plan bool
}

func (f *profileFlags) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.runs, "profile", 0, "measure each kernel in this many runs and print a table of times, operations, and bytes")
	cmd.Flags().Lookup("profile").NoOptDefVal = "100"
	cmd.Flags().BoolVar(&f.plan, "memory-plan", false, "print the storages and tensors of a run: sizes, offsets, and lifetimes")
}

// settings returns how often to run the program for what the flags ask for.
func (f *profileFlags) settings() (int, error) {
	if f.runs < 0 || f.runs > request.MaxProfile {
		return 0, usageError{fmt.Errorf("--profile is %d, expected 1 to %d runs", f.runs, request.MaxProfile)}
	}
	if f.plan {
		return max(1, f.runs), nil
	}
	return f.runs, nil
}

// print writes what the flags ask for.
func (f *profileFlags) print(w io.Writer, when terminal.When, rep *report) error {
	for _, p := range event.Fold(rep.Events).Profiles {
		if f.runs > 0 {
			r := newProfileReport(p)
			rep.Profiles = append(rep.Profiles, r)
			if err := r.write(w, when); err != nil {
				return err
			}
		}
		if f.plan {
			rep.MemoryPlans = append(rep.MemoryPlans, p.Body.Plan)
			if err := writePlan(w, when, p.Body); err != nil {
				return err
			}
		}
	}
	return nil
}

// profileReport is a profile by kernel. Times are medians; those of the rows, Packed, Copies, Machine and Other are Median together.
type profileReport struct {
	Function string              `json:"function"`
	Runs     int                 `json:"runs"`
	Median   time.Duration       `json:"median_ns"`
	Best     time.Duration       `json:"best_ns"`
	Kernels  []profileRow        `json:"kernels"`
	Packed   profileRow          `json:"packed"`
	Copies   time.Duration       `json:"copies_ns"`
	Machine  time.Duration       `json:"virtual_machine_ns"`
	Other    time.Duration       `json:"interruptions_ns,omitempty"`
	Limit    *event.MachineLimit `json:"limit,omitempty"`
}

// profileRow adds up the calls of one function.
type profileRow struct {
	Name    string        `json:"name"`
	Calls   int64         `json:"calls"`
	Time    time.Duration `json:"time_ns"`
	Best    time.Duration `json:"best_ns"`
	Flops   int64         `json:"flops"`
	ByteOps int64         `json:"byte_ops,omitempty"`
	Special int64         `json:"special,omitempty"`
	Bytes   int64         `json:"bytes"`
	// OfLimit is the share of what the machine could reach at best, 0 where that is not known.
	OfLimit event.Float `json:"of_limit,omitempty"`
	Bound   bool        `json:"bound,omitempty"`
	Partial bool        `json:"partial,omitempty"`

	ideal time.Duration
}

func (r *profileRow) add(c event.ProfiledCall, t event.CallTime) {
	r.Calls += c.Count
	r.Time, r.Best = r.Time+time.Duration(t.Median), r.Best+time.Duration(t.Best)
	r.Flops, r.ByteOps, r.Special, r.Bytes = r.Flops+c.Flops, r.ByteOps+c.ByteOps, r.Special+c.Special, r.Bytes+c.Read+c.Written
	r.Bound, r.Partial = r.Bound || c.Bound, r.Partial || c.Partial
	if r.ideal += time.Duration(t.Ideal); r.Time > 0 {
		r.OfLimit = event.Float(float64(r.ideal) / float64(r.Time))
	}
}

func newProfileReport(p event.Profile) *profileReport {
	t := p.Times
	out := &profileReport{
		Function: p.Body.Function, Runs: t.Runs, Median: time.Duration(t.Median), Best: time.Duration(t.Best),
		Packed: profileRow{Name: "packed functions"}, Copies: time.Duration(t.Copies), Machine: time.Duration(t.Machine), Other: time.Duration(t.Other), Limit: t.Limit,
		Kernels: []profileRow{},
	}
	at := map[string]int{}
	for i, c := range p.Body.Calls {
		if !c.Kernel {
			out.Packed.add(c, t.Calls[i])
			continue
		}
		k, ok := at[c.Name]
		if !ok {
			k = len(out.Kernels)
			at[c.Name] = k
			out.Kernels = append(out.Kernels, profileRow{Name: c.Name})
		}
		out.Kernels[k].add(c, t.Calls[i])
	}
	slices.SortStableFunc(out.Kernels, func(a, b profileRow) int { return cmp.Compare(b.Time, a.Time) })
	return out
}

// tableOf returns a table whose names need some width.
func tableOf(w io.Writer, when terminal.When, names int, columns []terminal.Column, spare ...int) (*terminal.Table, error) {
	width, _ := terminal.Width(w)
	columns[0].Width = names
	t := terminal.NewTable(w, when, width, columns, spare...)
	return t, t.Head()
}

// cells returns cells with these texts.
func cells(texts ...string) []terminal.Cell {
	out := make([]terminal.Cell, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

func (r *profileReport) write(w io.Writer, when terminal.When) error {
	fmt.Fprintln(w)
	say(w, "profile of %s: %s, median of %d runs, best %s", r.Function, short(r.Median), r.Runs, short(r.Best))
	rest := []profileRow{r.Packed, {Name: "copies of inputs and outputs", Time: r.Copies}, {Name: "virtual machine", Time: r.Machine}}
	if r.Other > 0 {
		rest = append(rest, profileRow{Name: "interruptions by other work on the machine", Time: r.Other})
	}
	names := 0
	for _, k := range slices.Concat(r.Kernels, rest) {
		names = max(names, utf8.RuneCountInString(k.Name))
	}
	t, err := tableOf(w, when, names, []terminal.Column{
		{Head: "KERNEL"},
		{Head: "TIME", Width: timeWidth, Right: true},
		{Head: "SHARE", Width: len("100.0%"), Right: true},
		{Head: "CALLS", Right: true},
		{Head: "FLOP", Width: len("*99.9M"), Right: true},
		{Head: "GFLOP/S", Right: true},
		{Head: "BYTES", Width: len("999.9KiB"), Right: true},
		{Head: "GB/S", Width: len("99.99"), Right: true},
		{Head: "OF LIMIT", Right: true},
	}, 8, 5, 3, 4, 6, 7)
	if err != nil {
		return err
	}
	share := func(d time.Duration) string { return fmt.Sprintf("%.1f%%", 100*float64(d)/float64(max(1, r.Median))) }
	var notes []string
	note := func(is bool, mark, text string) string {
		if !is {
			return ""
		}
		if text = mark + " " + text; !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
		return mark
	}
	total := profileRow{}
	for _, k := range r.Kernels {
		ops := k.Flops + k.ByteOps
		total.Flops, total.Bytes = total.Flops+ops, total.Bytes+k.Bytes
		mark := note(k.ByteOps > 0, "#", "products and sums of bytes (T.dp4a) count, too") + note(k.Bound, "<", "at most: part of the work depends on conditions") + note(k.Partial, "?", "part of the work was not counted") +
			note(k.Special > 0, "*", "and calls of mathematical functions, which FLOP leaves out")
		row := cells(k.Name, short(k.Time), share(k.Time), fmt.Sprint(k.Calls), mark+flopCount(ops), rate(ops, k.Time),
			size(k.Bytes), rate(k.Bytes, k.Time), percent(float64(k.OfLimit)))
		if err := t.Row(row...); err != nil {
			return err
		}
	}
	for _, o := range rest {
		calls := ""
		if o.Calls > 0 {
			calls = fmt.Sprint(o.Calls)
		}
		if err := t.Row(cells(o.Name, short(o.Time), share(o.Time), calls, "", "", "", "", "")...); err != nil {
			return err
		}
	}
	sum := cells("total", short(r.Median), share(r.Median), "", flopCount(total.Flops), rate(total.Flops, r.Median), size(total.Bytes), rate(total.Bytes, r.Median), "")
	sum[0].Style = terminal.Bold
	if err := t.Row(sum...); err != nil {
		return err
	}
	for _, n := range notes {
		say(w, "%s", n)
	}
	if r.Limit != nil {
		var list []string
		for _, b := range r.Limit.Bandwidths {
			list = append(list, fmt.Sprintf("%.3g GB/s to %s", float64(b.PerSecond)/1e9, size(b.Bytes)))
		}
		ofBytes := ""
		if r.Limit.ByteOps > 0 {
			ofBytes = fmt.Sprintf(" and %.0f billion products and sums of bytes a second", float64(r.Limit.ByteOps)/1e9)
		}
		say(w, "limit, measured on one thread: %.3g GFLOP/s of multiply-adds%s; %s", float64(r.Limit.Flops)/1e9, ofBytes, strings.Join(list, ", "))
	}
	return nil
}

// writePlan writes the memory plan: storages, and below each the tensors in it.
func writePlan(w io.Writer, when terminal.When, p *event.Profiled) error {
	plan := p.Plan
	fmt.Fprintln(w)
	say(w, "memory of %s: peak %s in storages, besides %s of inputs and %s of constants; the tensors alone take %s",
		p.Function, size(plan.Peak), size(plan.Inputs), size(plan.Constants), size(plan.Unplanned))
	var rows [][]terminal.Cell
	names := 0
	add := func(name string, offset, bytes int64, from, to int) {
		names = max(names, utf8.RuneCountInString(name))
		rows = append(rows, cells(name, fmt.Sprint(offset), fmt.Sprint(bytes), steps(from, to)))
	}
	for i, s := range plan.Storages {
		add(s.Name, s.Offset, s.Bytes, s.From, s.To)
		for _, x := range plan.Tensors {
			if x.Storage != i {
				continue
			}
			text := fmt.Sprintf("    %s %s%v", x.Name, x.DType, x.Shape)
			if x.Maker >= 0 {
				text += ", made by " + p.Calls[plan.Steps[x.Maker]].Name
			}
			add(text, s.Offset+x.Offset, x.Bytes, x.From, x.To)
		}
	}
	t, err := tableOf(w, when, names, []terminal.Column{
		{Head: "STORAGE OR TENSOR"}, {Head: "OFFSET", Width: len("999999999"), Right: true}, {Head: "BYTES", Width: len("999999999"), Right: true}, {Head: "STEPS", Width: len("100-100"), Right: true},
	}, 2)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := t.Row(row...); err != nil {
			return err
		}
	}
	if plan.Omitted > 0 {
		fmt.Fprintf(w, "%d smaller tensors are left out\n", plan.Omitted)
	}
	return nil
}

// steps writes the steps of a lifetime, which count from 1.
func steps(from, to int) string {
	switch {
	case to < from:
		return "-"
	case from == to:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d-%d", from+1, to+1)
}

// flopCount writes a number with three digits and a unit.
func flopCount(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.3gG", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.3gM", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.3gk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// size writes a number of bytes.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1fGiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1fMiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1fKiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%dB", n)
}

// rate writes 10^9 units per second.
func rate(n int64, in time.Duration) string {
	if n == 0 || in == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(n)/float64(in.Nanoseconds()))
}

func percent(share float64) string {
	if share == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}
