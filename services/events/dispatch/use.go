package dispatch

import (
	"context"
	"errors"
	"time"

	"chatserver.dev/pkg/store"
)

// usePeriod is how often the server notes that it uses the database.
const usePeriod = time.Minute

// errUsed is complained of while another server works with the same database.
var errUsed = errors.New("another server uses the same database, with another host and another Redis: stop one of them, and correct its DATABASE_URL")

// noteUse notes at intervals that this server uses the database, until ctx ends. The replica that has the first shard does so for all.
func (d *Dispatcher) noteUse(ctx context.Context) {
	for sleep(ctx, usePeriod) {
		if d.shards[0].leads.Load() {
			d.noteUseOnce(ctx)
		}
	}
}

func (d *Dispatcher) noteUseOnce(ctx context.Context) {
	id, err := d.Redis.MakeID(ctx)
	noted := false
	if err == nil {
		noted, err = d.Log.NoteUse(ctx, store.Server{Host: d.Host, Redis: id})
	}
	if err == nil && !noted {
		err = errUsed
	}
	if err != nil {
		d.complain(ctx, "failed to note that this server uses the database", err)
	}
}
