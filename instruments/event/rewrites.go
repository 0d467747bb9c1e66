package event

// Rewrites is what the passes of one step said about their work. It is a text of its own
// (LangRewrites), as JSON, which PassFinished names by hash.
type Rewrites struct {
	// Names counts the rewrites by name, in the order in which the names came up. It counts all,
	// also those that are not listed.
	Names    []RuleCount `json:"names"`
	Rewrites []Rewrite   `json:"rewrites"`
	// Omitted is the number of rewrites beyond the limit of a step.
	Omitted int `json:"omitted,omitempty"`
	// Rules counts the decisions in the same way.
	Rules            []RuleCount `json:"rules"`
	Decisions        []Decision  `json:"decisions"`
	OmittedDecisions int         `json:"omitted_decisions,omitempty"`
}

// RewriteCounts says how much a step reported, and where that is found.
type RewriteCounts struct {
	// Text is the hash of the text that lists it, see Rewrites.
	Text      string `json:"text"`
	Rewrites  int    `json:"rewrites"`
	Decisions int    `json:"decisions,omitempty"`
}

// Counts returns how much r lists and counts, with the hash of its text.
func (r *Rewrites) Counts(text string) *RewriteCounts {
	return &RewriteCounts{Text: text, Rewrites: len(r.Rewrites) + r.Omitted, Decisions: len(r.Decisions) + r.OmittedDecisions}
}

// RuleCount says how often a rule was applied and how often it was declined.
type RuleCount struct {
	Name     string `json:"name"`
	Taken    int    `json:"taken"`
	Declined int    `json:"declined,omitempty"`
}

// Rewrite is one application of a rule.
type Rewrite struct {
	Name string `json:"name"`
	Func string `json:"func,omitempty"`
	// Before and After are the places of what went and of what came; empty of what was added or
	// removed.
	Before []Place `json:"before,omitempty"`
	After  []Place `json:"after,omitempty"`
	// From are the names of nodes of the model that it goes back to, the first few.
	From []string `json:"from,omitempty"`
}

// Decision is a question that a rule was asked about a place of the function before the step, and its answer.
type Decision struct {
	Rule   string   `json:"rule"`
	Func   string   `json:"func,omitempty"`
	Place  *Place   `json:"place,omitempty"`
	Taken  bool     `json:"taken"`
	Reason string   `json:"reason"`
	From   []string `json:"from,omitempty"`
}

// Place is where a node stands in the printed form of a function. Lines and columns count from
// 1; they are 0 where the node has no place: it stood between two rewrites of the step.
type Place struct {
	Func string `json:"func,omitempty"`
	// Path leads to the node from the function, as in docs/nodes.md.
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Col     int    `json:"col,omitempty"`
	EndLine int    `json:"end_line,omitempty"`
	EndCol  int    `json:"end_col,omitempty"`
	// Near tells that the place is that of a part or of a neighbour, the node itself has none.
	Near bool `json:"near,omitempty"`
	// Text is the beginning of the node's own text.
	Text string `json:"text"`
}

// LangRewrites is the language of the texts that hold a Rewrites.
const LangRewrites = "rewrites"
