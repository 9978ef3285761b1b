package scim

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
)

const (
	listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
	// maxResults is the maximum number of resources of a page.
	maxResults = 200
)

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

// search are the parameters of a list.
type search struct {
	wanted
	Filter string `json:"filter"`
	Start  *int   `json:"startIndex"`
	Count  *int   `json:"count"`
}

// listed serves a list by the parameters in the query string.
func listed(page func(c *call, s search) error) func(c *call) error {
	return func(c *call) error {
		s, err := searchBy(c.r.URL.Query())
		if err != nil {
			return err
		}
		return page(c, s)
	}
}

// searched serves a list by the parameters in the body (RFC 7644, section 3.4.3).
func searched(page func(c *call, s search) error) func(c *call) error {
	return func(c *call) error {
		s := search{}
		if err := c.decode(&s); err != nil {
			return err
		}
		return page(c, s)
	}
}

func searchBy(query url.Values) (search, error) {
	s := search{wanted: wantedBy(query), Filter: query.Get("filter")}
	err := cmp.Or(queryNumber(query, "startIndex", &s.Start), queryNumber(query, "count", &s.Count))
	return s, err
}

// queryNumber stores the number in a query, if there is one.
func queryNumber(query url.Values, name string, into **int) error {
	text := query.Get(name)
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return bad(invalidValue, name+" must be a number")
	}
	*into = &n
	return nil
}

// page responds with a part of a list. find returns up to limit resources after skipping some, and the total number of
// resources.
func (c *call) page(s search, find func(skip, limit int) (found []any, total int, err error)) error {
	const limit = 1 << 30
	start, count := 1, maxResults
	if s.Start != nil {
		start = min(max(*s.Start, 1), limit)
	}
	if s.Count != nil {
		count = min(max(*s.Count, 0), maxResults)
	}
	// Only found resources come with the total, so at least one is read.
	found, total, err := find(start-1, cmp.Or(count, 1))
	if err != nil {
		return err
	}
	if len(found) == 0 && start > 1 { // beyond the last
		if _, total, err = find(0, 1); err != nil {
			return err
		}
	}
	resources, selected := []any{}, s.selection()
	for _, one := range found[:min(len(found), count)] {
		resource, err := selected.of(one)
		if err != nil {
			return err
		}
		resources = append(resources, resource)
	}
	c.answer(http.StatusOK, listOf(resources, start, total))
	return nil
}
