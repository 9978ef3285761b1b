package stripe

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatserver.dev/services/webhook/hook"
)

const (
	// maxText is the maximum length of a text, in characters.
	maxText = 300
	// maxName is the maximum length of an id or of the name of a kind, in characters.
	maxName = 60
)

// report returns the message about an event; none: the payload isn't an event. There are hundreds of kinds of events, which all have the
// form object.verb or group.object.verb, so they are described by their names and by the members that objects share.
func report(d hook.Document) []hook.Message {
	kind := strings.Split(d.Line(maxName, "type"), ".")
	object := d.At("data.object")
	verb := words(kind[len(kind)-1])
	name := words(cmp.Or(object.Line(maxName, "object"), strings.Join(kind[:len(kind)-1], " ")))
	if len(kind) < 2 || verb == "" || name == "" {
		return nil
	}
	said := hook.Format("%s: **%s**", thing(d, object, name), verb)
	if d.Has("livemode") && !d.True("livemode") {
		said = hook.Format("%s (test mode)", said)
	}
	return hook.One(plural(name), hook.Join("\n\n", said, hook.List(append(items(object), changes(d)...)...)))
}

// words returns a name of Stripe's, such as payment_intent, as words.
func words(name string) string {
	return strings.TrimSpace(strings.NewReplacer("_", " ", ".", " ").Replace(name))
}

// plural returns the plural of a kind of object.
func plural(name string) string {
	if rest, ok := strings.CutSuffix(name, "y"); ok {
		return rest + "ies"
	}
	return name + "s"
}

// thing names the object of an event, with a link to its page.
func thing(d, object hook.Document, name string) hook.Markdown {
	_, first := utf8.DecodeRuneInString(name)
	title := strings.ToUpper(name[:first]) + name[first:]
	number := object.Line(maxName, "number", "id")
	page := ""
	if folder, ok := pages[object.Text("object")]; ok && number != "" {
		page = "https://dashboard.stripe.com/"
		if d.Has("livemode") && !d.True("livemode") {
			page += "test/"
		}
		page += folder + "/" + object.Text("id")
	}
	return hook.Join(" ", hook.Text(title), hook.Link(number, page))
}

// pages are the folders of the dashboard by kind of object.
//
//nolint:gochecknoglobals // a constant table
var pages = map[string]string{
	"charge": "payments", "payment_intent": "payments", "customer": "customers", "invoice": "invoices", "subscription": "subscriptions",
	"dispute": "disputes", "payout": "payouts", "product": "products", "price": "prices", "coupon": "coupons", "account": "connect/accounts",
	"transfer": "connect/transfers", "quote": "quotes", "payment_link": "payment-links", "review": "radar/reviews",
}

// items describes an object by the members that people ask for.
func items(object hook.Document) []hook.Markdown {
	list := []hook.Markdown(nil)
	for _, sum := range [][2]string{
		{"Amount", "amount"}, {"Due", "amount_due"}, {"Paid", "amount_paid"}, {"Total", "amount_total"}, {"Refunded", "amount_refunded"},
	} {
		if shown := money(object.Text(sum[1]), object.Text("currency")); shown != "" && (shown[0] != '0' || sum[0] == "Amount") {
			list = append(list, hook.Item(sum[0], hook.Text(shown)))
		}
	}
	for _, text := range []struct {
		name  string
		paths []string
	}{
		{"Status", []string{"status"}},
		{"Name", []string{"name", "customer_name", "billing_details.name", "customer_details.name"}},
		{"Email", []string{"email", "customer_email", "receipt_email", "billing_details.email", "customer_details.email"}},
		{"Customer", []string{"customer.id", "customer"}},
		{"Plan", []string{"plan.nickname", "plan.id"}},
		{"Description", []string{"description"}},
		{"Reason", []string{"reason"}},
		{"Failure", []string{"failure_message", "last_payment_error.message"}},
	} {
		list = append(list, hook.Item(text.name, value(text.name, object.Line(maxText, text.paths...))))
	}
	if page := object.Text("hosted_invoice_url"); hook.IsPage(page) {
		list = append(list, hook.Item("Invoice", hook.Link("page", page)))
	}
	return list
}

// value shows a value; names of states are written as words.
func value(name, text string) hook.Markdown {
	if name == "Status" || name == "Reason" {
		text = words(text)
	}
	return hook.Text(text)
}

// changes says which members of the object have changed, if Stripe says so, and what they were.
func changes(d hook.Document) []hook.Markdown {
	list := []hook.Markdown(nil)
	object, before := d.At("data.object"), d.At("data.previous_attributes")
	for _, name := range before.Names("") {
		was, is := before.Member(name), object.Member(name)
		if strings.HasPrefix(name, "amount") {
			was, is = cmp.Or(money(was, object.Text("currency")), was), cmp.Or(money(is, object.Text("currency")), is)
		}
		if was, is = hook.Line(hook.Cut(was, maxText)), hook.Line(hook.Cut(is, maxText)); was == is { // they are objects or lists
			list = append(list, hook.Format("Changed %s", words(name)))
			continue
		}
		list = append(list, hook.Format("Changed %s from **%s** to **%s**", words(name), cmp.Or(was, "none"), cmp.Or(is, "none")))
	}
	return list
}

// money returns an amount, which Stripe sends in the smallest unit of the currency; empty: there is none.
func money(amount, currency string) string {
	n, err := strconv.ParseInt(amount, 10, 64)
	if err != nil || currency == "" {
		return ""
	}
	currency = strings.ToUpper(hook.Line(hook.Cut(currency, maxName)))
	digits := 2
	switch {
	case slices.Contains(strings.Fields("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF"), currency):
		digits = 0
	case slices.Contains(strings.Fields("BHD JOD KWD OMR TND"), currency):
		digits = 3
	}
	sign := ""
	if n < 0 {
		sign = "-"
	}
	text := fmt.Sprintf("%0*s", digits+1, strings.TrimPrefix(strconv.FormatInt(n, 10), "-"))
	if whole, rest := text[:len(text)-digits], text[len(text)-digits:]; digits > 0 {
		text = whole + "." + rest
	}
	return sign + text + " " + currency
}
