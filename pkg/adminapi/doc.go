// Package adminapi has the documents of the admin interface, which machines use to keep organizations
// and what is in them as somebody has written them down. Server and clients share them.
//
// A PUT says how something is to be, under a key that the caller gives it and that never changes. What is
// missing is made, what differs is put right, and fields that aren't named stay as they are. Doing it
// again changes nothing, and nobody is told of anything.
package adminapi
