// Package profile manages custom profile fields: questions of an organization to its members, and their answers
// (rest-api.md, section 4.7). Package user implements how answers are shown.
//
// It promises:
//
//   - All changes of an organization's fields, and their events, are in one order. An answer to a field that has
//     been removed is never stored.
//   - An initial state contains all fields, so the limits on fields limit its size. Answers are limited to 2 KiB
//     for each account plus 4 MiB in total, because lists of accounts contain all of them.
//   - When a field is removed, it disappears for everyone at once. Its answers are removed in steps (package
//     steps).
package profile
