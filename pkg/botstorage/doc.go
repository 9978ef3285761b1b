// Package botstorage stores what bots, and other accounts, keep at the server between their runs (rest-api.md, section 5.13):
// texts under keys, for each account alone.
//
// It promises that an account keeps at most [maxCharacters] and [maxEntries], also if it stores from several places at once.
package botstorage
