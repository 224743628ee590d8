import { readSharedStores } from '../../../config.ts'
import type { UnlockTarget } from '../../../sign-in-limits/failed-sign-ins.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { MailRow } from '../../cli/manager/accounts/mail-rows.ts'
import { outcomeOf, type Refused } from '../../cli/terminal/command.ts'
import { ioWithoutTerminal } from '../../cli/terminal/io.ts'
import type { InvitationOptions, Inviter } from '../../cli/viewers/inviting.ts'
import { endSessionsOf } from '../../cli/viewers/sessions-command.ts'
import { unlockSignIns } from '../../cli/viewers/unlock-command.ts'
import { invitingIn } from '../../cli/viewers/viewer-facts.ts'
import type { Visit } from '../door/route.ts'
import { eventAt, eventNameIn } from '../mails/event-at.ts'
import type { MailKind, SendMail } from '../mails/mail-queue.ts'
import type { SectionDeps } from '../section.ts'

/** The result of an act on an account. A store that does not answer is a fault too. */
export type Result = { readonly ok: true } | Refused

type Env = SectionDeps['env']

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

/** Sends invitations, and links for a new password, from the queue. */
export function setLinkKinds(deps: SectionDeps): void {
  const { editable } = deps.viewers
  if (editable === null) return
  const open: MailKind = (entryPoint, work) =>
    withInviter(deps, entryPoint, (inviter) => work((mail) => sendNow(editable, inviter, mail)))
  deps.mails.setKind('invitation', open)
  deps.mails.setKind('link', open)
}

async function sendNow(store: EditableUserStore, inviter: Inviter, mail: MailRow): ReturnType<SendMail> {
  const { kind, username, addedAtSeconds, tries } = mail
  const known = await store.inspect(username)
  // Removed, or needs none any more.
  if (known === null || known.viewer.disabled || (known.hasPassword && kind === 'invitation')) return null
  if (known.hasPassword) return await inviter.sendReset(store, username)
  // Sent before the program was stopped.
  if (tries > 1 && inviter.wasInvitedSince(known, addedAtSeconds)) return DONE
  return await inviter.invite(store, username)
}

/** Sends a link for a new password, or for the first password as an invitation. */
export async function sendLink(deps: SectionDeps, visit: Visit, store: EditableUserStore, username: string) {
  const rules = await invitationRules(deps, visit)
  const known = rules && (await store.inspect(username))
  if (rules === null) return { ok: false, fault: '', code: 'noMails' } as const
  if (!known || known.viewer.disabled || rules.faultIn(known.viewer) !== null)
    return { ok: false, fault: '', code: 'noMail', values: { name: username } } as const
  return await rules.sendSoon(known.hasPassword ? 'link' : 'invitation', known.viewer.username)
}

/**
 * Returns where invitations go, why a viewer cannot be invited, and how to send them. Their links open the pages of the
 * chosen event, else of the only one or of `default`. Null if this page can send no invitation.
 */
export async function invitationRules(deps: SectionDeps, { scope, manager: { name: manager } }: Visit) {
  const all = deps.entryPoints()
  const shown = all?.filter(({ name }) => scope.showsEntryPoint(name)) ?? []
  const chosen = shown.length === 1 ? shown[0] : shown.find(({ name }) => name === 'default')
  if (all !== null && chosen === undefined) return null
  const from = { entryPoint: chosen?.name ?? '', language: chosen?.brand.defaultLanguage ?? '', manager }
  const opened = await withInviter(deps, from.entryPoint, (inviter) => Promise.resolve({ ok: true, inviter } as const))
  if (!opened.ok) return null
  const { faultIn, addressAttribute, wasInvitedSince } = opened.inviter
  return {
    faultIn,
    addressAttribute,
    wasInvitedSince,
    queue: (usernames: readonly string[]) => deps.mails.add({ ...from, kind: 'invitation', usernames }),
    sendSoon: (kind: string, username: string) => deps.mails.sendSoon({ ...from, kind }, username),
  }
}

/** Opens the sending of invitations for a work. An error becomes its fault. */
async function withInviter<T>(deps: SectionDeps, entryPoint: string, work: (inviter: Inviter) => Promise<T>) {
  const inviting = invitingIn(deps.viewerFacts)
  if (inviting === undefined) return { ok: false, fault: 'This app cannot invite viewers.' } as const
  const io = ioWithoutTerminal(deps.env)
  return await outcomeOf(() => inviting.withInviter({ io }, invitationOptions(deps, entryPoint), work))
}

/** Returns what invitations to an entry point say: the text of managers, and the event if its start is ahead. */
export function invitationOptions(deps: SectionDeps, name: string): InvitationOptions {
  const { entryPoint, startSeconds, endSeconds } = eventAt(deps, name)
  if (entryPoint === undefined) return name === '' ? {} : { entryPoint: name }
  const named = { entryPoint: name, text: deps.store.invitationTexts.find(name) }
  if (startSeconds === null || startSeconds <= deps.nowSeconds()) return named
  const title = eventNameIn(deps.events, entryPoint, entryPoint.brand.defaultLanguage)
  return { ...named, event: { title, opensAtSeconds: startSeconds, closesAtSeconds: endSeconds } }
}
