import { isDeepStrictEqual } from 'node:util'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { ViewerState } from '../../../users/user-store.ts'
import type { ActResult, CommandContext, Outcome } from '../../cli/terminal/command.ts'
import { type CommandIo, stopOnInterrupt } from '../../cli/terminal/io.ts'
import { textTable } from '../../cli/terminal/table.ts'
import { counted, printable } from '../../cli/terminal/text.ts'
import type { Again, InvitationOptions, Inviter, Resent } from '../../cli/viewers/inviting.ts'
import { DEFAULT_DAYS, isBeingSent } from './link-sender.ts'

type Invited = Pick<ViewerState, 'viewer'> & { readonly invitation: NonNullable<ViewerState['invitation']> }

interface GroupOptions extends InvitationOptions {
  readonly group?: string
  readonly json?: boolean
}

const TITLES = ['User name', 'Invitation']
const DAY_MS = 86_400_000
/** A command that continues another one skips the mails of this time. */
const NEW_MS = DAY_MS / 2

/** Lists the viewers who have not yet followed their invitation. */
export async function listOpenInvitations(
  { io }: CommandContext,
  store: EditableUserStore,
  { group }: GroupOptions,
): Promise<Outcome> {
  const open = (await invitedViewers(store, group)).map(openInvitationOf)
  if (open.length === 0) return { ok: true, text: 'No viewer has an open invitation.', data: open }
  const rows = open.map((one) => [one.username, invitationText(one)])
  return {
    ok: true,
    text: `${await textTable(io.stdout, TITLES, rows)}\n${counted(open.length, 'viewer')}`,
    data: open,
  }
}

/** Invites again, and prints each viewer who got a new link. */
export async function resendAndPrint(
  { io }: CommandContext,
  store: EditableUserStore,
  inviter: Pick<Inviter, 'inviteAgain'>,
  { group, json }: GroupOptions,
): Promise<Outcome> {
  const resent = await inviter.inviteAgain(store, {
    group,
    onResult(result) {
      if (!result.ok) io.stderr.write(`${result.fault}\n`)
      else if (!json) io.stdout.write(`${result.text}\n`)
    },
  })
  if (!resent.ok) return resent
  const { invited, skipped, faults } = resent.data
  const text = resentText(invited, invited.length + skipped + faults.length)
  const note = skipped === 0 ? '' : ` Skipped ${skipped}: they were invited a short time ago.`
  return { ok: true, text: `${text}${note}`, data: resent.data, isPartial: faults.length > 0 }
}

/**
 * Sends a new link to all viewers who have not yet followed their invitation. Their earlier links end. Skips links that
 * work as long as a new one: so the same command continues after a stop.
 * @throws UpstreamError when no viewer can be invited now.
 */
export async function resendInvitations(
  io: Pick<CommandIo, 'onInterrupt'>,
  store: EditableUserStore,
  invite: Inviter['invite'],
  { group, days = DEFAULT_DAYS, onResult }: Again & { readonly days: number | undefined },
): Promise<ActResult<Resent>> {
  const open = await invitedViewers(store, group)
  const left = open.filter(({ invitation }) => !isNew(invitation, days, Date.now()) && !isBeingSent(invitation, days))
  const invited = []
  const faults = []
  using stop = stopOnInterrupt(io)
  const isStopped = () => stop.signal.aborted
  for (const { viewer, invitation } of left) {
    if (isStopped()) break
    const { username } = viewer
    // Another program has invited this viewer since the list was read.
    if (!isDeepStrictEqual((await store.inspect(username))?.invitation, invitation)) continue
    const result = await invite(store, username)
    if (result.ok) invited.push(username)
    else if (isStopped()) continue
    else faults.push(result.fault)
    onResult?.(result)
  }
  if (!isStopped()) {
    const skipped = open.length - invited.length - faults.length
    return { ok: true, data: { invited, skipped, faults } }
  }
  const last = invited.at(-1)
  const until = last === undefined ? '' : ` The last one is ${printable(last)}.`
  const text = resentText(invited, open.length)
  return { ok: false, fault: `Stopped. ${text}${until} Run the same command again to continue.` }
}

function resentText(invited: readonly string[], all: number): string {
  return `${invited.length} of ${counted(all, 'viewer')} invited again.`
}

/** Returns the viewers with an open invitation. Reads all of them before the caller changes the first. */
async function invitedViewers(store: EditableUserStore, group: string | undefined): Promise<Invited[]> {
  const open: Invited[] = []
  for await (const { viewer, hasPassword, invitation } of store.list()) {
    const isChosen = group === undefined || viewer.groups.includes(group.normalize('NFC'))
    if (invitation !== null && !hasPassword && !viewer.disabled && isChosen) open.push({ viewer, invitation })
  }
  return open
}

function openInvitationOf({ viewer, invitation }: Invited) {
  const expiresAt = new Date(invitation.expiresAtSeconds * 1000).toISOString()
  return { username: viewer.username, expiresAt, isSent: invitation.isSent }
}

/** True if the link was sent, and works about as long as a new one. */
function isNew({ expiresAtSeconds, isSent }: Invited['invitation'], days: number, nowMs: number): boolean {
  const ageMs = nowMs + days * DAY_MS - expiresAtSeconds * 1000
  return isSent && ageMs >= -1_000 && ageMs < NEW_MS
}

function invitationText({ expiresAt, isSent }: ReturnType<typeof openInvitationOf>): string {
  if (!isSent) return 'was not sent'
  return `${Date.parse(expiresAt) > Date.now() ? 'works until' : 'has expired on'} ${expiresAt}`
}
