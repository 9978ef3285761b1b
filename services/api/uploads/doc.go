// Package uploads has the endpoints for files that people upload, and serves the files.
package uploads
