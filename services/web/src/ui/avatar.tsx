import { useState } from 'preact/hooks'
import { useClient } from '../client'

/** Whether this server has a picture. Nearly all addresses say so by their beginning; parsing them takes longer. */
function isOurs(address: string): boolean {
  return /^\/\w/.test(address) || new URL(address, location.href).origin === location.origin
}

/** The picture of an account, or its first letter where there is none, or where another server has it, which would learn who reads. It says nothing to those who don't see it: the name is beside it. */
export function Avatar({ user, size }: { readonly user: number; readonly size: number }) {
  const { state } = useClient()
  const [failed, setFailed] = useState(false)
  const address = state.users.value.get(user)?.avatar_url ?? `/avatar/${user}`
  if (failed || !isOurs(address)) {
    return (
      <span class="avatar letter" aria-hidden="true">
        {state.nameOf(user).slice(0, 1)}
      </span>
    )
  }
  return <img class="avatar" src={address} alt="" width={size} height={size} decoding="async" onError={() => setFailed(true)} />
}
