import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { HashEntryPoint } from '../../../src/entry-points/entry-point.ts'
import type { Account } from '../../../src/features/account/account.ts'
import { sendNotice } from '../../../src/features/account/send-notice.ts'
import { createPasskeys } from '../../../src/features/passkeys/create-passkeys.ts'
import { passkeys } from '../../../src/features/passkeys/feature.ts'
import { openPasskeys, type Passkeys } from '../../../src/features/passkeys/passkeys.ts'
import { features } from '../../../src/features.ts'
import { defineFeature } from '../../../src/login/feature.ts'
import { accountChanges } from '../../../src/services/account-changes/service.ts'
import { signInWindow } from '../../../src/services/window/service.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { startClock } from '../../login/start-clock.ts'
import { ADA, type Answer, type LoginAppOptions, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import { withPasskeys } from './entry-point.ts'

export interface PasskeyAppOptions extends LoginAppOptions {
  readonly entryPoint?: Partial<HashEntryPoint>
  readonly mail?: Pick<Account, 'mailQueue' | 'mailAttribute' | 'nameAttribute'>
  /** Replaces parts, for faults. */
  readonly changePasskeys?: (passkeys: Passkeys) => Passkeys
}

export type PasskeyApp = Awaited<ReturnType<typeof startPasskeys>>

/** Starts the app with passkeys and the viewers in a file, until the test ends. Ada has a password and no passkey. */
export async function startPasskeys({
  publicUrl = 'https://login.example',
  entryPoint,
  mail = { mailQueue: null, mailAttribute: 'username', nameAttribute: null },
  changePasskeys = (passkeys) => passkeys,
  ...options
}: PasskeyAppOptions = {}) {
  const store = openEditableSqliteStore(join(temporaryFolder(), 'viewers.db'))
  onTestFinished(() => store.close())
  await store.add({ username: ADA.username, groups: ['gold'], attributes: {} }, ADA.password)
  const clock = startClock(START_SECONDS)
  const nowSeconds = () => clock.seconds
  const entryPoints = options.entryPoints ?? [withPasskeys({ ...ENTRY_POINT, ...entryPoint })]
  const withChanges = defineFeature({
    ...passkeys,
    needs: { accountChanges, signInWindow },
    async open(app) {
      const opened = { ...(await openPasskeys(app)), notify: noticesTo(mail, publicUrl) }
      return createPasskeys(changePasskeys(opened), app)
    },
  })
  const others = features.filter(({ name }) => name !== 'passkeys')
  const app = await startLoginApp({
    ...options,
    features: [...others, withChanges],
    publicUrl,
    entryPoints,
    users: store,
    nowSeconds,
  })
  return { ...app, clock, store, passkeys: store.passkeys ?? expect.unreachable(), origin: new URL(publicUrl).origin }
}

/** Returns the function that sends notices as the account pages do. */
function noticesTo(
  mail: Pick<Account, 'mailQueue' | 'mailAttribute' | 'nameAttribute'>,
  publicUrl: string,
): Passkeys['notify'] {
  return (viewer, notice) => sendNotice({ ...mail, publicUrl: new URL(publicUrl) }, viewer, notice)
}

/** Returns the headers of a browser with a form of our own pages, at the top level. */
export function ownHeaders({ origin }: Pick<PasskeyApp, 'origin'>, cookie = '') {
  return { Origin: origin, 'Sec-Fetch-Dest': 'document', ...(cookie && { Cookie: cookie }) }
}

export function fieldOf({ text }: Pick<Answer, 'text'>, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
}

export function reasonOf({ text }: Pick<Answer, 'text'>): string | undefined {
  return /<meta name="reason" content="([^"]*)"/.exec(text)?.[1]
}

export type OpenedWindow = ReturnType<typeof readWindow>

const PublicKey = z.looseObject({ challenge: z.string(), user: z.looseObject({ id: z.string() }).optional() })

/** Reads a page of the window, as `public/passkeys.js` does. */
export function readWindow(app: Pick<PasskeyApp, 'origin'>, page: Answer) {
  const [, json = ''] = /data-public-key="([^"]*)"/.exec(page.text) ?? expect.unreachable(page.text)
  const publicKey = PublicKey.parse(JSON.parse(json.replaceAll('&#34;', '"')))
  const cookie = page.setCookies.map((line) => line.split(';')[0]).join('; ')
  const { origin } = app
  return {
    challenge: publicKey.challenge,
    origin,
    rpId: new URL(origin).hostname,
    flow: fieldOf(page, 'flow'),
    cookie,
    /** The options for `navigator.credentials`. */
    publicKey,
  }
}

export type Frame = Awaited<ReturnType<typeof openFrame>>

/** Opens the screen of the frame. */
export async function openFrame(app: PasskeyApp, basePath = '') {
  const screen = await app.get(`${basePath || '/'}?prompt=passkey`)
  return { wait: fieldOf(screen, 'wait'), flow: fieldOf(screen, 'flow') }
}

/** Presses the button of the frame that opens the window. */
export async function openWindow(app: PasskeyApp, { flow }: Pick<Frame, 'flow'>, basePath = ''): Promise<OpenedWindow> {
  return readWindow(app, await app.post(`${basePath}/passkey/start`, { flow }, ownHeaders(app)))
}

/** Posts an answer of the authenticator in its window. */
export function post(app: PasskeyApp, step: 'finish' | 'create', window: OpenedWindow, answer: Record<string, string>) {
  const { flow, challenge, cookie } = window
  return app.post(`/passkey/${step}`, { flow, challenge, ...answer }, ownHeaders(app, cookie))
}

/** Types the password in the window, and returns the page that creates a passkey. */
export async function typePassword(app: PasskeyApp, { flow }: Pick<Frame, 'flow'>, fields: object = ADA) {
  return await app.post('/passkey/password', { flow, ...fields }, ownHeaders(app))
}

/** Creates a passkey for Ada. */
export async function enrol(
  app: PasskeyApp,
  authenticator: Authenticator = createAuthenticator(),
  fields: object = ADA,
): Promise<{ authenticator: Authenticator; frame: Frame; created: Answer }> {
  const frame = await openFrame(app)
  const window = readWindow(app, await typePassword(app, frame, fields))
  const answer = authenticator.create(window, window.publicKey.user?.id ?? '')
  return { authenticator, frame, created: await post(app, 'create', window, answer) }
}

/** Presses "I’ve logged in – continue" in the frame. */
export function pressContinue(app: PasskeyApp, { wait }: Pick<Frame, 'wait'>, more: Record<string, string> = {}) {
  return app.post('/sso/continue', { wait, way: 'passkey', ...more }, { 'Sec-Fetch-Site': 'same-origin' })
}
