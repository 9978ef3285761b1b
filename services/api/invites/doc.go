// Package invites has the endpoints about invitations (rest-api.md, section 5.11).
package invites
