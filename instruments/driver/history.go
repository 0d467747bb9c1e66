package driver

import (
	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/history"
	"github.com/irscope/irscope/instruments/history/fromir"
)

// keeper keeps what became of values as texts of the run, which the events name: a step that
// is taken from an earlier run brings its own.
type keeper struct {
	rec  *fromir.Recorder
	hash string // of the step that was kept last
	text []byte // memory for steps
}

// keepHistory makes a recorder of events keep the history, too.
func keepHistory(rec *instruments.Recorder, snaps *instruments.Snapshots, sink event.Sink) *keeper {
	k := &keeper{}
	k.rec = fromir.NewRecorder(snaps, func(s *history.Step) error {
		// The same step may stand elsewhere in another run: the event says where.
		s.Path, s.Pass = "", ""
		data, err := history.Append(k.text[:0], s)
		if err != nil {
			return err
		}
		k.text = data
		k.hash, err = sink.Text(event.LangHistory, string(data))
		return err
	})
	rec.History = func(s *pass.Step, m *ir.Module) (string, error) {
		k.hash = ""
		if s == nil {
			return k.take(k.rec.Start(m))
		}
		return k.take(k.rec.Finished(m, s))
	}
	return k
}

// generated keeps what code was made from: what runs, when the program is loaded or later.
func (k *keeper) generated(res *compiler.Result) (string, error) {
	k.hash = ""
	names := []string{compiler.Entry}
	for gv, fn := range res.Module.Funcs() {
		if f, ok := fn.(*relax.Function); ok && f.Attrs.Bool(ir.AttrRunOnce, false) {
			names = append(names, gv.Name)
		}
	}
	for _, kernel := range res.Kernels {
		names = append(names, kernel.Name)
	}
	return k.take(k.rec.Generated(res.Module, names...))
}

func (k *keeper) take(err error) (string, error) { return k.hash, err }
