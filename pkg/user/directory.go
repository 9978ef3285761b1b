package user

import (
	"bytes"
	"container/list"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/coalesce"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// maxCached is the maximum size of a process's cached lists in bytes: those of about 100,000 accounts. A list that is
// larger than half of it isn't cached.
const maxCached = 32 << 20

// listTime is the time limit of reading a list. A list of 100,000 accounts takes about a second on an idle server.
const listTime = 20 * time.Second

// Form is the form of lists of accounts. Viewers of an organization with the same form get the same lists.
type Form struct {
	Options
	// Initial is for the lists of a registration (events.md, section 1.6.5).
	Initial bool
	// AvatarURLOptional omits the pictures of deactivated accounts from the lists of a registration.
	AvatarURLOptional bool
	admin             bool
}

// Lists are the accounts of an organization by id, as JSON arrays of [event.UserObject]. They must not be changed.
type Lists struct {
	// Members are people and bots, without the server's own bots; those of a registration are active.
	Members []byte
	// NonActive are deactivated accounts, and System the server's own bots. Only lists of a registration have them.
	NonActive, System []byte
}

func (l Lists) size() int { return len(l.Members) + len(l.NonActive) + len(l.System) }

// directory is a cache of encoded lists, which evicts the least recently used ones.
type directory struct {
	maxBytes int // bytes

	mutex  sync.Mutex
	kept   map[directoryKey]*list.Element
	recent list.List // of *directoryEntry, the most recently used first
	size   int       // bytes
}

type directoryKey struct {
	org  id.Org
	form Form
}

type directoryEntry struct {
	directoryKey
	changes int64 // number of changes of accounts in the snapshot that the lists were read from
	lists   Lists
	current coalesce.Call[int64] // the current number of changes
}

// changesTime is the time limit of reading the number of changes. changesPause is the pause between two reads, so that
// many callers share one.
const (
	changesTime  = 5 * time.Second
	changesPause = 5 * time.Millisecond
)

func newDirectory(maxBytes int) *directory {
	return &directory{maxBytes: maxBytes, kept: map[directoryKey]*list.Element{}}
}

// get returns a cached entry, or nil.
func (d *directory) get(key directoryKey) *directoryEntry {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	place := d.kept[key]
	if place == nil {
		return nil
	}
	d.recent.MoveToFront(place)
	entry, _ := place.Value.(*directoryEntry) // always the type
	return entry
}

// put caches lists, unless newer ones are cached.
func (d *directory) put(entry *directoryEntry) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if place := d.kept[entry.directoryKey]; place != nil {
		if old, _ := place.Value.(*directoryEntry); old.changes > entry.changes {
			return // of a later snapshot
		}
		d.remove(place)
	}
	if entry.lists.size() > d.maxBytes/2 {
		return // it would evict too many
	}
	d.kept[entry.directoryKey] = d.recent.PushFront(entry)
	for d.size += entry.lists.size(); d.size > d.maxBytes; {
		d.remove(d.recent.Back())
	}
}

func (d *directory) remove(place *list.Element) {
	entry, _ := d.recent.Remove(place).(*directoryEntry)
	delete(d.kept, entry.directoryKey)
	d.size -= entry.lists.size()
}

// Lists returns the accounts as a viewer sees them. tx must be a snapshot.
func (s *Service) Lists(ctx context.Context, tx *store.Tx, o org.Org, viewer actor.Role, form Form) (Lists, error) {
	key := keyOf(o.ID, viewer, form)
	changes, err := peopleChanges(ctx, tx)
	if err != nil {
		return Lists{}, err
	}
	if entry := s.directory.get(key); entry != nil && entry.changes == changes {
		return entry.lists, nil
	}
	// Not canceled with the caller, so that it is cached for others even if every caller disconnects before it is read.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), listTime)
	defer cancel()
	lists, err := encode(ctx, tx, View{Org: o, Viewer: viewer, HostedAvatar: form.HostedAvatar}, form)
	if err != nil {
		return Lists{}, err
	}
	s.directory.put(&directoryEntry{directoryKey: key, changes: changes, lists: lists, current: coalesce.Call[int64]{
		Timeout: changesTime, Pause: changesPause,
		Func: func(ctx context.Context) (int64, error) {
			return store.Read(ctx, s.db, o.ID, func(tx *store.Tx) (int64, error) { return peopleChanges(ctx, tx) })
		},
	}})
	return lists, nil
}

// cached returns cached lists if they are current.
func (s *Service) cached(ctx context.Context, key directoryKey) (lists Lists, ok bool, err error) {
	entry := s.directory.get(key)
	if entry == nil {
		return Lists{}, false, nil
	}
	changes, err := entry.current.Do(ctx)
	return entry.lists, err == nil && changes == entry.changes, err
}

func peopleChanges(ctx context.Context, tx *store.Tx) (int64, error) {
	changes, err := tx.PeopleChanges(ctx)
	if err != nil {
		return 0, fmt.Errorf("count changes of users: %w", err)
	}
	return changes, nil
}

func keyOf(o id.Org, viewer actor.Role, form Form) directoryKey {
	form.admin = viewer.IsAdmin()
	return directoryKey{o, form}
}

// encode reads the lists.
func encode(ctx context.Context, tx *store.Tx, view View, form Form) (lists Lists, err error) {
	if form.Profiles {
		if view.Profiles, err = allProfiles(ctx, tx); err != nil {
			return Lists{}, err
		}
	}
	members, nonActive, system := newArray(), newArray(), newArray()
	err = each(ctx, tx, func(some []User) {
		for _, u := range some {
			switch {
			case u.System && form.Initial:
				// Every viewer gets the URLs of their pictures.
				system.add(View{Org: view.Org, Viewer: view.Viewer}.Object(u))
			case u.System:
			case form.Initial && !u.Active:
				nonActive.add(listed(view, form, u))
			case form.Initial:
				members.add(listed(view, form, u))
			default:
				members.add(view.Object(u))
			}
		}
	})
	if err != nil {
		return Lists{}, err
	}
	for of, into := range map[*array]*[]byte{members: &lists.Members, nonActive: &lists.NonActive, system: &lists.System} {
		if *into, err = of.close(); err != nil {
			return Lists{}, fmt.Errorf("encode users: %w", err)
		}
	}
	return lists, nil
}

// listed returns an account as the initial state lists it.
func listed(view View, form Form, u User) event.UserObject {
	object := view.Object(u)
	object.IsActive = nil // implied by the list
	if !u.Active && form.AvatarURLOptional {
		object.AvatarPart = nil // hardly ever shown
	}
	return object
}

// array builds a JSON array.
type array struct {
	text    bytes.Buffer
	encoder *json.Encoder
	err     error // the first
}

func newArray() *array {
	a := &array{}
	a.encoder = json.NewEncoder(&a.text)
	a.encoder.SetEscapeHTML(false)
	a.text.WriteByte('[')
	return a
}

func (a *array) add(object event.UserObject) {
	if a.text.Len() > 1 {
		a.text.WriteByte(',')
	}
	if err := a.encoder.Encode(object); err != nil && a.err == nil {
		a.err = err
		return
	}
	a.text.Truncate(a.text.Len() - 1) // the encoder's line feed
}

// close returns the array, in a slice without spare capacity.
func (a *array) close() ([]byte, error) {
	a.text.WriteByte(']')
	return bytes.Clone(a.text.Bytes()), a.err
}
