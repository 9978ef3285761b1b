// Package avatar manages the uploaded pictures of accounts (rest-api.md, section 4.4). Package user has the addresses of all
// pictures.
//
// Both sizes of a picture are in one file, so that they are replaced together.
package avatar
