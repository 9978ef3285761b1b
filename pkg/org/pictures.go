package org

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// PictureKind is the name of a picture of an organization, as in events.
type PictureKind string

// The pictures: a square icon, a wide logo, and a wide logo for dark backgrounds.
const (
	Icon      PictureKind = "icon"
	Logo      PictureKind = "logo"
	NightLogo PictureKind = "night_logo"
)

// Picture is a picture of an organization.
type Picture struct {
	Path    string // of the uploaded file; empty: there is none
	Version int    // grows with each change
}

// Pictures are the pictures of an organization.
type Pictures struct{ icon, logo, nightLogo Picture }

// of returns a pointer to a picture.
func (p *Pictures) of(kind PictureKind) *Picture {
	switch kind {
	case Logo:
		return &p.logo
	case NightLogo:
		return &p.nightLogo
	case Icon:
	}
	return &p.icon
}

// Picture returns a picture of the organization.
func (o Org) Picture(kind PictureKind) Picture { return *o.Pictures.of(kind) }

// PictureURL returns the URL path of a picture. Without an uploaded logo, it is the icon's; without an uploaded icon, it is
// that of a generated one.
func (o Org) PictureURL(kind PictureKind) string {
	picture := o.Picture(kind)
	switch {
	case picture.Path != "":
		return pictureURL(o.ID, kind, picture.Version)
	case kind != Icon:
		return o.PictureURL(Icon)
	}
	return fmt.Sprintf("/icon/%d?v=%d", o.ID, picture.Version)
}

// pictureURL returns the URL path of an uploaded picture (rest-api.md, section 5.1).
func pictureURL(of id.Org, kind PictureKind, version int) string {
	return fmt.Sprintf("/user_avatars/%d/realm/%s.png?v=%d", of, kind, version)
}

// PictureSource returns the source of a picture: "U" if it was uploaded, "G" for a generated icon, and "D" for a missing
// logo.
func (o Org) PictureSource(kind PictureKind) string {
	switch {
	case o.Picture(kind).Path != "":
		return "U"
	case kind == Icon:
		return "G"
	}
	return "D"
}

// SetPicture replaces a picture of the transaction's organization, or removes it if path is empty, and emits the events
// (events.md, section 3.14). The events of an icon include those of logos that it replaces. It returns the organization
// before and after the change. It must come before the transaction's first write, so that events are in the order of the
// changes. It fails with [ErrDeleting].
func (s *Service) SetPicture(ctx context.Context, tx *store.Tx, kind PictureKind, path string) (before, after Org, err error) {
	row, err := tx.LockOrganization(ctx)
	before, err = s.read(row, err)
	if err != nil {
		return Org{}, Org{}, err
	}
	if row.Deleting {
		return Org{}, Org{}, ErrDeleting
	}
	if path == "" && before.Picture(kind).Path == "" {
		return before, before, nil
	}
	after = before
	*after.Pictures.of(kind) = Picture{path, before.Picture(kind).Version + 1}
	err = tx.SetOrganizationPictures(ctx, after.Pictures.params())
	if err != nil {
		return Org{}, Org{}, err
	}
	events := []event.Event{after.pictureEvent(kind)}
	for _, logo := range []PictureKind{Logo, NightLogo} {
		if kind == Icon && after.Picture(logo).Path == "" {
			events = append(events, after.pictureEvent(logo))
		}
	}
	return before, after, tx.Emit(ctx, events...)
}

func (o Org) pictureEvent(kind PictureKind) event.Event {
	return event.RealmGroupUpdated{Property: string(kind), Data: map[string]any{
		string(kind) + "_url": o.PictureURL(kind), string(kind) + "_source": o.PictureSource(kind),
	}}
}

func readPictures(row sqlc.Organization) Pictures {
	return Pictures{
		icon: Picture{row.IconPath, int(row.IconVersion)}, logo: Picture{row.LogoPath, int(row.LogoVersion)},
		nightLogo: Picture{row.NightLogoPath, int(row.NightLogoVersion)},
	}
}

func (p Pictures) params() sqlc.SetOrganizationPicturesParams {
	return sqlc.SetOrganizationPicturesParams{
		IconPath: p.icon.Path, IconVersion: int32(p.icon.Version), LogoPath: p.logo.Path, LogoVersion: int32(p.logo.Version),
		NightLogoPath: p.nightLogo.Path, NightLogoVersion: int32(p.nightLogo.Version),
	}
}
