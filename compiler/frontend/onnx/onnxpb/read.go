package onnxpb

import "fmt"

// Read reads a model. The result aliases data, which must not be changed afterwards.
//
// Beyond the wire format it checks that the model has a graph and imports operator
// sets, that tensors hold as many bytes as their dimensions say, and that attributes
// hold a value of their declared type. What the graph means is the importer's affair. Where
// a file is of another format, the error says which.
func Read(data []byte, o Options) (*Model, error) {
	d := newDecoder(len(data), o)
	if err := d.file(data, "a model"); err != nil {
		return nil, fmt.Errorf("read ONNX model: %w", err)
	}
	m, err := d.model(data)
	if err != nil {
		return nil, fmt.Errorf("read ONNX model: %w", foreignError(data, err))
	}
	return m, nil
}

// ReadTensor reads a file that holds one TensorProto, such as the input_0.pb of a test
// case. The result aliases data.
func ReadTensor(data []byte, o Options) (*Tensor, error) {
	d := newDecoder(len(data), o)
	if err := d.file(data, "a tensor"); err != nil {
		return nil, fmt.Errorf("read ONNX tensor: %w", err)
	}
	var t Tensor
	if err := d.tensor(data, 0, 0, &t); err != nil {
		return nil, fmt.Errorf("read ONNX tensor: %w", err)
	}
	return &t, nil
}

// ReadSequence reads the tensors of a serialized SequenceProto, or the one of an OptionalProto that has one. An optional sequence is one in an OptionalProto.
func ReadSequence(data []byte, o Options) ([]Tensor, error) {
	d := newDecoder(len(data), o)
	out, err := d.sequence(data, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("read ONNX sequence: %w", err)
	}
	return out, nil
}

func (d *decoder) sequence(b []byte, pos, depth int) ([]Tensor, *Error) {
	m := d.message(b, pos, depth)
	out := alloc[Tensor](m, count(b)[3], "tensors")
	for m.next() {
		switch m.num {
		case 3: // tensor_values of a sequence, tensor_value of an optional value
			out = append(out, Tensor{})
			m.fail(under(d.tensor(m.bytes("tensor_values"), m.bodyPos(), depth+1, &out[len(out)-1]), index("tensor_values", len(out)-1)))
		case 5: // sequence_values, sequence_value
			inner, err := d.sequence(m.bytes("sequence_value"), m.bodyPos(), depth+1)
			m.fail(under(err, "sequence_value"))
			out = append(out, inner...)
		}
	}
	return out, m.err
}

func (d *decoder) file(data []byte, what string) *Error {
	switch {
	case len(data) == 0:
		return errAt(0, "the file is empty, expected %s", what)
	case int64(len(data)) > d.lim.FileBytes:
		return limitAt(0, "the file has %d bytes; the limit is %d", len(data), d.lim.FileBytes)
	}
	return nil
}

func (d *decoder) model(b []byte) (*Model, *Error) {
	c := count(b)
	m := d.message(b, 0, 0)
	out := &Model{
		OpsetImports: alloc[OpsetID](m, c[8], "operator sets"),
		Metadata:     alloc[Entry](m, c[14], "metadata entries"),
		Functions:    alloc[Function](m, c[25], "functions"),
	}
	for m.next() {
		switch m.num {
		case 1:
			out.IRVersion = m.int64("ir_version")
		case 2:
			out.ProducerName = m.str("producer_name")
		case 3:
			out.ProducerVersion = m.str("producer_version")
		case 4:
			out.Domain = m.str("domain")
		case 5:
			out.ModelVersion = m.int64("model_version")
		case 6:
			out.DocString = m.str("doc_string")
		case 7:
			body := m.bytes("graph")
			if out.Graph != nil {
				m.fail(errAt(m.at, "graph occurs twice"))
				break
			}
			g, err := d.graph(body, m.bodyPos(), 1)
			out.Graph = g
			m.fail(under(err, "graph"))
		case 8:
			out.OpsetImports = append(out.OpsetImports, d.opset(m, "opset_import", len(out.OpsetImports)))
		case 14:
			out.Metadata = append(out.Metadata, d.entry(m, "metadata_props", len(out.Metadata)))
		case 20:
			m.bytes("training_info") // what an inference compiler has no use for
		case 25:
			i := len(out.Functions)
			out.Functions = append(out.Functions, Function{})
			m.fail(under(d.function(m.bytes("functions"), m.bodyPos(), 1, &out.Functions[i]), index("functions", i)))
		}
	}
	switch {
	case m.err != nil:
		return nil, m.err
	case out.Graph == nil:
		return nil, errAt(len(b), "it has no graph")
	case len(out.OpsetImports) == 0:
		return nil, errAt(len(b), "it imports no operator set (opset_import)")
	}
	return out, nil
}

