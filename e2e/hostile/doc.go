// Package hostile feeds the whole program with what a stranger may send: files that are no
// models, models that are wrong, huge, deep or odd, passes and instruments that fail, and
// runs that are canceled at any moment. The tests go through the facade, the command line
// and the server, and measure time and memory.
//
// It holds tests only; nothing imports it.
package hostile
