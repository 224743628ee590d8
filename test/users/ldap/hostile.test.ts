import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { openLdapStore } from '../../../src/users/ldap/store.ts'
import { createRemoteGuard } from '../../../src/users/remote/guard.ts'
import { entryOf, type ScriptedDirectory, startScriptedDirectory } from '../../servers/scripted-directory.ts'
import { ldapSettings } from './settings-of.ts'

const TIMEOUT_MS = 2_000
const ADA = { dn: 'uid=ada,dc=example', attributes: { uid: ['ada'] } }
const FINE = { entries: [ADA], bind: () => ({ code: 0 }) }

let directory: ScriptedDirectory
beforeAll(async () => {
  directory = await startScriptedDirectory()
})
afterEach(() => directory.follow({}))
afterAll(() => directory.stop())

function openStore() {
  const guard = createRemoteGuard({ timeoutMs: TIMEOUT_MS })
  const store = openLdapStore(ldapSettings(directory, { timeoutMs: TIMEOUT_MS }), { guard })
  onTestFinished(() => store.close())
  return store
}

/** One element of BER: a tag, the length and the content. */
function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  const length = Buffer.alloc(5, 0x84)
  length.writeUInt32BE(content.length, 1)
  return Buffer.concat([Buffer.of(tag), length, content])
}
const text = (words: string) => element(0x04, Buffer.from(words))
const message = (id: number, ...parts: readonly Uint8Array[]) => element(0x30, element(0x02, Buffer.of(id)), ...parts)
const result = (id: number, tag: number, ...code: readonly number[]) =>
  message(id, element(tag, element(0x0a, Buffer.of(...code)), text(''), text('')))
const BIND_ANSWER = 0x61
const ENTRY = 0x64

async function msUntilRefused(asked: Promise<unknown>, words: string): Promise<number> {
  const before = performance.now()
  await expect(asked).rejects.toThrow(words)
  await expect(asked).rejects.toThrow(UpstreamError)
  return performance.now() - before
}

describe('as an answer to a password', () => {
  test.each([
    ['without a result', (id: number) => message(id, element(BIND_ANSWER)), 'no message of LDAP'],
    ['with an empty result', (id: number) => result(id, BIND_ANSWER), 'no message of LDAP'],
    [
      'with a result longer than a number',
      (id: number) => result(id, BIND_ANSWER, 0, 0, 0, 0, 0),
      'no message of LDAP',
    ],
    ['that is one to a search', (id: number) => result(id, 0x65, 0), 'nobody asked for'],
    ['that is one to a deletion', (id: number) => result(id, 0x6b, 0), 'nobody asked for'],
    ['to the question before', (id: number) => result(id - 1, BIND_ANSWER, 0), 'nobody asked for'],
    ['that is the end of the connection', () => result(0, 0x78, 52), 'nobody asked for'],
    ['of HTTP', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'does not speak LDAP'],
  ])('one %s signs nobody in, and nobody waits', async (_what, bind, words) => {
    directory.follow({ ...FINE, bytes: ({ id }) => ({ bind: bind(id) }) })
    expect(await msUntilRefused(openStore().authenticate('ada', 'wrong'), words)).toBeLessThan(TIMEOUT_MS / 2)
  })
})

