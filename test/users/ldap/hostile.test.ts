import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { openLdapStore } from '../../../src/users/ldap/store.ts'
import { createRemoteGuard } from '../../../src/users/remote/guard.ts'
import { entryOf, type ScriptedDirectory, startScriptedDirectory } from './scripted-directory.ts'
import { ldapSettings } from './settings-of.ts'

/** Longer than a busy machine is slow. A timeout has another message, so the words below show that none was reached. */
const TIMEOUT_MS = 15_000
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

/** Encodes a BER element: tag, length and content. */
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

async function expectRefused(password: string, words: string): Promise<void> {
  const asked = openStore().authenticate('ada', password)
  await expect(asked).rejects.toThrow(words)
  await expect(asked).rejects.toThrow(UpstreamError)
}

describe('the answer to a bind', () => {
  test.each([
    ['without a result', (id: number) => message(id, element(BIND_ANSWER)), 'malformed LDAP message'],
    ['with an empty result', (id: number) => result(id, BIND_ANSWER), 'malformed LDAP message'],
    [
      'with a result longer than a number',
      (id: number) => result(id, BIND_ANSWER, 0, 0, 0, 0, 0),
      'malformed LDAP message',
    ],
    ['that answers a search', (id: number) => result(id, 0x65, 0), 'unexpected message'],
    ['that answers a deletion', (id: number) => result(id, 0x6b, 0), 'unexpected message'],
    ['to the previous request', (id: number) => result(id - 1, BIND_ANSWER, 0), 'unexpected message'],
    ['that ends the connection', () => result(0, 0x78, 52), 'unexpected message'],
    ['of HTTP', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'does not speak LDAP'],
  ])('an answer to a bind %s is refused at once', async (_what, bind, words) => {
    directory.follow({ ...FINE, bytes: ({ id }) => ({ bind: bind(id) }) })
    await expectRefused('wrong', words)
  })
})

describe('the answer to a search', () => {
  const name = text('uid=ada')
  const attribute = element(0x30, text('uid'), element(0x31, text('ada')))
  test.each([
    ['attributes longer than their message', [name, Buffer.of(0x30, 0x7f), attribute]],
    ['values longer than their message', [name, element(0x30, element(0x30, text('uid'), Buffer.of(0x31, 0x7f)))]],
    ['a text instead of an attribute', [name, element(0x30, Buffer.of(0x04, 1, 0x04))]],
    ['an attribute named dn', [name, element(0x30, element(0x30, text('dn'), element(0x31, text('uid=eve'))))]],
    ['an attribute without values', [name, element(0x30, element(0x30, text('uid')))]],
    ['an indefinite length', [name, Buffer.of(0x30, 0x80), attribute, Buffer.of(0, 0)]],
  ])('an entry with %s is refused at once', async (_what, parts) => {
    directory.follow({ ...FINE, bytes: ({ id }) => ({ search: message(id, element(ENTRY, ...parts)) }) })
    await expectRefused('secret', 'malformed LDAP message')
  })

  test('malformed controls are refused at once', async () => {
    const parts = [
      element(0x65, element(0x0a, Buffer.of(0)), text(''), text('')),
      element(0xa0, Buffer.of(0x04, 1, 0x30)),
    ]
    directory.follow({ ...FINE, bytes: ({ id }) => ({ search: message(id, ...parts) }) })
    await expectRefused('secret', 'malformed LDAP message')
  })

  test.each([
    ['endless small entries', (id: number) => entryOf(id, { dn: '', attributes: {} })],
    ['endless large entries', (id: number) => entryOf(id, { dn: '', attributes: { uid: ['x'.repeat(100_000)] } })],
    ['one entry of a gigabyte', () => Buffer.concat([Buffer.of(0x30, 0x84, 0x40, 0, 0, 0), Buffer.alloc(100_000)])],
    ['an entry with a negative length', () => Buffer.of(0x30, 0x84, 0xff, 0xff, 0xff, 0xfa)],
  ])('%s end the connection, not the process', async (_what, search) => {
    const isOne = search(1).length < 100
    const bytes = (id: number) => (isOne ? Buffer.concat(Array(1_000).fill(search(id))) : search(id))
    directory.follow({ ...FINE, isEndless: true, bytes: ({ id }) => ({ search: bytes(id) }) })
    await expectRefused('secret', 'too much data')
  })

  test('thousands of unexpected messages end the connection, not the process', async () => {
    const unexpected = Buffer.concat(Array(20_000).fill(message(99, element(BIND_ANSWER))))
    directory.follow({ ...FINE, bytes: () => ({ search: unexpected }) })
    await expectRefused('secret', 'unexpected message')
  })

  test('a message of a megabyte is refused, so that it is not logged', async () => {
    const words = text('x'.repeat(1_000_000))
    const bind = (id: number) => message(id, element(BIND_ANSWER, element(0x0a, Buffer.of(1)), text(''), words))
    directory.follow({ ...FINE, bytes: ({ id }) => ({ bind: bind(id) }) })
    await expectRefused('secret', 'malformed LDAP message')
  })
})

test('an answer that arrives byte by byte is read', async () => {
  const search = (id: number) => Buffer.concat([entryOf(id, ADA), result(id, 0x65, 0)])
  directory.follow({ ...FINE, isByteByByte: true, bytes: ({ id }) => ({ search: search(id) }) })
  expect(await openStore().authenticate('ada', 'secret')).toMatchObject({ ok: true })
})

test('a user name that is not valid UTF-8 is refused, since it could stand for several names', async () => {
  const values = element(0x30, element(0x30, text('uid'), element(0x31, element(0x04, Buffer.of(0xff)))))
  const search = (id: number) => Buffer.concat([message(id, element(ENTRY, text(ADA.dn), values)), result(id, 0x65, 0)])
  directory.follow({ ...FINE, bytes: ({ id }) => ({ search: search(id) }) })
  await expect(openStore().authenticate('ada', 'secret')).rejects.toThrow('U+FFFD')
})
