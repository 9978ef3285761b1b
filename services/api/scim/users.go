package scim

import (
	"net/http"
	"strconv"
	"strings"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/provision"
	"chatserver.dev/pkg/user"
)

// userResource is a user (RFC 7643, section 4.1).
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

func (c *call) resource(p provision.Person) userResource {
	number := strconv.FormatInt(int64(p.ID), 10)
	return userResource{
		Schemas: []string{userSchema}, ID: number, ExternalID: p.ExternalID, UserName: p.UserName, DisplayName: p.FullName,
		Emails: []email{{p.Email}}, Active: p.Active,
		Meta: meta{"User", new(p.Joined.UTC()), new(p.Changed.UTC()), c.location("/Users/" + number)},
	}
}

// sendUser responds with a user resource.
func (c *call) sendUser(status int, p provision.Person) error {
	r := c.resource(p)
	return c.reply(status, r, r.Meta.Location)
}

// user returns the id in the path; 0: it is invalid.
func (c *call) user() id.User { return id.User(number(c.r.PathValue("id"))) }

func (h *Handler) people(c *call, s search) error {
	filter, err := peopleBy(s.Filter)
	if err != nil {
		return err
	}
	return c.page(s, func(skip, limit int) ([]any, int, error) {
		people, total, err := h.deps.People.People(c.context(), c.org.ID, filter, skip, limit)
		return lists.Map(people, func(p provision.Person) any { return c.resource(p) }), total, err
	})
}

func (h *Handler) get(c *call) error {
	p, err := h.deps.People.Person(c.context(), c.org.ID, c.user())
	if err != nil {
		return err
	}
	return c.sendUser(http.StatusOK, p)
}

func (h *Handler) create(c *call) error {
	a, err := c.sent()
	if err != nil {
		return err
	}
	d, err := a.details(true)
	if err != nil {
		return err
	}
	p, err := h.deps.People.Create(c.context(), c.org.ID, d)
	if err != nil {
		return err
	}
	return c.sendUser(http.StatusCreated, p)
}

func (h *Handler) replace(c *call) error {
	a, err := c.sent()
	if err != nil {
		return err
	}
	return h.change(c, func(current provision.Details) (provision.Details, error) { return a.details(current.Active) })
}

func (h *Handler) patch(c *call) error {
	body := patchBody{}
	if err := c.decode(&body); err != nil {
		return err
	}
	return h.change(c, func(current provision.Details) (provision.Details, error) {
		a, err := ofPerson(current).patched(body.Operations)
		if err != nil {
			return provision.Details{}, err
		}
		after, err := a.details(current.Active)
		// If the user name is the address, a new user name is also the new address, unless the provider sends a new
		// address, too.
		if err == nil && after.Email == current.Email && strings.EqualFold(current.Email, current.UserName) && user.ValidEmail(after.UserName) {
			after.Email = after.UserName
		}
		return after, err
	})
}

func (h *Handler) change(c *call, f func(provision.Details) (provision.Details, error)) error {
	p, err := h.deps.People.Change(c.context(), c.org.ID, c.user(), f)
	if err != nil {
		return err
	}
	return c.sendUser(http.StatusOK, p)
}

func (h *Handler) remove(c *call) error {
	if err := h.deps.People.Remove(c.context(), c.org.ID, c.user()); err != nil {
		return err
	}
	c.status = http.StatusNoContent
	return nil
}
