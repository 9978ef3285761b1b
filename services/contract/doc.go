// Package contract has only tests, of rules for all endpoints. It generates requests from the endpoints' declarations,
// so that new endpoints are tested without changes here.
package contract
