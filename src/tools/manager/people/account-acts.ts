import { readSharedStores } from '../../../config.ts'
import type { ZonedTime } from '../../../settings/times.ts'
import type { UnlockTarget } from '../../../sign-in-limits/failed-sign-ins.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { type ActResult, outcomeOf } from '../../cli/command.ts'
import { type CommandIo, ioWithoutTerminal } from '../../cli/terminal/io.ts'
import type { Resent } from '../../cli/viewers/inviting.ts'
import { endSessionsOf } from '../../cli/viewers/sessions-command.ts'
import { unlockSignIns } from '../../cli/viewers/unlock-command.ts'
import { withInviter } from '../../cli/viewers/ways-to-invite.ts'
import { setEnd } from '../../features/account-end/end-commands.ts'

/** The result of an act on an account. The fault is for the page, also of a store that does not answer. */
export type Result = { readonly ok: true } | { readonly ok: false; readonly fault: string }

type Env = CommandIo['env']

const DONE = { ok: true } as const

export function unlock(env: Env, target: UnlockTarget): Promise<Result> {
  return outcomeOf(async () => {
    await unlockSignIns(env, target)
    return DONE
  })
}

export function endSessions(env: Env, username: string): Promise<Result> {
  return outcomeOf(async () => {
    await endSessionsOf(readSharedStores(env).sessionStore, username, true)
    return DONE
  })
}

export function invite(env: Env, store: EditableUserStore, username: string): Promise<Result> {
  return outcomeOf(() => withInviter({ io: ioWithoutTerminal(env) }, {}, (inviter) => inviter.invite(store, username)))
}

/** Invites everyone again who has no password yet. @param group null for all viewers. */
export function inviteGroupAgain(env: Env, store: EditableUserStore, group: string | null): Promise<ActResult<Resent>> {
  return outcomeOf(() =>
    withInviter({ io: ioWithoutTerminal(env) }, {}, (inviter) =>
      inviter.inviteAgain(store, { group: group ?? undefined }),
    ),
  )
}

export function setAccountEnd(store: EditableUserStore, username: string, end: ZonedTime | null): Promise<Result> {
  return outcomeOf(() => setEnd(store, username, end))
}
