package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/avatar"
	"chatserver.dev/pkg/branding"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/profile"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// rowsAtOnce is how many rows a transaction writes, so that it ends within some milliseconds (docs/decisions/0014).
const rowsAtOnce = 100

// The errors of [Importer.Import].
var (
	// ErrOther says that the subdomain has an organization that isn't being imported.
	ErrOther = errors.New("the subdomain belongs to another organization, or its import is already complete")
	// ErrBegun says that the subdomain has an organization whose import isn't complete and has another archive.
	ErrBegun = errors.New("an import of another archive there is incomplete: continue it with that archive, or remove the organization")
	// ErrNoRealm says that realm.json has no organization.
	ErrNoRealm = errors.New("realm.json has no organization")
	// ErrTaken says that the import has another process now, or is no more.
	ErrTaken = errors.New("another process continues this import, or the organization is being removed")
	// ErrIncomplete says that the archive's last file is missing.
	ErrIncomplete = errors.New("the archive is incomplete, since it has no attachment.json: export the organization again")
)

// ImporterDeps are the dependencies of an [Importer].
type ImporterDeps struct {
	DB         *store.DB
	Orgs       *org.Service
	Markdown   *markdown.Renderer
	Files      *file.Store
	Pictures   *picture.Maker
	Avatars    *avatar.Service
	Branding   *branding.Service
	Profiles   *profile.Service
	Linkifiers *linkifier.Service
	Now        func() time.Time
	// Workers is how many portions of messages are rendered and stored concurrently; 0: one for each processor.
	Workers int
}

// Importer imports organizations from archives. It is safe for concurrent use.
type Importer struct{ ImporterDeps }

// NewImporter makes an importer.
func NewImporter(d ImporterDeps) *Importer {
	if d.Workers == 0 {
		d.Workers = runtime.GOMAXPROCS(0)
	}
	return &Importer{d}
}

// Plan says what to import.
type Plan struct {
	Archive   *archive.Archive
	Subdomain string // of the new organization; empty: the server's root domain
	// Progress, unless it is nil, is called from time to time with how many parts of a kind are done, and their number.
	Progress func(what string, done, of int)
	// Report may contain entries from before the import, which adds its own; nil: a new one.
	Report *Report
	// AllReceived is for archives without the readers of messages: subscribers of a stream have received all of its messages, and
	// everybody has read everything.
	AllReceived bool
	// Fetch starts the download of a file that the archive refers to and doesn't contain. Its errors are added to the report. nil:
	// nothing is downloaded.
	Fetch func(ctx context.Context, address string) (io.ReadCloser, error)
}

// Import imports an organization from an archive. If an earlier import of the same archive to the same subdomain was interrupted,
// it continues that. The organization can't be reached before it is complete. Its messages get ids in the order of their times,
// whatever the order of the archive's ids. If another process imports the same archive, that one fails with [ErrTaken] at its next
// write. Import fails with [ErrTaken], [ErrOther], [ErrBegun], [ErrNoRealm], [ErrIncomplete], [org.ErrNotSubdomain], and the errors of
// package archive.
func (i *Importer) Import(ctx context.Context, plan Plan) (made org.Org, report *Report, err error) {
	if plan.Progress == nil {
		plan.Progress = func(string, int, int) {}
	}
	if plan.Report == nil {
		plan.Report = &Report{}
	}
	m := &importing{
		Importer: i, Plan: plan, report: plan.Report,
		users: map[int64]id.User{}, streams: map[int64]id.Stream{}, groups: map[int64]id.Group{}, emoji: map[int64]int64{}, fields: map[int64]int64{},
		read: map[string]bool{}, recipients: map[int64]recipient{}, clients: map[int64]string{}, uploads: map[string]upload{}, emails: map[string]bool{}, kinds: map[int64]user.FieldType{}, orders: map[int64]int64{},
	}
	if err := m.run(ctx); err != nil {
		return org.Org{}, nil, fmt.Errorf("import: %w", err)
	}
	return m.org, m.report, nil
}