func (d *decoder) graph(b []byte, pos, depth int) (*Graph, *Error) {
	m := d.message(b, pos, depth)
	if m.err != nil {
		return nil, m.err
	}
	c := count(b)
	m.fail(d.takeNodes(pos, c[1]))
	m.fail(d.charge(pos, 1, 1<<8, "graphs"))
	out := &Graph{
		Pos:          pos,
		Nodes:        alloc[Node](m, c[1], "nodes"),
		Initializers: alloc[Tensor](m, c[5], "initializers"),
		Inputs:       alloc[ValueInfo](m, c[11], "inputs"),
		Outputs:      alloc[ValueInfo](m, c[12], "outputs"),
		ValueInfos:   alloc[ValueInfo](m, c[13], "value infos"),
		Metadata:     alloc[Entry](m, c[16], "metadata entries"),
	}
	for m.next() {
		switch m.num {
		case 1:
			i := len(out.Nodes)
			out.Nodes = append(out.Nodes, Node{})
			m.fail(under(d.node(m.bytes("node"), m.bodyPos(), depth+1, &out.Nodes[i]), index("node", i)))
		case 2:
			out.Name = m.str("name")
		case 5:
			i := len(out.Initializers)
			out.Initializers = append(out.Initializers, Tensor{})
			m.fail(under(d.tensor(m.bytes("initializer"), m.bodyPos(), depth+1, &out.Initializers[i]), index("initializer", i)))
		case 10:
			out.DocString = m.str("doc_string")
		case 11:
			out.Inputs = d.appendValueInfo(m, out.Inputs, "input", depth)
		case 12:
			out.Outputs = d.appendValueInfo(m, out.Outputs, "output", depth)
		case 13:
			out.ValueInfos = d.appendValueInfo(m, out.ValueInfos, "value_info", depth)
		case 15:
			m.fail(errAt(m.at, "sparse_initializer: sparse tensors (SparseTensorProto) are not supported; store the tensor dense"))
		case 16:
			out.Metadata = append(out.Metadata, d.entry(m, "metadata_props", len(out.Metadata)))
		}
	}
	if m.err != nil {
		return nil, m.err
	}
	return out, nil
}

// takeNodes takes n nodes from the budget.
func (d *decoder) takeNodes(pos, n int) *Error {
	if n > d.nodes {
		return limitAt(pos, "%d nodes; the limit is %d for all graphs of a model together", n, d.lim.Nodes)
	}
	d.nodes -= n
	return nil
}

func (d *decoder) function(b []byte, pos, depth int, out *Function) *Error {
	m := d.message(b, pos, depth)
	c := count(b)
	m.fail(d.takeNodes(pos, c[7]))
	out.Inputs = alloc[string](m, c[4], "input names")
	out.Outputs = alloc[string](m, c[5], "output names")
	out.Attributes = alloc[string](m, c[6], "attribute names")
	out.AttributeDefaults = alloc[Attribute](m, c[11], "attributes")
	out.Nodes = alloc[Node](m, c[7], "nodes")
	out.OpsetImports = alloc[OpsetID](m, c[9], "operator sets")
	out.ValueInfos = alloc[ValueInfo](m, c[12], "value infos")
	out.Metadata = alloc[Entry](m, c[14], "metadata entries")
	for m.next() {
		switch m.num {
		case 1:
			out.Name = m.str("name")
		case 4:
			out.Inputs = append(out.Inputs, m.str("input"))
		case 5:
			out.Outputs = append(out.Outputs, m.str("output"))
		case 6:
			out.Attributes = append(out.Attributes, m.str("attribute"))
		case 7:
			i := len(out.Nodes)
			out.Nodes = append(out.Nodes, Node{})
			m.fail(under(d.node(m.bytes("node"), m.bodyPos(), depth+1, &out.Nodes[i]), index("node", i)))
		case 8:
			out.DocString = m.str("doc_string")
		case 9:
			out.OpsetImports = append(out.OpsetImports, d.opset(m, "opset_import", len(out.OpsetImports)))
		case 10:
			out.Domain = m.str("domain")
		case 11:
			out.AttributeDefaults = d.appendAttribute(m, out.AttributeDefaults, "attribute_proto", depth)
		case 12:
			out.ValueInfos = d.appendValueInfo(m, out.ValueInfos, "value_info", depth)
		case 13:
			out.Overload = m.str("overload")
		case 14:
			out.Metadata = append(out.Metadata, d.entry(m, "metadata_props", len(out.Metadata)))
		}
	}
	return m.err
}

func (d *decoder) opset(m *message, field string, i int) (o OpsetID) {
	s := d.message(m.bytes(field), m.bodyPos(), 0)
	for s.next() {
		switch s.num {
		case 1:
			o.Domain = s.str("domain")
		case 2:
			o.Version = s.int64("version")
		}
	}
	m.fail(under(s.err, index(field, i)))
	return o
}

func (d *decoder) entry(m *message, field string, i int) (e Entry) {
	s := d.message(m.bytes(field), m.bodyPos(), 0)
	for s.next() {
		switch s.num {
		case 1:
			e.Key = s.str("key")
		case 2:
			e.Value = s.str("value")
		}
	}
	m.fail(under(s.err, index(field, i)))
	return e
}
