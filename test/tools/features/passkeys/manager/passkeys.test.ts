import { expect, test } from 'vitest'
import { passkeysIn } from '../../../../../src/tools/features/passkeys/manager/passkey-rows.ts'
import { type Authenticator, type Changes, createAuthenticator } from '../../../../features/passkeys/authenticator.ts'
import { type Browser, codeOf, PASSWORD, startManager } from '../../../manager/start-manager.ts'

const EVE = 'eve@example.com'
const JOE = 'joe@example.com'
const ADD = '/account/passkeys/add'
const REMOVE = '/account/passkeys/remove'

interface Asked {
  readonly challenge: string
  readonly user?: { readonly id: string }
  readonly userVerification?: string
  readonly allowCredentials?: readonly { readonly id: string }[]
  readonly excludeCredentials?: readonly { readonly id: string }[]
}

/** Returns what a page asks an authenticator; null if it asks nothing. */
function askedBy(text: string): Asked | null {
  const json = /data-public-key="([^"]+)"/.exec(text)?.[1]
  return json === undefined ? null : JSON.parse(json.replaceAll('&#34;', '"'))
}

type Signed = Browser & { readonly name: string; readonly secret: string }

/** The page with two managers. Eve has the passkey of `authenticator`. */
async function withPasskey(first: { readonly counter?: number } = {}) {
  const manager = await startManager()
  const { origin, clock } = manager
  const ceremony = (challenge: string) => ({ challenge, origin, rpId: '127.0.0.1' })
  const eve = await manager.signedIn('event-manager', null, EVE)
  const joe = await manager.signedIn('reader', null, JOE)
  /** A code that was not used yet. */
  const code = ({ secret }: Signed) => {
    clock.seconds += 60
    return codeOf(secret, clock.seconds)
  }
  async function created(of: Signed, authenticator: Authenticator, changes: Changes = {}) {
    const { challenge = '', user } = askedBy((await of.get('/account')).text) ?? {}
    return { challenge, ...authenticator.create(ceremony(challenge), user?.id ?? '', changes) }
  }
  async function add(of: Signed, authenticator: Authenticator, fields: Readonly<Record<string, string>> = {}) {
    const answer = await created(of, authenticator)
    return (await of.act(ADD, { label: 'Laptop', code: code(of), ...answer, ...fields })).text
  }
  /** Types the password in a new browser. @returns the question of the second step, and a function that answers it. */
  async function half(name = EVE) {
    const browser = manager.browser()
    await browser.get('/sign-in')
    await browser.post('/sign-in', { name, password: PASSWORD })
    const { text } = await browser.get('/second-step')
    const asked = askedBy(text)
    const challenge = asked?.challenge ?? ''
    const answer = (of: Authenticator, changes: Changes = {}) => ({
      step: 'passkey',
      challenge,
      ...of.signIn(ceremony(challenge), changes),
    })
    const send = (fields: Readonly<Record<string, string>>) => browser.post('/second-step', fields)
    return { browser, text, asked, answer, send }
  }
  const authenticator = createAuthenticator(first)
  const reply = await add(eve, authenticator)
  expect(reply).toContain('The passkey “Laptop” is added')
  const passkeys = passkeysIn(manager.store)
  const details = () => manager.acts().flatMap(({ outcome, detail }) => (detail ? `${outcome}: ${detail}` : []))
  return { ...manager, eve, joe, code, created, add, half, authenticator, passkeys, details, ceremony }
}

test('a manager adds a passkey, and signs in with it in place of the code; the code still works', async () => {
  const manager = await withPasskey()
  expect((await manager.eve.get('/account')).text).toContain('<strong>Laptop</strong>')
  const { browser, asked, answer, send } = await manager.half()
  expect(asked).toMatchObject({ userVerification: 'discouraged', rpId: '127.0.0.1' })
  expect(asked?.allowCredentials?.map(({ id }) => id)).toEqual([manager.authenticator.id])
  expect(await browser.get('/people')).toMatchObject({ location: '/second-step' })
  expect(await send(answer(manager.authenticator))).toMatchObject({ status: 303, location: '/' })
  expect((await browser.get('/people')).status).toBe(200)
  const byCode = await manager.half()
  expect(await byCode.send({ code: manager.code(manager.eve) })).toMatchObject({ location: '/' })
  expect(manager.acts().map(({ outcome }) => outcome)).toContain('passkey-added')
  expect(manager.details()).toEqual(['signed-in: passkey'])
  expect(manager.passkeys.list(EVE)).toMatchObject([{ name: 'Laptop', lastUsedAtSeconds: manager.clock.seconds - 60 }])
  expect(manager.faults).toEqual([])
})

