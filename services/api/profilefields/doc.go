// Package profilefields has the endpoints of custom profile fields: questions that an organization asks its people.
package profilefields
