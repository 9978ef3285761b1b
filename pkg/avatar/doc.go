// Package avatar manages the pictures that accounts choose (rest-api.md, section 4.4). Package user knows the addresses of all pictures.
//
// A picture is one file with both of its sizes, so that they are replaced together.
package avatar