test('a manager without a passkey gets the second step as before, also beside managers who have one', async () => {
  const manager = await withPasskey()
  const { text, asked } = await manager.half(JOE)
  expect(asked).toBeNull()
  expect(text).not.toContain('passkey')
  expect((await manager.half()).text).toContain('<div id="steps" hidden>')
})

test.each<[string, Changes, string]>([
  ['to another challenge', { challenge: 'x'.repeat(43) }, 'wrong-challenge'],
  ['from another origin', { origin: 'http://127.0.0.1:1' }, 'wrong-origin'],
  ['for another host', { rpId: 'localhost' }, 'wrong-rp-id'],
  ['from a frame', { crossOrigin: true }, 'in-a-frame'],
  ['without a touch', { userPresent: false }, 'user-not-verified'],
  ['of a new passkey', { type: 'webauthn.create' }, 'unreadable'],
])('an answer %s does not sign in, and adds no passkey', async (_what, changes, fault) => {
  const manager = await withPasskey()
  const { browser, answer, send } = await manager.half()
  expect((await send(answer(manager.authenticator, changes))).status).toBe(401)
  expect(await browser.get('/people')).toMatchObject({ location: '/second-step' })
  expect(manager.details()).toEqual([`signed-in-refused: ${fault}`])
  const { type, ...rest } = changes
  const wrong = type === undefined ? rest : { type: 'webauthn.get' }
  const added = await manager.created(manager.eve, createAuthenticator(), wrong)
  const { text } = await manager.eve.act(ADD, { label: 'Phone', code: manager.code(manager.eve), ...added })
  expect(text).toContain('The passkey was not added')
  expect(manager.passkeys.list(EVE)).toHaveLength(1)
})

test('presence is enough after a password: no fingerprint is needed, and no user handle', async () => {
  const manager = await withPasskey()
  const { answer, send } = await manager.half()
  const fields = { ...answer(manager.authenticator, { userVerified: false }), userHandle: '' }
  expect(await send(fields)).toMatchObject({ location: '/' })
  const other = await manager.half()
  expect((await other.send({ ...other.answer(manager.authenticator), userHandle: 'of-joe' })).status).toBe(401)
  expect(manager.details().at(-1)).toBe('signed-in-refused: wrong-user')
})

test('a challenge counts once, for its session alone', async () => {
  const manager = await withPasskey()
  const first = await manager.half()
  const fields = first.answer(manager.authenticator)
  expect((await first.send({ ...fields, signature: 'AA' })).status).toBe(401)
  // The answer is right, but its challenge was used.
  expect((await first.send(fields)).status).toBe(401)
  const second = await manager.half()
  expect((await second.send(fields)).status).toBe(401)
  const third = await manager.half()
  expect((await second.send(third.answer(manager.authenticator))).status).toBe(401)
  expect(await third.send(third.answer(manager.authenticator))).toMatchObject({ location: '/' })
  const faults = manager.details().filter((one) => one.endsWith('wrong-challenge'))
  expect(faults).toHaveLength(3)
})

test('two answers to one challenge at once start one session', async () => {
  const manager = await withPasskey()
  const { answer, send } = await manager.half()
  const fields = answer(manager.authenticator)
  // Another form, so that it is not a double click.
  const both = await Promise.all([send(fields), send({ ...fields, more: 'x' })])
  expect(both.filter(({ location }) => location === '/')).toHaveLength(1)
})

