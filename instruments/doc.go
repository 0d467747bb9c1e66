// Package instruments holds the built-in pass instruments: timing, printing, dumping,
// verifying, measuring, and the recorder that turns a run into events.
//
// An instrument is a pass.Instrument, a struct of callbacks; users write their own the same
// way. Printing, dumping and recording share one source of printed functions, Snapshots.
//
// The command line and the web import it. Nothing under compiler/ does.
package instruments
