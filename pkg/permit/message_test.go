package permit_test

import (
	"errors"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/permit"
)

func TestEditMessage(t *testing.T) {
	t.Parallel()
	const (
		limit = 10 * time.Minute
		grace = 20 * time.Second
		day   = 24 * time.Hour
		year  = 365 * day
	)
	type edit = permit.MessageEdit
	for _, test := range []struct {
		name string
		who  actor.Role
		edit edit
		want error
	}{
		{"own content", actor.Guest, edit{Own: true, Content: true, ContentLimit: limit, Age: limit + grace}, nil},
		{"own content, late", actor.Member, edit{Own: true, Content: true, ContentLimit: limit, Age: limit + grace + 1}, permit.ErrEditLate},
		{"own content, late, an owner's", actor.Owner, edit{Own: true, Content: true, ContentLimit: limit, Age: year}, permit.ErrEditLate},
		{"own content without limit", actor.Member, edit{Own: true, Content: true, Age: year}, nil},
		{"own topic", actor.Member, edit{Own: true, ContentLimit: limit, Age: year}, nil},
		{"another's content", actor.Owner, edit{Content: true, CommunityTopics: true}, permit.ErrEdit},
		{"another's content without topic", actor.Member, edit{Content: true, Topic: "(no topic)"}, permit.ErrEdit},
		{"another's topic", actor.Guest, edit{CommunityTopics: true, Age: day + grace}, nil},
		{"another's topic, late", actor.Member, edit{CommunityTopics: true, Age: day + grace + 1}, permit.ErrEditLate},
		{"another's topic, administrators only", actor.Member, edit{}, permit.ErrEdit},
		{"another's topic, by an administrator", actor.Administrator, edit{Age: year}, nil},
		{"no topic", actor.Member, edit{Topic: "(no topic)", Age: year}, nil},
	} {
		if got := permit.EditMessage(test.who, test.edit); !errors.Is(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestDeleteMessage(t *testing.T) {
	t.Parallel()
	const limit = 10 * time.Minute
	type deletion = permit.MessageDeletion
	for _, test := range []struct {
		name     string
		who      actor.Role
		deletion deletion
		want     error
	}{
		{"an administrator", actor.Administrator, deletion{Age: 2 * limit, Limit: limit}, nil},
		{"another's", actor.Member, deletion{Allowed: true}, permit.ErrDelete},
		{"own, not allowed", actor.Member, deletion{Own: true}, permit.ErrDelete},
		{"own", actor.Guest, deletion{Own: true, Allowed: true, Limit: limit, Age: limit}, nil},
		{"own, late", actor.Member, deletion{Own: true, Allowed: true, Limit: limit, Age: limit + 1}, permit.ErrDeleteLate},
		{"own, without limit", actor.Member, deletion{Own: true, Allowed: true, Age: 1000 * limit}, nil},
	} {
		if got := permit.DeleteMessage(test.who, test.deletion); !errors.Is(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
