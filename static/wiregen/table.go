package main

// output is the file that is written, from the root of the module.
const output = "static/src/wire.gen.ts"

// A root is a Go type that the page reads or sends. The types that its fields name follow by themselves.
type root struct {
	pkg, name string
	// ts is its name in TypeScript where that is another.
	ts string
	// request marks what the page sends: each field may be left out, and a list may be null.
	request bool
}

// roots are the types of wire.gen.ts. The events come first, see events.
var roots = []root{
	{pkg: events, name: "StepStatus"},
	{pkg: "web/highlight", name: "TextPage"},
	{pkg: "web/highlight", name: "DiffPage"},
	{pkg: "instruments/request", name: "Settings", request: true},
	{pkg: "web/run", name: "Planned"},
	{pkg: "web", name: "editAnswer", ts: "CheckedEdit"},
	{pkg: "web", name: "triedJSON", ts: "Tried"},
	{pkg: "web", name: "scheduleAnswer", ts: "CheckedSchedule"},
	{pkg: "web/run", name: "MeasuredSchedule"},
	{pkg: "instruments/looptree", name: "Tree"},
	{pkg: "web", name: "runJSON", ts: "RunInfo"},
	{pkg: "web", name: "sessionJSON", ts: "SessionInfo"},
	{pkg: "web", name: "noteJSON", ts: "Note"},
	{pkg: "instruments/event", name: "Rewrites"},
	{pkg: "instruments/check", name: "Report", ts: "CheckReport"},
	{pkg: "instruments/fault", name: "Finding"},
	{pkg: "instruments/whatif", name: "Row", ts: "WhatIfRow"},
	{pkg: "web/catalog", name: "Pass", ts: "PassInfo"},
	{pkg: "web/run", name: "UserPass"},
	{pkg: "web", name: "historyAnswer", ts: "History"},
	{pkg: "web", name: "marksAnswer", ts: "Marks"},
	{pkg: "web", name: "comparisonJSON", ts: "RunComparison"},
	{pkg: "web", name: "functionsJSON", ts: "ComparedFunctions"},
	{pkg: "web", name: "listedRun", ts: "ListedRun"},
	{pkg: "web/live", name: "State", ts: "Live"},
	{pkg: "web/present", name: "Scene"},
	{pkg: "web/present", name: "Audience"},
	{pkg: "web", name: "lessonStart", ts: "LessonStart"},
	{pkg: "web", name: "lessonSolution", ts: "LessonSolution"},
	{pkg: "web/run", name: "Verdict"},
	{pkg: "web/class", name: "Board"},
	{pkg: "web/class", name: "Roster"},
}

// events is the package whose type Event becomes the union WireEvent: a member for each type that has a method EventType.
const events = "instruments/event"

// names are the TypeScript names of types whose Go name means something else there, by package and name.
var names = map[string]string{
	"instruments/event.Float":      "Num",
	"instruments/event.Function":   "WireFunction",
	"instruments/event.Error":      "RunError",
	"instruments/event.Tensor":     "WireTensor",
	"instruments/event.Span":       "SourceSpan",
	"instruments/check.Step":       "CheckedStep",
	"instruments/check.Status":     "CheckStatus",
	"instruments/check.Fault":      "CheckFault",
	"instruments/check.Expected":   "CheckExpected",
	"instruments/check.How":        "CheckHow",
	"instruments/check.Difference": "CheckDifference",
	"instruments/check.Tolerance":  "CheckTolerance",
	"instruments/fault.Rewrite":    "FaultRewrite",
	"instruments/fault.How":        "FaultHow",
	"instruments/whatif.Kind":      "WhatIfKind",
	"instruments/history.Place":    "LifePlace",
	"instruments/history.Count":    "Left",
	"instruments/history.Mark":     "LifeMark",
	"web/catalog.Option":           "ConfigOption",
	"web.sourceJSON":               "SessionSource",
	"web/present.Place":            "Presented",
	"web/present.Window":           "GraphWindow",
	"web/class.Row":                "Student",
	"web/class.Count":              "ClassCount",
	"web/highlight.WireRow":        "DiffRow",
	"instruments/compare.Row":      "ComparedRow",
	"instruments/compare.Step":     "ComparedStep",
	"instruments/compare.Function": "ComparedFunction",
	"instruments/compare.Figure":   "ComparedFigure",
	"instruments/compare.Output":   "ComparedOutput",
	"instruments/request.Step":     "SettingsStep",
	"instruments/looptree.Tree":    "LoopTree",
	"instruments/looptree.Row":     "LoopRow",
	"instruments/looptree.Kind":    "LoopKind",
	"instruments/request.Tensor":   "GivenTensor",
}
