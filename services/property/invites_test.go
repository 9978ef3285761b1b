package property_test

import (
	"fmt"
	"net/http"

	"chatserver.dev/services/servicetest"
)

// invitesSeen requests the invitations that an administrator sees, without their times: no event says that one was sent again
// (events.md, section 3.20).
func invitesSeen(p *person) []object {
	reply := struct{ Invites []object }{}
	p.Do(http.MethodGet, "/invites", nil).OK().Decode(&reply)
	for _, one := range reply.Invites {
		delete(one, "invited")
	}
	return reply.Invites
}

// compareInvites compares a client's invitations and its number of changes since the first comparison with the actual
// ones.
func (f *following) compareInvites(c *client, got, want object) {
	if !c.person.role.IsAdmin() {
		return
	}
	seen := invitesSeen(c.person)
	if c.invites == nil {
		c.invites = seen
	}
	got["invites"], want["invites"] = c.invites, seen
	if !c.follows {
		c.follows, c.invited = true, f.invited
	}
	// Another role ends invitations, too.
	got["too few changes of invitations"], want["too few changes of invitations"] = max(f.invited-c.invited, 0), 0
}

// inviteAct generates a change of invitations.
func (f *following) inviteAct(p, admin *person, which int, on bool) func() {
	op := draw(f.history, "op", []string{"send", "end"})
	return func() {
		streams := []int64{f.stream("hall")}
		change := func(p *person, method, path string, params servicetest.Params) {
			if f.try(p, method, path, params).Status == http.StatusOK {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.invited++
			}
		}
		if op == "send" {
			change(p, http.MethodPost, "/invites", servicetest.Params{"invitee_emails": fmt.Sprintf("guest%d@%s", which, servicetest.Host), "stream_ids": streams})
			return
		}
		change(admin, http.MethodPost, "/invites/multiuse", servicetest.Params{"stream_ids": streams})
		all := invitesSeen(admin)
		if len(all) == 0 { // removed by another account
			return
		}
		one := all[which%len(all)]
		path := "/invites/"
		if one["is_multiuse"] == true {
			path += "multiuse/"
		} else if on {
			f.try(admin, http.MethodPost, fmt.Sprintf("%s%d/resend", path, whole(one["id"])), nil)
			return
		}
		change(admin, http.MethodDelete, fmt.Sprintf("%s%d", path, whole(one["id"])), nil)
	}
}
