package demo

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// placeholder stands in commands for a key that somebody has replaced.
const placeholder = "KEY"

// key returns the key of an account for commands.
func key(a Account) string { return cmp.Or(a.APIKey, placeholder) }

// Print prints the accounts with their keys, links that sign browsers in unless visits is nil, and commands to paste into a terminal.
func (d *Demo) Print(out io.Writer, file string, visits *Visits) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n%s is at %s\n\n", d.Organization.Name, d.BaseURL)
	for _, a := range d.Accounts {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", cmp.Or(a.Role, "?"), a.Email, cmp.Or(a.APIKey, placeholder+" (it was replaced)"))
	}
	for _, b := range d.Bots {
		fmt.Fprintf(w, "  %s bot\t%s\t%s\n", b.Type, b.Email, cmp.Or(b.APIKey, placeholder+" (it was replaced)"))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the demo: %w", err)
	}
	if visits != nil {
		fmt.Fprint(out, "\nOpen one of these in a browser. Each signs in as somebody, once:\n\n")
		for _, name := range []string{cleo, dario, owner} { // those who see most come first
			if a := d.account(name); a.Email != "" {
				fmt.Fprintf(out, "  %-12s %-7s %s\n", name, a.Role, visits.link(d.BaseURL, a.Email))
			}
		}
	}
	reader, sender, hook := d.account(cleo), d.account(dario), d.account(pier)
	fmt.Fprintf(out, `
Register a queue of events and poll it. The second command returns when there is an event; repeat it with the
id of the last one:

  QUEUE=$(curl -sS -X POST -u %[2]s:%[3]s %[1]s/api/v1/register -d 'event_types=["message"]' | sed 's/.*"queue_id":"\([^"]*\)".*/\1/')
  curl -sS -u %[2]s:%[3]s -G %[1]s/api/v1/events -d "queue_id=$QUEUE" -d last_event_id=-1

Send a message, from another terminal:

  curl -sS -u %[4]s:%[5]s %[1]s/api/v1/messages -d type=stream -d to=general -d topic=hello --data-urlencode 'content=Hello from curl :wave:'

Call the incoming webhook, as another program would:

  curl -sS '%[1]s/api/v1/external/helloworld?api_key=%[6]s&stream=general' -H 'Content-Type: application/json' -d '{"featured_title":"Tide tables","featured_url":"https://tides.example/today"}'

`, d.BaseURL, reader.Email, key(reader), sender.Email, key(sender), key(hook))
	_, err := fmt.Fprintf(out, "%s has the same for scripts. Ctrl-C stops everything; the data stay.\n\n", file)
	if err != nil {
		return fmt.Errorf("print the demo: %w", err)
	}
	return nil
}

// account returns the account of a person or bot.
func (d *Demo) account(name string) Account {
	for _, bot := range d.Bots {
		if bot.FullName == name {
			return bot.Account
		}
	}
	i := slices.IndexFunc(d.Accounts, func(a Account) bool { return a.FullName == name })
	if i < 0 {
		return Account{}
	}
	return d.Accounts[i]
}
