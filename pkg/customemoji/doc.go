// Package customemoji manages the custom emoji of organizations (rest-api.md, section 5.6). Package emoji has those of Unicode.
//
// It promises:
//
//   - A name belongs to at most one active emoji. The image of an emoji never changes: a new image gets a new id.
//   - A deactivated emoji is still shown where it was used.
//   - Events are in the order of the changes. Each event has all emoji as of its change.
package customemoji
