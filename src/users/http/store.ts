import { z } from 'zod'
import { UpstreamError } from '../../errors.ts'
import { createRemoteGuard, type RemoteGuard } from '../remote/guard.ts'
import { isPossiblePassword, remoteViewer } from '../remote/read-viewer.ts'
import type { Authentication, UserStore, Viewer, Warn } from '../user-store.ts'
import { canonicalText, faultInUsername, usernameKey } from '../viewer-fields.ts'
import { createHttpAsker, type HttpAnswer } from './ask.ts'
import type { HttpStoreSettings } from './settings.ts'

export interface HttpStoreOptions {
  readonly guard?: RemoteGuard
  readonly warn?: Warn
}

const RemoteViewer = z.object({
  username: z.string(),
  groups: z.array(z.string()).default([]),
  attributes: z.record(z.string(), z.string()).default({}),
})
const RefusedViewer = z.object({ reason: z.literal('expired-password') })

const WRONG: Authentication = { ok: false, reason: 'wrong-credentials' }

/**
 * The customer's own login service, asked by `POST` of JSON: `{"username", "password"}`, answered with 200 and
 * `{"username", "groups"?, "attributes"?}`, with 401 for wrong credentials, or, after the right password, with 403 for a
 * disabled viewer or `{"reason": "expired-password"}`. The look-up address gets `{"username"}` and answers 200, or 404 or
 * 403 for one who may not watch. A service that does not know *us* says so as RFC 6750 has it, with
 * `WWW-Authenticate: Bearer error="invalid_token"`: no viewer is told then that a password is wrong. Every other answer
 * is an UpstreamError.
 */
export function openHttpStore(
  settings: HttpStoreSettings,
  { warn = () => {}, guard = createRemoteGuard({ timeoutMs: settings.timeoutMs, warn }) }: HttpStoreOptions = {},
): UserStore {
  const { url, findUrl } = settings
  const asker = createHttpAsker(settings)
  let isOpen = true

  /** What is asked is answered within the guard and judged outside: an answer shows that the service is there. */
  async function ask(address: string, question: Readonly<Record<string, string>>): Promise<HttpAnswer> {
    assertOpen()
    return await guard.run((signal) => asker.post(address, JSON.stringify(question), signal))
  }
  function assertOpen(): void {
    if (!isOpen) throw new UpstreamError('user-store', 'The login service is not asked any more: the store is closed')
  }
  async function authenticate(username: string, password: string): Promise<Authentication> {
    assertOpen()
    if (faultInUsername(username) !== null || !isPossiblePassword(password)) return WRONG
    return judgeSignIn(url, await ask(url, { username: canonicalText(username), password }))
  }
  async function find(address: string, username: string): Promise<Viewer | null> {
    assertOpen()
    if (faultInUsername(username) !== null) return null
    const viewer = judgeLookUp(address, await ask(address, { username: canonicalText(username) }))
    // A session is never passed on to somebody else, whatever the service takes this name for by now.
    return viewer !== null && usernameKey(viewer.username) === usernameKey(username) ? viewer : null
  }
  return {
    authenticate,
    ...(findUrl === null ? {} : { find: (username: string) => find(findUrl, username) }),
    async checkHealth() {
      assertOpen()
      const address = findUrl ?? url
      // Any answer shows that the service is there, 405 too; only one that does not know us is as good as none.
      await guard.probe(async (signal) => assertKnown(address, await asker.head(address, signal)))
    },
    close() {
      isOpen = false
      asker.close()
      return Promise.resolve()
    },
  }
}

function judgeSignIn(address: string, answer: HttpAnswer): Authentication {
  assertKnown(address, answer)
  if (answer.status === 200) return { ok: true, viewer: readViewer(address, answer) }
  if (answer.status === 401) return WRONG
  if (answer.status !== 403) throw unexpected(address, answer)
  const told = RefusedViewer.safeParse(parseJson(answer.body))
  return { ok: false, reason: told.success ? told.data.reason : 'disabled' }
}

function judgeLookUp(address: string, answer: HttpAnswer): Viewer | null {
  assertKnown(address, answer)
  if (answer.status === 200) return readViewer(address, answer)
  if (answer.status === 404 || answer.status === 403) return null
  throw unexpected(address, answer)
}

/** @throws UpstreamError where the service refuses this app, and not the viewer. */
function assertKnown(address: string, { status, challenge }: HttpAnswer): void {
  if (status !== 401 && status !== 403) return
  const scheme = challenge.search(/\bBearer\b/i)
  if (scheme < 0 || !/\berror=/i.test(challenge.slice(scheme))) return
  throw new UpstreamError('user-store', `${originOf(address)} does not accept this app: check HTTP_STORE_TOKEN`)
}

function readViewer(address: string, { body }: HttpAnswer): Viewer {
  const where = originOf(address)
  if (body === null) throw new UpstreamError('user-store', `${where} answered 200 with more than a viewer can be`)
  const parsed = RemoteViewer.safeParse(parseJson(body))
  if (parsed.success) return remoteViewer(parsed.data, where)
  // Below the field are names that the service made up, as many as it liked.
  const fields = new Set(
    parsed.error.issues.map(({ path: [field] }) => String(field ?? 'the whole answer, JSON in UTF-8')),
  )
  throw new UpstreamError('user-store', `${where} answered 200, but not as agreed: see ${[...fields].join(', ')}`)
}

/** Undefined for what is not JSON in UTF-8: read all the same, two names of another charset could become one. */
function parseJson(body: Buffer | null): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body ?? Buffer.alloc(0)))
  } catch {
    return undefined
  }
}

function unexpected(address: string, { status }: HttpAnswer): UpstreamError {
  const hint = status >= 300 && status < 400 ? '; redirects are not followed' : ''
  return new UpstreamError('user-store', `${originOf(address)} answered with the unexpected status ${status}${hint}`)
}

/** Without path and query, which may hold what is no business of the log. */
function originOf(address: string): string {
  return new URL(address).origin
}
