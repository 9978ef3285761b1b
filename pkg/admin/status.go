package admin

import (
	"context"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/store"
)

// Status returns the versions of program and schema, and a summary of all organizations.
func (s *Service) Status(ctx context.Context) (adminapi.Status, error) {
	schema, err := store.ReadSchemaOf(ctx, s.Database)
	if err != nil {
		return adminapi.Status{}, err
	}
	rows, err := s.DB.CountOrganizations(ctx)
	if err != nil {
		return adminapi.Status{}, err
	}
	status := adminapi.Status{
		Version:       s.Version,
		Schema:        adminapi.Schema{Has: schema.Has, Needs: schema.Needs, MinServerVersion: schema.MinServerVersion},
		Organizations: make([]adminapi.Summary, len(rows)),
	}
	for i, row := range rows {
		status.Organizations[i] = adminapi.Summary{
			ID: int64(row.OrgID), Key: row.ExternalKey, Subdomain: row.Subdomain, Suspended: row.Deactivated, Deleting: row.Deleting,
			People: row.People, Bots: row.Bots, Streams: row.Streams,
		}
	}
	return status, nil
}
