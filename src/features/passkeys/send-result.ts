import { sendToPlayer } from '../../login/send-to-player.ts'
import type { WindowMethod } from '../../services/window/continue.ts'
import { StoreSignIn } from './flow-kinds.ts'
import type { PasskeyRouteDeps } from './route-deps.ts'

/** Sends a viewer with a passkey from the window to the player, with a session as after a password. */
export function sendPasskeyResult(deps: PasskeyRouteDeps): WindowMethod['sendResult'] {
  const { passkeys, screens, sessions, logSignIn } = deps
  return async (req, res, { context, result, frameSecret }) => {
    const { data: signedIn } = StoreSignIn.safeParse(result)
    if (signedIn === undefined) return false
    // The operator may have disabled the viewer since.
    const viewer = await passkeys.find(signedIn.storedName)
    if (viewer === null) {
      logSignIn(req, { outcome: 'disabled', viewer: signedIn.storedName })
      screens.sendSignIn(req, res, { context, refusal: { status: 403, text: 'disabled' }, frameSecret })
      return true
    }
    // The password may have changed meanwhile, and the passkey may have been removed.
    const { passwordVersion = viewer.passwordVersion, credential } = signedIn
    if (passwordVersion !== viewer.passwordVersion) return false
    if (credential !== undefined && (await passkeys.store.find(credential)) === null) return false
    await sendToPlayer(deps, req, res, {
      viewer,
      context,
      outcome: 'signed-in',
      openSession: () => sessions.start(req, res, viewer),
    })
    return true
  }
}
