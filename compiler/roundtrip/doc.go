// Package roundtrip checks that what is printed reads back: the text of a module parses, the
// module that was read prints as the same text, and it is structurally equal to the first.
//
// Tests run it on what every pass produces, through Check or the Instrument. It may be
// imported by tests and tools; it knows no passes.
package roundtrip
