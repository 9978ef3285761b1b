package scim

import (
	_ "embed"
	"encoding/json"
	"net/http"
)

// discovery describes the service (RFC 7643, sections 5 to 7), without addresses.
//
//go:embed discovery.json
var discovery []byte

// description is the content of discovery.
type description struct {
	Config  map[string]any   `json:"config"`
	Types   []map[string]any `json:"types"`
	Schemas []map[string]any `json:"schemas"`
}

// describe returns the description, with the organization's addresses.
func (c *call) describe() (description, error) {
	d := description{}
	if err := json.Unmarshal(discovery, &d); err != nil {
		return description{}, err
	}
	place := func(resource map[string]any, kind, path string) {
		resource["meta"] = meta{ResourceType: kind, Location: c.location(path)}
	}
	place(d.Config, "ServiceProviderConfig", "/ServiceProviderConfig")
	for _, resource := range d.Types {
		name, _ := resource["id"].(string)
		place(resource, "ResourceType", "/ResourceTypes/"+name)
	}
	for _, resource := range d.Schemas {
		name, _ := resource["id"].(string)
		place(resource, "Schema", "/Schemas/"+name)
	}
	return d, nil
}

func (*Handler) config(c *call) error {
	d, err := c.describe()
	if err == nil {
		c.answer(http.StatusOK, d.Config)
	}
	return err
}

func (*Handler) types(c *call) error {
	d, err := c.describe()
	if err != nil {
		return err
	}
	return c.all(d.Types)
}

func (*Handler) typ(c *call) error {
	d, err := c.describe()
	if err != nil {
		return err
	}
	return c.one(d.Types)
}

func (*Handler) schemas(c *call) error {
	d, err := c.describe()
	if err != nil {
		return err
	}
	return c.all(d.Schemas)
}

func (*Handler) schema(c *call) error {
	d, err := c.describe()
	if err != nil {
		return err
	}
	return c.one(d.Schemas)
}

// all responds with a list of descriptions, which can't be filtered.
func (c *call) all(resources []map[string]any) error {
	if c.r.URL.Query().Has("filter") {
		return &failure{status: http.StatusForbidden, detail: "Filters aren't allowed here"}
	}
	list := []any{}
	for _, r := range resources {
		list = append(list, r)
	}
	c.answer(http.StatusOK, listOf(list, 1, len(list)))
	return nil
}

// one responds with the description that the path names.
func (c *call) one(resources []map[string]any) error {
	for _, r := range resources {
		if r["id"] == c.r.PathValue("id") {
			c.answer(http.StatusOK, r)
			return nil
		}
	}
	return &failure{status: http.StatusNotFound, detail: "Not found"}
}
