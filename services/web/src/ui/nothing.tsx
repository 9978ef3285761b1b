import { useClient } from '../client'
import { placeOfNarrow, streamOfNarrow, type Narrow } from '../state/narrow'
import { addressOfPage } from '../state/page'
import { text } from '../text/text'
import { mayInvite } from './administration/rights'
import { wordsOf } from './title'

/** The address of the page on which people are invited. */
export const invitations = addressOfPage({ area: 'organization', path: 'invitations' })

/** Says that there is nothing to read yet, and how to begin. */
export function NothingYet() {
  const client = useClient()
  return (
    <div class="hint nothing">
      <p>{text.nothingYet}</p>
      {mayInvite(client) ? (
        <p>
          <a class="button" href={invitations}>
            {text.organizations.invite}
          </a>
        </p>
      ) : null}
    </div>
  )
}

/** Says that a stream isn't there, and leads on. Of a topic, that is said where one would write. */
export function NoStream({ narrow }: { readonly narrow: Narrow }) {
  const client = useClient()
  return (
    <div class="hint nothing" role="alert">
      {placeOfNarrow(narrow, client.state.self.value) === undefined ? <p>{text.gone.stream}</p> : null}
      <p>
        <a class="button" href={client.address({ narrow: [] })}>
          {text.everything}
        </a>
      </p>
    </div>
  )
}

/** Says that nothing is in a place or a view, and what comes into it. */
export function NothingIn({ narrow }: { readonly narrow: Narrow }) {
  const { state } = useClient()
  if (state.isGone(streamOfNarrow(narrow))) {
    return <NoStream narrow={narrow} />
  }
  const [only] = narrow
  const why = only?.operator === 'is' ? (text.nothingIs as Readonly<Record<string, string>>)[only.operand] : undefined
  return <p class="hint">{why ?? text.nothingHere}</p>
}

/** Says that nothing matches a search, and what can be changed. */
export function NothingFound({ narrow }: { readonly narrow: Narrow }) {
  const client = useClient()
  const words = text.reading.searching
  const isWide = !narrow.some((term) => term.operator === 'stream' || term.operator === 'streams' || term.operator === 'is' || term.operator === 'pm-with')
  return (
    <div class="hint nothing">
      <p role="status">{narrow.length > 1 ? words.nothingMatchesAll : text.nothingFound}</p>
      {narrow.length > 1 ? (
        <ul aria-label={words.without}>
          {narrow.map((term) => (
            <li key={JSON.stringify(term)}>
              <a class="button" href={client.address({ narrow: narrow.filter((t) => t !== term) })}>
                {words.withoutTerm(wordsOf(client, [term]))}
              </a>
            </li>
          ))}
        </ul>
      ) : null}
      {isWide ? (
        <p>
          <a class="button" href={client.address({ narrow: [{ operator: 'streams', operand: 'public' }, ...narrow] })}>
            {words.everywhere}
          </a>
        </p>
      ) : null}
      <p>{words.hint}</p>
    </div>
  )
}
