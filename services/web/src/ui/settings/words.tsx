import { call } from '../../api/request'
import { useClient } from '../../client'
import { text } from '../../text/text'
import { Form, Input } from '../form/form'

/** The longest word, in characters. */
const longest = 100

/** The words that the account is alerted of. */
export function AlertWords() {
  const client = useClient()
  const said = text.account
  const words = [...client.state.alertWords.value].sort((a, b) => a.localeCompare(b, text.locale))
  return (
    <div class="fields">
      <p>{said.wordsHint}</p>
      <Form action={said.addWord} submit={({ word = '' }) => call('POST /users/me/alert_words', { alert_words: [word] })} blame={() => 'word'}>
        <Input name="word" label={said.word} most={longest} required />
      </Form>
      {words.length === 0 ? <p class="hint">{said.noWords}</p> : null}
      <ul class="list">
        {words.map((word) => (
          <li key={word}>
            <bdi class="list-name">{word}</bdi>
            <button aria-label={said.removeWord(word)} onClick={() => void client.act(() => call('DELETE /users/me/alert_words', { alert_words: [word] }))}>
              {text.remove}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
