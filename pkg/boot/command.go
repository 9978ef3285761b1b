package boot

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"chatserver.dev/pkg/product"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// checkTime is the time limit of the checks of PostgreSQL and Redis in [Check].
const checkTime = 30 * time.Second

// report is a line of JSON about a database, and about the program that has migrated it.
type report struct {
	Schema           int64    `json:"schema"`             // its version; 0: the database is empty
	MinServerVersion string   `json:"min_server_version"` // the oldest release that works with it; empty: unknown
	Logins           []string `json:"logins,omitempty"`   // the roles that services can log in as now
}

func reportOf(schema store.Schema, logins ...string) report {
	return report{Schema: schema.Has, MinServerVersion: schema.MinServerVersion, Logins: logins}
}

// Migrate is the command that migrates the database, creates the roles that services log in as, if the environment names
// them, and revokes the right to log in from those in DATABASE_FORMER_USERS. Its arguments may be -report and a file to
// which the result is written in addition to out: a line of JSON, or an error message. log gets a line for each step. If ctx ends first,
// the transaction is rolled back.
func Migrate(ctx context.Context, args, environ []string, out, log io.Writer) error {
	return reported("migrate", args, out, func() (report, error) {
		config := store.Config{}
		if err := Read(environ, &config); err != nil {
			return report{}, err
		}
		if err := config.Check(); err != nil {
			return report{}, err
		}
		if _, err := store.Preflight(ctx, config.ConnString(), product.Version()); err != nil {
			return report{}, err
		}
		if err := store.PreflightLogins(ctx, config.ConnString(), config.Logins); err != nil {
			return report{}, err
		}
		schema, err := store.MigrateLogged(ctx, config.ConnString(), slog.New(slog.NewJSONHandler(log, nil)))
		if err != nil {
			return report{}, err
		}
		return makeLogins(ctx, config, schema)
	})
}

// makeLogins creates the configured logins, and locks the former ones.
func makeLogins(ctx context.Context, config store.Config, schema store.Schema) (report, error) {
	if err := store.MakeLogins(ctx, config.ConnString(), config.Logins); err != nil {
		return report{}, err
	}
	if err := store.LockLogins(ctx, config.ConnString(), config.FormerUsers, config.Logins); err != nil {
		return report{}, err
	}
	if !config.Logins.Given() {
		return reportOf(schema), nil
	}
	return reportOf(schema, config.ServiceUser, config.EverywhereUser), nil
}

// Check is the command that checks whether the program would start after a migration: whether the configuration is valid,
// and PostgreSQL and Redis meet the program's requirements. It changes nothing. Its arguments are those of [Migrate].
func Check(ctx context.Context, args, environ []string, out io.Writer, program Program) error {
	return reported("check", args, out, func() (report, error) {
		config, err := Load(environ, program.Settings...)
		if err != nil {
			return report{}, err
		}
		ctx, cancel := context.WithTimeout(ctx, checkTime)
		defer cancel()
		// Both are checked, to report all problems at once.
		schema, err := store.Preflight(ctx, config.Store.ConnString(), product.Version())
		if err == nil {
			err = store.PreflightLogins(ctx, config.Store.ConnString(), config.Store.Logins)
		}
		redisErr := queue.Preflight(ctx, config.Queue)
		if err == nil && redisErr == nil {
			redisErr = preflightOwners(ctx, config, schema)
		}
		if err != nil && redisErr != nil {
			return report{}, fmt.Errorf("%w; %w", err, redisErr)
		}
		return reportOf(schema), errors.Join(err, redisErr)
	})
}

// preflightOwners is [checkOwners] before there is a connection.
func preflightOwners(ctx context.Context, config Config, schema store.Schema) error {
	client, err := queue.Connect(config.Queue)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // nothing is left to be said
	return checkOwners(ctx, queue.New(client), config, schema)
}

// reported runs a command, and reports its result. With -h, it prints what the arguments are instead.
func reported(command string, args []string, out io.Writer, do func() (report, error)) error {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	file := flags.String("report", "", "")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err := fmt.Fprintf(out, "%s [-report FILE] prints its result as a line of JSON, and with -report also writes it, or an error, to FILE\n", command)
		return err
	}
	if err != nil || flags.NArg() > 0 {
		return fmt.Errorf("%s accepts only -report FILE", command)
	}
	outcome, err := do()
	if err != nil {
		return errors.Join(err, writeReport(*file, err.Error()))
	}
	line, err := json.Marshal(outcome)
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	if _, err := fmt.Fprintf(out, "%s\n", line); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	return writeReport(*file, string(line))
}

// writeReport writes a line to a file, which may be write-only, as Kubernetes' termination logs are.
func writeReport(file, line string) error {
	if file == "" {
		return nil
	}
	if err := os.WriteFile(file, []byte(line+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