test('a new passkey answers the challenge of its session, once', async () => {
  const manager = await withPasskey()
  const { eve, joe, passkeys } = manager
  const answer = await manager.created(eve, createAuthenticator())
  await joe.get('/account')
  const ofOther = await joe.act(ADD, { label: 'Phone', code: manager.code(joe), ...answer })
  expect(ofOther.text).toContain('open for too long')
  const refused = await eve.act(ADD, { label: 'Phone', code: '000000', ...answer })
  expect(refused.text).toContain('Incorrect code')
  const used = await eve.act(ADD, { label: 'Phone', code: manager.code(eve), ...answer })
  expect(used.text).toContain('open for too long')
  expect([EVE, JOE].map((name) => passkeys.list(name).length)).toEqual([1, 0])
})

test('the passkey of another manager, or an unknown one, does not sign in', async () => {
  const manager = await withPasskey()
  const ofJoe = createAuthenticator()
  await manager.add(manager.joe, ofJoe)
  for (const authenticator of [ofJoe, createAuthenticator()]) {
    const { answer, send } = await manager.half()
    expect((await send(answer(authenticator))).status).toBe(401)
  }
  expect(manager.details()).toEqual(Array(2).fill('signed-in-refused: unknown-passkey'))
})

test('a counter that goes back is refused and named in the log, also for two answers at once', async () => {
  const manager = await withPasskey({ counter: 5 })
  const { authenticator, passkeys } = manager
  const first = await manager.half()
  authenticator.setCounter(9)
  expect(await first.send(first.answer(authenticator))).toMatchObject({ location: '/' })
  const copy = await manager.half()
  authenticator.setCounter(9)
  expect((await copy.send(copy.answer(authenticator))).status).toBe(401)
  expect(manager.details().at(-1)).toBe('signed-in-refused: counter-went-back')
  const use = { counter: 12, isBackedUp: true }
  expect([1, 2].map(() => passkeys.use(authenticator.id, use, 1))).toEqual([true, false])
})

test('wrong answers of passkeys and wrong codes count together', async () => {
  const manager = await withPasskey()
  const last = await manager.half()
  const right = last.answer(manager.authenticator)
  const code = manager.code(manager.eve)
  for (let guess = 0; guess < 4; guess += 1) {
    const { answer, send } = await manager.half()
    await send({ code: `00000${guess}` })
    await send(answer(createAuthenticator()))
  }
  // On a busy machine the wait is over at each try, and grows. So the right answers come at once.
  const statuses = await Promise.all([last.send(right), last.send({ code })])
  expect(statuses.map(({ status }) => status)).toEqual([429, 429])
})

test('to add or remove a passkey needs the code again, whose guesses are limited', async () => {
  const manager = await withPasskey()
  const { eve, authenticator, passkeys } = manager
  const used = codeOf(eve.secret, manager.clock.seconds)
  for (const code of ['', used]) {
    expect(await manager.add(eve, createAuthenticator(), { code })).toContain('Incorrect code')
    expect((await eve.act(REMOVE, { passkey: authenticator.id, code })).text).toContain('Incorrect code')
  }
  for (let guess = 0; guess < 4; guess += 1)
    await eve.post(REMOVE, { passkey: authenticator.id, code: `00000${guess}` })
  const { text } = await eve.act(REMOVE, { passkey: authenticator.id, code: manager.code(eve) })
  expect(text).toContain('Too many attempts')
  expect(passkeys.list(EVE).map(({ id }) => id)).toEqual([authenticator.id])
})

test('a removed passkey no longer signs in, and the other sessions of the manager end', async () => {
  const manager = await withPasskey()
  const { eve, joe, authenticator } = manager
  const other = await manager.half()
  await other.send(other.answer(authenticator))
  const waiting = await manager.half()
  await joe.get('/account')
  const ofOther = await joe.act(REMOVE, { passkey: authenticator.id, code: manager.code(joe) })
  expect(ofOther.text).toContain('removed already')
  await eve.get('/account')
  const { text } = await eve.act(REMOVE, { passkey: authenticator.id, code: manager.code(eve) })
  expect(text).toContain('The passkey “Laptop” is removed')
  expect(await other.browser.get('/people')).toMatchObject({ location: '/sign-in' })
  expect((await waiting.send(waiting.answer(authenticator))).location).toBe('/sign-in')
  expect((await joe.get('/people')).status).toBe(200)
  expect((await manager.half()).asked).toBeNull()
  const again = await manager.half()
  expect((await again.send(again.answer(authenticator))).status).toBe(401)
})

