import { randomBytes } from 'node:crypto'
import { ConfigError, isOutage } from '../../../errors.ts'
import { cleanName } from '../../../typed-text.ts'
import { userStores } from '../../../users/open-user-store.ts'
import type {
  CheckedViewers,
  ChecksStore,
  OpenStore,
  StoreChecks,
  StoreFinding,
} from '../../../users/store-check/store-check.ts'
import type { Authentication, UserStore, Viewer } from '../../../users/user-store.ts'
import type { StoreSettings, UserStoreKind } from '../../../users/user-store-kind.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import { counted } from '../terminal/text.ts'

const UNKNOWN_NAMES = 2
const MOST_NAMES = 10
/** A smaller difference between two times is noise. */
const SAME_TIME_MS = 50
/** User names that a careless statement or filter takes for something else. Each is unknown. */
const ODD_NAMES = ["' OR '1'='1", '*', '"; \\', 'Ωmega 用户 😀']

/** The checks of stores that need more than `checkStore`. */
export const storeChecks: StoreChecks = { checkStore, check, unknownName }

/** Checks the user store of the settings. @throws ConfigError if the store cannot be checked. */
export function checkUserStoreOf(settings: StoreSettings, viewers: CheckedViewers): AsyncIterable<StoreFinding> {
  const kind: UserStoreKind & ChecksStore = userStores.kindOf(settings)
  return kind.check?.(settings, viewers, storeChecks) ?? checkStore((warn) => kind.open(settings, warn), viewers, null)
}

/**
 * Warns of user names that viewers cannot type: they were stored before names were cleaned. Reads all viewers.
 * @param earlier findings. After a failure, the store is left alone.
 */
export async function* checkNames(
  settings: StoreSettings,
  earlier: readonly StoreFinding[],
): AsyncGenerator<StoreFinding> {
  if (!userStores.isOwn(settings) || earlier.some(({ state }) => state === 'failure')) return
  const names: string[] = []
  const store = await userStores.openEditable(settings)
  for await (const { viewer } of store.list()) {
    if (cleanName(viewer.username) !== viewer.username) names.push(quotedForShell(viewer.username))
  }
  await store.close()
  if (names.length === 0) return
  const list = `${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ', …' : ''}`
  const cure = 'An export that is imported again adds the clean names. Then run viewers remove with these.'
  const text = `${counted(names.length, 'user name')} cannot be typed, such as with a hidden character: ${list}. ${cure}`
  yield { state: 'warning', code: 'hidden-characters', text }
}

/** Returns a text as bash and zsh read it, with the bytes of all characters outside ASCII. */
function quotedForShell(text: string): string {
  const escaped = (byte: string) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
  return `$'${Buffer.from(text)
    .toString('latin1')
    .replace(/['\\]|[^ -~]/g, escaped)}'`
}

/**
 * Checks the promises of a user store with real questions. Changes nothing, but the store may count wrong passwords.
 * @param timeoutMs the longest answer that the app accepts; null if the store has no network.
 */
async function* checkStore(
  open: OpenStore,
  viewers: CheckedViewers,
  timeoutMs: number | null,
): AsyncGenerator<StoreFinding> {
  const warnings: string[] = []
  let store: UserStore
  try {
    store = await open((message) => warnings.push(message))
  } catch (error) {
    yield { state: 'failure', code: 'opens', text: faultOf(error) }
    return
  }
  try {
    const reached = await check('reachable', 'The store answers.', () => store.checkHealth().then(() => null))
    yield reached
    if (reached.state === 'failure') return
    const timed = withTimes(store)
    yield* checkUnknownViewers(timed.store)
    yield* checkTestViewer(timed.store, viewers)
    yield* checkDisabledViewer(timed.store, viewers)
    yield* timed.findings(timeoutMs)
    for (const text of new Set(warnings)) yield { state: 'warning', code: 'store-warns', text }
  } finally {
    await store.close()
  }
}

/**
 * Runs a check.
 * @param work returns what is wrong, or null.
 */
async function check(code: string, kept: string, work: () => Promise<string | null>): Promise<StoreFinding> {
  try {
    const fault = await work()
    return fault === null ? { state: 'ok', code, text: kept } : { state: 'failure', code, text: fault }
  } catch (error) {
    return { state: 'failure', code, text: faultOf(error) }
  }
}

