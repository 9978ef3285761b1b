package event

import "chatserver.dev/pkg/id"

// Export is an archive of the organization that an administrator asked for (events.md, section 3.20). Times are in seconds since 1970.
type Export struct {
	ID        int64    `json:"id"`                // of the archive
	Requested float64  `json:"export_time"`       // when it was asked for
	Acting    id.User  `json:"acting_user_id"`    // who asked for it
	URL       *string  `json:"export_url"`        // of the archive; null: there is none
	Deleted   *float64 `json:"deleted_timestamp"` // null: it isn't deleted
	Failed    *float64 `json:"failed_timestamp"`  // null: it hasn't failed
	Pending   bool     `json:"pending"`           // it is being made
}

// RealmExports is sent to the account that requested or deleted an archive (events.md, section 3.20).
type RealmExports struct {
	To      id.User  `json:"-"`
	Exports []Export `json:"exports"` // all of the organization
}

// Kind implements [Event].
func (RealmExports) Kind() Kind { return Kind{Type: "realm_export"} }

// Audience is that account alone.
func (e RealmExports) Audience() Audience { return Audience{Users: []id.User{e.To}} }
