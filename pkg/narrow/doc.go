// Package narrow reads the language in which clients say which messages they mean (rest-api.md,
// section 2.4). It is pure: names and addresses stay as they were sent, whoever has a database looks
// them up.
package narrow
