// Package profilefields has the endpoints of custom profile fields: questions that an organization asks its members.
package profilefields