describe('as an answer to a search', () => {
  const name = text('uid=ada')
  const attribute = element(0x30, text('uid'), element(0x31, text('ada')))
  test.each([
    ['attributes that end behind their message', [name, Buffer.of(0x30, 0x7f), attribute]],
    ['values that end behind their message', [name, element(0x30, element(0x30, text('uid'), Buffer.of(0x31, 0x7f)))]],
    ['an attribute that is a text', [name, element(0x30, Buffer.of(0x04, 1, 0x04))]],
    ['an attribute that is its name', [name, element(0x30, element(0x30, text('dn'), element(0x31, text('uid=eve'))))]],
    ['an attribute without values', [name, element(0x30, element(0x30, text('uid')))]],
    ['a length without end', [name, Buffer.of(0x30, 0x80), attribute, Buffer.of(0, 0)]],
  ])('an entry of %s is refused at once', async (_what, parts) => {
    directory.follow({ ...FINE, bytes: ({ id }) => ({ search: message(id, element(ENTRY, ...parts)) }) })
    const tookMs = await msUntilRefused(openStore().authenticate('ada', 'secret'), 'no message of LDAP')
    expect(tookMs).toBeLessThan(TIMEOUT_MS / 2)
  })

  test('controls that are none are refused at once', async () => {
    const parts = [
      element(0x65, element(0x0a, Buffer.of(0)), text(''), text('')),
      element(0xa0, Buffer.of(0x04, 1, 0x30)),
    ]
    directory.follow({ ...FINE, bytes: ({ id }) => ({ search: message(id, ...parts) }) })
    const tookMs = await msUntilRefused(openStore().authenticate('ada', 'secret'), 'no message of LDAP')
    expect(tookMs).toBeLessThan(TIMEOUT_MS / 2)
  })

  test.each([
    ['small entries without end', (id: number) => entryOf(id, { dn: '', attributes: {} })],
    ['large entries without end', (id: number) => entryOf(id, { dn: '', attributes: { uid: ['x'.repeat(100_000)] } })],
    ['one entry of a gigabyte', () => Buffer.concat([Buffer.of(0x30, 0x84, 0x40, 0, 0, 0), Buffer.alloc(100_000)])],
    ['an entry of a negative length', () => Buffer.of(0x30, 0x84, 0xff, 0xff, 0xff, 0xfa)],
  ])('%s are cut off, and this program goes on', async (_what, search) => {
    const isOne = search(1).length < 100
    const bytes = (id: number) => (isOne ? Buffer.concat(Array(1_000).fill(search(id))) : search(id))
    directory.follow({ ...FINE, isEndless: true, bytes: ({ id }) => ({ search: bytes(id) }) })
    const tookMs = await msUntilRefused(openStore().authenticate('ada', 'secret'), 'more than any viewer can be')
    expect(tookMs).toBeLessThan(TIMEOUT_MS)
  })

  test('thousands of answers to nobody end the connection, and not this program', async () => {
    const strangers = Buffer.concat(Array(20_000).fill(message(99, element(BIND_ANSWER))))
    directory.follow({ ...FINE, bytes: () => ({ search: strangers }) })
    await msUntilRefused(openStore().authenticate('ada', 'secret'), 'nobody asked for')
  })

  test('words of any length are not repeated in the log', async () => {
    const words = text('x'.repeat(1_000_000))
    const bind = (id: number) => message(id, element(BIND_ANSWER, element(0x0a, Buffer.of(1)), text(''), words))
    directory.follow({ ...FINE, bytes: ({ id }) => ({ bind: bind(id) }) })
    await msUntilRefused(openStore().authenticate('ada', 'secret'), 'no message of LDAP')
  })
})

test('an answer that comes byte by byte is read like any other', async () => {
  const search = (id: number) => Buffer.concat([entryOf(id, ADA), result(id, 0x65, 0)])
  directory.follow({ ...FINE, isByteByByte: true, bytes: ({ id }) => ({ search: search(id) }) })
  expect(await openStore().authenticate('ada', 'secret')).toMatchObject({ ok: true })
})

test('a name of bytes that are no text could be that of several viewers, and signs nobody in', async () => {
  const values = element(0x30, element(0x30, text('uid'), element(0x31, element(0x04, Buffer.of(0xff)))))
  const search = (id: number) => Buffer.concat([message(id, element(ENTRY, text(ADA.dn), values)), result(id, 0x65, 0)])
  directory.follow({ ...FINE, bytes: ({ id }) => ({ search: search(id) }) })
  await expect(openStore().authenticate('ada', 'secret')).rejects.toThrow('was not readable')
})
