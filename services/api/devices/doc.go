// Package devices has the endpoints of browsers that show notifications while no page of the chat is open.
package devices
