// Package program composes the services into programs: one for each service, and one with all of them
// for a small server.
package program

import (
	"slices"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/services/events"
	"chatserver.dev/services/lmtp"
)

// garbage is GOGC for processes that keep little memory between requests. It costs a heap of about 20 MB instead of 10,
// and saves a tenth of the time per request.
const garbage = 400

// garbageOfPolls is GOGC for the process with the polls. The garbage of a burst of polls is collected when the burst is
// over (waiting.Room).
const garbageOfPolls = 200

// API returns the program of the service api.
func API() boot.Program {
	settings := &requestSettings{}
	return boot.Program{Name: "api", GarbagePercent: garbage, Settings: settings.all(), Parts: func(d boot.Deps) ([]boot.Part, error) {
		blobs, err := blob.Open(d.Config.Files)
		if err != nil {
			return nil, err
		}
		return requests(d, NewDomain(d, blobs), *settings)
	}}
}

// Events returns the program of the service events.
func Events() boot.Program {
	settings := &events.Config{}
	return boot.Program{Name: "events", GarbagePercent: garbageOfPolls, Settings: []any{settings}, Parts: func(d boot.Deps) ([]boot.Part, error) {
		polls, err := clientEvents(d, NewDomain(d, nil), *settings)
		return []boot.Part{polls}, err
	}}
}

// Webhook returns the program of the service webhook.
func Webhook() boot.Program {
	mail := &lmtp.Config{}
	return boot.Program{Name: "webhook", GarbagePercent: garbage, Settings: []any{mail}, Parts: func(d boot.Deps) ([]boot.Part, error) {
		blobs := blob.Store(nil)
		if mail.Addr != "" { // mail may have attachments
			var err error
			if blobs, err = blob.Open(d.Config.Files); err != nil {
				return nil, err
			}
		}
		in := NewDomain(d, blobs)
		parts, err := incomingMail(d, in, *mail)
		return append(parts, incoming(in)), err
	}}
}

// All returns the program with all services in one process.
func All() boot.Program {
	queues, settings, mail := &events.Config{}, &requestSettings{}, &lmtp.Config{}
	return boot.Program{Name: "chatserver", Settings: append(settings.all(), queues, mail), Parts: func(d boot.Deps) ([]boot.Part, error) {
		blobs, err := blob.Open(d.Config.Files)
		if err != nil {
			return nil, err
		}
		in := NewDomain(d, blobs)
		polls, err := clientEvents(d, in, *queues)
		if err != nil {
			return nil, err
		}
		rest, err := requests(d, in, *settings)
		if err != nil {
			return nil, err
		}
		parts, err := incomingMail(d, in, *mail)
		return slices.Concat([]boot.Part{polls, incoming(in)}, rest, parts), err
	}}
}
