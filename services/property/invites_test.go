package property_test

import (
	"fmt"
	"net/http"

	"chatserver.dev/services/servicetest"
)

// invitesSeen asks for the invitations that an administrator sees.
func invitesSeen(p *person) []object {
	reply := struct{ Invites []object }{}
	p.Do(http.MethodGet, "/invites", nil).OK().Decode(&reply)
	return reply.Invites
}

// compareInvites compares what an administrator knows of invitations with what is so: those that they see, and how often
// something about them changed, since they were compared first.
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
	got["changes of invitations"], want["changes of invitations"] = c.invited, f.invited
}

// inviteAct makes up a change of invitations.
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
		if len(all) == 0 { // somebody else has ended it
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
