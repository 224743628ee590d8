import { z } from 'zod'
import { orUndefined, UpstreamError } from '../../errors.ts'
import { createRemoteGuard, type RemoteGuard } from '../remote/guard.ts'
import { isPossiblePassword, remoteViewer } from '../remote/read-viewer.ts'
import type { Authentication, UserStore, Viewer, Warn } from '../user-store.ts'
import { canonicalText, faultInUsername, usernameKey } from '../viewer-fields.ts'
import { createHttpClient, type HttpAnswer } from './client.ts'
import type { HttpStoreSettings } from './settings.ts'

export interface HttpStoreOptions {
  readonly guard?: RemoteGuard
  readonly warn?: Warn
}

/** Languages with few types write numbers for texts, and PHP writes an empty object as `[]`. */
const Text = z.union([z.string(), z.number().transform(String), z.boolean().transform(String)])
const EmptyArray = z.tuple([]).transform(() => ({}))
const RemoteViewer = z.object({
  username: z.string(),
  groups: z
    .array(Text)
    .nullish()
    .transform((groups) => groups ?? []),
  attributes: z
    .union([EmptyArray, z.record(z.string(), Text.nullable())])
    .nullish()
    .transform((given) => Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null)))
    .pipe(z.record(z.string(), z.string())),
})
const RefusedViewer = z.object({
  reason: z.literal('expired-password').optional().catch(undefined),
  username: z.string().optional().catch(undefined),
})

const WRONG: Authentication = { ok: false, reason: 'wrong-credentials' }

/** The service rejects the token of this app. */
export class TokenRejected extends UpstreamError {}

/** Opens a store whose viewers are in the customer's login service. `README.md` documents the protocol. */
export function openHttpStore(
  settings: HttpStoreSettings,
  { warn = () => {}, guard = createRemoteGuard({ timeoutMs: settings.timeoutMs, warn }) }: HttpStoreOptions = {},
): UserStore {
  const { url, findUrl } = settings
  const client = createHttpClient(settings)
  let isOpen = true

  /** Checks the answer outside the guard, because a wrong answer is not an outage. */
  async function send(address: string, body: Readonly<Record<string, string>>): Promise<HttpAnswer> {
    assertOpen()
    return await guard.run((signal) => client.post(address, JSON.stringify(body), signal))
  }
  function assertOpen(): void {
    if (!isOpen) throw new UpstreamError('user-store', 'The user store is closed')
  }
  async function authenticate(username: string, password: string): Promise<Authentication> {
    assertOpen()
    if (faultInUsername(username) !== null || !isPossiblePassword(password)) return WRONG
    return judgeSignIn(url, await send(url, { username: canonicalText(username), password }), username)
  }
  const lookUps = (at: string): Pick<UserStore, 'find' | 'findByAddress'> => ({
    async find(username) {
      assertOpen()
      if (faultInUsername(username) !== null) return null
      const viewer = judgeLookUp(at, await send(at, { username: canonicalText(username) }))
      // The service may have given the name to another viewer, who must not get the session.
      return viewer !== null && usernameKey(viewer.username) === usernameKey(username) ? viewer : null
    },
    async findByAddress(attribute, address) {
      const answer = await send(at, { attribute, address })
      return answer.status === 409 ? 'several' : judgeLookUp(at, answer)
    },
  })
  return {
    authenticate,
    ...(findUrl !== null && lookUps(findUrl)),
    async checkHealth() {
      assertOpen()
      const address = findUrl ?? url
      // Any answer is healthy, even 405, unless it rejects our token.
      await guard.probe(async (signal) => assertTokenAccepted(address, await client.head(address, signal)))
    },
    close() {
      isOpen = false
      client.close()
      return Promise.resolve()
    },
  }
}

function judgeSignIn(address: string, answer: HttpAnswer, typed: string): Authentication {
  assertTokenAccepted(address, answer)
  if (answer.status === 200) return { ok: true, viewer: readViewer(address, answer) }
  if (answer.status !== 401 && answer.status !== 403) throw unexpected(address, answer)
  const { reason = 'disabled', username: storedName } = RefusedViewer.safeParse(parseJson(answer.body)).data ?? {}
  const isOtherName =
    storedName !== undefined && faultInUsername(storedName) === null && usernameKey(storedName) !== usernameKey(typed)
  return { ok: false, reason: answer.status === 401 ? 'wrong-credentials' : reason, ...(isOtherName && { storedName }) }
}

function judgeLookUp(address: string, answer: HttpAnswer): Viewer | null {
  assertTokenAccepted(address, answer)
  if (answer.status === 200) return readViewer(address, answer)
  if (answer.status === 404 || answer.status === 403) return null
  throw unexpected(address, answer)
}

/** @throws UpstreamError if the service rejects our token (RFC 6750, 3), not the viewer. */
function assertTokenAccepted(address: string, { status, challenge }: HttpAnswer): void {
  if (status !== 401 && status !== 403) return
  const scheme = challenge.search(/\bBearer\b/i)
  if (scheme < 0 || !/\berror=/i.test(challenge.slice(scheme))) return
  throw new TokenRejected('user-store', `${originOf(address)} rejects this app. Check HTTP_STORE_TOKEN`)
}

function readViewer(address: string, { body }: HttpAnswer): Viewer {
  const origin = originOf(address)
  if (body === null) throw new UpstreamError('user-store', `${origin} answered 200 with a body that is too long`)
  const parsed = RemoteViewer.safeParse(parseJson(body))
  if (parsed.success) return remoteViewer(parsed.data, origin)
  // Only top-level field names: deeper names come from the service, and may be many.
  const fields = new Set(
    parsed.error.issues.map(({ path: [field] }) => String(field ?? 'the body, which must be JSON in UTF-8')),
  )
  throw new UpstreamError(
    'user-store',
    `${origin} answered 200 with an invalid viewer. Check ${[...fields].join(', ')}`,
  )
}

/** Returns undefined if the body is not JSON in UTF-8. In another charset, two different names could be read as one. */
function parseJson(body: Buffer | null): unknown {
  return orUndefined(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body ?? Buffer.alloc(0))))
}

function unexpected(address: string, { status }: HttpAnswer): UpstreamError {
  const hint = status >= 300 && status < 400 ? '; redirects are not followed' : ''
  return new UpstreamError('user-store', `${originOf(address)} answered with unexpected status ${status}${hint}`)
}

/** Drops path and query, which may hold secrets. */
function originOf(address: string): string {
  return new URL(address).origin
}
