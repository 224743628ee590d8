import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { OverloadedError } from '../../errors.ts'
import type { Language } from '../../languages/languages.ts'
import { siteOf } from '../../sign-in-limits/keys.ts'
import type { GuestRecord, GuestRecords, RecordWrite } from '../guests/guest-records.ts'
import { CODE_SECONDS, type CodeBinding, createDigests, newCode, readCode, SECRET, TRIES } from './code.ts'
import type { CodeLimits, CodeRefusal } from './code-limits.ts'
import type { BuildNotice } from './notices.ts'
import { MOST_WAITING, type Outbox } from './outbox.ts'

/** A request for a code, from a form in the frame of the player. */
export interface CodeRequest {
  /** A canonical mail address, of `parseMailAddress()`. */
  readonly address: string
  /** The secret in the form, to get a new code for the same frame. Absent at the first request. */
  readonly secret?: string | undefined
  readonly clientAddress: string
  readonly language: Language
  /** See deviceOf(). */
  readonly device: readonly string[]
  readonly requestId: string
}

/** The result is the same for every address, after the same steps. */
export type CodeAsked =
  | {
      readonly ok: true
      /** For a hidden field of the form that takes the code. */
      readonly secret: string
      /** True if mails are late at the moment. */
      readonly isLate: boolean
    }
  | CodeRefusal

export interface TypedCode extends CodeBinding {
  readonly code: unknown
  readonly clientAddress: string
}

export type CodeUse =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'wrong'; readonly triesLeft: number }
  /** Used, expired, replaced, or tried too often. */
  | { readonly ok: false; readonly reason: 'over' }
  | CodeRefusal

/** The codes of one feature at one entry point: the person at this frame reads this mailbox. */
export interface MailCodes {
  /**
   * Stores a code and its mail, which follows after the answer. When this returns, no kill loses them. A new code ends the
   * code before it in the same frame.
   * @throws UpstreamError if the guests store does not answer, and OverloadedError if too many mails wait.
   */
  ask(request: CodeRequest): Promise<CodeAsked>
  /**
   * Uses a code up. Of several requests at once, in all copies of the app, one gets `ok`.
   * @param also steps that are written together with it, or not at all: `over` if their conditions do not hold.
   * @throws UpstreamError if the guests store does not answer. The code then stays as it was.
   */
  use(typed: TypedCode, also?: readonly RecordWrite[]): Promise<CodeUse>
}

/** The codes by mail of all features. */
export interface OpenMailCodes {
  /** Returns the codes of a feature at an entry point. Called before the first request. */
  at(feature: string, entryPoint: EntryPoint, asked: CodeReader): MailCodes
  /** Says how to build the notices of a feature at an entry point. See `createNoticeSteps()`. */
  noticesOf(feature: string, entryPoint: EntryPoint, build: BuildNotice): void
  /** Sends soon: a notice was added. */
  wake(): void
}

export interface CodeReader {
  /**
   * True if this address may get a code, else false or the reason for the log. Asked after the answer to the viewer, so
   * that no time tells who may.
   * @throws UpstreamError if a store does not answer: the mail then waits.
   */
  mayGet(address: string): Promise<boolean | { readonly reason: string }>
}

export interface MailCodesDeps {
  readonly records: GuestRecords
  readonly outbox: Pick<Outbox, 'stepFor' | 'wake' | 'waiting' | 'isLate'>
  readonly limits: CodeLimits
  readonly secrets: readonly string[]
  readonly nowSeconds: () => number
}

const KIND = 'mail-code'
const Code = z.object({ digest: z.string(), tries: z.number(), askedAtSeconds: z.number() })
/** A second code in the same frame comes no sooner. */
export const RESEND_SECONDS = 30
const OVERLOAD_RETRY_SECONDS = 60
/** Rounds of one check: another request may count a try at the same moment. */
const MOST_ROUNDS = 2 * TRIES

/** Creates the codes of one scope. @param scope the feature and the entry point. */
export function createMailCodes(deps: MailCodesDeps, scope: string): MailCodes {
  const { records, outbox, limits, nowSeconds } = deps
  const { digestOf, isDigestOf, keyOf } = createDigests(deps.secrets, scope)

  async function earlierCode(secret: string | undefined): Promise<z.output<typeof Code> | null> {
    // The same step also for a new frame.
    const found = await records.read(KIND, keyOf(secret ?? ''))
    return found && Code.parse(JSON.parse(found.text))
  }
  async function count(found: GuestRecord, tries: number): Promise<boolean> {
    const text = JSON.stringify({ ...Code.parse(JSON.parse(found.text)), tries })
    const { key, version, endsAtSeconds } = found
    return (await records.write([{ kind: KIND, key, if: version, text, endsAtSeconds }])) !== null
  }
  return {
    async ask({ address, secret: given, clientAddress, language, device, requestId }) {
      const known = given !== undefined && SECRET.test(given) ? given : undefined
      const earlier = await earlierCode(known)
      const waitSeconds = (earlier?.askedAtSeconds ?? 0) + RESEND_SECONDS - nowSeconds()
      if (waitSeconds > 0) return { ok: false, limit: 'resend', retryAfterSeconds: Math.ceil(waitSeconds) }
      const refusal = await limits.admit(address, clientAddress)
      if (refusal !== null) return refusal
      if (outbox.waiting() >= MOST_WAITING) throw new OverloadedError('Too many mails wait', OVERLOAD_RETRY_SECONDS)
      const secret = known ?? randomBytes(32).toString('base64url')
      const code = newCode()
      const askedAtSeconds = nowSeconds()
      const endsAtSeconds = nowSeconds() + CODE_SECONDS
      const text = JSON.stringify({ digest: digestOf({ secret, address }, code), tries: 0, askedAtSeconds })
      const mail = { scope, address, code, language, device: [...device], requestId, endsAtSeconds }
      const step = outbox.stepFor({ ...mail, atMs: askedAtSeconds * 1000 }, `${scope} ${siteOf(clientAddress)}`)
      await records.write([{ kind: KIND, key: keyOf(secret), text, endsAtSeconds }, step])
      const isLate = outbox.isLate()
      outbox.wake()
      return { ok: true, secret, isLate }
    },
    async use({ secret, address, code: typed, clientAddress }, also = []) {
      const refusal = await limits.admitCheck(clientAddress)
      if (refusal !== null) return refusal
      const code = readCode(typed)
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        const found = await records.read(KIND, keyOf(secret))
        const stored = found && Code.parse(JSON.parse(found.text))
        if (found === null || stored === null || stored.tries >= TRIES) return { ok: false, reason: 'over' }
        if (code === null) return { ok: false, reason: 'wrong', triesLeft: TRIES - stored.tries }
        const isRight = isDigestOf(stored.digest, { secret, address }, code)
        // Written before the outcome is returned: else parallel guesses would not count.
        if (!isRight && (await count(found, stored.tries + 1))) {
          const triesLeft = TRIES - stored.tries - 1
          return triesLeft === 0 ? { ok: false, reason: 'over' } : { ok: false, reason: 'wrong', triesLeft }
        }
        const used = { kind: KIND, key: found.key, if: found.version, text: null }
        if (isRight && (await records.write([used, ...also])) !== null) {
          await limits.succeeded(address, clientAddress)
          return { ok: true }
        }
      }
      return { ok: false, reason: 'over' }
    },
  }
}
