import { z } from 'zod'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { OverloadedError } from '../../errors.ts'
import type { Language, Texts } from '../../languages/languages.ts'
import { siteOf } from '../../sign-in-limits/keys.ts'
import type { LimitRefusal } from '../../sign-in-limits/limit-refusal.ts'
import type { GuestRecords, RecordWrite } from '../guests/guest-records.ts'
import { CODE_SECONDS, type CodeBinding, createDigests, newCode, newSecret, readCode, SECRET, TRIES } from './code.ts'
import { type CodeLimits, MOST_OF_PAIR } from './code-limits.ts'
import type { BuildNotice } from './notices.ts'
import { MOST_WAITING, type Outbox } from './outbox.ts'

/** A request for a code, from a form in the frame of the player. */
export interface CodeRequest {
  /** A canonical mail address, of `parseMailAddress()`. */
  readonly address: string
  /** The secret in the form. Default: a new one. */
  readonly secret?: string | undefined
  /** True for the form of the address, which has a secret for its frame. */
  readonly isFirst?: boolean
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
  | LimitRefusal

export interface TypedCode extends CodeBinding {
  readonly code: unknown
  readonly clientAddress: string
}

export type CodeUse =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'wrong'; readonly triesLeft: number }
  /** Used, expired or tried too often. */
  | { readonly ok: false; readonly reason: 'over' }
  /** A code for this address, from another frame. It is not a guess. */
  | { readonly ok: false; readonly reason: 'elsewhere' }
  | LimitRefusal

/** The codes of one feature at one entry point: the person at this frame reads this mailbox. */
export interface MailCodes {
  /**
   * Stores a code and its mail, which follows after the answer. When this returns, no kill loses them. The earlier codes of
   * the frame still work. The same form again within seconds gets the same answer, and no second mail.
   * @throws UpstreamError if the guests store does not answer, and OverloadedError if too many mails wait.
   */
  ask(request: CodeRequest): Promise<CodeAsked>
  /**
   * Uses up all codes of a frame. The same code in the same frame gets the same answer for some seconds, in all copies of
   * the app.
   * @param also steps that are written with the first use, or not at all: `over` if their conditions do not hold.
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
   * Decides if this address may get a code. Asked after the answer to the viewer, so that no time tells who may.
   * @throws UpstreamError if a store does not answer: the mail then waits.
   */
  mayGet(address: string): Promise<MailPermission>
  /** The words of the mail. Default: those of a login. */
  readonly words?: (texts: Texts) => CodeWords
}

/** The subject of a mail with a code, and the sentence before the code. */
export type CodeWords = Pick<Texts['mail-code']['mail'], 'subject' | 'intro'>

/** `isListed`: on a list, in the user store or registered. Addresses of a domain can be made up. `reason`: for the log. */
export type MailPermission =
  | { readonly ok: true; readonly isListed: boolean }
  | { readonly ok: false; readonly reason?: string | undefined }

export interface MailCodesDeps {
  readonly records: GuestRecords
  readonly outbox: Pick<Outbox, 'stepFor' | 'wake' | 'waiting'>
  /** True if mails of this entry point are late. The same for every address. */
  readonly isLate: () => boolean | Promise<boolean>
  readonly limits: CodeLimits
  readonly secrets: readonly string[]
  readonly nowSeconds: () => number
}

const KIND = 'mail-code'
/** Leads from a code to its frame. */
const OWNERS = 'mail-code-frame'
const Frame = z.object({
  /** The codes that work, the newest last. Each guess is a try at all of them. */
  codes: z.array(z.object({ digest: z.string(), tries: z.number(), endsAtSeconds: z.number() })),
  /** The last request. `form` is a digest of its address and form. */
  asked: z.object({ atSeconds: z.number(), form: z.string() }),
  /** The code that was just used: the same post again gets the same answer. */
  usedDigest: z.string().optional(),
})
type Frame = z.output<typeof Frame>
/** As many as one network may ask for in the life of a code. So a mail that comes late, or out of order, has a code that works. */
const MOST_CODES = MOST_OF_PAIR
/** A second code in the same frame comes no sooner. */
export const RESEND_SECONDS = 30
/** The same form again within this time gets the same answer: a double click, or a browser that repeats the post. */
export const AGAIN_SECONDS = 10
const OVERLOAD_RETRY_SECONDS = 60
/** Rounds of one request: another one may change the frame at the same moment. */
const MOST_ROUNDS = 2 * TRIES

/** Creates the codes of one scope. @param scope the feature and the entry point. */
export function createMailCodes(deps: MailCodesDeps, scope: string): MailCodes {
  const parts = { ...deps, scope, digests: createDigests(deps.secrets, scope) }
  return { ask: askWith(parts), use: useWith(parts) }
}

interface Parts extends MailCodesDeps {
  readonly scope: string
  readonly digests: ReturnType<typeof createDigests>
}

