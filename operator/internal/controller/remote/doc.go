// Package remote reconciles what is inside servers with the cluster's objects: organizations, streams,
// users, bots and incoming webhooks, which are called guests. One reconciler handles all kinds; the file of a kind only has
// its parent, the call that creates or updates it, and the call that deletes it.
//
// A pass handles deletion, then checks whether the object is allowed there, then sends one PUT, which the server compares
// and applies, writes the key into a Secret, and writes the status once at the end. If nothing differs, nothing is
// written. Everything that can be watched is watched; the only timers are for the comparison with the server
// every few minutes, the rotation of keys, and retries of a server that doesn't respond.
//
// The key of an object in the server is <namespace>/<name>, not its UID. So an object that is deleted with Retain and
// created again manages the same thing as before, also from another cluster, and an interrupted pass is continued by the
// next one.
package remote
