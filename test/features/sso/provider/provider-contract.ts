import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ClientAuthentication } from '../../../../src/features/sso/settings/sso-settings.ts'
import { checkAuthenticationResponse } from '../../../../src/hash-lock/check-response.ts'
import { PLAYER, SECRET } from '../../../login/entry-point.ts'
import { freePort } from '../../../servers/free-port.ts'
import { CLIENT } from '../start-provider.ts'
import { type AppWithSso, cookiesOf, openWindow, pressContinue, startAppWithSso } from '../start-sso.ts'

/** The app, as the provider must know it: with the id and the secret of CLIENT, or with a key instead of the secret. */
export interface AppAtProvider {
  readonly redirectUri: string
  /** For `private_key_jwt` with ES256. Null for an app with a secret. */
  readonly publicKey: KeyObject | null
}

/** A provider that knows the app and one person. */
export interface ContractProvider {
  readonly issuer: string
  readonly username: string
  /** One of the groups of the person. */
  readonly group: string
  /** Signs the person in with a new browser, and returns the path of the callback with its query. */
  visit(address: string): Promise<string>
}

/** A provider with an error code of its own for a wrong code is at fault. */
const WRONG_CODE = /^(invalid|unavailable)$/

const reasonOf = ({ text }: { text: string }) => /<meta name="reason" content="([^"]*)"/.exec(text)?.[1]

/**
 * Tests the sign-in with a real provider.
 * @param open starts the provider, or registers the app at one that runs, until the test ends.
 */
export function providerContract(name: string, open: (app: AppAtProvider) => Promise<ContractProvider>): void {
  async function start({ allowedGroups, authentication, publicKey }: StartOptions = {}) {
    const port = await freePort()
    const provider = await open({ redirectUri: `http://localhost:${port}/sso/callback`, publicKey: publicKey ?? null })
    const app = await startAppWithSso(provider.issuer, port, {
      ...(authentication && { settings: { authentication } }),
      ...(allowedGroups && { entryPoint: { allowedGroups: allowedGroups(provider) } }),
    })
    return { app, provider }
  }

  /** Signs in at the provider, and returns the address of the callback. */
  async function visit(provider: ContractProvider, window: { address: string }, app: AppWithSso): Promise<URL> {
    return new URL(await provider.visit(window.address), app.origin)
  }
  const callBack = (app: AppWithSso, { pathname, search }: URL, Cookie: string) =>
    app.get(`${pathname}${search}`, { Cookie })

  /** Signs in completely, and returns the answer in the frame. */
  async function signIn({ app, provider }: { app: AppWithSso; provider: ContractProvider }) {
    const window = await openWindow(app)
    const done = await callBack(app, await visit(provider, window, app), window.cookie)
    expect([done.status, reasonOf(done)]).toEqual([200, undefined])
    return pressContinue(app, window)
  }

  describe(`provider contract: ${name}`, () => {
    test('an SSO viewer gets a response with the right hash in the frame, and a session', async () => {
      const { app, provider } = await start()
      const answer = await signIn({ app, provider })
      expect([answer.status, answer.location?.startsWith(`${PLAYER}/embed/hashlock/pass?`)]).toEqual([303, true])
      const response = new URL(answer.location ?? '').searchParams.get('hash') ?? ''
      const checked = checkAuthenticationResponse(response, SECRET, Date.now() / 1000)
      expect(checked.ok && Object.fromEntries(checked.parameters)).toEqual({ user: provider.username })
      expect((await app.get('/', { Cookie: cookiesOf(answer) })).status).toBe(303)
    })

    test('a person has the same subject each time', async () => {
      const started = await start()
      await signIn(started)
      await signIn(started)
      const subjects = started.app.lines.flatMap(({ outcome, subject }) => (outcome === 'signed-in' ? [subject] : []))
      expect(subjects).toEqual([expect.stringMatching(/./), subjects[0]])
    })

    test('the access policy decides with the groups of the provider', async () => {
      expect((await signIn(await start({ allowedGroups: ({ group }) => [group] }))).status).toBe(303)
      const refused = await signIn(await start({ allowedGroups: ({ group }) => [`not ${group}`] }))
      expect([refused.status, reasonOf(refused), refused.setCookies]).toEqual([403, 'not-entitled', []])
    })

    test.each([
      ['a changed code', (url: URL) => url.searchParams.set('code', 'x'), WRONG_CODE],
      ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example'), 'invalid'],
      ['an error of the provider', (url: URL) => url.searchParams.set('error', 'access_denied'), 'refused'],
      ['another state', (url: URL) => url.searchParams.set('state', 'x'), 'expired'],
    ])('an answer with %s is refused', async (_case, change, reason) => {
      const { app, provider } = await start()
      const window = await openWindow(app)
      const callback = await visit(provider, window, app)
      change(callback)
      expect(reasonOf(await callBack(app, callback, window.cookie))).toMatch(reason)
      expect((await pressContinue(app, window)).location).toBeUndefined()
    })

    test('the code of another sign-in is refused', async () => {
      const { app, provider } = await start()
      const victim = await openWindow(app)
      const attacker = await openWindow(app)
      const mixed = await visit(provider, victim, app)
      const other = await visit(provider, attacker, app)
      mixed.searchParams.set('code', other.searchParams.get('code') ?? '')
      expect(reasonOf(await callBack(app, mixed, victim.cookie))).toMatch(WRONG_CODE)
      expect((await pressContinue(app, victim)).location).toBeUndefined()
    })

    test('an answer counts once', async () => {
      const { app, provider } = await start()
      const window = await openWindow(app)
      const callback = await visit(provider, window, app)
      const answers = [await callBack(app, callback, window.cookie), await callBack(app, callback, window.cookie)]
      expect(answers.map(reasonOf)).toEqual([undefined, 'expired'])
    })

    test('a wrong client secret gives 503 and a line with the code, not a refusal of the viewer', async () => {
      const { app, provider } = await start({ authentication: { kind: 'secret', secret: 'wrong' } })
      const window = await openWindow(app)
      const { status } = await callBack(app, await visit(provider, window, app), window.cookie)
      expect(status).toBe(503)
      const line = JSON.stringify(app.lines.find(({ outcome }) => outcome === 'sso-failed'))
      expect(line).toMatch(/(invalid|unauthorized)_client/)
    })

    test('the app authenticates itself by a private key', async () => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const authentication = { kind: 'key', privateKey, certificate: null } as const
      const started = await start({ authentication, publicKey })
      expect((await signIn(started)).status).toBe(303)
      expect(JSON.stringify(started.app.lines)).not.toContain(CLIENT.secret)
    })

    test('a viewer who wants another account signs in all the same', async () => {
      const { app, provider } = await start()
      const window = await openWindow(app, '', '?prompt=login')
      const done = await callBack(app, await visit(provider, window, app), window.cookie)
      expect([done.status, reasonOf(done)]).toEqual([200, undefined])
    })
  })
}

interface StartOptions {
  readonly allowedGroups?: (provider: ContractProvider) => string[]
  readonly authentication?: ClientAuthentication
  readonly publicKey?: KeyObject
}
