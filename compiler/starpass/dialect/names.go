package dialect

// The functions that a tree calls. Whoever runs it defines them.
const (
	Class  = "(class)"  // (name, doc, (bases...), {member: value}): a class
	Super  = "(super)"  // (class, self): the members of self that the bases of class have
	Import = "(import)" // ("tvm.relax", or "tvm.relax:transform" for a name that is taken out of a module, the name that is bound)
	Enter  = "(enter)"  // (manager): enters it and returns what stands behind as
	Exit   = "(exit)"   // (n, value): leaves the innermost n managers and returns value
	Try    = "(try)"    // (body, [(types or None, handler)...], else or None, finally or None): a signal or None
	Raise  = "(raise)"  // (exception or None, cause or None)
	Assert = "(assert)" // (message or None): raises an AssertionError
	Is     = "(is)"     // (a, b): whether both are the same object
	Format = "(format)" // (value, conversion, specification): the text of a field of an f-string
	Join   = "(join)"   // (values...): the joined texts of the parts of an f-string
	Power  = "**"       // (a, b)
	Matmul = "@"        // (a, b)
	Cell   = "(cell)"   // (cells, name): a variable in a dictionary
	Script = "(script)" // (text, name): a module or function of TVMScript that stands in the script
	// A signal is what a block under try returns where it ends in a return, break or continue.
	Signal   = "(signal)"   // (kind, value): makes one; its kind is "return", "break" or "continue"
	Signaled = "(signaled)" // (what Try returned, kind): whether it is a signal of that kind
	Signals  = "(value)"    // (signal): the value of a return
)

// Cells is the variable that holds the variables of the top level that blocks under try assign.
const Cells = "(cells)"
