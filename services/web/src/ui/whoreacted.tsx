import '../style/lists.css'
import { useClient } from '../client'
import { text } from '../text/text'
import { Avatar } from './avatar'
import { Dialog } from './dialog'
import { byEmoji, Emoji } from './reactions'

/** Who reacted to a message, by what. */
export function WhoReacted({ id, close }: { readonly id: number; readonly close: () => void }) {
  const { state } = useClient()
  const reactions = state.message(id)?.value.reactions ?? []
  return (
    <Dialog class="who-reacted" title={text.acting.whoReacted} onClose={close}>
      <dl class="listed" tabIndex={0} aria-label={text.acting.whoReacted}>
        {[...byEmoji(reactions)].map(([key, all]) => (
          <div key={key}>
            <dt>
              {all[0] === undefined ? null : <Emoji reaction={all[0]} />} {all[0]?.emoji_name.replaceAll('_', ' ')}
            </dt>
            {all.map((reaction) => (
              <dd key={reaction.user_id} class="member">
                <Avatar user={reaction.user_id} size={24} /> <span dir="auto">{state.nameOf(reaction.user_id)}</span>
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
