import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { DueInvitation } from '../../cli/manager/accounts/invitation-rows.ts'
import type { ManagerStore } from '../../cli/manager/accounts/manager-store.ts'
import type { Inviter } from '../../cli/viewers/inviting.ts'
import type { InvitationQueue, SectionDeps } from '../section.ts'
import { withInviter } from './account-acts.ts'

type QueueDeps = Pick<SectionDeps, 'env' | 'viewerFacts' | 'viewers' | 'nowSeconds' | 'warn' | 'onClose'> & {
  readonly store: Pick<ManagerStore, 'invitations'>
}

/** Mails at a time. A server that takes one in 0.2 s sends a thousand within a minute. */
const WIDTH = 4
const FIRST_RETRY_SECONDS = 40
/** After some 40 minutes: longer than a mailbox that greylists. */
const MOST_TRIES = 6
const AWAY_SECONDS = 5
const LONGEST_AWAY_SECONDS = 60

/** Opens the queue, and goes on with what an earlier run left. */
export function openInvitationQueue(deps: QueueDeps): InvitationQueue {
  const { nowSeconds, warn, onClose, viewers } = deps
  const rows = deps.store.invitations
  const { editable } = viewers
  /** `isAsked` while invitations may have come that the work has not seen. */
  const state = { isClosed: false, isWorking: false, isAsked: false, failures: 0 }
  let timer: NodeJS.Timeout | undefined

  async function sendOne(inviter: Inviter, store: EditableUserStore, due: DueInvitation): Promise<void> {
    const { username, addedAtSeconds, tries } = due
    const known = await store.inspect(username)
    // Removed, or needs none any more.
    if (known === null || known.hasPassword || known.viewer.disabled) return rows.remove(username)
    // Sent before the program was stopped.
    if (inviter.wasInvitedSince(known, addedAtSeconds)) return rows.setSent(username)
    const invited = await inviter.invite(store, username)
    if (invited.ok) rows.setSent(username)
    else if (!invited.mayPass || tries >= MOST_TRIES) rows.setRefused(username, invited)
    else rows.delay(username, nowSeconds() + FIRST_RETRY_SECONDS * 2 ** tries)
  }
  async function sendDue(inviter: Inviter, store: EditableUserStore): Promise<{ readonly ok: true }> {
    while (!state.isClosed) {
      const due = rows.due(nowSeconds(), WIDTH)
      if (due.length === 0) break
      const sent = await Promise.allSettled(due.map((one) => sendOne(inviter, store, one)))
      for (const one of sent) if (one.status === 'rejected') throw one.reason
      state.failures = 0
    }
    return { ok: true }
  }
  /** Returns the seconds until the next work; null if there is none. */
  async function work(store: EditableUserStore): Promise<number | null> {
    if (rows.due(nowSeconds(), 1).length > 0) {
      const done = await withInviter(deps, (inviter) => sendDue(inviter, store))
      if (!done.ok) {
        if (state.failures === 0) warn(new Error(`Invitations wait: ${done.fault}`))
        state.failures += 1
        return Math.min(AWAY_SECONDS * 2 ** (state.failures - 1), LONGEST_AWAY_SECONDS)
      }
    }
    const nextAtSeconds = rows.nextAtSeconds()
    return nextAtSeconds === null ? null : Math.max(1, nextAtSeconds - nowSeconds())
  }
  async function run(): Promise<void> {
    state.isAsked = true
    if (state.isClosed || state.isWorking || editable === null) return
    clearTimeout(timer)
    state.isWorking = true
    let seconds: number | null = null
    while (state.isAsked) {
      state.isAsked = false
      seconds = await work(editable).catch((error: unknown) => {
        warn(error)
        return LONGEST_AWAY_SECONDS
      })
    }
    state.isWorking = false
    if (seconds !== null && !state.isClosed) timer = setTimeout(run, seconds * 1000).unref()
  }
  onClose(() => {
    state.isClosed = true
    clearTimeout(timer)
  })
  void run()
  return {
    add(usernames, manager) {
      rows.add(usernames, manager, nowSeconds())
      void run()
    },
    progress: (manager) => ({ ...rows.progress(manager), isAway: state.failures > 0 }),
    forget: rows.remove,
  }
}
