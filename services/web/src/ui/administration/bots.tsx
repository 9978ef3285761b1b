import { useState } from 'preact/hooks'
import '../../style/administration.css'
import { useClient } from '../../client'
import { byName } from '../../text/order'
import { text } from '../../text/text'
import { Avatar } from '../avatar'
import { folded } from '../completion'
import { Bot } from './bot'
import { NewBot } from './newbot'
import { isAdmin, kinds, mayMakeBot } from './rights'
import { Cell, Rows } from './rows'

/** Whose bots are listed. */
type Wanted = 'active' | 'mine' | 'inactive'

/** Bots: one's own, and for administrators all. */
export function Bots() {
  const client = useClient()
  const { state } = client
  const [typed, setTyped] = useState('')
  const [wanted, setWanted] = useState<Wanted>('active')
  const [open, setOpen] = useState<number>()
  const [making, setMaking] = useState(false)
  const words = text.administration.bots
  const search = folded(typed.trim())
  const shown = [...state.organization.bots.value.values()]
    .map((bot) => ({ ...bot, name: bot.full_name }))
    .filter((bot) => bot.is_active === (wanted !== 'inactive') && (wanted !== 'mine' || bot.owner_id === state.self.value))
    .filter((bot) => folded(bot.name).includes(search) || folded(bot.email).includes(search))
    .sort(byName)
  const may = Object.values(kinds).some((kind) => mayMakeBot(client, kind))
  const names: Readonly<Record<number, string>> = words.kinds
  return (
    <>
      <div class="filters">
        <label class="grow">
          <span class="hidden">{words.find}</span>
          <input type="search" placeholder={words.find} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        <label>
          <span class="hidden">{words.which}</span>
          <select value={wanted} onChange={(event) => setWanted(event.currentTarget.value as Wanted)}>
            {([...(isAdmin(client) ? (['active', 'mine'] as const) : (['active'] as const)), 'inactive'] as const).map((one) => (
              <option key={one} value={one}>
                {words.those[one]}
              </option>
            ))}
          </select>
        </label>
        {may ? (
          <button class="primary" onClick={() => setMaking(true)}>
            {words.add}
          </button>
        ) : null}
      </div>
      <p class="soft" role="status">
        {words.count(shown.length)}
      </p>
      <Rows label={words.table} items={shown} keyOf={(bot) => bot.user_id} columns={[words.name, words.owner, words.kind]} class="people">
        {(bot) => (
          <>
            <Cell class="who">
              <Avatar user={bot.user_id} size={32} />
              <button class="plain" dir="auto" onClick={() => setOpen(bot.user_id)}>
                {bot.full_name}
              </button>
            </Cell>
            <Cell class="soft">{bot.owner_id === undefined ? '' : state.nameOf(bot.owner_id)}</Cell>
            <Cell>{names[bot.bot_type]}</Cell>
          </>
        )}
      </Rows>
      {open === undefined ? null : <Bot id={open} onClose={() => setOpen(undefined)} />}
      {making ? <NewBot onClose={() => setMaking(false)} /> : null}
    </>
  )
}
