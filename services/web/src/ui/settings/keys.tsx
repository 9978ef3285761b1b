import { useState } from 'preact/hooks'
import { useClient } from '../../client'
import { text } from '../../text/text'
import { Toggle } from '../form/chosen'
import { KeyList } from '../help'
import { lettersWork, setLetters } from '../keys'

/** All keys, and whether those of a single letter work. */
export function Keys() {
  const client = useClient()
  const [on, setOn] = useState(() => lettersWork(client))
  const save = async (wanted: boolean) => {
    setLetters(client, wanted)
    setOn(wanted)
  }
  return (
    <div class="fields">
      <Toggle label={text.settings.letters} hint={text.settings.lettersHint} value={on} save={save} />
      <KeyList />
    </div>
  )
}
