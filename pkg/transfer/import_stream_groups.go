package transfer

import (
	"context"
	"slices"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/stream"
)

// streamGroupColumns is a row of default_stream_groups.
type streamGroupColumns struct {
	GroupID     int64  `json:"group_id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// groupedColumns is a row of default_stream_group_streams.
type groupedColumns struct {
	GroupID  int64     `json:"group_id"`
	StreamID id.Stream `json:"stream_id"`
}

// streamGroups imports the groups of default streams. They can't have default streams, which are given.
func (m *importing) streamGroups(ctx context.Context, defaults map[int64]bool) error {
	made, found, names := map[int64]int64{}, []archive.StreamGroup(nil), map[string]bool{}
	if err := known(ctx, m, "stream_group", made); err != nil {
		return err
	}
	err := m.tables(ctx, map[string]archive.Row{archive.StreamGroups: archive.Rows(func(row archive.StreamGroup) error {
		row.Name = cut(row.Name, stream.MaxName)
		if row.Name == "" || names[row.Name] || len(found) == stream.MaxGroups {
			m.report.leave("groups of default streams without a name, or with one that another group has, or beyond 50", row.Name)
			return nil
		}
		all := len(row.Streams)
		row.Streams = slices.DeleteFunc(row.Streams, func(source int64) bool { return m.streams[source] == 0 || defaults[source] })
		row.Streams = slices.Clone(row.Streams[:min(stream.MaxGroupStreams, len(row.Streams))])
		if len(row.Streams) < all {
			m.report.leave("groups of default streams with fewer streams, since the others are unknown, default streams, or beyond 100", row.Name)
		}
		names[row.Name], found = true, append(found, row)
		return nil
	})})
	if err != nil {
		return err
	}
	groups, next := newTable[streamGroupColumns](m, "default_stream_groups", "stream_group"), &numbers{in: m, sequence: "default_stream_group_ids"}
	for _, row := range found {
		m.report.count("groups of default streams", 1)
		if made[row.ID] != 0 {
			continue
		}
		if made[row.ID], err = next.next(ctx); err != nil {
			return err
		}
		if err := groups.add(ctx, row.ID, made[row.ID], streamGroupColumns{made[row.ID], row.Name, cut(row.Description, stream.MaxDescription)}); err != nil {
			return err
		}
	}
	if err := groups.flush(ctx); err != nil {
		return err
	}
	grouped := newTable[groupedColumns](m, "default_stream_group_streams", "")
	for _, row := range found {
		for _, source := range row.Streams {
			if err := grouped.add(ctx, 0, 0, groupedColumns{made[row.ID], m.streams[source]}); err != nil {
				return err
			}
		}
	}
	return grouped.flush(ctx)
}