test('a passkey stays if the other sessions cannot be ended', async () => {
  const { store, authenticator, passkeys } = await withPasskey()
  store.database.exec("CREATE TRIGGER kept BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'kept'); END")
  expect(() => passkeys.remove(EVE, authenticator.id, 'another session')).toThrow('kept')
  expect(passkeys.list(EVE)).toHaveLength(1)
})

test.each(['reset', 'remove'] as const)('the passkeys of a manager go with a %s', async (how) => {
  const manager = await withPasskey()
  const { store, authenticator, passkeys } = manager
  const ofJoe = createAuthenticator()
  await manager.add(manager.joe, ofJoe)
  expect(how === 'reset' ? store.reset(EVE, PASSWORD) : store.remove(EVE)).toBe(true)
  expect([EVE, JOE].map((name) => passkeys.list(name).length)).toEqual([0, 1])
  store.add({ name: EVE, role: 'reader', entryPoints: null }, PASSWORD)
  const { text, answer, send } = await manager.half()
  expect(text).toContain('class="secret"')
  expect((await send(answer(authenticator))).status).toBe(401)
  expect(store.find(EVE)?.stepSecret).toBeNull()
})

test('a new password leaves the passkeys as they are', async () => {
  const manager = await withPasskey()
  manager.store.setPassword(EVE, PASSWORD)
  const { answer, send } = await manager.half()
  expect(await send(answer(manager.authenticator))).toMatchObject({ location: '/' })
})

test('a manager has ten passkeys at most, each of another device, and each with a name', async () => {
  const manager = await withPasskey()
  const { eve, joe, authenticator, passkeys } = manager
  const { excludeCredentials } = askedBy((await eve.get('/account')).text) ?? {}
  expect(excludeCredentials?.map(({ id }) => id)).toEqual([authenticator.id])
  expect(await manager.add(eve, authenticator)).toContain('has a passkey for this account already')
  expect(await manager.add(joe, authenticator)).toContain('has a passkey for this account already')
  for (const label of ['', '\u200b ', 'x'.repeat(61)])
    expect(await manager.add(eve, createAuthenticator(), { label })).toContain('Type a name')
  for (let count = 1; count < 10; count += 1) await manager.add(eve, createAuthenticator(), { label: `<b>${count}` })
  expect(passkeys.list(EVE)).toHaveLength(10)
  expect(await manager.add(eve, createAuthenticator())).toContain('You have ten passkeys')
  expect((await eve.get('/account')).text).toContain('<strong>&lt;b&gt;9</strong>')
})

test('the id of a manager for devices stays the same, differs from that of others, and does not have the name', async () => {
  const manager = await withPasskey()
  const idOf = async (of: Browser) => askedBy((await of.get('/account')).text)?.user?.id ?? ''
  const ids = [await idOf(manager.eve), await idOf(manager.eve), await idOf(manager.joe)]
  expect(new Set(ids).size).toBe(2)
  expect(ids.map((id) => Buffer.from(id, 'base64url').length)).toEqual([32, 32, 32])
})

test('each form of a passkey sent twice is one act with one answer', async () => {
  const manager = await withPasskey()
  const { eve, passkeys } = manager
  const answer = await manager.created(eve, createAuthenticator())
  const fields = { label: 'Phone', code: manager.code(eve), ...answer }
  const added = await Promise.all([1, 2].map(() => eve.post(ADD, fields)))
  expect(added.map(({ location }) => location)).toEqual(['/account', '/account'])
  expect((await eve.get('/account')).text).toContain('The passkey “Phone” is added')
  expect(passkeys.list(EVE)).toHaveLength(2)
  const half = await manager.half()
  const signIn = half.answer(manager.authenticator)
  const signedIn = await Promise.all([1, 2].map(() => half.send(signIn)))
  expect(signedIn.map(({ location }) => location)).toEqual(['/', '/'])
})
