package trello

import (
	"cmp"
	"slices"
	"time"

	"chatserver.dev/services/webhook/hook"
)

// maxName is the maximum length of names, in characters.
const maxName = 200

// reports returns the reports by kind of action; nil: it is ignored.
func reports() map[string]hook.Report {
	all := map[string]hook.Report{
		"createCard": says(func(e hook.Event) hook.Markdown { return hook.Format("created %s in %s", card(e), list(e, "list")) }),
		"copyCard": says(func(e hook.Event) hook.Markdown {
			return hook.Format("made the copy %s in %s", card(e), list(e, "list"))
		}),
		"emailCard":                  says(func(e hook.Event) hook.Markdown { return hook.Format("created %s by mail", card(e)) }),
		"convertToCardFromCheckItem": says(func(e hook.Event) hook.Markdown { return hook.Format("made %s of an item of a checklist", card(e)) }),
		"updateCard":                 says(updatedCard),
		"deleteCard":                 says(func(e hook.Event) hook.Markdown { return hook.Format("deleted a card from %s", list(e, "list")) }),
		"moveCardToBoard":            says(func(e hook.Event) hook.Markdown { return hook.Format("moved %s here from another board", card(e)) }),
		"moveCardFromBoard":          says(func(e hook.Event) hook.Markdown { return hook.Format("moved %s to another board", card(e)) }),
		"commentCard":                quotes("text", func(e hook.Event) hook.Markdown { return hook.Format("commented on %s", card(e)) }),
		"updateComment":              quotes("action.text", func(e hook.Event) hook.Markdown { return hook.Format("edited a comment on %s", card(e)) }),
		"deleteComment":              says(func(e hook.Event) hook.Markdown { return hook.Format("deleted a comment on %s", card(e)) }),
		"addMemberToCard":            says(func(e hook.Event) hook.Markdown { return hook.Format("added %s to %s", member(e), card(e)) }),
		"removeMemberFromCard":       says(func(e hook.Event) hook.Markdown { return hook.Format("removed %s from %s", member(e), card(e)) }),
		"addLabelToCard":             says(func(e hook.Event) hook.Markdown { return hook.Format("added the label %s to %s", label(e), card(e)) }),
		"removeLabelFromCard": says(func(e hook.Event) hook.Markdown {
			return hook.Format("removed the label %s from %s", label(e), card(e))
		}),
		"addAttachmentToCard":      says(func(e hook.Event) hook.Markdown { return hook.Format("attached %s to %s", attachment(e), card(e)) }),
		"deleteAttachmentFromCard": says(func(e hook.Event) hook.Markdown { return hook.Format("removed %s from %s", attachment(e), card(e)) }),
		"addChecklistToCard": says(func(e hook.Event) hook.Markdown {
			return hook.Format("added the checklist %s to %s", bold(e, "checklist.name"), card(e))
		}),
		"removeChecklistFromCard": says(func(e hook.Event) hook.Markdown {
			return hook.Format("removed the checklist %s from %s", bold(e, "checklist.name"), card(e))
		}),
		"updateCheckItemStateOnCard": says(checked),
		"createList":                 says(func(e hook.Event) hook.Markdown { return hook.Format("created the list %s", list(e, "list")) }),
		"updateList":                 says(updatedList),
		"addMemberToBoard":           says(func(e hook.Event) hook.Markdown { return hook.Format("added %s to the board", member(e)) }),
		"removeMemberFromBoard":      says(func(e hook.Event) hook.Markdown { return hook.Format("removed %s from the board", member(e)) }),
	}
	for _, kind := range []string{
		"addAdminToBoard", "addToOrganizationBoard", "copyBoard", "copyChecklist", "copyCommentCard", "createBoard", "createCheckItem",
		"createCustomField", "createLabel", "deleteCheckItem", "deleteCustomField", "deleteLabel", "disablePlugin", "disablePowerUp",
		"enablePlugin", "enablePowerUp", "makeAdminOfBoard", "makeNormalMemberOfBoard", "makeObserverOfBoard", "moveListFromBoard",
		"moveListToBoard", "unconfirmedBoardInvitation", "updateBoard", "updateCheckItem", "updateChecklist", "updateCustomField",
		"updateCustomFieldItem", "updateLabel", "voteOnCard",
	} {
		all[kind] = nil
	}
	return all
}

