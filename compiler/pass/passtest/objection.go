package passtest

import "fmt"

// Objection is a Failer that remembers the first thing that it was told.
type Objection struct{ text string }

// Helper does nothing.
func (*Objection) Helper() {}

// Error notes a failure.
func (o *Objection) Error(args ...any) {
	if o.text == "" {
		o.text = fmt.Sprint(args...)
	}
}

// Errorf notes a failure.
func (o *Objection) Errorf(format string, args ...any) { o.Error(fmt.Sprintf(format, args...)) }

// Fatal notes a failure and ends the check.
func (o *Objection) Fatal(args ...any) {
	o.Error(args...)
	panic(o)
}

// Fatalf notes a failure and ends the check.
func (o *Objection) Fatalf(format string, args ...any) { o.Fatal(fmt.Sprintf(format, args...)) }

// Failed tells whether there was a failure.
func (o *Objection) Failed() bool { return o.text != "" }

// Objections returns what a check says first, "" for nothing.
func Objections(check func(t Failer)) string {
	o := &Objection{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(o) {
				panic(p)
			}
		}()
		check(o)
	}()
	return o.text
}
