// Package presence has the endpoints of who is at their computer, and of what people say of themselves.
package presence
