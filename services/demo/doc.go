// Package demo creates a demo organization in an empty server, and prints how to use it.
//
// The database has only hashes of API keys, so the keys are stored in a file beside the data. If the file is missing,
// the accounts of the organization get new keys.
package demo
