package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/irscope/irscope/instruments/dumps"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
	"github.com/spf13/cobra"
)

// importFlags are those of import.
type importFlags struct {
	out, to, name string
	all, json     bool
}

// importMemory is what the texts of a dump may take while a session is written, in bytes.
const importMemory = 1 << 30

func importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use: "import FILE | DIR | -", GroupID: groupCompare, Short: "Read what another compiler printed of its passes",
		Long: `Reads the output of another compiler and writes a row for each pass that changed something. FILE is a file or an archive
(.zip, .tar, .tar.gz), DIR a folder, and - is standard input, which is read while the compiler runs. The format is found by the
first line that begins a dump, or by the names of the files:

  LLVM    -print-after-all, -print-before-all, -print-changed and their forms for single passes, of opt, llc, clang and others
  MLIR    --mlir-print-ir-after-all, -before-all, -after-change, and the folder of --mlir-print-ir-tree-dir
  TVM     PrintBeforeAll, PrintAfterAll, PassPrintingInstrument, the folder of DumpIR, and the traces of TileLang
  XLA     the folder of --xla_dump_to with --xla_dump_hlo_pass_re, or what it prints with --xla_dump_to=-
  GCC     the files of -fdump-tree-all and -fdump-rtl-all
  Go      the files of -d=ssa/all/dump, and ssa.html
  others  a folder of numbered files, and git log -p

With -o the passes become a session, an archive that the start page of irscope serve opens; with --to they go to a server
that is running, whose page shows each row as it comes.

What a dump does not tell is not guessed: a pass without the IR before it is unknown. Returns 1 if there is no pass in the input.`,
		Example: `  # What the passes of LLVM changed
  opt -O2 -print-after-all in.ll -o /dev/null 2>&1 | irscope import -
  # The same as a session, to be dropped on the page
  irscope import after.txt -o after.zip
  # While it runs, on the page of a server
  llc -print-after-all in.ll -o /dev/null 2>&1 | irscope import - --to http://127.0.0.1:8080`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error { return f.run(cmd, a[0]) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "write a session to the `file`")
	fl.StringVar(&f.to, "to", "", "send the dump to the server at the `URL`")
	fl.StringVar(&f.name, "name", "", "`name` of the session; that of the file by default")
	fl.BoolVar(&f.all, "all", false, "also list passes that changed nothing")
	fl.BoolVar(&f.json, "json", false, "write the events as JSON, one per line")
	return cmd
}

// run reads a dump and writes what it holds where the flags say.
func (f *importFlags) run(cmd *cobra.Command, file string) error {
	if f.to != "" && (f.out != "" || f.json || f.all) {
		return usageError{errors.New("--to sends the dump to a server, which shows it; it does not go together with --output, --json, and --all")}
	}
	in, name, err := openDump(cmd, file)
	if err != nil {
		return err
	}
	defer in.Close()
	if f.name != "" {
		name = f.name
	}
	if f.to != "" {
		return sendDump(cmd.Context(), cmd.OutOrStdout(), f.to, name, in)
	}
	rows := newPassRows(cmd.OutOrStdout(), colors(cmd), !f.all)
	each := rows.add
	if f.json {
		each = func(e event.Event) error { return errors.Join(rows.fold(e), writeLine(cmd.OutOrStdout(), e)) }
	}
	if f.out == "" {
		err = dumps.Read(cmd.Context(), in, name, &dumpSink{each: each})
	} else {
		err = f.write(cmd.Context(), in, name, each)
	}
	if !f.json && rows.run.Started != nil {
		sayDump(cmd.OutOrStdout(), rows.run)
	}
	return err
}

// openDump opens a file, or standard input.
func openDump(cmd *cobra.Command, file string) (io.ReadCloser, string, error) {
	if file == "-" {
		return io.NopCloser(cmd.InOrStdin()), "stdin", nil
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		path, err := filepath.Abs(file)
		return packDir(file), filepath.Base(path), err
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, "", err
	}
	return in, filepath.Base(file), nil
}

// sayDump adds up what was read, and says what could not be read.
func sayDump(w io.Writer, r *event.Run) {
	for _, d := range r.Diagnostics {
		say(w, "%s: %s", d.Severity, d.Message)
	}
	say(w, "%s: %d passes, %d changed something, %d unknown, %d did not run", r.Started.Dump.Compiler, r.Ran+r.Skipped, changedPasses(r), r.Unknown, r.Skipped)
}

// changedPasses counts the passes that changed something, without the sequences around them.
func changedPasses(r *event.Run) int {
	n := 0
	for _, s := range r.Ends {
		if s.Status == event.StepChanged && s.Kind != event.PassSequential {
			n++
		}
	}
	return n
}

// dumpSink hands events on and keeps no text.
type dumpSink struct {
	each func(event.Event) error
	seq  int
}

// Emit implements event.Sink.
func (s *dumpSink) Emit(e event.Event) error {
	e.Seq = s.seq
	s.seq++
	return s.each(e)
}

// Text implements event.Sink.
func (s *dumpSink) Text(_, text string) (string, error) { return event.HashText(text), nil }

// write makes a session of a dump and writes it as an archive.
func (f *importFlags) write(ctx context.Context, in io.Reader, name string, each func(event.Event) error) error {
	st := store.NewMemory(importMemory)
	m := run.NewManager(run.Config{Store: st, Admission: run.DefaultAdmission(1), Log: slog.Default()})
	sess, err := session.FromDump(ctx, st, name, session.NewToken())
	if err != nil {
		return err
	}
	from := &dumpRunner{in: in, name: sess.Source.Name, each: each, done: make(chan error, 1)}
	info, err := m.Follow(ctx, "import", sess.ID, run.Request{Source: sess.Source}, from)
	if err != nil {
		return err
	}
	failed := <-from.done
	m.Drain(ctx)
	if errors.Is(failed, context.Canceled) || from.seq == 0 {
		return failed
	}
	if err := st.AddRun(ctx, sess.ID, info.ID); err != nil {
		return err
	}
	if sess, err = st.Session(ctx, sess.ID); err != nil {
		return err
	}
	b, err := export.Collect(ctx, st, sess)
	if err != nil {
		return err
	}
	data, err := export.Zip(ctx, b, "irscope "+readBuild().Version)
	if err != nil {
		return err
	}
	return errors.Join(failed, os.WriteFile(f.out, data, 0o666))
}

// dumpRunner is the run.Runner that reads a dump.
type dumpRunner struct {
	run.Sink
	in   io.Reader
	name string
	each func(event.Event) error
	seq  int
	done chan error
}

// Run implements run.Runner.
func (d *dumpRunner) Run(ctx context.Context, _ run.Request, sink run.Sink) error {
	d.Sink = sink
	err := dumps.Read(ctx, d.in, d.name, d)
	d.done <- err
	return err
}

// Emit implements event.Sink.
func (d *dumpRunner) Emit(e event.Event) error {
	if err := d.Sink.Emit(e); err != nil {
		return err
	}
	e.Seq = d.seq
	d.seq++
	return d.each(e)
}

// isURL tells whether an address names a server.
func isURL(s string) bool { return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") }
