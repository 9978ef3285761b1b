package transfer

import (
	"context"
	"slices"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/spelling"
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
	found, err := m.readStreamGroups(ctx, defaults)
	if err != nil {
		return err
	}
	groups, err := m.addStreamGroups(ctx, found)
	if err != nil {
		return err
	}
	grouped := newTable[groupedColumns](m, "default_stream_group_streams")
	for _, row := range found {
		for _, source := range row.Streams {
			if err := grouped.add(ctx, groupedColumns{groups[row.ID], m.streams[source]}); err != nil {
				return err
			}
		}
	}
	return grouped.flush(ctx)
}

// readStreamGroups returns the valid groups of the archive, without the streams that they can't have.
func (m *importing) readStreamGroups(ctx context.Context, defaults map[int64]bool) ([]archive.StreamGroup, error) {
	found, names := []archive.StreamGroup(nil), map[string]bool{}
	err := m.tables(ctx, map[string]archive.Row{archive.StreamGroups: archive.Rows(func(row archive.StreamGroup) error {
		row.Name = cut(spelling.Name(row.Name), stream.MaxName)
		if spelling.IsBlank(row.Name) || names[row.Name] || len(found) == stream.MaxGroups {
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
	return found, err
}

// addStreamGroups adds groups without their streams, and returns their numbers here by those in the archive.
func (m *importing) addStreamGroups(ctx context.Context, found []archive.StreamGroup) (map[int64]int64, error) {
	groups, err := newObjects[streamGroupColumns](ctx, m, kind{"stream_group", "default_stream_groups", "default_stream_group_ids"}, map[int64]int64{})
	if err != nil {
		return nil, err
	}
	for _, row := range found {
		m.report.count("groups of default streams", 1)
		number, done, err := groups.id(ctx, row.ID)
		if err != nil {
			return nil, err
		}
		if done {
			continue
		}
		if err := groups.add(ctx, row.ID, streamGroupColumns{number, row.Name, cut(row.Description, stream.MaxDescription)}); err != nil {
			return nil, err
		}
	}
	return groups.made, groups.flush(ctx)
}
