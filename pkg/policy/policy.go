package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// Faults (rest-api.md, section 5.4).
var (
	ErrLanguage    = fault.Bad("Invalid language '%s'")
	ErrDescription = fault.Plain("Organization description is too long.")
	ErrName        = fault.Plain("Organization name is too long.")
	ErrNoMethod    = fault.Plain("At least one authentication method must be enabled.")
	ErrMethod      = fault.Bad("Invalid authentication_methods")
	ErrVideo       = fault.Plain("Invalid video_chat_provider %d")
)

// Limits, in characters.
const (
	maxName        = 40
	maxDescription = 1000
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB         *store.DB
	Orgs       *org.Service
	Render     stream.Renderer
	Linkifiers *linkifier.Service
	Now        func() time.Time
}

// Service changes organizations. It is safe for concurrent use.
type Service struct {
	Deps
	addresses steps.Kind[addresses]
}

// New makes the service.
func New(d Deps) *Service {
	s := &Service{Deps: d}
	s.addresses = steps.NewKind("show_addresses", minAddresses, maxAddresses, s.showMore)
	return s
}

// Kinds returns the kinds of changes that take several transactions.
func (s *Service) Kinds() []steps.Resumable { return []steps.Resumable{s.addresses} }

// Choice is a change by an administrator; nil fields don't change.
type Choice struct {
	Name        *string
	Description *string // Markdown
	Methods     map[string]bool
	Language    *string // the setting default_language
	Video       *int    // video_chat_provider
	Retention   *int    // message_retention_days
	// Others are other settings, by their JSON names.
	Others map[string]json.RawMessage
}

// Set changes the caller's organization. It returns the new values that differ, by the names of settings, and "name"
// and "description". The caller of Set checks that who is an administrator. Set fails with the faults above, with
// [permit.ErrNotOwner], [permit.ErrNotAdmin], [org.ErrName], [stream.ErrInvalidID], and with the errors of
// [user.Current].
func (s *Service) Set(ctx context.Context, who actor.Actor, c Choice) (changed map[string]any, err error) {
	if err := s.check(who, c); err != nil {
		return nil, err
	}
	change := org.Change{Name: c.Name, Description: c.Description, Settings: map[string]json.RawMessage{}}
	maps.Copy(change.Settings, c.Others)
	for name, value := range map[string]any{
		"default_language": c.Language, "video_chat_provider": c.Video, "message_retention_days": c.Retention,
	} {
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encode setting %q: %w", name, err)
		}
		if string(encoded) != "null" {
			change.Settings[name] = encoded
		}
	}
	if change, err = s.rendered(ctx, who.Org(), change); err != nil {
		return nil, err
	}
	left := int64(0)
	err = s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := keepsRole(ctx, tx, who); err != nil {
			return err
		}
		if err := lockStreams(ctx, tx, change.Settings); err != nil {
			return err
		}
		// What follows is decided from the current settings: the ways to sign in are stored together, for example.
		before, err := s.Orgs.Lock(ctx, tx)
		if err != nil {
			return err
		}
		if c.Methods != nil {
			if change.Settings["authentication_methods"], err = methods(before, c.Methods); err != nil {
				return err
			}
		}
		if err := reachable(ctx, tx, who, before, change.Settings); err != nil {
			return err
		}
		after, names, rest, err := s.change(ctx, tx, before, change)
		if err != nil {
			return err
		}
		left = rest
		changed, err = values(after, names)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, s.addresses.Await(ctx, s.DB, who.Org(), left, s.Now)
}

// check checks everything that doesn't depend on stored data, in the order of rest-api.md, section 5.4.
func (*Service) check(who actor.Actor, c Choice) error {
	owner := who.Role == actor.Owner
	switch {
	case c.Language != nil && user.Languages()[*c.Language] == "":
		return ErrLanguage.Format(*c.Language)
	case c.Description != nil && utf8.RuneCountInString(*c.Description) > maxDescription:
		return ErrDescription
	case c.Name != nil && utf8.RuneCountInString(*c.Name) > maxName:
		return ErrName
	case c.Methods != nil && !owner:
		return permit.ErrNotOwner
	case c.Video != nil && *c.Video != 0 && *c.Video != 1:
		return ErrVideo.Format(*c.Video)
	case c.Retention != nil && !owner:
		return permit.ErrNotOwner
	}
	return nil
}

// methods returns an organization's sign-in methods after a change of some of them. Their names may have the case of
// those in GET /server_settings. Methods that the server doesn't have can't be enabled, since they would count as a
// method although it doesn't work. They may be named as disabled, as clients with a fixed list of methods do.
func methods(before org.Org, chosen map[string]bool) (json.RawMessage, error) {
	after := maps.Clone(before.Settings.AuthenticationMethods)
	named := map[string]string{}
	for name := range after {
		named[strings.ToLower(name)] = name
	}
	decided := map[string]bool{}
	for name, open := range chosen {
		own, known := named[strings.ToLower(name)]
		switch {
		case known && decided[own]: // in two cases
			return nil, ErrMethod
		case known:
			after[own], decided[own] = open, true
		case open:
			return nil, ErrMethod
		}
	}
	if !slices.Contains(slices.Collect(maps.Values(after)), true) {
		return nil, ErrNoMethod
	}
	return json.Marshal(after)
}

// streamsOf returns the streams in settings. Invalid values are refused elsewhere.
func streamsOf(settings map[string]json.RawMessage) map[string]int64 {
	named := map[string]int64{}
	for _, setting := range []string{org.AnnouncementsSetting, org.SignupsSetting} {
		number := int64(0)
		if value, ok := settings[setting]; ok && json.Unmarshal(value, &number) == nil {
			named[setting] = number
		}
	}
	return named
}

// values returns the new values of the changed fields by name.
func values(o org.Org, names []string) (map[string]any, error) {
	all, err := o.Settings.Values()
	if err != nil {
		return nil, err
	}
	all["name"], all["description"] = o.Name, o.Description
	maps.DeleteFunc(all, func(name string, _ any) bool { return !slices.Contains(names, name) })
	return all, nil
}

// keepsRole fails with [permit.ErrNotOwner] or [permit.ErrNotAdmin] if the caller has lost the role that the request
// was checked for, and with the errors of [user.Current].
func keepsRole(ctx context.Context, tx *store.Tx, who actor.Actor) error {
	now, err := user.Current(ctx, tx, who)
	switch {
	case err != nil:
		return err
	case who.Role == actor.Owner && now.Role != actor.Owner:
		return permit.ErrNotOwner
	case who.Role.IsAdmin() && !now.Role.IsAdmin():
		return permit.ErrNotAdmin
	}
	return nil
}

// Deactivate deactivates an organization. Its accounts can't do anything anymore, and waiting polls end within
// seconds. The server's operator can activate it again. The caller of Deactivate checks that who is an owner.
// Deactivate fails with [permit.ErrNotOwner] or the errors of [user.Current] if who isn't one anymore.
func (s *Service) Deactivate(ctx context.Context, who actor.Actor) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := keepsRole(ctx, tx, who); err != nil {
			return err
		}
		_, _, err := s.Orgs.Change(ctx, tx, org.Change{Deactivated: new(true)})
		return err
	})
}
