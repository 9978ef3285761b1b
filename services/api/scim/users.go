package scim

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/provision"
)

const (
	listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
	// mostResults is how many resources a page has at most.
	mostResults = 200
)

// userResource is somebody (RFC 7643, section 4.1).
type userResource struct {
	Schemas     []string `json:"schemas"`
	ID          string   `json:"id"`
	ExternalID  *string  `json:"externalId,omitempty"`
	UserName    string   `json:"userName"`
	DisplayName string   `json:"displayName"`
	Emails      []email  `json:"emails"`
	Active      bool     `json:"active"`
	Meta        meta     `json:"meta"`
}

type email struct {
	Value string `json:"value"`
}

type meta struct {
	ResourceType string     `json:"resourceType"`
	Created      *time.Time `json:"created,omitempty"`
	LastModified *time.Time `json:"lastModified,omitempty"`
	Location     string     `json:"location"`
}

type listReply struct {
	Schemas      []string `json:"schemas"`
	TotalResults int      `json:"totalResults"`
	StartIndex   int      `json:"startIndex"`
	ItemsPerPage int      `json:"itemsPerPage"`
	Resources    []any    `json:"Resources"`
}

func listOf(resources []any, start, total int) listReply {
	return listReply{[]string{listSchema}, total, start, len(resources), resources}
}

func (c *call) location(path string) string { return c.org.URI + prefix + path }

func (c *call) resource(p provision.Person) userResource {
	number := strconv.FormatInt(int64(p.ID), 10)
	return userResource{
		Schemas: []string{userSchema}, ID: number, ExternalID: p.ExternalID, UserName: p.UserName, DisplayName: p.FullName,
		Emails: []email{{p.Email}}, Active: p.Active,
		Meta: meta{"User", new(p.Joined.UTC()), new(p.Changed.UTC()), c.location("/Users/" + number)},
	}
}

// wanted is which attributes of resources are wanted (RFC 7644, section 3.9).
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

// of returns a resource with what is wanted of it. What a resource is known by is always there.
func (w wanted) of(resource any) (any, error) {
	if len(w.Only) == 0 && len(w.Without) == 0 {
		return resource, nil
	}
	text, err := json.Marshal(resource)
	if err != nil {
		return nil, err
	}
	members := map[string]any{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	names := func(named []string) []string {
		keys := []string{}
		for _, name := range named {
			name, _, _ := strings.Cut(key(strings.TrimSpace(name)), ".")
			keys = append(keys, name)
		}
		return keys
	}
	only, without := names(w.Only), names(w.Without)
	maps.DeleteFunc(members, func(name string, _ any) bool {
		name = strings.ToLower(name)
		if name == "schemas" || name == "id" {
			return false
		}
		return len(only) > 0 && !slices.Contains(only, name) || slices.Contains(without, name)
	})
	return members, nil
}

// send answers with somebody.
func (c *call) send(status int, p provision.Person) error {
	r := c.resource(p)
	body, err := wantedBy(c.r.URL.Query()).of(r)
	if err != nil {
		return err
	}
	c.w.Header().Set("Location", r.Meta.Location)
	c.answer(status, body)
	return nil
}

// number returns the id in the path; 0 is nobody's.
func (c *call) number() id.User {
	number, _ := strconv.ParseInt(c.r.PathValue("id"), 10, 64)
	return id.User(number)
}

// search are the parameters of a list.
type search struct {
	wanted
	Filter string `json:"filter"`
	Start  *int   `json:"startIndex"`
	Count  *int   `json:"count"`
}

func (h *Handler) list(c *call) error {
	query := c.r.URL.Query()
	s := search{wanted: wantedBy(query), Filter: query.Get("filter")}
	for name, into := range map[string]**int{"startIndex": &s.Start, "count": &s.Count} {
		if text := query.Get(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				return bad(invalidValue, name+" must be a number")
			}
			*into = &n
		}
	}
	return h.page(c, s)
}

func (h *Handler) search(c *call) error {
	s := search{}
	if err := c.decode(&s); err != nil {
		return err
	}
	return h.page(c, s)
}

func (h *Handler) page(c *call, s search) error {
	filter, err := parseFilter(s.Filter)
	if err != nil {
		return err
	}
	const most = 1 << 30
	start, count := 1, mostResults
	if s.Start != nil {
		start = min(max(*s.Start, 1), most)
	}
	if s.Count != nil {
		count = min(max(*s.Count, 0), mostResults)
	}
	// The total comes with the people, so at least one is read.
	people, total, err := h.deps.People.People(c.context(), c.org.ID, filter, start-1, cmp.Or(count, 1))
	if err != nil {
		return err
	}
	if len(people) == 0 && start > 1 { // beyond the last
		if _, total, err = h.deps.People.People(c.context(), c.org.ID, filter, 0, 1); err != nil {
			return err
		}
	}
	resources := []any{}
	for _, p := range people[:min(len(people), count)] {
		resource, err := s.of(c.resource(p))
		if err != nil {
			return err
		}
		resources = append(resources, resource)
	}
	c.answer(http.StatusOK, listOf(resources, start, total))
	return nil
}

func (h *Handler) get(c *call) error {
	p, err := h.deps.People.Person(c.context(), c.org.ID, c.number())
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, p)
}

// sent returns the attributes in the body.
func (c *call) sent() (attributes, error) {
	members := map[string]any{}
	if err := c.decode(&members); err != nil {
		return nil, err
	}
	return attributesOf(members), nil
}

func (h *Handler) create(c *call) error {
	a, err := c.sent()
	if err != nil {
		return err
	}
	d, err := a.details()
	if err != nil {
		return err
	}
	p, err := h.deps.People.Create(c.context(), c.org.ID, d)
	if err != nil {
		return err
	}
	return c.send(http.StatusCreated, p)
}

func (h *Handler) replace(c *call) error {
	a, err := c.sent()
	if err != nil {
		return err
	}
	return h.change(c, func(provision.Details) (provision.Details, error) { return a.details() })
}

func (h *Handler) patch(c *call) error {
	body := patchBody{}
	if err := c.decode(&body); err != nil {
		return err
	}
	return h.change(c, func(is provision.Details) (provision.Details, error) {
		a, err := ofPerson(is).patched(body.Operations)
		if err != nil {
			return provision.Details{}, err
		}
		return a.details()
	})
}

func (h *Handler) change(c *call, f func(provision.Details) (provision.Details, error)) error {
	p, err := h.deps.People.Change(c.context(), c.org.ID, c.number(), f)
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, p)
}

func (h *Handler) remove(c *call) error {
	if err := h.deps.People.Remove(c.context(), c.org.ID, c.number()); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
