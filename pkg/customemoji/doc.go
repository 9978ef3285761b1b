// Package customemoji manages an organization's own emoji (rest-api.md, section 5.6). Package emoji has those of Unicode.
//
// It promises:
//
//   - A name belongs to at most one emoji that can be used, and an emoji's image never changes: another one has another id.
//   - An emoji that can't be used any more is still shown where it was used.
//   - Events follow each other as the changes do: each has all emoji as of its change.
package customemoji
