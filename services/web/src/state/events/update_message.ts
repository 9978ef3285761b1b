import type { UpdateMessageEvent } from '../../api/schema'
import { mayGain, mayGainBy } from '../narrow'
import type { State } from '../state'

/** A message was edited, or messages were moved. */
export function updateMessage(state: State, event: UpdateMessageEvent): void {
  const { rendered_content: content, subject, new_stream_id: stream } = event
  if (content !== undefined) {
    state.change(event.message_id, (message) => ({
      ...message,
      content,
      flags: event.flags,
      is_me_message: event.is_me_message ?? message.is_me_message,
      last_edit_timestamp: event.edit_timestamp,
    }))
    state.mention(event.message_id, event.flags)
    state.place(event.message_id)
    state.gain((narrow) => mayGainBy(narrow, event.flags), [event.message_id])
  }
  if (subject === undefined && stream === undefined) {
    return
  }
  const to = { kind: 'topic', stream: stream ?? event.stream_id ?? 0, topic: subject ?? event.orig_subject ?? '' } as const
  state.unread.move(event.message_ids, to)
  if (event.stream_id !== undefined && event.orig_subject !== undefined) {
    const all = event.propagate_mode === 'change_all'
    if (all) {
      state.rename({ kind: 'topic', stream: event.stream_id, topic: event.orig_subject }, to, event.message_ids)
    }
    state.leave(event.stream_id, event.orig_subject, event.message_ids, all)
  }
  for (const id of event.message_ids) {
    state.change(id, (message) => ({
      ...message,
      subject: to.topic,
      stream_id: to.stream,
      display_recipient: state.streamName(to.stream),
      topic_links: event.topic_links ?? message.topic_links,
    }))
    state.place(id)
  }
  state.gain((narrow) => mayGain(narrow, to), event.message_ids)
  state.touch(to, Math.max(...event.message_ids))
}
