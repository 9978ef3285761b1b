// Package botstorage stores data of bots and other accounts between their runs (rest-api.md, section 5.13). Each account has its own
// entries, each with a key and a value.
//
// It promises that an account never exceeds [maxCharacters] and [maxEntries], even with concurrent requests.
package botstorage
