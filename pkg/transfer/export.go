package transfer

import (
	"context"
	"fmt"
	"time"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/avatar"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

const (
	// maxRows is the maximum number of rows that one query reads.
	maxRows = 1000
	// maxBytes limits the size of the texts that one query reads, if rows can be large: what exceeds it is a single row. It is far
	// less than an import accepts in a file, in which a byte may take six.
	maxBytes = 16 << 20
	// placesAtOnce is the maximum number of locks of streams and conversations in one transaction. PostgreSQL has room for
	// some thousands.
	placesAtOnce = 500
	// firstPersonal is added to an account's id to get the id of a recipient, above those of streams and conversations.
	firstPersonal = 1 << 40
)

// ExporterDeps are the dependencies of an [Exporter].
type ExporterDeps struct {
	DB      *store.DB
	Orgs    *org.Service
	Files   *file.Store
	Avatars *avatar.Service
	Now     func() time.Time
}

// Exporter writes organizations as archives. It is safe for concurrent use.
type Exporter struct{ ExporterDeps }

// NewExporter makes an exporter.
func NewExporter(d ExporterDeps) *Exporter { return &Exporter{d} }

// Options select the contents of an archive.
type Options struct {
	// PublicOnly omits data that isn't public in the organization: private streams and messages, and the personal data of
	// people and bots, such as what they have read. Earlier versions of messages, and addresses, are omitted if the
	// organization shows them to nobody.
	PublicOnly bool
	// Progress, unless it is nil, is called from time to time with the number of messages written so far.
	Progress func(messages int)
}

// Export writes an organization as an archive, which the caller closes.
func (e *Exporter) Export(ctx context.Context, of id.Org, to archive.Sink, options Options) (*Report, error) {
	x := &export{
		Exporter: e, of: of, to: to, Options: options, report: &Report{}, clients: map[string]int64{},
		people: map[id.User]bool{}, streams: map[id.Stream]bool{},
	}
	if err := x.run(ctx); err != nil {
		return nil, fmt.Errorf("export organization %d: %w", of, err)
	}
	return x.report, nil
}

// export is an archive that is being written.
type export struct {
	*Exporter
	Options

	of      id.Org
	to      archive.Sink
	report  *Report
	upto    int64              // the newest message
	streams map[id.Stream]bool // streams in the archive
	people  map[id.User]bool   // accounts in the archive
	clients map[string]int64   // ids of client programs, by name
	flags   int64              // rows of readers written
	history bool               // the archive has earlier versions of messages
}

func (x *export) run(ctx context.Context) error {
	if err := x.settle(ctx); err != nil {
		return err
	}
	if err := x.findStreams(ctx); err != nil {
		return err
	}
	if err := x.messages(ctx); err != nil {
		return err
	}
	if err := x.realm(ctx); err != nil {
		return err
	}
	return x.files(ctx)
}

// settle finds the newest message that is settled: no message with a lower id can still be committed.
func (x *export) settle(ctx context.Context) error {
	places, err := store.Read(ctx, x.DB, x.of, func(tx *store.Tx) ([]int64, error) { return tx.Places(ctx) })
	for begin := 0; err == nil && (begin == 0 || begin < len(places)); begin += placesAtOnce {
		some := places[begin:min(begin+placesAtOnce, len(places))]
		err = x.DB.Read(ctx, x.of, func(tx *store.Tx) error {
			upto, err := tx.SettledUpto(ctx, some)
			if begin == 0 {
				x.upto = upto
			}
			return err
		})
	}
	return err
}

// load reads the organization.
func (x *export) load(ctx context.Context) (org.Org, error) {
	return store.Read(ctx, x.DB, x.of, func(tx *store.Tx) (org.Org, error) { return x.Orgs.Load(ctx, tx) })
}

// findStreams finds the streams that the archive contains.
func (x *export) findStreams(ctx context.Context) error {
	return x.eachStream(ctx, func(s sqlc.Stream) error {
		x.streams[s.StreamID] = true
		return nil
	})
}

// portions calls each for all rows. read returns the rows after last, at first the zero value: none at the end.
func portions[R any](ctx context.Context, x *export, read func(tx *store.Tx, last R) ([]R, error), each func(row R) error) error {
	for last := *new(R); ; {
		rows, err := store.Read(ctx, x.DB, x.of, func(tx *store.Tx) ([]R, error) { return read(tx, last) })
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			if err := each(row); err != nil {
				return err
			}
		}
		last = rows[len(rows)-1]
	}
}

// client returns the id by which the archive's messages refer to a client program.
func (x *export) client(name string) int64 {
	known, ok := x.clients[name]
	if !ok {
		known = int64(len(x.clients) + 1)
		x.clients[name] = known
	}
	return known
}

// recipientOf returns an account's id as a recipient.
func recipientOf(account id.User) int64 { return firstPersonal + int64(account) }
