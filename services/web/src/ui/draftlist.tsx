import '../style/lists.css'
import { useState } from 'preact/hooks'
import { CallError } from '../api/request'
import { useClient, type Client } from '../client'
import { narrowTo } from '../state/narrow'
import { draftOf, joined, type Kept } from '../sync/drafts'
import { moment, text } from '../text/text'
import { ask } from './ask'
import { goToWrite, writeNew, writeNewWith } from './compose'
import { Dialog } from './dialog'
import { edit } from './editor'
import { onceRendered } from './rendered'

/** What was typed and isn't sent. */
export function DraftList({ close }: { readonly close: () => void }) {
  const client = useClient()
  const [drafts, setDrafts] = useState(client.drafts.all())
  const words = text.acting.draftList
  const open = async (kept: Kept) => {
    close()
    if (kept.edits !== undefined && (await isGone(client, kept.edits))) {
      writeAgain(client, kept)
    } else if (kept.edits !== undefined) {
      location.hash = `#message/${kept.edits}`
      edit(kept.edits)
    } else if (kept.place === undefined) {
      onceRendered(() => writeNew(kept.name === 'draft/private' ? 'private' : 'topic'))
    } else {
      client.go({ narrow: narrowTo(kept.place) })
      onceRendered(() => document.getElementById('compose')?.focus())
    }
  }
  const remove = async ({ name }: Kept) => {
    if (await ask({ ...text.acting.removeUnsent, danger: true })) {
      client.drafts.clear(name)
      setDrafts(client.drafts.all())
    }
  }
  return (
    <Dialog class="lists" title={text.acting.drafts} onClose={close}>
      {drafts.length === 0 ? <p class="hint">{words.none}</p> : null}
      <ul class="listed">
        {drafts.map((kept, i) => (
          <li key={kept.name}>
            <p class="listed-title" dir="auto">
              {titleOf(client, kept)}
              {kept.changed === undefined ? null : <span class="hint">{moment(new Date(kept.changed))}</span>}
            </p>
            <p class="listed-text" dir="auto">
              {kept.content}
            </p>
            <p class="buttons">
              <button
                type="button"
                onClick={() => void remove(kept)}
              >
                {words.remove}
              </button>
              <button type="button" class="primary" autofocus={i === 0} onClick={() => void open(kept)}>
                {words.open}
              </button>
            </p>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** Whether the server says that a message is gone. */
async function isGone({ history, state }: Client, id: number): Promise<boolean> {
  try {
    if (state.message(id) === undefined) {
      await history.one(id)
    }
    return state.message(id) === undefined
  } catch (error) {
    return error instanceof CallError && !error.passes
  }
}

/** Has the edit of a message that is gone go on as a new message to where that was. */
function writeAgain(client: Client, { name, content, place }: Kept): void {
  const { drafts, notice } = client
  drafts.clear(name)
  notice.value = text.acting.draftList.gone
  if (place === undefined) {
    onceRendered(() => writeNewWith(client, content))
    return
  }
  const there = drafts.of(draftOf(place)).peek().content
  drafts.write(draftOf(place), { content: joined(there, content), place })
  goToWrite(client, place)
}

function titleOf(client: Client, { name, place, edits }: Kept): string {
  const words = text.acting.draftList
  if (edits !== undefined) {
    const message = client.state.message(edits)?.peek()
    const where = message === undefined ? place : client.state.placeOf(message)
    return where === undefined ? words.anEdit : words.edit(client.nameOf(where))
  }
  return place === undefined ? (name === 'draft/private' ? words.newPrivate : words.newTopic) : client.nameOf(place)
}
