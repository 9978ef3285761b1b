package scim

import (
	"net/http"
	"strconv"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/provision"
)

// groupResource is a user group (RFC 7643, section 4.2).
type groupResource struct {
	Schemas     []string `json:"schemas"`
	ID          string   `json:"id"`
	ExternalID  *string  `json:"externalId,omitempty"`
	DisplayName string   `json:"displayName"`
	Members     []member `json:"members"`
	Meta        meta     `json:"meta"`
}

type member struct {
	Value string `json:"value"`
	Ref   string `json:"$ref"`
	Type  string `json:"type"`
}

func (c *call) group(g provision.Group) groupResource {
	number := strconv.FormatInt(int64(g.ID), 10)
	return groupResource{
		Schemas: []string{groupSchema}, ID: number, ExternalID: g.ExternalID, DisplayName: g.Name,
		Members: lists.Map(g.Members, func(of id.User) member {
			number := strconv.FormatInt(int64(of), 10)
			return member{number, c.location("/Users/" + number), "User"}
		}),
		Meta: meta{ResourceType: "Group", Location: c.location("/Groups/" + number)},
	}
}

func (c *call) sendGroup(status int, g provision.Group) error {
	r := c.group(g)
	return c.reply(status, r, r.Meta.Location)
}

func (c *call) groupID() id.Group { return id.Group(number(c.r.PathValue("id"))) }

func (h *Handler) groups(c *call, s search) error {
	filter, err := groupsBy(s.Filter)
	if err != nil {
		return err
	}
	return c.page(s, func(skip, limit int) ([]any, int, error) {
		groups, total, err := h.deps.People.Groups(c.context(), c.org.ID, filter, skip, limit)
		return lists.Map(groups, func(g provision.Group) any { return c.group(g) }), total, err
	})
}

func (h *Handler) getGroup(c *call) error {
	g, err := h.deps.People.Group(c.context(), c.org.ID, c.groupID())
	if err != nil {
		return err
	}
	return c.sendGroup(http.StatusOK, g)
}

// groupDetails returns the details of a group that attributes set.
func (a attributes) groupDetails() (d provision.GroupDetails, err error) {
	for _, name := range []string{"displayname", "externalid", "members"} {
		if err == nil && a[name] != nil {
			d, err = setOfGroup(d, name, a[name], false)
		}
	}
	return d, err
}

func (c *call) sentGroup() (provision.GroupDetails, error) {
	a, err := c.sent()
	if err != nil {
		return provision.GroupDetails{}, err
	}
	return a.groupDetails()
}

func (h *Handler) createGroup(c *call) error {
	d, err := c.sentGroup()
	if err != nil {
		return err
	}
	g, err := h.deps.People.CreateGroup(c.context(), c.org.ID, d)
	if err != nil {
		return err
	}
	return c.sendGroup(http.StatusCreated, g)
}

func (h *Handler) replaceGroup(c *call) error {
	d, err := c.sentGroup()
	if err != nil {
		return err
	}
	return h.changeGroup(c, func(provision.GroupDetails) (provision.GroupDetails, error) { return d, nil })
}

func (h *Handler) patchGroup(c *call) error {
	body := patchBody{}
	if err := c.decode(&body); err != nil {
		return err
	}
	return h.changeGroup(c, func(current provision.GroupDetails) (provision.GroupDetails, error) {
		return patchedGroup(current, body.Operations)
	})
}

func (h *Handler) changeGroup(c *call, f func(provision.GroupDetails) (provision.GroupDetails, error)) error {
	g, err := h.deps.People.ChangeGroup(c.context(), c.org.ID, c.groupID(), f)
	if err != nil {
		return err
	}
	return c.sendGroup(http.StatusOK, g)
}

func (h *Handler) removeGroup(c *call) error {
	if err := h.deps.People.RemoveGroup(c.context(), c.org.ID, c.groupID()); err != nil {
		return err
	}
	c.status = http.StatusNoContent
	return nil
}
