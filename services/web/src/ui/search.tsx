import { useEffect, useRef, useState } from 'preact/hooks'
import { useClient } from '../client'
import { placeOfNarrow } from '../state/narrow'
import { text } from '../text/text'
import { read } from './query'
import { wordsOf } from './title'

/** The id of the field, to which a key leads. */
export const searchID = 'search'

/** The field for searches. */
export function Search() {
  const client = useClient()
  const { narrow } = client.destination.value
  const field = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState('')
  const isPlace = placeOfNarrow(narrow, client.state.self.value) !== undefined
  const words = isPlace || narrow.length === 1 && narrow[0]?.operator === 'stream' ? '' : wordsOf(client, narrow)
  useEffect(() => {
    if (field.current !== null) {
      field.current.value = words
    }
    setProblem('')
  }, [words])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const query = read(field.current?.value ?? '', client.state)
    if ('unknown' in query) {
      setProblem(text.unknownTerm(query.unknown))
      return
    }
    setProblem('')
    client.go({ narrow: query.narrow })
    document.getElementById('messages')?.focus()
  }
  return (
    <form class="search" role="search" onSubmit={submit}>
      <input ref={field} id={searchID} type="search" dir="auto" placeholder={text.search} aria-label={text.searchHint} title={text.searchHint} maxlength={500} aria-describedby="search-problem" />
      <p id="search-problem" class="problem" role="alert">
        {problem}
      </p>
    </form>
  )
}
