import type { Command } from 'commander'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { Viewer, ViewerState } from '../../../users/user-store.ts'
import type { ActResult, CommandContext, Outcome } from '../terminal/command.ts'

export interface InvitationOptions {
  readonly days?: number
  readonly links?: string
  readonly language?: string
  readonly entryPoint?: string
  /** The most mails in a minute. Undefined for no limit. */
  readonly perMinute?: number
  /** What the invitation is for, in one line. */
  readonly for?: string
  /** Paragraphs at the top of the mail, one a line. */
  readonly text?: string
  /** Attached as a calendar file. */
  readonly event?: InvitedEvent
}

/** The event of an invitation. UNIX times in seconds. */
interface InvitedEvent {
  /** Null for an event without a name. */
  readonly title: string | null
  readonly opensAtSeconds: number
  /** Null for an event without an end. */
  readonly closesAtSeconds: number | null
}

/** Invites viewers to set their first password. */
export interface Inviter {
  /** The attribute with the mail address of an invitation, or `username`. */
  readonly addressAttribute: string
  /** The sentence that says how to invite a viewer again. */
  readonly advice: string
  /** Returns why the viewer cannot be invited, as the end of a sentence; null if an invitation is possible. */
  faultIn(viewer: Viewer): string | null
  /**
   * Invites a viewer who has no password yet. An earlier invitation ends. Two programs at once send one mail.
   * @returns a refusal with `mayPass` if the same call may succeed a minute later.
   * @throws UpstreamError when no viewer can be invited now, or the store does not answer.
   */
  invite(store: EditableUserStore, username: string): Promise<Outcome & { readonly mayPass?: boolean }>
  /** Sends a viewer who has a password a link to set another one. Throws as `invite()` does. */
  sendReset(store: EditableUserStore, username: string): Promise<Outcome & { readonly mayPass?: boolean }>
  /** True for a viewer whose invitation was sent at or after this UNIX time. */
  wasInvitedSince(state: Pick<ViewerState, 'invitation'>, seconds: number): boolean
  /** Invites all viewers who have not followed their invitation. Skips those who were invited a short time ago. */
  inviteAgain(store: EditableUserStore, again: Again): Promise<ActResult<Resent>>
}

export interface Again {
  /** Only members of this group. */
  readonly group?: string | undefined
  /** Called after each viewer. */
  readonly onResult?: (result: Outcome) => void
}

export interface Resent {
  /** The user names of the viewers who got a new link. */
  readonly invited: readonly string[]
  /** The number of viewers who were invited a short time ago. */
  readonly skipped: number
  /** Why viewers could not be invited. */
  readonly faults: readonly string[]
}

/** A way to invite viewers. */
export interface Inviting {
  /** Returns the function that finds the mail address of a viewer; null without a usable one. */
  addressesIn(env: CommandContext['io']['env']): (viewer: Viewer) => string | null
  addOptions(command: Command): Command
  /** @throws ConfigError when a setting or an option is missing or wrong. */
  withInviter<T>(
    context: Pick<CommandContext, 'io'>,
    options: InvitationOptions,
    work: (inviter: Inviter) => Promise<T>,
  ): Promise<T>
}

/** True for a viewer who has no password, and no invitation that works. */
export function needsInvitation({ viewer, hasPassword, invitation }: ViewerState): boolean {
  const isInvited = invitation?.isSent === true && invitation.expiresAtSeconds > Date.now() / 1000
  return !viewer.disabled && !hasPassword && !isInvited
}

/**
 * Returns a function that says why the viewer of a row cannot be invited, before the row is stored. A viewer who needs no
 * invitation has no fault.
 * @param updates true if the import changes the attributes of known viewers.
 */
export function faultInRowOf(
  store: Pick<EditableUserStore, 'inspect'>,
  { faultIn }: Pick<Inviter, 'faultIn'>,
  updates: boolean,
) {
  return async (row: Viewer): Promise<string | null> => {
    const known = await store.inspect(row.username)
    if (known === null) return faultIn(row)
    if (!needsInvitation(known)) return null
    const attributes = { ...known.viewer.attributes, ...(updates && row.attributes) }
    return faultIn({ ...known.viewer, attributes })
  }
}
