import { call } from '../api/request'
import { useClient, type Client } from '../client'
import { characters } from '../html/content'
import type { Message, Reaction } from '../state/model'
import { list, text } from '../text/text'
import { namesOf } from './names'
import { emojiInWords } from './look'
import { pickEmoji } from './screens'
import { explained } from './tip'

/** The reactions to a message; each can be joined and left. */
export function Reactions({ message }: { readonly message: Message }) {
  const client = useClient()
  return (
    <ul class="reactions">
      {[...byEmoji(message.reactions)].map(([key, all]) => (
        <li key={key}>
          <Group client={client} message={message} all={all} />
        </li>
      ))}
    </ul>
  )
}

/** The reactions to a message by their emoji. */
export function byEmoji(reactions: readonly Reaction[]): ReadonlyMap<string, readonly Reaction[]> {
  return Map.groupBy(reactions, (r) => `${r.reaction_type} ${r.emoji_code}`)
}

function Group({ client, message, all }: { readonly client: Client; readonly message: Message; readonly all: readonly Reaction[] }) {
  const { state } = client
  const [first] = all
  if (first === undefined) {
    return null
  }
  const mine = all.some((r) => r.user_id === state.self.value)
  const names = namesOf(state, all.map((r) => r.user_id))
  const label = text.reactedBy(list(names), first.emoji_name.replaceAll('_', ' '))
  return (
    <button class="reaction" aria-pressed={mine} {...explained(label, () => react(client, message, first))}>
      <span aria-hidden="true">
        <Emoji reaction={first} /> {all.length}
      </span>
      <span class="hidden">{label}</span>
    </button>
  )
}

/** The emoji of a reaction. */
export function Emoji({ reaction }: { readonly reaction: Reaction }) {
  const { state } = useClient()
  if (emojiInWords(state)) {
    return <span>:{reaction.emoji_name}:</span>
  }
  if (reaction.reaction_type === 'unicode_emoji') {
    return <span class="emoji">{characters(reaction.emoji_code)}</span>
  }
  const custom = state.emoji.value.get(reaction.emoji_code)
  return custom === undefined ? <span>:{reaction.emoji_name}:</span> : <img class="emoji" src={custom.source_url} alt="" />
}

/** Reacts with a thumb up, or takes that back. */
export function thumbsUp(client: Client, message: Message): void {
  react(client, message, { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' })
}

/** Has the user pick an emoji with which to react to a message. */
export function pickFor(client: Client, message: Message): void {
  pickEmoji(client, ({ name, code, source }) => {
    const mine = client.state.message(message.id)?.peek().reactions.some((r) => r.user_id === client.state.self.peek() && r.emoji_code === code)
    if (!mine) {
      react(client, message, { emoji_name: name, emoji_code: code, reaction_type: source === undefined ? 'unicode_emoji' : 'realm_emoji' })
    }
  })
}

/** Reacts to a message, or takes the reaction back. */
export function react(client: Client, message: Message, { emoji_name, emoji_code, reaction_type }: Omit<Reaction, 'user_id'>): void {
  const mine = message.reactions.some((r) => r.user_id === client.state.self.peek() && r.emoji_code === emoji_code && r.reaction_type === reaction_type)
  const name = mine ? 'DELETE /messages/{message_id}/reactions' : 'POST /messages/{message_id}/reactions'
  void client.act(() => call(name, { message_id: message.id, emoji_name, emoji_code, reaction_type }))
}
