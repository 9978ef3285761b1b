// Package adminapi defines the documents of the admin interface, by which an operator or a script manages organizations and what
// is in them. Server and clients share them.
//
// A PUT has the desired state of an object, under a key that the caller chooses and that never changes. A missing object is
// created, fields that differ are changed, and fields that aren't set stay unchanged. Repeating it changes nothing and notifies
// nobody.
package adminapi
