// Package branding has the endpoints of the pictures that organizations choose for themselves.
package branding