/** Returns the frames of a scope, as records. */
function framesOf({ records, nowSeconds }: Pick<Parts, 'records' | 'nowSeconds'>) {
  return {
    async read(key: string): Promise<{ readonly condition: number | 'absent'; readonly frame: Frame | null }> {
      const found = await records.read(KIND, key)
      // Null for a record of an earlier release too.
      const frame = found && (Frame.safeParse(JSON.parse(found.text)).data ?? null)
      return { condition: found?.version ?? 'absent', frame }
    },
    stepFor(key: string, condition: number | 'absent', frame: Frame): RecordWrite {
      const endsAtSeconds = frame.codes.at(-1)?.endsAtSeconds ?? nowSeconds() + AGAIN_SECONDS
      return { kind: KIND, key, if: condition, text: JSON.stringify(frame), endsAtSeconds }
    },
    inForce: ({ codes }: Frame) =>
      codes.filter(({ tries, endsAtSeconds }) => tries < TRIES && endsAtSeconds > nowSeconds()),
  }
}

/** Returns the key that leads from a code to its frame. */
function ownerKey({ digestOf }: Parts['digests'], address: string, code: string): string {
  return digestOf({ secret: '', address }, code)
}

function askWith(parts: Parts): MailCodes['ask'] {
  const { records, outbox, isLate, limits, nowSeconds, scope, digests } = parts
  const { digestOf, keyOf } = digests
  const { read, stepFor, inForce } = framesOf(parts)
  return async function ask({ address, secret: given, isFirst = false, clientAddress, language, device, requestId }) {
    const secret = given !== undefined && SECRET.test(given) ? given : newSecret()
    const key = keyOf(secret)
    const form = digestOf({ secret, address }, isFirst ? 'first' : 'again')
    let isAdmitted = false
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const now = nowSeconds()
      const { condition, frame } = await read(key)
      const { asked } = frame ?? {}
      if (asked?.form === form && asked.atSeconds > now - AGAIN_SECONDS) {
        if (isAdmitted) await limits.withdraw(address, clientAddress)
        return { ok: true, secret, isLate: await isLate() }
      }
      const waitSeconds = (asked?.atSeconds ?? 0) + RESEND_SECONDS - now
      if (waitSeconds > 0) return { ok: false, limit: 'resend', retryAfterSeconds: Math.ceil(waitSeconds) }
      const refusal = isAdmitted ? null : await limits.admit(address, clientAddress)
      if (refusal !== null) return refusal
      isAdmitted = true
      if (outbox.waiting() >= MOST_WAITING) throw new OverloadedError('Too many mails wait', OVERLOAD_RETRY_SECONDS)
      const code = newCode()
      const endsAtSeconds = now + CODE_SECONDS
      const own = { digest: digestOf({ secret, address }, code), tries: 0, endsAtSeconds }
      const codes = [...(frame ? inForce(frame) : []), own].slice(-MOST_CODES)
      const mail = { scope, address, code, language, device: [...device], requestId, endsAtSeconds }
      const written = await records.write([
        stepFor(key, condition, { codes, asked: { atSeconds: now, form } }),
        { kind: OWNERS, key: ownerKey(digests, address, code), text: key, endsAtSeconds },
        outbox.stepFor({ ...mail, atMs: now * 1000 }, `${scope} ${siteOf(clientAddress)}`),
      ])
      if (written === null) continue
      outbox.wake()
      return { ok: true, secret, isLate: await isLate() }
    }
    throw new OverloadedError('Too many requests of one frame at once', OVERLOAD_RETRY_SECONDS)
  }
}

function useWith(parts: Parts): MailCodes['use'] {
  const { records, limits, digests } = parts
  const { isDigestOf, keyOf } = digests
  const { read, stepFor, inForce } = framesOf(parts)
  return async function use({ secret, address, code: typed, clientAddress }, also = []) {
    const refusal = await limits.admitCheck(clientAddress)
    if (refusal !== null) return refusal
    const code = readCode(typed)
    const key = keyOf(secret)
    let isAdmitted = false
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const { condition, frame } = await read(key)
      if (frame === null) return { ok: false, reason: 'over' }
      const { usedDigest } = frame
      if (code !== null && usedDigest !== undefined && isDigestOf(usedDigest, { secret, address }, code)) {
        await limits.wasNoGuess(address, clientAddress)
        return { ok: true }
      }
      const codes = inForce(frame)
      const triesLeft = Math.max(0, ...codes.map(({ tries }) => TRIES - tries))
      if (triesLeft === 0) return { ok: false, reason: 'over' }
      if (code === null) return { ok: false, reason: 'wrong', triesLeft }
      const limit = isAdmitted ? null : await limits.admitGuess(address, clientAddress)
      if (limit !== null) return limit
      isAdmitted = true
      const right = codes.find(({ digest }) => isDigestOf(digest, { secret, address }, code))
      if (right !== undefined) {
        const used = { codes: [], asked: { atSeconds: 0, form: '' }, usedDigest: right.digest }
        if ((await records.write([stepFor(key, condition, used), ...also])) === null) continue
        await limits.succeeded(address, clientAddress)
        return { ok: true }
      }
      const owner = await records.read(OWNERS, ownerKey(digests, address, code))
      if (owner !== null && owner.text !== key) {
        await limits.wasNoGuess(address, clientAddress)
        return { ok: false, reason: 'elsewhere' }
      }
      // Written before the outcome is returned: else parallel guesses would not count.
      const guessed = { ...frame, codes: codes.map((one) => ({ ...one, tries: one.tries + 1 })) }
      if ((await records.write([stepFor(key, condition, guessed)])) === null) continue
      return triesLeft === 1 ? { ok: false, reason: 'over' } : { ok: false, reason: 'wrong', triesLeft: triesLeft - 1 }
    }
    return { ok: false, reason: 'over' }
  }
}
