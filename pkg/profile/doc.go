// Package profile manages custom profile fields: questions that an organization asks its people, and their answers (rest-api.md,
// section 4.7). Package user has how answers are shown.
//
// It promises:
//
//   - All changes of an organization's fields, and their events, are in one order, and no answer is given to a field
//     that is gone.
//   - What bounds fields bounds each initial state, which has all of them. Answers have room for 2 KiB an account and
//     4 MiB besides, for lists of accounts have all of them.
//   - A field that is removed is gone for everybody at once. Its answers are removed in steps (package steps).
package profile
