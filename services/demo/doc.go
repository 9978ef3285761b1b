// Package demo fills an empty server with a demo organization, and prints how to use it.
//
// API keys are stored as sums only, so they are kept in a file beside the data. When the file is gone
// the accounts of the organization get new keys.
package demo
