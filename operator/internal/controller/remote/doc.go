// Package remote reconciles servers with the cluster's objects that describe their contents: organizations, streams,
// users, bots and incoming webhooks. These objects are called guests. One reconciler handles all kinds; the file of a
// kind has only the call that creates or updates it and the call that deletes it.
//
// A pass over an object first handles deletion, then checks whether the object's namespace is allowed, then sends one
// PUT. The server compares it with the current state and applies the difference. The pass writes the key into a Secret,
// and the status once at the end. If nothing differs, nothing is written. Everything that can be watched is watched;
// the only timers are for the comparison with the server every ten minutes, the rotation of keys, and retries of a
// server that doesn't respond.
//
// The key of an object in the server is <namespace>/<name>, not its UID. So an object that is deleted with Retain and
// created again, even in another cluster, manages the same stream, user or bot as before, and the next pass continues
// an interrupted one.
package remote
