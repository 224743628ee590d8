import { readSharedStores } from '../../../config.ts'
import type { UnlockTarget } from '../../../sign-in-limits/failed-sign-ins.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { outcomeOf, type Refused } from '../../cli/terminal/command.ts'
import { ioWithoutTerminal } from '../../cli/terminal/io.ts'
import type { Inviter } from '../../cli/viewers/inviting.ts'
import { endSessionsOf } from '../../cli/viewers/sessions-command.ts'
import { unlockSignIns } from '../../cli/viewers/unlock-command.ts'
import { invitingIn } from '../../cli/viewers/viewer-facts.ts'
import type { SectionDeps } from '../section.ts'

/** The result of an act on an account. A store that does not answer is a fault too. */
export type Result = { readonly ok: true } | Refused

type Env = SectionDeps['env']
type Deps = Pick<SectionDeps, 'env' | 'viewerFacts'>

const DONE = { ok: true } as const

export function unlock(env: Env, target: UnlockTarget): Promise<Result> {
  return outcomeOf(async () => {
    await unlockSignIns(env, target)
    return DONE
  })
}

export function endSessions(env: Env, username: string): Promise<Result> {
  return outcomeOf(async () => {
    await endSessionsOf(readSharedStores(env), username, true)
    return DONE
  })
}

/** Sends a link for a new password, or for the first password as an invitation. */
export function sendLink(deps: Deps, store: EditableUserStore, username: string): Promise<Result> {
  return withInviter(deps, async (inviter) => {
    const known = await store.inspect(username)
    return known?.hasPassword ? await inviter.sendReset(store, username) : await inviter.invite(store, username)
  })
}

/** Returns where invitations go, and why a viewer cannot be invited. Null if this page can send no invitation. */
export async function invitationRules(
  deps: Deps,
): Promise<Pick<Inviter, 'faultIn' | 'addressAttribute' | 'wasInvitedSince'> | null> {
  const opened = await withInviter(deps, (inviter) => Promise.resolve({ ok: true, inviter } as const))
  return opened.ok ? opened.inviter : null
}

/** Opens the sending of invitations for a work. An error becomes its fault. */
export async function withInviter<T>({ env, viewerFacts }: Deps, work: (inviter: Inviter) => Promise<T>) {
  const inviting = invitingIn(viewerFacts)
  if (inviting === undefined) return { ok: false, fault: 'This app cannot invite viewers.' } as const
  return await outcomeOf(() => inviting.withInviter({ io: ioWithoutTerminal(env) }, {}, work))
}