// importing is a running import. Ids of the archive are int64; ids of this server have their own types.
type importing struct {
	*Importer
	Plan

	report  *Report
	org     org.Org
	holder  int64 // of the import: this process, until another one takes it over
	realm   archive.Realm
	further scattered
	chosen  org.Settings    // the archive's settings, without streams and ways to sign in
	ways    methods         // to sign in
	read    map[string]bool // tables of realm.json that have been read
	bot     id.User         // the notification bot
	owner   id.User         // the owner of objects without one: the first owner, or the notification bot

	users      map[int64]id.User
	emails     map[string]bool // in lower case
	streams    map[int64]id.Stream
	groups     map[int64]id.Group
	emoji      map[int64]int64
	fields     map[int64]int64
	kinds      map[int64]user.FieldType // of fields
	orders     map[int64]int64          // of fields, by their ids here
	clients    map[int64]string
	recipients map[int64]recipient
	uploads    map[string]upload // by path in the archive
	mentions   markdown.Context  // accounts, groups, streams and emoji that messages can mention
	index      index
	readers    readers
}

// recipient is the recipient of messages: an account, a stream, or a conversation of several accounts.
type recipient struct {
	user    int64     // of the archive; 0: not an account
	stream  id.Stream // 0: not a stream
	members []int64   // of a conversation, as accounts of the archive
}

// upload is an uploaded file.
type upload struct {
	id   id.Attachment // 0: the file is on another server
	path string        // with the name; or the URL on another server
	in   []int64       // the messages of the archive that it is in, sorted; nil: those that link to it
}

// isIn reports whether the file is in a message of the archive that links to it: a link alone doesn't let the message's readers open it.
func (u upload) isIn(message int64) bool {
	_, found := slices.BinarySearch(u.in, message)
	return found || u.in == nil
}

func (m *importing) run(ctx context.Context) error {
	known, err := m.fingerprint()
	if err != nil {
		return err
	}
	if err := m.index.find(ctx, m.Archive); err != nil { // unreadable files are found before the organization is created
		return err
	}
	if err := m.complete(ctx); err != nil {
		return err
	}
	if err := m.begin(ctx, known); err != nil {
		return err
	}
	for _, step := range []struct {
		what string
		do   func(ctx context.Context) error
	}{
		{"accounts", m.accounts},
		{"bots and streams", m.botsAndStreams},
		{"settings", m.settings},
		{"pictures and files", m.files},
		{"messages", m.messages},
		{"read state", m.readState},
		{"reactions", m.onMessages},
		{"scheduled messages", m.scheduled},
		{"further tables", m.unread},
	} {
		m.Progress(step.what, 0, 0)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return m.end(ctx)
}

// fingerprint returns a hash that identifies an archive: of realm.json, and of the names and sizes of the files with messages.
func (m *importing) fingerprint() ([]byte, error) {
	sum := sha256.New()
	realm, err := m.Archive.Open(archive.RealmFile)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(sum, realm)
	if err := errors.Join(err, realm.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", archive.RealmFile, err)
	}
	names, err := m.Archive.MessageFiles()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		file, err := m.Archive.Open(name)
		if err != nil {
			return nil, err
		}
		info, err := file.Stat()
		if err := errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		_, _ = io.WriteString(sum, name+" "+strconv.FormatInt(info.Size(), 10)+"\n")
	}
	return sum.Sum(nil), nil
}

// begin creates the organization, or finds the one that an interrupted import created.
func (m *importing) begin(ctx context.Context, sum []byte) error {
	err := m.tables(ctx, map[string]archive.Row{archive.Realms: archive.Rows(func(r archive.Realm) error {
		if m.realm.ID == 0 {
			m.realm = r
		}
		return nil
	})})
	if err == nil && m.realm.ID == 0 {
		err = ErrNoRealm
	}
	if err != nil {
		return err
	}
	if m.further, err = m.scattered(ctx); err != nil {
		return err
	}
	if m.chosen, err = mergeable(m.Orgs.Config().Defaults(), m.realm, m.further, m.report); err != nil {
		return err
	}
	m.ways = chosenMethods(m.realm, m.further.methods, m.report)
	known, err := m.DB.FindOrganization(ctx, m.Subdomain)
	switch {
	case store.IsNotFound(err):
		err = m.create(ctx, sum)
	case err == nil:
		err = m.resume(ctx, known, sum)
	}
	if err != nil {
		return err
	}
	return m.DB.Read(ctx, m.org.ID, func(tx *store.Tx) error {
		bot, err := user.NotificationBot(ctx, tx)
		m.bot, m.owner = bot.ID, bot.ID
		for _, own := range []string{bot.RealEmail, user.Gateway + "@" + m.Orgs.Config().Domain()} {
			m.emails[strings.ToLower(own)] = true
		}
		return err
	})
}

