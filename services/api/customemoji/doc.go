// Package customemoji has the endpoints of an organization's own emoji.
package customemoji
