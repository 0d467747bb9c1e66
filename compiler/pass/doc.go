// Package pass is the pass infrastructure, after TVM's: passes as values, the context that
// they run under, sequences of passes, instruments, and the one runner that ties them
// together.
//
//	c := pass.NewContext(context.Background(), pass.OptLevel(3), pass.Instruments(t))
//	m, err := c.Run(pipeline, m)
//
// Compiler code receives its Context explicitly. TVM's notion of a current context, with its
// stack, is a Stack value that a caller owns.
//
// It may be imported by everything under compiler/ and by instruments; it knows no
// particular pass, no instrument and no web.
package pass
