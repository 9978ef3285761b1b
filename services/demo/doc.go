// Package demo fills an empty server with an organization to try things out with, and tells how.
//
// API keys are stored as sums only, so they are kept in a file beside the data. When the file is gone
// the accounts of the organization get new keys.
package demo
