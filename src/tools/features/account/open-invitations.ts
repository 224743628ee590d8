import { isDeepStrictEqual } from 'node:util'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { ViewerState } from '../../../users/user-store.ts'
import type { CommandContext, Outcome } from '../../cli/command.ts'
import { textTable } from '../../cli/terminal/table.ts'
import { counted, printable } from '../../cli/terminal/text.ts'
import type { InvitationOptions } from '../../cli/viewers/inviting.ts'
import { invitations, isBeingSent } from './invitations.ts'
import { DEFAULT_DAYS } from './link-sender.ts'

/** An invitation that the viewer has not followed yet. */
interface OpenInvitation {
  readonly username: string
  /** ISO 8601, in UTC. */
  readonly expiresAt: string
  /** False if the mail could not be sent. */
  readonly isSent: boolean
}

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

/**
 * Sends a new link to all viewers who have not yet followed their invitation. Their earlier links end. Skips links that
 * work as long as a new one: so the same command continues after a stop.
 * @throws UpstreamError when no viewer can be invited now. The viewers who got a mail are printed by then.
 */
export async function resendInvitations(
  context: CommandContext,
  store: EditableUserStore,
  options: GroupOptions,
): Promise<Outcome> {
  const { stdout, stderr, onInterrupt } = context.io
  const days = options.days ?? DEFAULT_DAYS
  const open = await invitedViewers(store, options.group)
  const left = open.filter(({ invitation }) => !isNew(invitation, days, Date.now()) && !isBeingSent(invitation, days))
  const [invited, faults]: [string[], string[]] = [[], []]
  let isStopped = false
  const release = onInterrupt(() => {
    isStopped = true
  })
  try {
    await invitations.withInviter(context, options, async (inviter) => {
      for (const { viewer, invitation } of left) {
        if (isStopped) break
        const { username } = viewer
        // Another program has invited this viewer since the list was read.
        if (!isDeepStrictEqual((await store.inspect(username))?.invitation, invitation)) continue
        const result = await inviter.invite(store, username)
        if (result.ok) {
          invited.push(username)
          if (!options.json) stdout.write(`${result.text}\n`)
        } else if (!isStopped) {
          faults.push(result.fault)
          stderr.write(`${result.fault}\n`)
        }
      }
    })
  } finally {
    release()
  }
  const text = `${invited.length} of ${counted(open.length, 'viewer')} invited again.`
  const last = invited.at(-1)
  const until = last === undefined ? '' : ` The last one is ${printable(last)}.`
  if (isStopped) return { ok: false, fault: `Stopped. ${text}${until} Run the same command again to continue.` }
  const skipped = open.length - invited.length - faults.length
  const note = skipped === 0 ? '' : ` Skipped ${skipped}: they were invited a short time ago.`
  return { ok: true, text: `${text}${note}`, data: { invited, skipped, faults }, isPartial: faults.length > 0 }
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

function openInvitationOf({ viewer, invitation }: Invited): OpenInvitation {
  const expiresAt = new Date(invitation.expiresAtSeconds * 1000).toISOString()
  return { username: viewer.username, expiresAt, isSent: invitation.isSent }
}

/** True if the link was sent, and works about as long as a new one. */
function isNew({ expiresAtSeconds, isSent }: Invited['invitation'], days: number, nowMs: number): boolean {
  const ageMs = nowMs + days * DAY_MS - expiresAtSeconds * 1000
  return isSent && ageMs >= -1_000 && ageMs < NEW_MS
}

function invitationText({ expiresAt, isSent }: OpenInvitation): string {
  if (!isSent) return 'was not sent'
  return `${Date.parse(expiresAt) > Date.now() ? 'works until' : 'has expired on'} ${expiresAt}`
}
