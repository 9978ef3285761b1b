package scim

import (
	"encoding/json"
	"maps"
	"net/url"
	"strings"
	"time"

	"chatserver.dev/pkg/lists"
)

type meta struct {
	ResourceType string     `json:"resourceType"`
	Created      *time.Time `json:"created,omitempty"`
	LastModified *time.Time `json:"lastModified,omitempty"`
	Location     string     `json:"location"`
}

func (c *call) location(path string) string { return c.org.URI + prefix + path }

// wanted selects the attributes of resources in a response (RFC 7644, section 3.9).
type wanted struct {
	Only    []string `json:"attributes"`
	Without []string `json:"excludedAttributes"`
}

func wantedBy(query url.Values) wanted {
	list := func(name string) []string {
		if text := query.Get(name); text != "" {
			return strings.Split(text, ",")
		}
		return nil
	}
	return wanted{list("attributes"), list("excludedAttributes")}
}

// selection is the selected attributes, by their names in lower case. It is made once for all resources of a response, since a
// request may name many attributes.
type selection struct{ only, without map[string]bool }

func (w wanted) selection() selection {
	names := func(named []string) map[string]bool {
		return lists.Set(lists.Map(named, func(name string) string {
			name, _, _ = strings.Cut(key(strings.TrimSpace(name)), ".")
			return name
		}))
	}
	return selection{names(w.Only), names(w.Without)}
}

// of returns a resource with the selected attributes. Schemas and id are always included.
func (s selection) of(resource any) (any, error) {
	if len(s.only) == 0 && len(s.without) == 0 {
		return resource, nil
	}
	text, err := json.Marshal(resource)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool {
		name = strings.ToLower(name)
		if name == "schemas" || name == "id" {
			return false
		}
		return len(s.only) > 0 && !s.only[name] || s.without[name]
	})
	return members, nil
}

// reply responds with the selected attributes of a resource.
func (c *call) reply(status int, resource any, location string) error {
	body, err := wantedBy(c.r.URL.Query()).selection().of(resource)
	if err != nil {
		return err
	}
	c.w.Header().Set("Location", location)
	c.answer(status, body)
	return nil
}

// sent returns the attributes in the body.
func (c *call) sent() (attributes, error) {
	members := map[string]any{}
	if err := c.decode(&members); err != nil {
		return nil, err
	}
	return attributesOf(members), nil
}
