// Package adminapi has the documents of the admin interface, which machines use to keep organizations
// and what is in them as somebody has written them down. Server and clients share them.
//
// A PUT describes the desired state of an object under a key that the caller chooses and that never changes. What is
// missing is created, what differs is changed, and fields that aren't named stay unchanged. Doing it
// again changes nothing, and nobody is notified.
package adminapi
