package scim

import (
	"maps"
	"slices"
	"strings"
)

// maxOperations is the maximum number of operations of a patch.
const maxOperations = 1000

// operation is a part of a patch (RFC 7644, section 3.5.2).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

type patchBody struct {
	Operations []operation `json:"Operations"`
}

// required reports whether an attribute can't be removed.
func required(name string) bool {
	switch name {
	case "username", "displayname", "emails", "active":
		return true
	}
	return false
}

func checkNumber(operations []operation) error {
	if len(operations) == 0 || len(operations) > maxOperations {
		return bad(invalidSyntax, "A patch has 1 to 1000 operations")
	}
	return nil
}

// patched returns attributes with the operations applied in order.
func (a attributes) patched(operations []operation) (attributes, error) {
	if err := checkNumber(operations); err != nil {
		return nil, err
	}
	for _, o := range operations {
		if err := a.apply(o); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a attributes) apply(o operation) error {
	switch op := strings.ToLower(o.Op); {
	case op == "remove" && o.Path == "":
		return bad(noTarget, "What is to be removed needs a path")
	case op == "remove":
		return a.remove(o.Path)
	case op != "add" && op != "replace":
		return bad(invalidSyntax, "op must be add, replace or remove")
	case o.Path != "":
		return a.set(o.Path, o.Value)
	}
	values, ok := o.Value.(map[string]any)
	if !ok {
		return bad(invalidValue, "Without a path, the value must be an object")
	}
	for _, path := range slices.Sorted(maps.Keys(values)) { // some providers send paths in place of names: parts come after the whole
		if err := a.set(path, values[path]); err != nil {
			return err
		}
	}
	return nil
}

// path is the target of an operation: an attribute, or a part of it. A filter for one of the attribute's values is
// ignored, since there is only one value.
type path struct{ attribute, part string }

func parsePath(text string) (path, error) {
	name := key(text)
	p := path{attribute: name}
	before, rest, filtered := strings.Cut(name, "[")
	if filtered {
		end := strings.LastIndexByte(rest, ']')
		if end < 0 {
			return path{}, bad(invalidPath, "The path has an open bracket")
		}
		p.attribute, p.part = before, strings.TrimPrefix(rest[end+1:], ".")
	} else if before, part, ok := strings.Cut(name, "."); ok && !strings.HasPrefix(name, "urn:") {
		p.attribute, p.part = before, part
	}
	if p.attribute == "" || strings.ContainsAny(p.attribute+p.part, " []\"") {
		return path{}, bad(invalidPath, "The path can't be read")
	}
	return p, nil
}

// set replaces a value. It also implements add, since no attribute has several values.
func (a attributes) set(text string, value any) error {
	p, err := parsePath(text)
	switch {
	case err != nil:
		return err
	case p.part == "":
		a[p.attribute] = value
	case p.attribute == "emails":
		if p.part == "value" { // other parts, such as type and primary, are ignored
			a["emails"] = []any{map[string]any{"value": value}}
		}
	case p.attribute == "name":
		name := a.name()
		name[p.part] = value
		a["name"] = name // copied only once, however many operations follow
	}
	return nil
}

func (a attributes) remove(text string) error {
	p, err := parsePath(text)
	switch {
	case err != nil:
		return err
	case required(p.attribute) && (p.part == "" || p.part == "value"):
		return bad(mutability, p.attribute+" can't be removed")
	case p.part == "":
		delete(a, p.attribute)
	}
	return nil
}
