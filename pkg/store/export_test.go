package store

// Statement is what [Tx.MessageIDs] asks.
func Statement(narrow Narrow, ranges ...MessageRange) (statement string, args []any) {
	b := &builder{narrow: narrow}
	return b.steps(ranges) + "\nselect message_id from found order by message_id", b.args
}
