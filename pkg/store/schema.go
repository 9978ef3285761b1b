package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/semver"
)

// Schema is the version of a database's schema, and the versions that it works with.
type Schema struct {
	// Has is the database's version; 0: it is empty.
	Has int64 `json:"has"`
	// Needs is the version of the program's newest migration, the oldest version that it works with.
	Needs int64 `json:"needs"`
	// MinServerVersion is the oldest release that works with the database; empty if the schema doesn't record it yet.
	MinServerVersion string `json:"min_server_version"`
	// Database identifies the database: one that is recreated has another, a restored one has the same. Empty if there is no schema.
	Database string `json:"-"`
	// usedBy is the server that uses the database at present; zero: none.
	usedBy Server
	// missing are versions that the program has and the database skipped.
	missing []int64
}

// ReadSchema returns the state of a database's schema. It changes nothing.
func ReadSchema(ctx context.Context, connString string) (Schema, error) {
	conn, err := connect(ctx, connString)
	if err != nil {
		return Schema{}, fmt.Errorf("read schema version: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // the connection is no longer needed
	return readSchema(ctx, conn)
}

// ReadSchemaOf is [ReadSchema] for a service. It logs in as each of cfg's logins, if there are any.
func ReadSchemaOf(ctx context.Context, cfg Config) (Schema, error) {
	if !cfg.Logins.Given() {
		return ReadSchema(ctx, cfg.ConnString())
	}
	found := Schema{}
	for _, one := range cfg.list() {
		conn, err := connectAs(ctx, cfg.ConnString(), one.use)
		if err != nil {
			return Schema{}, fmt.Errorf("log in as %s (%s_USER): %w", one.user, one.variable, err)
		}
		found, err = readSchema(ctx, conn)
		_ = conn.Close(ctx) // it is no longer needed
		switch {
		case hasState(err, "42501"): // of goose_db_version
			return Schema{}, fmt.Errorf("the role %s may not use the database %s: run `chatserver migrate` with %[3]s_USER=%[1]s first, or `grant %[4]s to %[5]s`",
				one.user, conn.Config().Database, one.variable, one.role, quote(one.user))
		case err != nil:
			return Schema{}, err
		}
	}
	return found, nil
}

// Allows checks whether the program, of a release like 0.2.0, may serve with the schema. If not, the error is a sentence.
// A schema that is newer than the program is allowed unless its MinServerVersion is, too.
func (s Schema) Allows(program string) error {
	if s.Has < s.Needs {
		return fmt.Errorf("the database's schema has version %d, and %d is needed: run `chatserver migrate` first", s.Has, s.Needs)
	}
	return s.knows(program)
}

// knows is [Schema.Allows] for a program that is about to migrate.
func (s Schema) knows(program string) error {
	if s.Has <= s.Needs {
		return nil
	}
	if !semver.IsValid("v"+program) || semver.Compare("v"+program, "v"+s.MinServerVersion) < 0 {
		return fmt.Errorf("the database's schema has version %d, and this program (%s) only knows versions up to %d: run release %s or a newer one",
			s.Has, program, s.Needs, s.MinServerVersion)
	}
	return nil
}

func connect(ctx context.Context, connString string) (*pgx.Conn, error) {
	return connectAs(ctx, connString, func(*pgx.ConnConfig) {})
}

func connectAs(ctx context.Context, connString string, as func(config *pgx.ConnConfig)) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(connString)
	if err != nil {
		return nil, fmt.Errorf("read DATABASE_URL: %w", err)
	}
	as(config)
	prepareDial(config)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, unreachable(config, err)
	}
	return conn, nil
}

func readSchema(ctx context.Context, conn *pgx.Conn) (Schema, error) {
	known, err := knownVersions()
	if err != nil {
		return Schema{}, err
	}
	s := Schema{Needs: known[len(known)-1]}
	there := false
	if err := conn.QueryRow(ctx, "select to_regclass('goose_db_version') is not null").Scan(&there); err != nil || !there {
		return s, wrap(err, "look for the schema's version")
	}
	rows, err := conn.Query(ctx, "select version_id from goose_db_version where is_applied and version_id > 0")
	if err != nil {
		return Schema{}, fmt.Errorf("read the schema's version: %w", err)
	}
	applied, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return Schema{}, fmt.Errorf("read the schema's version: %w", err)
	}
	if len(applied) == 0 {
		return s, nil
	}
	s.Has = slices.Max(applied)
	s.missing = slices.DeleteFunc(known, func(v int64) bool { return v > s.Has || slices.Contains(applied, v) })
	// Rows are read as JSON because the columns of later migrations may be missing.
	used := false
	err = conn.QueryRow(ctx, `select coalesce(i ->> 'min_server_version', ''), coalesce(i ->> 'database', ''), coalesce(i ->> 'host', ''), coalesce(i ->> 'redis', ''),
		coalesce((i ->> 'used_at')::timestamptz > now() - make_interval(secs => $1), false) from (select to_jsonb(installation) i from installation) t`, useLife.Seconds()).
		Scan(&s.MinServerVersion, &s.Database, &s.usedBy.Host, &s.usedBy.Redis, &used)
	if !used {
		s.usedBy = Server{}
	}
	return s, wrap(err, "read the table installation")
}

// knownVersions returns the versions of the migrations in this program, in order.
func knownVersions() ([]int64, error) {
	files, err := migrations.ReadDir("migration")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	known := make([]int64, len(files))
	for i, file := range files {
		number, _, _ := strings.Cut(file.Name(), "_")
		if known[i], err = strconv.ParseInt(number, 10, 64); err != nil {
			return nil, fmt.Errorf("read the version of migration %s: %w", file.Name(), err)
		}
	}
	return known, nil
}
