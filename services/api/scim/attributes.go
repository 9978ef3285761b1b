package scim

import (
	"cmp"
	"strings"

	"chatserver.dev/pkg/provision"
)

const (
	userSchema  = "urn:ietf:params:scim:schemas:core:2.0:User"
	groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group"
)

// attributes are the attributes of a resource, by their names in lower case: names are case-insensitive (RFC 7643,
// section 2.1).
type attributes map[string]any

// attributesOf converts the attributes in a request.
func attributesOf(sent map[string]any) attributes {
	a := attributes{}
	for name, value := range sent {
		a[key(name)] = value
	}
	return a
}

// key returns the name of an attribute in lower case, without its schema, which may precede it.
func key(name string) string {
	name = strings.TrimPrefix(strings.ToLower(name), strings.ToLower(userSchema)+":")
	return strings.TrimPrefix(name, strings.ToLower(groupSchema)+":")
}

// ofPerson returns the attributes of a person that can be changed.
func ofPerson(d provision.Details) attributes {
	a := attributes{
		"username": d.UserName, "displayname": d.FullName, "active": d.Active, "emails": []any{map[string]any{"value": d.Email}},
	}
	if d.ExternalID != nil {
		a["externalid"] = *d.ExternalID
	}
	return a
}

// details converts attributes to the details of a person. Attributes that a provider omits are derived from others. If it omits active, the
// account is as before: active says whether it is, or for a new one that it will be.
func (a attributes) details(active bool) (provision.Details, error) {
	d := provision.Details{Active: active}
	err := a.text("username", &d.UserName)
	if err == nil && d.UserName == "" {
		err = bad(invalidValue, "userName is required")
	}
	if external := ""; err == nil {
		if err = a.text("externalid", &external); external != "" {
			d.ExternalID = &external
		}
	}
	if err == nil {
		d.Email, err = a.email()
	}
	if err == nil {
		d.FullName, err = a.fullName()
	}
	if d.Email == "" {
		d.Email = d.UserName
	}
	if d.FullName == "" {
		d.FullName, _, _ = strings.Cut(d.UserName, "@")
	}
	if value := a["active"]; err == nil && value != nil {
		d.Active, err = boolean("active", value)
	}
	return d, err
}

// text reads a string; null counts as missing.
func (a attributes) text(name string, into *string) error {
	switch value := a[name].(type) {
	case nil:
		return nil
	case string:
		*into = value
		return nil
	}
	return bad(invalidValue, name+" must be a text")
}

// boolean reads a boolean, which some providers send as a string.
func boolean(name string, value any) (bool, error) {
	switch v := value.(type) {
	case bool:
		return v, nil
	case string:
		if strings.EqualFold(v, "true") || strings.EqualFold(v, "false") {
			return strings.EqualFold(v, "true"), nil
		}
	}
	return false, bad(invalidValue, name+" must be true or false")
}

// email returns the primary address, or the first.
func (a attributes) email() (string, error) {
	if a["emails"] == nil {
		return "", nil
	}
	all, ok := a["emails"].([]any)
	if !ok {
		all = []any{a["emails"]}
	}
	first := ""
	for _, one := range all {
		sent, ok := one.(map[string]any)
		if !ok {
			return "", bad(invalidValue, "emails must be a list of objects")
		}
		email, address := attributesOf(sent), ""
		if err := email.text("value", &address); err != nil {
			return "", err
		}
		if primary, err := boolean("primary", email["primary"]); err == nil && primary {
			return address, nil
		}
		if first == "" {
			first = address
		}
	}
	return first, nil
}

// fullName returns the display name, or one made of the parts of the name.
func (a attributes) fullName() (full string, err error) {
	if err := a.text("displayname", &full); err != nil || full != "" {
		return full, err
	}
	name := a.name()
	given, family := "", ""
	if err := cmp.Or(name.text("formatted", &full), name.text("givenname", &given), name.text("familyname", &family)); err != nil {
		return "", err
	}
	if full == "" {
		full = strings.TrimSpace(given + " " + family)
	}
	return full, nil
}

// name returns the parts of the name.
func (a attributes) name() attributes {
	if name, ok := a["name"].(attributes); ok {
		return name
	}
	sent, _ := a["name"].(map[string]any)
	return attributesOf(sent)
}
