package transfer

import (
	"context"
	"slices"

	"chatserver.dev/pkg/archive"
)

// tables reads tables of realm.json, and records that they have been read.
func (m *importing) tables(ctx context.Context, each map[string]archive.Row) error {
	for name := range each {
		m.read[name] = true
	}
	return m.Archive.Tables(ctx, archive.RealmFile, each)
}

// maxUnread is the maximum number of unread tables that the report names.
const maxUnread = 50

// unread adds the tables that the import hasn't read to the report, except for those without data for this server.
func (m *importing) unread(ctx context.Context) error {
	needless := []string{
		archive.Huddles, "zerver_userpresence", "zerver_presencesequence", "zerver_useractivity", "zerver_useractivityinterval", "zerver_userhotspot", "zerver_onboardingstep",
	}
	named := 0
	return m.Archive.Count(ctx, archive.RealmFile, func(table string, rows int) {
		if rows == 0 || m.read[table] || slices.Contains(needless, table) {
			return
		}
		if named++; named > maxUnread {
			m.report.leaveRows("rows of further tables that aren't known here", rows, table)
			return
		}
		m.report.leaveRows("rows of a table that isn't known here, "+cut(table, 100), rows, table)
	})
}
