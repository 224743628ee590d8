import type { RequestHandler } from 'express'
import { forOwnForm, type PasskeyRouteDeps } from '../route-deps.ts'
import { showSignIn } from './ceremony.ts'

/** Opens the window in which a viewer signs in with a passkey, or creates one. */
export function postStart(deps: PasskeyRouteDeps): RequestHandler {
  return forOwnForm(deps, async (req, res, { flow, create }) => {
    deps.logSignIn(req, { outcome: 'passkey-started' })
    await showSignIn(deps, req, res, { flow, isCreating: create !== undefined })
  })
}
