import { setTimeout as sleep } from 'node:timers/promises'
import type { MailRow, NewMails, Turn } from '../../cli/manager/accounts/mail-rows.ts'
import type { ManagerStore } from '../../cli/manager/accounts/manager-store.ts'
import { outcomeOf, type Refused } from '../../cli/terminal/command.ts'

interface QueueDeps {
  readonly store: Pick<ManagerStore, 'mails'>
  readonly nowSeconds: () => number
  readonly warn: (error: unknown) => void
  readonly onClose: (close: () => void) => void
}

/** Sends mails after the answer. It goes on after a restart. */
export type MailQueue = ReturnType<typeof openMailQueue>

/** Sends one mail. Returns null if the person no longer needs it. A refusal with `mayPass` is retried. A plan may wait. */
export type SendMail = (mail: MailRow) => Promise<Sent>
type Sent = { readonly ok: true; readonly untilSeconds?: number } | Attempt | null
/** `isWaiting` if the mail was not sent yet. */
export type SentSoon = { readonly ok: true; readonly isWaiting: boolean } | Refused
type Attempt = Refused & { readonly mayPass?: boolean }

/** Opens what is needed to send mails of one kind for an entry point. @throws if no mail can be sent now. */
export type MailKind = (
  entryPoint: string,
  work: (send: SendMail) => Promise<{ readonly ok: true }>,
) => Promise<{ readonly ok: true } | Refused>

/** Mails at a time. A server that takes one in 0.2 s sends a thousand within a minute. */
const WIDTH = 4
const FIRST_RETRY_SECONDS = 40
/** After some 40 minutes: longer than a mailbox that greylists. */
const MOST_TRIES = 6
const AWAY_SECONDS = 5
const LONGEST_AWAY_SECONDS = 60
/** After this time, texts and settings are read again: managers may change them while thousands of mails go. */
const FRESH_MS = 5_000
/** A page waits this long for the result of one mail. */
const SOON_MS = 3_000
const POLL_MS = 50

/** Opens the queue. `start` continues with the mails that an earlier run left. */
export function openMailQueue({ store, nowSeconds, warn, onClose }: QueueDeps) {
  const rows = store.mails
  const kinds = new Map<string, MailKind>()
  /** `isAsked` is true if mails may have been added since the work began. */
  const state = { isClosed: false, isWorking: false, isAsked: false, failures: 0 }
  let timer: NodeJS.Timeout | undefined
  const turn = (endMs = Infinity) =>
    state.isClosed || performance.now() > endMs ? null : rows.turn(nowSeconds(), [...kinds.keys()])

  async function sendOne(send: SendMail, mail: MailRow): Promise<void> {
    const { id, tries } = mail
    const sent = await send(mail).catch((error: unknown) => {
      rows.delay(id, nowSeconds(), tries - 1)
      throw error
    })
    if (sent === null) rows.remove(id)
    else if (sent.ok && sent.untilSeconds !== undefined) rows.delay(id, sent.untilSeconds, 0)
    else if (sent.ok) rows.setSent(id)
    else if (!sent.mayPass || tries > MOST_TRIES) rows.setRefused(id, sent)
    else rows.delay(id, nowSeconds() + FIRST_RETRY_SECONDS * 2 ** (tries - 1), tries)
  }
  /** Sends the mails of one kind and event, as long as it is their turn. */
  async function sendDue(send: SendMail, { kind, entryPoint }: Turn): Promise<{ readonly ok: true }> {
    const endMs = performance.now() + FRESH_MS
    for (let next = turn(); next?.kind === kind && next.entryPoint === entryPoint; next = turn(endMs)) {
      const due = rows.claim(nowSeconds(), next, WIDTH)
      const sent = await Promise.allSettled(due.map((mail) => sendOne(send, mail)))
      for (const one of sent) if (one.status === 'rejected') throw one.reason
      state.failures = 0
    }
    return { ok: true }
  }
  /** Returns the seconds until the next work; null if there is none. */
  async function work(): Promise<number | null> {
    for (let next = turn(); next !== null; next = turn()) {
      const group = next
      const open = kinds.get(group.kind)
      if (open === undefined) break
      const done = await outcomeOf(() => open(group.entryPoint, (send) => sendDue(send, group)))
      if (done.ok) continue
      if (state.failures === 0) warn(new Error(`Mails wait: ${done.fault}`))
      state.failures += 1
      const waitSeconds = Math.min(AWAY_SECONDS * 2 ** (state.failures - 1), LONGEST_AWAY_SECONDS)
      rows.postpone(nowSeconds(), group, waitSeconds)
    }
    const nextAtSeconds = rows.nextAtSeconds()
    return nextAtSeconds === null ? null : Math.max(1, nextAtSeconds - nowSeconds())
  }
  async function run(): Promise<void> {
    state.isAsked = true
    if (state.isClosed || state.isWorking) return
    clearTimeout(timer)
    state.isWorking = true
    let seconds: number | null = null
    while (state.isAsked) {
      state.isAsked = false
      seconds = await work().catch((error: unknown) => {
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
  function add(mails: NewMails): void {
    rows.add(mails, nowSeconds())
    void run()
  }
  return {
    add,
    /** Sends one mail. Returns after its result, or after three seconds while it waits. */
    async sendSoon(mail: Omit<NewMails, 'batch' | 'usernames'>, username: string): Promise<SentSoon> {
      add({ ...mail, usernames: [username], batch: 0 })
      const find = () => rows.find(mail, username)
      for (const endMs = performance.now() + SOON_MS; performance.now() < endMs; await sleep(POLL_MS)) {
        if (find()?.state !== 'waiting') break
      }
      const { state: result, fault } = find() ?? { state: 'refused', fault: { code: 'changed' } }
      return result === 'refused' ? { ok: false, fault: '', ...fault } : { ok: true, isWaiting: result === 'waiting' }
    },
    /** @param manager whose invitations count; null for all. */
    progress: (manager: string | null) => ({ ...rows.progress(manager), isAway: state.failures > 0 }),
    page: rows.page,
    /** Forgets a person. */
    forget: rows.forget,
    /** Says how mails of a kind are sent. */
    setKind: (kind: string, open: MailKind) => void kinds.set(kind, open),
    start: () => void run(),
  }
}