func (m *importing) create(ctx context.Context, sum []byte) error {
	description := cut(m.realm.Description, 1000)
	html, err := m.Markdown.RenderDescription(ctx, description, markdown.Context{})
	if err != nil {
		description, html = "", ""
		m.report.leave("the organization's description can't be rendered", m.realm.Name)
	}
	name := cut(m.realm.Name, 40)
	if spelling.IsBlank(name) {
		name = "Imported"
	}
	m.org, err = m.Orgs.Create(ctx, org.Draft{
		Subdomain: m.Subdomain, Name: name, Description: description, RenderedDescription: html, Settings: m.chosen,
	}, func(tx *store.Tx, _ org.Org) error {
		if err := tx.SetReachable(ctx, false); err != nil {
			return err
		}
		m.holder, err = tx.BeginImport(ctx, sum)
		return err
	})
	return err
}

func (m *importing) resume(ctx context.Context, known id.Org, sum []byte) error {
	return m.DB.Write(ctx, known, func(tx *store.Tx) (err error) {
		m.holder, err = tx.ContinueImport(ctx, sum)
		if store.IsNotFound(err) {
			begun, err := tx.Importing(ctx)
			why := ErrOther
			if begun {
				why = ErrBegun
			}
			return cmp.Or(err, fmt.Errorf("%q: %w", m.Subdomain, why))
		}
		if err != nil {
			return err
		}
		m.org, err = m.Orgs.Load(ctx, tx)
		return err
	})
}

// write runs do in a transaction of the organization. It fails with [ErrTaken] if another process has taken over the import, or the
// organization is being removed; both wait for the transaction. All writes of an import go through it, or through hold.
func (m *importing) write(ctx context.Context, do func(tx *store.Tx) error) error {
	return m.DB.Write(ctx, m.org.ID, func(tx *store.Tx) error {
		if err := m.hold(ctx, tx); err != nil {
			return err
		}
		return do(tx)
	})
}

// hold is [importing.write] for the transactions of services, and for the last one.
func (m *importing) hold(ctx context.Context, tx *store.Tx) error {
	_, err := tx.HoldImport(ctx, m.holder)
	if store.IsNotFound(err) {
		err = ErrTaken
	}
	return err
}

// stillHeld is for services that admit nobody else into their transactions. What these write isn't written twice, and not without
// its organization.
func (m *importing) stillHeld(ctx context.Context) error {
	return m.write(ctx, func(*store.Tx) error { return nil })
}

// end makes the organization reachable, and then deletes the state of the import.
func (m *importing) end(ctx context.Context) error {
	settings, err := m.finalSettings()
	if err != nil {
		return err
	}
	err = m.DB.Write(ctx, m.org.ID, func(tx *store.Tx) error {
		if _, err := tx.LockOrganization(ctx); err != nil { // before the import, as whoever deletes the organization does
			return err
		}
		if err := m.hold(ctx, tx); err != nil {
			return err
		}
		if err := tx.CountPatternsChange(ctx); err != nil {
			return err
		}
		if err := tx.SetImportedSettings(ctx, settings, m.realm.Created.Time); err != nil {
			return err
		}
		if err := tx.SetReachable(ctx, true); err != nil {
			return err
		}
		return tx.EndImport(ctx)
	})
	if err != nil {
		return err
	}
	err = m.DB.Read(ctx, m.org.ID, func(tx *store.Tx) (err error) {
		m.org, err = m.Orgs.Load(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	for _, drop := range []func(tx *store.Tx) (int64, error){
		func(tx *store.Tx) (int64, error) { return tx.DropImportPortions(ctx, rowsAtOnce) },
		func(tx *store.Tx) (int64, error) { return tx.DropImportedIDs(ctx, 10*rowsAtOnce) },
	} {
		for rows := int64(1); rows > 0; {
			if rows, err = store.Write(ctx, m.DB, m.org.ID, drop); err != nil {
				return err
			}
		}
	}
	return nil
}
