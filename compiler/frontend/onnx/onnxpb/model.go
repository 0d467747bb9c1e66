package onnxpb

// Model is a ModelProto: a graph, the operator sets that its nodes are written in,
// and the functions that nodes may call.
type Model struct {
	IRVersion       int64
	ProducerName    string
	ProducerVersion string
	Domain          string
	ModelVersion    int64
	DocString       string
	Graph           *Graph
	OpsetImports    []OpsetID
	Metadata        []Entry
	Functions       []Function
}

// Opset returns the version of a domain that m imports, and whether it does. The
// domains "" and "ai.onnx" are the same.
func (m *Model) Opset(domain string) (int64, bool) { return opset(m.OpsetImports, domain) }

func opset(imports []OpsetID, domain string) (int64, bool) {
	for _, o := range imports {
		if CanonicalDomain(o.Domain) == CanonicalDomain(domain) {
			return o.Version, true
		}
	}
	return 0, false
}

// CanonicalDomain spells the default operator domain as "".
func CanonicalDomain(domain string) string {
	if domain == "ai.onnx" {
		return ""
	}
	return domain
}

// OpsetID is an OperatorSetIdProto: one operator set that a model imports.
type OpsetID struct {
	Domain  string
	Version int64
}

// Entry is a StringStringEntryProto.
type Entry struct {
	Key   string
	Value string
}

// Graph is a GraphProto. Nodes are in topological order in a valid model; the reader
// does not check that.
type Graph struct {
	Name         string
	DocString    string
	Nodes        []Node
	Initializers []Tensor
	Inputs       []ValueInfo
	Outputs      []ValueInfo
	ValueInfos   []ValueInfo
	Metadata     []Entry
	Pos          int // offset of the message in the file
}

// Node is a NodeProto: one application of an operator or function. An empty name among
// Inputs or Outputs stands for an optional operand that is left out.
type Node struct {
	Name       string
	OpType     string
	Domain     string
	Overload   string
	DocString  string
	Inputs     []string
	Outputs    []string
	Attributes []Attribute
	Metadata   []Entry
	Pos        int // offset of the message in the file
}

// Attribute returns the attribute called name, or nil.
func (n *Node) Attribute(name string) *Attribute {
	for i := range n.Attributes {
		if n.Attributes[i].Name == name {
			return &n.Attributes[i]
		}
	}
	return nil
}

// Attribute is an AttributeProto. Type says which one of the value fields counts.
type Attribute struct {
	Name        string
	DocString   string
	RefAttrName string // in a function body: the function's attribute whose value this takes
	Type        AttrType
	F           float32
	I           int64
	S           []byte // aliases the file
	T           *Tensor
	G           *Graph
	TP          *Type
	Floats      []float32
	Ints        []int64
	Strings     [][]byte // alias the file
	Tensors     []Tensor
	Graphs      []*Graph
	TypeProtos  []*Type
	Pos         int // offset of the message in the file
}

// Function is a FunctionProto: a model-local operator that is defined by nodes.
type Function struct {
	Name              string
	Domain            string
	Overload          string
	DocString         string
	Inputs            []string
	Outputs           []string
	Attributes        []string    // attributes that a call must give
	AttributeDefaults []Attribute // attributes with a default value
	Nodes             []Node
	OpsetImports      []OpsetID
	ValueInfos        []ValueInfo
	Metadata          []Entry
}

// Opset returns the version of a domain that f imports, and whether it does.
func (f *Function) Opset(domain string) (int64, bool) { return opset(f.OpsetImports, domain) }

// ValueInfo is a ValueInfoProto: a name and its type. Type is nil where the file gives none.
type ValueInfo struct {
	Name      string
	DocString string
	Type      *Type
	Metadata  []Entry
	Pos       int
}

// Type is a TypeProto; exactly one of its pointers is set.
type Type struct {
	Tensor       *TensorType
	SparseTensor *TensorType
	Sequence     *Type // element type
	Optional     *Type // element type
	Map          *MapType
	Denotation   string
}

// String describes t for messages: "tensor(float32, [N, 3])", "sequence(...)".
func (t *Type) String() string {
	switch {
	case t == nil:
		return "no type"
	case t.Tensor != nil:
		return "tensor(" + t.Tensor.String() + ")"
	case t.SparseTensor != nil:
		return "sparse_tensor(" + t.SparseTensor.String() + ")"
	case t.Sequence != nil:
		return "sequence(" + t.Sequence.String() + ")"
	case t.Optional != nil:
		return "optional(" + t.Optional.String() + ")"
	case t.Map != nil:
		return "map(" + t.Map.Key.String() + ", " + t.Map.Value.String() + ")"
	}
	return "no type"
}

// TensorType is a TypeProto.Tensor: element type and, where HasShape, dimensions.
type TensorType struct {
	Elem     DataType
	HasShape bool // false: even the rank is unknown
	Shape    []Dim
}

// String describes t: "float32, [N, 3]".
func (t *TensorType) String() string {
	s := t.Elem.String()
	if !t.HasShape {
		return s + ", unknown rank"
	}
	s += ", ["
	for i, d := range t.Shape {
		if i > 0 {
			s += ", "
		}
		s += d.String()
	}
	return s + "]"
}

// MapType is a TypeProto.Map.
type MapType struct {
	Key   DataType
	Value *Type
}

// Dim is one dimension of a shape: a value, or a name (dim_param), or, with neither, unknown.
type Dim struct {
	HasValue   bool
	Value      int64
	Param      string
	Denotation string
}
