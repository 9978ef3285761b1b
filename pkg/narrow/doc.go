// Package narrow parses narrows, with which clients select messages (rest-api.md,
// section 2.4). It doesn't use the database: names and addresses stay as they were sent, and callers look
// them up.
package narrow
