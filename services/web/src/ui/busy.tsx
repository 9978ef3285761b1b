import { text } from '../text/text'

/** Says that a form is sent again by itself, since the server was busy. */
export function Busy({ waits }: { readonly waits: boolean }) {
  return (
    <p class="said-busy" role="status">
      {waits ? text.busy : ''}
    </p>
  )
}