/** Returns a name that no store has. */
function unknownName(): string {
  return `no-such-viewer-${randomBytes(6).toString('hex')}@example.com`
}

function wrongPassword(): string {
  return randomBytes(12).toString('base64url')
}

function faultOf(error: unknown): string {
  const isExpected = error instanceof ConfigError || isOutage(error)
  if (!isExpected) throw error
  return `${error.message.replace(/\.$/, '')}.`
}

/** @returns what is wrong with the answer, or null. */
function faultInRefusal(answer: Authentication, subject: string): string | null {
  if (answer.ok) return `${subject} is signed in as ${answer.viewer.username}. Refuse the sign-in.`
  if (answer.reason === 'wrong-credentials') return null
  return `${subject} gets the answer "${answer.reason}". Answer as for an unknown viewer, or strangers learn who has an account.`
}

async function* checkUnknownViewers(store: TimedStore): AsyncGenerator<StoreFinding> {
  yield await check('unknown-viewer', 'An unknown viewer is refused.', async () => {
    for (let count = 0; count < UNKNOWN_NAMES; count += 1) {
      const fault = faultInRefusal(await store.authenticate(unknownName(), wrongPassword()), 'An unknown viewer')
      if (fault !== null) return fault
    }
    return null
  })
  yield await check('odd-names', 'User names with quotes, wildcards and other scripts are refused.', async () => {
    for (const name of ODD_NAMES) {
      const answer = await store.authenticate(name, wrongPassword())
      const fault = faultInRefusal(answer, `The unknown viewer ${JSON.stringify(name)}`)
      if (fault !== null) return fault
    }
    return null
  })
  if (store.find === undefined) {
    yield {
      state: 'warning',
      code: 'look-up',
      text: 'The store looks up no viewers: a removed viewer keeps the session until it ends.',
    }
    return
  }
  yield await check('unknown-look-up', 'A look-up of an unknown viewer finds no viewer.', async () => {
    const found = await store.find?.(unknownName())
    return found ? `A look-up of an unknown viewer finds ${found.username}.` : null
  })
}

async function* checkTestViewer(
  store: TimedStore,
  { username, password }: CheckedViewers,
): AsyncGenerator<StoreFinding> {
  if (username === null) {
    yield { state: 'unknown', code: 'right-password', text: 'No sign-in was tried. Name a test viewer with --viewer.' }
    return
  }
  if (store.find !== undefined) {
    yield await check('look-up', `A look-up finds ${username}.`, async () => {
      const found = await store.find?.(username)
      if (!found) return `A look-up does not find ${username}: unknown, disabled, or answered under another name.`
      return usernameKey(found.username) === usernameKey(username) ? null : `A look-up finds ${found.username} instead.`
    })
  }
  if (password === null) {
    yield { state: 'unknown', code: 'right-password', text: 'No sign-in was tried, because there is no password.' }
    return
  }
  let refusal: Authentication | null = null
  // Both in turn: a store may change the hash at the right password, and learn the times of its hashes from viewers.
  const refuse = async () => {
    refusal = await store.timed('wrong', () => store.authenticate(username, wrongPassword()))
    await store.timed('unknown', () => store.authenticate(unknownName(), wrongPassword()))
    return faultInRefusal(refusal, `${username} with a wrong password`)
  }
  yield await check('wrong-password', 'A wrong password is refused.', refuse)
  const { finding, seen } = await checkRightPassword(store, username, password)
  yield finding
  if (seen !== null) yield* checkStoredName(username, seen, refusal)
  const kept = 'A wrong password is refused after the right one too: no answer comes from a cache.'
  yield await check('no-cache', kept, refuse)
  // Resets the count of wrong passwords, so that the viewer is not locked out.
  await store.authenticate(username, password).catch(() => null)
}

/** Checks that a viewer who can type several names has one limit on guessing. */
function* checkStoredName(typed: string, { username }: Viewer, refusal: Authentication | null) {
  const keys = new Set([typed, username].map(usernameKey))
  if (keys.size === 1) return
  const named = refusal?.ok === false ? refusal.storedName : undefined
  const isNamed = named !== undefined && usernameKey(named) === usernameKey(username)
  const text = isNamed
    ? `A wrong password for ${typed} names the account ${username}: both names share their limit on guessing.`
    : `${typed} is another name of ${username}, and a wrong password does not say so: strangers can guess twice as often. Name the account in the refusal.`
  yield { state: isNamed ? 'ok' : 'warning', code: 'stored-name', text } as const
}

