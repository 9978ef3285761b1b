package scim

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/provision"
)

// patchedGroup returns a group with the operations applied in order.
func patchedGroup(d provision.GroupDetails, operations []operation) (_ provision.GroupDetails, err error) {
	if err := checkNumber(operations); err != nil {
		return d, err
	}
	for _, o := range operations {
		if d, err = o.toGroup(d); err != nil {
			return d, err
		}
		if len(d.Members) > group.MaxMembers {
			return d, group.ErrManyMembers.Format(len(d.Members), group.MaxMembers)
		}
	}
	return d, nil
}

// toGroup returns a group with an operation applied.
func (o operation) toGroup(d provision.GroupDetails) (_ provision.GroupDetails, err error) {
	op := strings.ToLower(o.Op)
	switch {
	case op == "remove" && o.Path == "":
		return d, bad(noTarget, "What is to be removed needs a path")
	case op == "remove":
		return removeOfGroup(d, o.Path, o.Value)
	case op != "add" && op != "replace":
		return d, bad(invalidSyntax, "op must be add, replace or remove")
	case o.Path != "":
		return setOfGroup(d, o.Path, o.Value, op == "add")
	}
	values, ok := o.Value.(map[string]any)
	if !ok {
		return d, bad(invalidValue, "Without a path, the value must be an object")
	}
	for _, path := range slices.Sorted(maps.Keys(values)) {
		if d, err = setOfGroup(d, path, values[path], op == "add"); err != nil {
			return d, err
		}
	}
	return d, nil
}

// setOfGroup returns a group with a value replaced or, if add is set, with members added. Attributes that groups don't
// have are ignored.
func setOfGroup(d provision.GroupDetails, path string, value any, add bool) (provision.GroupDetails, error) {
	p, err := parsePath(path)
	if err != nil {
		return d, err
	}
	sent := attributes{p.attribute: value}
	switch p.attribute {
	case "displayname":
		err = sent.text(p.attribute, &d.Name)
	case "externalid":
		external := ""
		if err = sent.text(p.attribute, &external); err == nil {
			d.ExternalID = nil
			if external != "" {
				d.ExternalID = &external
			}
		}
	case "members":
		if strings.Contains(path, "[") {
			return d, bad(invalidPath, "A member can't be changed: it is removed, and another is added")
		}
		members, err := members(value)
		if add {
			members = slices.Concat(d.Members, members)
		}
		slices.Sort(members)
		d.Members = slices.Compact(members)
		return d, err
	}
	return d, err
}

// removeOfGroup returns a group without a value. For members, these are the ones that the path or the value names, or
// all if neither names any.
func removeOfGroup(d provision.GroupDetails, path string, value any) (provision.GroupDetails, error) {
	p, err := parsePath(path)
	switch {
	case err != nil:
		return d, err
	case p.attribute == "displayname":
		return d, bad(mutability, "displayName can't be removed")
	case p.attribute == "externalid":
		d.ExternalID = nil
	case p.attribute == "members":
		going := []id.User(nil)
		_, filter, filtered := strings.Cut(path, "[")
		switch {
		case filtered:
			going, err = filteredMembers(filter[:strings.LastIndexByte(filter, ']')])
		case value != nil:
			going, err = members(value)
		default:
			going = d.Members
		}
		d.Members = slices.DeleteFunc(slices.Clone(d.Members), func(member id.User) bool { return slices.Contains(going, member) })
	}
	return d, err
}

// filteredMembers returns the member that a filter in a path names.
func filteredMembers(filter string) (named []id.User, err error) {
	err = parseFilter(filter, func(name, value string) error {
		if name != "value" || named != nil {
			return bad(invalidFilter, `Members are named as in members[value eq "7"]`)
		}
		named = []id.User{id.User(number(value))}
		return nil
	})
	return named, err
}

// members returns the members that a value names; 0 stands for an invalid id.
func members(value any) (named []id.User, err error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, one := range list {
		sent, ok := one.(map[string]any)
		if !ok {
			return nil, bad(invalidValue, "members must be a list of objects")
		}
		a, of, kind, ref := attributesOf(sent), "", "", ""
		if err := cmp.Or(a.text("value", &of), a.text("type", &kind), a.text("$ref", &ref)); err != nil {
			return nil, err
		}
		if kind != "" && !strings.EqualFold(kind, "User") || strings.Contains(ref, "/Groups/") {
			return nil, bad(invalidValue, "Members are users: groups can't be in groups")
		}
		named = append(named, id.User(number(of)))
	}
	return named, nil
}
