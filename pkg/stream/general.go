package stream

import (
	"context"
	"encoding/json"
	"fmt"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
)

// The first stream of a new organization (rest-api.md, section 8.1).
const (
	// General is its name.
	General = "general"
	// GeneralDescription is its description.
	GeneralDescription = "What concerns everybody."
)

// The second stream of an organization that was created by signing up (rest-api.md, section 8.1).
const (
	coreTeam            = "core team"
	coreTeamDescription = "For those who run the organization."
)

// CreateFirst creates the streams of an organization that signs up: that of [Service.CreateGeneral], and a private one
// for notices of sign-ups. It returns the changed organization and the streams.
func (s *Service) CreateFirst(ctx context.Context, tx *store.Tx, o org.Org) (org.Org, []id.Stream, error) {
	o, err := s.CreateGeneral(ctx, tx, o)
	if err != nil {
		return org.Org{}, nil, err
	}
	drafts := []Draft{{Name: coreTeam, Description: coreTeamDescription}}
	private := Settings{InviteOnly: true, HistoryPublic: true, PostPolicy: permit.PostAnyone}
	made, err := Create(ctx, tx, s.render, markdown.Context{OrgURL: o.URI}, drafts, private)
	if err != nil {
		return org.Org{}, nil, err
	}
	signups := map[string]json.RawMessage{org.SignupsSetting: fmt.Append(nil, made[0].StreamID)}
	after, _, err := s.orgs.Change(ctx, tx, org.Change{Settings: signups})
	return after, []id.Stream{id.Stream(o.Settings.NotificationsStreamID), made[0].StreamID}, err
}

// CreateGeneral creates the first public stream of a new organization, and returns the changed organization. New accounts
// are subscribed to the stream, and new streams are announced in it. The transaction must be the one that creates the
// organization.
func (s *Service) CreateGeneral(ctx context.Context, tx *store.Tx, o org.Org) (org.Org, error) {
	drafts := []Draft{{Name: General, Description: GeneralDescription}}
	made, err := Create(ctx, tx, s.render, markdown.Context{OrgURL: o.URI}, drafts, Settings{PostPolicy: permit.PostAnyone})
	if err != nil {
		return org.Org{}, err
	}
	if err := SetDefault(ctx, tx, made[0].StreamID, true); err != nil {
		return org.Org{}, err
	}
	announcements := map[string]json.RawMessage{org.AnnouncementsSetting: fmt.Append(nil, made[0].StreamID)}
	after, _, err := s.orgs.Change(ctx, tx, org.Change{Settings: announcements})
	return after, err
}
