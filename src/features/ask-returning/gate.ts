import type { EntryPointDeps, Gate } from '../../login/route-deps.ts'
import { createVisits } from './visits.ts'

/** Creates the gate of an entry point. It holds a returning viewer with a question, outside a visit. */
export function createGate(
  { screens }: Pick<EntryPointDeps, 'screens'>,
  options: { readonly lifetimeSeconds: number; readonly isTls: boolean },
  entryPoint: string,
): Gate {
  const visits = createVisits(entryPoint, options)
  return (req, res, { viewer, context, outcome, sessionId }) => {
    // A viewer who chose to continue has answered. Only a post does.
    const isAnswered = outcome === 'signed-in' || req.method === 'POST'
    if (isAnswered || sessionId === undefined || visits.isRunning(req, sessionId)) {
      return { ok: true, onGranted: (id) => (id === null ? undefined : visits.extend(res, id)) }
    }
    const send = () => screens.sendSignIn(req, res, { context, signedInAs: viewer.username, asksFirst: true })
    return { ok: false, reason: 'held', send }
  }
}
