package scim

import (
	"strings"

	"chatserver.dev/pkg/provision"
)

const (
	userSchema  = "urn:ietf:params:scim:schemas:core:2.0:User"
	groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group"
)

// attributes are a resource's, by their names in lower case: letter case doesn't count (RFC 7643, section 2.1).
type attributes map[string]any

// attributesOf returns what was sent.
func attributesOf(sent map[string]any) attributes {
	a := attributes{}
	for name, value := range sent {
		a[key(name)] = value
	}
	return a
}

// key returns the name by which an attribute is kept: without the schema, which may be in front of it.
func key(name string) string {
	name = strings.TrimPrefix(strings.ToLower(name), strings.ToLower(userSchema)+":")
	return strings.TrimPrefix(name, strings.ToLower(groupSchema)+":")
}

// ofPerson returns what can be changed of somebody.
func ofPerson(d provision.Details) attributes {
	a := attributes{
		"username": d.UserName, "displayname": d.FullName, "active": d.Active, "emails": []any{map[string]any{"value": d.Email}},
	}
	if d.ExternalID != nil {
		a["externalid"] = *d.ExternalID
	}
	return a
}

// details returns what attributes say about somebody. Those that a provider leaves out follow from others.
func (a attributes) details() (provision.Details, error) {
	d := provision.Details{Active: true}
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

// text reads a text; null is as good as nothing.
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

// boolean reads a value that some providers send as text.
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

// fullName returns the name to show, or the parts of a name.
func (a attributes) fullName() (full string, err error) {
	if err := a.text("displayname", &full); err != nil || full != "" {
		return full, err
	}
	sent, _ := a["name"].(map[string]any)
	name := attributesOf(sent)
	given, family := "", ""
	for part, into := range map[string]*string{"formatted": &full, "givenname": &given, "familyname": &family} {
		if err := name.text(part, into); err != nil {
			return "", err
		}
	}
	if full == "" {
		full = strings.TrimSpace(given + " " + family)
	}
	return full, nil
}
