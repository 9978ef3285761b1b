import { useState } from 'preact/hooks'
import { typedSubdomain, type Organizations } from '../sync/organizations'
import { text } from '../text/text'
import { Dialog } from './dialog'

/** Asks for the address of another organization, and goes there to sign in. */
export function AddOrganization({ organizations, parent, close }: { readonly organizations: Organizations; readonly parent: string; readonly close: () => void }) {
  const [wrong, setWrong] = useState(false)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const typed = String(new FormData(event.currentTarget as HTMLFormElement).get('address'))
    const subdomain = typedSubdomain(typed, parent)
    if (subdomain === undefined) {
      setWrong(true)
    } else {
      location.assign(organizations.address(subdomain))
    }
  }
  return (
    <Dialog title={text.organizations.add} onClose={close}>
      <form class="signin-form" onSubmit={submit}>
        <div class="signin-field">
          <label for="organization-address">{text.organizations.address}</label>
          <input id="organization-address" name="address" maxlength={300} required autofocus autocomplete="off" spellcheck={false} aria-invalid={wrong} aria-describedby="organization-problem organization-hint" />
          <p id="organization-problem" class="problem" role="alert">
            {wrong ? text.organizations.notHere(parent) : ''}
          </p>
          <p id="organization-hint" class="signin-hint">
            {text.organizations.hint(parent)}
          </p>
        </div>
        <p class="buttons">
          <button class="primary">{text.organizations.go}</button>
        </p>
      </form>
    </Dialog>
  )
}
