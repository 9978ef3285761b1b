import type { ComponentChildren } from 'preact'
import { useClient } from '../../client'
import { privatePlace } from '../../state/conversation'
import type { User } from '../../state/model'
import { narrowTo } from '../../state/narrow'
import type { ExternalAccount, ProfileField } from '../../state/organization'
import { clockAt, date, text } from '../../text/text'
import { roleOf } from '../administration/choices'
import { accountOf, answersOf, choicesOf, fieldTypes } from '../administration/fieldtypes'
import { Avatar } from '../avatar'
import { Content } from '../content'
import { Dialog } from '../dialog'
import { hereOfPerson } from '../presence'
import { copy } from '../quote'
import { manageAccount } from '../screens'
import { HereMark } from './here'
import { HereText } from './heretext'
import { canMention, mentionPerson } from './mention'
import type { Shown } from './shown'

/** What is known of somebody, and what one can do with them. */
export function Person({ id, show, close }: { readonly id: number; readonly show: (what: Shown) => void; readonly close: () => void }) {
  const client = useClient()
  const { state } = client
  const user = state.users.value.get(id)
  const said = text.profiles
  if (user === undefined) {
    return (
      <Dialog title={state.nameOf(id)} class="person" onClose={close}>
        <p class="hint">{said.unknown}</p>
      </Dialog>
    )
  }
  const address = user.delivery_email ?? user.email
  const isInactive = state.inactive.value.has(id)
  const status = state.statuses.value.get(id)?.text ?? ''
  const groups = [...state.groups.value.values()].filter((group) => group.members.includes(id))
  return (
    <Dialog title={user.full_name} class="person" onClose={close}>
      <div class="person-head">
        <Avatar user={id} size={80} />
        <ul>
          <li class="soft">{user.is_bot ? text.bot : ((text.administration.roles as Readonly<Record<number, string>>)[roleOf(user)] ?? '')}</li>
          {isInactive ? <li>{said.inactive}</li> : user.is_bot ? null : <HereLine id={id} />}
          {status === '' ? null : (
            <li class="person-status">
              <bdi>{status}</bdi>
            </li>
          )}
          <LocalTime user={user} />
        </ul>
      </div>
      <dl>
        <Fact name={text.email}>
          <bdi>{address}</bdi>
        </Fact>
        {state.organization.profileFields.value.map((field) => (
          <Answer key={field.id} user={user} field={field} show={show} />
        ))}
        {groups.length === 0 ? null : (
          <Fact name={said.groups}>
            {groups.map((group) => (
              <button key={group.id} class="chip" onClick={() => show({ group: group.id })}>
                <bdi>{group.name}</bdi>
              </button>
            ))}
          </Fact>
        )}
      </dl>
      <p class="field-buttons">
        {isInactive ? null : (
          <a class="button primary" href={client.address({ narrow: narrowTo(privatePlace([id], state.self.value)) })} onClick={close}>
            {said.write}
          </a>
        )}
        {canMention() && !isInactive ? <button onClick={() => (close(), mentionPerson(client, id))}>{said.mention}</button> : null}
        <a class="button" href={client.address({ narrow: [{ operator: 'sender', operand: id }] })} onClick={close}>
          {said.messages}
        </a>
        <button onClick={() => void copy(client, address)}>{said.copyAddress}</button>
        {state.isAdmin.value && !user.is_bot ? <button onClick={() => manageAccount(client, id)}>{said.manage}</button> : null}
        {id === state.self.value ? (
          <a class="button" href="#settings/profile" onClick={close}>
            {text.account.profile}
          </a>
        ) : null}
      </p>
    </Dialog>
  )
}

/** A thing that is known, by its name. */
function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt dir="auto">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function HereLine({ id }: { readonly id: number }) {
  const { state } = useClient()
  const isAway = hereOfPerson(state, id) === 'away'
  return (
    <li>
      <HereMark person={id} />
      <span aria-hidden={!isAway}>
        <HereText id={id} />
      </span>
    </li>
  )
}

function LocalTime({ user }: { readonly user: User }) {
  const time = user.timezone === '' ? undefined : clockAt(new Date(), user.timezone)
  return time === undefined ? null : <li class="soft">{text.profiles.localTime(time)}</li>
}

/** Somebody's answer to a question of profiles. */
function Answer({ user, field, show }: { readonly user: User; readonly field: ProfileField; readonly show: (what: Shown) => void }) {
  const answer = user.profile_data?.[field.id]
  if (answer === undefined || answer.value === '') {
    return null
  }
  return (
    <Fact name={field.name}>
      <AnswerText field={field} value={answer.value} rendered={answer.rendered_value} show={show} />
    </Fact>
  )
}

function AnswerText({ field, value, rendered, show }: { readonly field: ProfileField; readonly value: string; readonly rendered: string | undefined; readonly show: (what: Shown) => void }) {
  const { state } = useClient()
  switch (field.type) {
    case fieldTypes.choice:
      return <bdi>{choicesOf(field).find((choice) => choice.value === value)?.name ?? value}</bdi>
    case fieldTypes.date:
      return <>{date(value)}</>
    case fieldTypes.people:
      return (
        <>
          {answersOf(value).map((id) => (
            <button key={id} class="chip" onClick={() => show({ person: id })}>
              <bdi>{state.nameOf(id)}</bdi>
            </button>
          ))}
        </>
      )
    case fieldTypes.link:
      return <Elsewhere address={value} name={value} />
    case fieldTypes.account: {
      const { subtype, url_pattern: own } = accountOf(field)
      const known = (state.settings.value['realm_default_external_accounts'] ?? {}) as Readonly<Record<string, ExternalAccount>>
      const pattern = own ?? known[subtype]?.url_pattern ?? ''
      return <Elsewhere address={pattern.replace('%(username)s', () => encodeURIComponent(value))} name={value} />
    }
    default:
      return rendered === undefined ? <bdi>{value}</bdi> : <Content html={rendered} />
  }
}

/** A link to another site; what isn't an address of the web is a text. */
function Elsewhere({ address, name }: { readonly address: string; readonly name: string }) {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? (
    <a href={address} target="_blank" rel="noopener noreferrer" dir="auto">
      {name}
    </a>
  ) : (
    <bdi>{name}</bdi>
  )
}