// says returns the report of an action whose topic is the board. what follows the name of who did it; empty: it isn't reported.
func says(what func(hook.Event) hook.Markdown) hook.Report { return quotes("", what) }

// quotes is [says] with the text at a path of the action's data; empty path: there is none.
func quotes(path string, what func(hook.Event) hook.Markdown) hook.Report {
	return func(e hook.Event) []hook.Message {
		said, words := what(e), ""
		if said.Empty() {
			return nil
		}
		if path != "" {
			words = data(e).Text(path)
		}
		who := hook.Cut(e.Person("action.memberCreator.fullName", "action.memberCreator.username"), maxName)
		return hook.One(e.Line(maxName, "action.data.board.name", "model.name"), hook.WithQuote(hook.Format("%s %s", who, said), words))
	}
}

// data is what an action is about.
func data(e hook.Event) hook.Document { return e.At("action.data") }

// bold is the text at a path of the action's data.
func bold(e hook.Event, path string) hook.Markdown {
	if text := data(e).Line(maxName, path); text != "" {
		return hook.Format("**%s**", text)
	}
	return hook.Format("(unnamed)")
}

// card names the card, with a link to it.
func card(e hook.Event) hook.Markdown {
	page := ""
	if short := data(e).Line(maxName, "card.shortLink"); short != "" {
		page = "https://trello.com/c/" + short
	}
	return hook.Link(cmp.Or(data(e).Line(maxName, "card.name"), "a card"), page)
}

// list names the list at a path.
func list(e hook.Event, path string) hook.Markdown { return bold(e, path+".name") }

// member names the person that was added or removed.
func member(e hook.Event) hook.Markdown {
	return hook.Format("**%s**", cmp.Or(e.Line(maxName, "action.member.fullName", "action.data.member.name", "action.member.username"), "somebody"))
}

// label names a label; many have a colour alone.
func label(e hook.Event) hook.Markdown {
	if data(e).Text("label.name") == "" {
		return bold(e, "label.color")
	}
	return bold(e, "label.name")
}

func attachment(e hook.Event) hook.Markdown {
	return hook.Link(cmp.Or(data(e).Line(maxName, "attachment.name"), "a file"), data(e).Text("attachment.url"))
}

// updatedCard says what has changed of a card: old has the former values.
func updatedCard(e hook.Event) hook.Markdown {
	switch old := data(e).At("old"); {
	case data(e).Has("listAfter"):
		return hook.Format("moved %s from %s to %s", card(e), list(e, "listBefore"), list(e, "listAfter"))
	case old.Has("name"):
		return hook.Format("renamed %s, which was %s", card(e), bold(e, "old.name"))
	case old.Has("closed") && data(e).True("card.closed"):
		return hook.Format("archived %s", card(e))
	case old.Has("closed"):
		return hook.Format("restored %s", card(e))
	case old.Has("desc"):
		return hook.Format("changed the description of %s", card(e))
	case data(e).True("card.dueComplete") && old.Has("dueComplete"):
		return hook.Format("completed %s", card(e))
	case slices.Contains(old.Names(""), "due") && data(e).Has("card.due"):
		return hook.Format("set the due date of %s to %s", card(e), moment(data(e).Line(maxName, "card.due")))
	case slices.Contains(old.Names(""), "due"):
		return hook.Format("removed the due date of %s", card(e))
	}
	return hook.Markdown{} // the position, the cover and the like
}

// moment returns a time as people write it.
func moment(written string) string {
	at, err := time.Parse(time.RFC3339, written)
	if err != nil {
		return written
	}
	return at.UTC().Format("2006-01-02 15:04 UTC")
}

func checked(e hook.Event) hook.Markdown {
	if data(e).Text("checkItem.state") == "complete" {
		return hook.Format("completed %s of %s", bold(e, "checkItem.name"), card(e))
	}
	return hook.Format("reopened %s of %s", bold(e, "checkItem.name"), card(e))
}

func updatedList(e hook.Event) hook.Markdown {
	switch old := data(e).At("old"); {
	case old.Has("name"):
		return hook.Format("renamed the list %s, which was %s", list(e, "list"), bold(e, "old.name"))
	case old.Has("closed") && data(e).True("list.closed"):
		return hook.Format("archived the list %s", list(e, "list"))
	case old.Has("closed"):
		return hook.Format("restored the list %s", list(e, "list"))
	}
	return hook.Markdown{}
}
