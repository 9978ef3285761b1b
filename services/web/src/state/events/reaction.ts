import type { ReactionEvent } from '../../api/schema'
import type { State } from '../state'

/** Somebody reacted to a message, or no longer does. */
export function reaction(state: State, event: ReactionEvent): void {
  state.change(event.message_id, (message) => {
    const rest = message.reactions.filter((r) => r.user_id !== event.user_id || r.emoji_code !== event.emoji_code || r.reaction_type !== event.reaction_type)
    if (event.op === 'remove') {
      return { ...message, reactions: rest }
    }
    const { emoji_name, emoji_code, reaction_type, user_id } = event
    return { ...message, reactions: [...rest, { emoji_name, emoji_code, reaction_type, user_id }] }
  })
}