async function checkRightPassword(
  store: TimedStore,
  username: string,
  password: string,
): Promise<{ readonly finding: StoreFinding; readonly seen: Viewer | null }> {
  let seen: Viewer | null = null
  const finding = await check('right-password', '', async () => {
    const answer = await store.authenticate(username, password)
    if (answer.ok) {
      seen = answer.viewer
      return null
    }
    const what = answer.reason === 'wrong-credentials' ? 'is refused' : `gets the answer "${answer.reason}"`
    return `${username} with the right password ${what}. Check VIEWER_PASSWORD, and the viewer.`
  })
  return {
    seen,
    finding: seen === null ? finding : { ...finding, text: `The right password signs in ${described(seen)}.` },
  }
}

/** Names the attributes without their values, which may be personal. */
function described({ username, groups, attributes }: Viewer): string {
  const names = Object.keys(attributes)
  const list = (noun: string, texts: readonly string[]) => `${noun} ${texts.length > 0 ? texts.join(', ') : 'none'}`
  return `${username} (${list('groups:', groups)}; ${list('attributes:', names)})`
}

async function* checkDisabledViewer(
  store: TimedStore,
  { disabled, password }: CheckedViewers,
): AsyncGenerator<StoreFinding> {
  if (disabled === null) {
    const text = 'No disabled viewer was tried. Name one with --disabled.'
    yield { state: 'unknown', code: 'disabled-viewer', text }
    return
  }
  if (password !== null) {
    yield await check('disabled-viewer', `${disabled} is disabled, and cannot sign in.`, async () => {
      const answer = await store.authenticate(disabled, password)
      if (answer.ok) return `${disabled} is signed in, and should be disabled.`
      if (answer.reason !== 'wrong-credentials') return null
      return `${disabled} with the right password gets "wrong password". Answer "disabled", if VIEWER_PASSWORD is right.`
    })
  }
  if (store.find === undefined) return
  yield await check('disabled-look-up', `A look-up does not find ${disabled}: the session ends.`, async () => {
    const found = await store.find?.(disabled)
    return found ? `A look-up finds ${disabled}, who is disabled: a session would go on.` : null
  })
}

/** A store whose answers are timed. */
interface TimedStore extends Pick<UserStore, 'authenticate' | 'find'> {
  /** Notes the time of the work under a name. */
  timed<T>(name: 'unknown' | 'wrong', work: () => Promise<T>): Promise<T>
}

function withTimes({ authenticate, find }: UserStore) {
  const times: Record<'all' | 'unknown' | 'wrong', number[]> = { all: [], unknown: [], wrong: [] }
  async function timed<T>(name: keyof typeof times, work: () => Promise<T>): Promise<T> {
    const before = performance.now()
    try {
      return await work()
    } finally {
      times[name].push(performance.now() - before)
    }
  }
  const store: TimedStore = {
    timed,
    authenticate: (username, password) => timed('all', () => authenticate(username, password)),
    ...(find && { find: (username: string) => timed('all', () => find(username)) }),
  }
  function* findings(timeoutMs: number | null): Generator<StoreFinding> {
    const slowest = Math.round(Math.max(...times.all))
    const isSlow = timeoutMs !== null && slowest > timeoutMs / 2
    const limit = timeoutMs === null ? '' : `; the limit is ${timeoutMs / 1000} s`
    yield {
      state: isSlow ? 'warning' : 'ok',
      code: 'answer-time',
      text: `The slowest answer took ${slowest} ms${limit}.`,
    }
    if (times.wrong.length === 0) return
    // A single slow answer is noise.
    if (!times.wrong.every((wrong, index) => areDifferent(times.unknown[index] ?? wrong, wrong))) return
    const ms = `${Math.round(Math.min(...times.unknown))} ms and ${Math.round(Math.min(...times.wrong))} ms`
    const text = `An unknown viewer and a wrong password take different times (${ms}), so strangers learn who has an account. Verify a hash for unknown viewers too.`
    yield { state: 'warning', code: 'same-time', text }
  }
  return { store, findings }
}

function areDifferent(oneMs: number, otherMs: number): boolean {
  return Math.abs(oneMs - otherMs) >= SAME_TIME_MS && Math.max(oneMs, otherMs) >= 2 * Math.min(oneMs, otherMs)
}
