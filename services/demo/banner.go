package demo

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Print prints what there is, and lines to paste into a terminal.
func (d *Demo) Print(out io.Writer, file string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n%s is at %s\n\n", d.Organization.Name, d.BaseURL)
	for _, a := range d.Accounts {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", cmp.Or(a.Role, "?"), a.Email, a.APIKey)
	}
	for _, b := range d.Bots {
		fmt.Fprintf(w, "  %s bot\t%s\t%s\n", b.Type, b.Email, b.APIKey)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the demo: %w", err)
	}
	reader, sender, hook := d.account(cleo), d.account(dario), d.account(pier)
	fmt.Fprintf(out, `
Register a queue, and wait for what comes (the last line answers when something does; repeat it with
the last id that you got):

  QUEUE=$(curl -sS -X POST -u %[2]s:%[3]s %[1]s/api/v1/register -d 'event_types=["message"]' | sed 's/.*"queue_id":"\([^"]*\)".*/\1/')
  curl -sS -u %[2]s:%[3]s -G %[1]s/api/v1/events -d "queue_id=$QUEUE" -d last_event_id=-1

Send a message, in another terminal:

  curl -sS -u %[4]s:%[5]s %[1]s/api/v1/messages -d type=stream -d to=general -d topic=hello --data-urlencode 'content=Hello from curl :wave:'

Post what a third party would:

  curl -sS '%[1]s/api/v1/external/helloworld?api_key=%[6]s&stream=general' -H 'Content-Type: application/json' -d '{"featured_title":"Tide tables","featured_url":"https://tides.example/today"}'

`, d.BaseURL, reader.Email, reader.APIKey, sender.Email, sender.APIKey, hook.APIKey)
	_, err := fmt.Fprintf(out, "The same for scripts is in %s. Ctrl-C ends everything; the data stay.\n\n", file)
	if err != nil {
		return fmt.Errorf("print the demo: %w", err)
	}
	return nil
}

// account returns what somebody logs in with.
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
