package user

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/store"
)

// ErrHotspot says that there is no such hint; Format takes its name.
var ErrHotspot = fault.Plain("Unknown hotspot: %s")

// hotspotDelay is how many seconds clients wait before they show a hint.
const hotspotDelay = 0.5

// allHotspots returns the hints for new people, in order (events.md, section 1.6.6).
func allHotspots() []event.Hotspot {
	return []event.Hotspot{
		{Name: "intro_reply", Title: "Reply to a message", Description: "Click anywhere on a message to reply.", Delay: hotspotDelay},
		{Name: "intro_streams", Title: "Catch up on a stream", Description: "Messages to a stream are seen by all of its subscribers.", Delay: hotspotDelay},
		{Name: "intro_topics", Title: "Topics", Description: "Each message has a topic. Topics keep conversations easy to follow.", Delay: hotspotDelay},
		{Name: "intro_gear", Title: "Settings", Description: "Here you configure your notifications and how things look.", Delay: hotspotDelay},
		{Name: "intro_compose", Title: "Compose", Description: "Begin a new conversation here, with a topic of its own.", Delay: hotspotDelay},
	}
}

// Hotspots returns the hint to show to an account with these settings: the first unread one, or none.
func (s Settings) Hotspots() []event.Hotspot {
	for _, hint := range allHotspots() {
		if !s.TutorialFinished && !slices.Contains(s.SeenHotspots, hint.Name) {
			return []event.Hotspot{hint}
		}
	}
	return []event.Hotspot{}
}

// SeeHotspot records that the caller has read a hint. The last one finishes the tutorial. It fails with [ErrHotspot].
func (s *Service) SeeHotspot(ctx context.Context, who actor.Actor, name string) error {
	if !slices.ContainsFunc(allHotspots(), func(hint event.Hotspot) bool { return hint.Name == name }) {
		return ErrHotspot.Format(name)
	}
	return s.change(ctx, who, func(settings *Settings) event.Event {
		if !slices.Contains(settings.SeenHotspots, name) {
			settings.SeenHotspots = append(settings.SeenHotspots, name)
		}
		left := settings.Hotspots()
		settings.TutorialFinished = len(left) == 0
		return event.Hotspots{User: who.User, Hotspots: left}
	})
}

// FinishTutorial sets whether the caller's tutorial is finished. While it isn't, the caller sees unread hints. Nobody is
// notified.
func (s *Service) FinishTutorial(ctx context.Context, who actor.Actor, finished bool) error {
	return s.change(ctx, who, func(settings *Settings) event.Event {
		settings.TutorialFinished = finished
		return nil
	})
}

// SetEnterSends sets whether the return key sends a message in the caller's clients. Nobody is notified.
func (s *Service) SetEnterSends(ctx context.Context, who actor.Actor, sends bool) error {
	return s.change(ctx, who, func(settings *Settings) event.Event {
		settings.EnterSends = sends
		return nil
	})
}

// change changes settings of the caller, and emits the event that how returns, if any.
func (s *Service) change(ctx context.Context, who actor.Actor, how func(*Settings) event.Event) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(who.User)); err != nil {
			return err
		}
		before, err := read(tx.UserForUpdate(ctx, who.User))
		if err != nil {
			return err
		}
		e := how(&before.Settings)
		encoded, err := EncodeSettings(before.Settings)
		if err != nil {
			return err
		}
		if err := tx.SaveUserSettings(ctx, encoded, before.Timezone, who.User); err != nil || e == nil {
			return err
		}
		return tx.Emit(ctx, e)
	})
}
