package parse

// nodeKind says what an expression is.
type nodeKind uint8

const (
	nName    nodeKind = iota // s is the name
	nInt                     // s is the text of the number
	nFloat                   // s is the text of the number
	nString                  // s is the value
	nConst                   // s is None, True, False or ...
	nAttr                    // kids[0].s
	nCall                    // kids[0](kids[1:], kws)
	nIndex                   // kids[0][kids[1:]]
	nSlice                   // kids[0]:kids[1]:kids[2], each may be nil
	nTuple                   // (kids...)
	nList                    // [kids...]
	nDict                    // kids are keys and values in turn
	nUnary                   // s kids[0]; s is "-", "+", "~" or "not"
	nBinary                  // kids[0] s kids[1]
	nCompare                 // kids[0] s kids[1], chained by nBool
	nBool                    // kids[0] s kids[1]; s is "and" or "or"
	nIfExp                   // kids[1] if kids[0] else kids[2]
	nLambda                  // lambda more.vars: kids[0]
	nStar                    // *kids[0]
	nValue                   // more.val, made by the builder
)

// node is an expression.
type node struct {
	kind    nodeKind
	parens  bool // stood in parentheses
	at, end int32
	s       string
	kids    []*node
	more    *more
}

// more is what few nodes have.
type more struct {
	val  any       // of nValue
	kws  []keyword // of nCall
	vars []string  // of nLambda
}

// valueNode is a node that stands for a value that the builder made.
func valueNode(at, end int32, val any) *node {
	return &node{kind: nValue, at: at, end: end, more: &more{val: val}}
}

// keywords returns the arguments by name of a call.
func (n *node) keywords() []keyword {
	if n.more == nil {
		return nil
	}
	return n.more.kws
}

// lambdaParams returns the names of the parameters of a lambda.
func (n *node) lambdaParams() []string { return n.more.vars }

// keyword is an argument given by name; a name "**" spreads a dictionary.
type keyword struct {
	name    string
	at, end int32
	value   *node
}

// stmtKind says what a statement is.
type stmtKind uint8

const (
	sExpr stmtKind = iota
	sAssign
	sAugAssign
	sAnnAssign
	sReturn
	sIf
	sFor
	sWhile
	sWith
	sDef
	sClass
	sAssert
	sPass
	sImport
	sBreak
	sContinue
)

// stmt is a statement. Which fields count depends on its kind:
//
//	sAssign     targets = value
//	sAugAssign  targets[0] op= value
//	sAnnAssign  targets[0]: ann = value (which may be nil)
//	sFor        for targets[0] in value: body
//	sWith       with items: body
//	sDef        decorators, def name(params) -> ann: body
//	sAssert     assert value, ann
type stmt struct {
	kind       stmtKind
	op         sign  // of sAugAssign
	at, end    int32 // of the head, behind the decorators
	top        int32 // start of the decorators, of the head where there are none
	last       int32 // end of the body
	targets    []*node
	ann, value *node
	items      []withItem
	body       []*stmt
	orelse     []*stmt
	*head      // of sDef, sClass and sImport; noHead of the others
}

// head is what definitions have besides.
type head struct {
	name       string
	params     []param
	sizes      []param // symbolic variables: def f[n](...)
	decorators []*node
}

// noHead is read, never written.
var noHead head

type withItem struct {
	value, as *node
}

// param is a parameter of a function, or a name that an import defines; orig is what is
// imported under it.
type param struct {
	name    string
	orig    string
	at, end int32
	ann     *node
}
