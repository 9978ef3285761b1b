package messages_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestFetchSearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.stream(ann, "hall", nil)
	first := ann.SendStream("hall", "Valves & pipes", "The wet valve is **leaking** [valve](https://valve.example/valve) &amp; so on")
	second := ann.SendStream("hall", "lamps", "A dry valve. `<valve>`")
	ann.SendStream("hall", "lamps", "nothing")
	brackets := ann.SendStream("hall", "Use <Gauge>", "List<Reading> `map<Tank>` 3.14 ann@example.org")
	address := ann.SendStream("hall", "guides", "See [this](https://docs.harbour.example/guide/v1.2?a=b) or mail dana@harbour.example: pumps/lifts, 10.0.0.1")
	unspaced := ann.SendStream("hall", "満潮の時刻", "水門は**午後3時**に開く。ABC-123 needs v1.2.3 on node-18.2")
	encoded := ann.SendStream("hall", "guides", "Cafe\u0301 crew/Müller.pdf")
	accents := ann.SendStream("hall", "Ærø", "Ein naïve Straße, thé vert, ёлка мой Łódź, đường, Σίσυφος, résumé for 한국")
	const hit, end = `<span class="highlight">`, `</span>`
	for narrow, want := range map[string][]int64{
		`[["search","valve"]]`:                  {first, second},
		`[["search","VALVES leaks"]]`:           {first},
		`[["search","the valve"]]`:              {first, second},
		`[["search","the"]]`:                    {},
		`[["search","valve"],["search","dry"]]`: {second},
		`[["search","\"wet valve\""]]`:          {first},
		`[["search","\"VALVES & PIPES\""]]`:     {first},
		`[["search","\"valve wet\""]]`:          {},
		`[["search","\"% _\" valve"]]`:          {},
		`[["search","valve"],{"operator":"search","operand":"dry","negated":true}]`: {first},
		`[["search","pipes"],["stream","hall"],["topic","valves & PIPES"]]`:         {first},
		`[["search","gauge reading tank"]]`:                                         {brackets},
		`[["search","<Reading>"]]`:                                                  {brackets},
		`[["search","\"list<reading>\" \"<Gauge>\""]]`:                              {brackets},
		`[["search","\"<List>\""]]`:                                                 {},
		`[["search","harbour guides"]]`:                                             {address},
		`[["search","harbour.example/guide"]]`:                                      {address},
		`[["search","http://docs.harbour.example/guide/"]]`:                         {address},
		`[["search","docs.example"]]`:                                               {}, // has the words, but nowhere side by side
		`[["search","dana lift"]]`:                                                  {address},
		`[["search","10.0.0.1 v1.2"]]`:                                              {address},
		`[["search","水門"]]`:                                                         {unspaced},
		`[["search","時刻 午後3時"]]`:                                                    {unspaced},
		`[["search","門水"]]`:                                                         {}, // has the letters, but nowhere side by side
		`[["search","123 1.2.3 18.2"]]`:                                             {unspaced},
		`[["search","abc-123 v1.2.3"]]`:                                             {unspaced},
		`[["search","ABC 1.2"]]`:                                                    {},
		`[["search","10.1"]]`:                                                       {},
		`[["search","\"café crew\""]]`:                                              {encoded},
		`[["search","café müller"]]`:                                                {encoded},
		`[["search","cafe` + "\u0301" + ` mu` + "\u0308" + `ller.pdf"]]`:            {encoded},
		`[["search","muller CAFE"]]`:                                                {encoded},
		`[["search","naive STRASSE aero elka"]]`:                                    {}, // a transcription isn't the same letter
		`[["search","naive STRASSE aero"]]`:                                         {accents},
		`[["search","naïvé Strasse ærø"]]`:                                          {accents},
		`[["search","елка мой lodz duong ΣΙΣΥΦΟΣ resumé 한국"]]`:                      {accents},
		`[["search","мои"]]`:                                                        {},        // й is another letter
		`[["search","thé"]]`:                                                        {accents}, // without its accent it would be ignored
		`[["search","\"resume for\""]]`:                                             {},        // in quotes, as it is written
		`[["search","\"résumé for\""]]`:                                             {accents},
		`[["search","valve ' & | ! ( :* <-> \\"]]`:                                  {first, second},
	} {
		servicetest.Same(t, narrow, want, all(ann, narrow))
	}
	got := fetch(ann, with(around("oldest", 0, 9), "narrow", `[["search","valve leak"]]`)).Messages
	servicetest.Same(t, "content", "<p>The wet "+hit+"valve"+end+" is <strong>"+hit+"leaking"+end+`</strong> <a href="https://valve.example/valve">`+
		hit+"valve"+end+"</a> &amp; so on</p>", strings.ReplaceAll(got[0]["match_content"].(string), ` title="https://valve.example/valve"`, ""))
	servicetest.Same(t, "topic", hit+"Valves"+end+" &amp; pipes", got[0]["match_subject"].(string))
	got = fetch(ann, with(around(second, 0, 0), "narrow", `[["search","\"dry valve\""]]`)).Messages
	servicetest.Same(t, "entities", "<p>A "+hit+"dry"+end+" "+hit+"valve"+end+". <code>&lt;"+hit+"valve"+end+"&gt;</code></p>", got[0]["match_content"].(string))
	got = fetch(ann, with(around(brackets, 0, 0), "narrow", `[["search","<reading> 3.14 ann@example.org"]]`)).Messages
	servicetest.Same(t, "brackets and words with signs", "<p>List&lt;"+hit+"Reading"+end+"&gt; <code>map&lt;Tank&gt;</code> "+hit+"3"+end+"."+hit+"14"+end+
		` <a href="mailto:ann@example.org">`+hit+"ann"+end+"@"+hit+"example"+end+"."+hit+"org"+end+"</a></p>", got[0]["match_content"].(string))
	got = fetch(ann, with(around(encoded, 0, 0), "narrow", `[["search","café"]]`)).Messages
	servicetest.Same(t, "letters and accents apart", "<p>"+hit+"Cafe\u0301"+end+" crew/Müller.pdf</p>", got[0]["match_content"].(string))
	got = fetch(ann, with(around(accents, 0, 0), "narrow", `[["search","strasse thé ёлка aero resume"]]`)).Messages
	servicetest.Same(t, "words without accents", "<p>Ein naïve "+hit+"Straße"+end+", "+hit+"thé"+end+" vert, "+hit+"ёлка"+end+" мой Łódź, đường, Σίσυφος, "+
		hit+"résumé"+end+" for 한국</p>", got[0]["match_content"].(string))
	servicetest.Same(t, "topic without accents", hit+"Ærø"+end, got[0]["match_subject"].(string))
	got = fetch(ann, with(around(unspaced, 0, 0), "narrow", `[["search","水門、の時"]]`)).Messages
	servicetest.Same(t, "letters without blanks", "<p>"+hit+"水門"+end+"は<strong>午後3時</strong>に開く。ABC-123 needs v1.2.3 on node-18.2</p>", got[0]["match_content"].(string))
	servicetest.Same(t, "topic without blanks", "満潮"+hit+"の時"+end+"刻", got[0]["match_subject"].(string))
	got = fetch(ann, with(around(second, 0, 0), "narrow", `[{"operator":"search","operand":"pipe","negated":true}]`)).Messages
	servicetest.Same(t, "only negated", got[0]["content"], got[0]["match_content"])
	if _, shown := fetch(ann, around(second, 0, 0)).Messages[0]["match_content"]; shown {
		t.Error("a match where nothing was searched")
	}
}

// A search that takes too long is a bad request, since clients repeat what the server couldn't do.
func TestFetchTooSlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.stream(ann, "hall", nil)
	ann.SendStream("hall", "pumps", "A valve.")
	narrow := with(around("newest", 9, 0), "narrow", `[["search","valve"]]`)
	fetch(ann, narrow)
	w.db.Exec("begin")
	w.db.Exec("lock table messages")
	for path, more := range map[string]params{"/messages": narrow, "/messages/matches_narrow": {"msg_ids": "[1]", "narrow": narrow["narrow"]}} {
		ann.Do(http.MethodGet, path, more).
			Fails(http.StatusBadRequest, "", "This search takes too long: name a stream, a topic, a conversation, or more words.")
	}
	w.db.Exec("rollback")
	if fetch(ann, narrow).Messages == nil {
		t.Error("no messages after a search that took too long")
	}
}
