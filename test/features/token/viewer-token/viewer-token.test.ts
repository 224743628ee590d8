import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkViewerToken } from '../../../../src/features/token/viewer-token/token-check.ts'
import { buildViewerToken, faultInSubject } from '../../../../src/features/token/viewer-token/viewer-token.ts'
import { CONTENT_KEY, ISSUED_AT, KID } from './jwcrypto-vectors.ts'
import { BUILD_KEYS, CHECK_KEYS } from './token-keys.ts'

const LONG_KEY = generateKeyPairSync('rsa', { modulusLength: 4096 })

test('a token is issued five seconds ago, so a clock that is ahead locks out no viewer', async () => {
  const token = await buildViewerToken('ada', BUILD_KEYS, ISSUED_AT + 0.9)
  const issued = { ok: true, subject: 'ada', issuedAtSeconds: ISSUED_AT - 5 }
  expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT - 5)).toEqual(issued)
  expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT + 55)).toEqual(issued)
  expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT + 56)).toMatchObject({ reason: 'expired' })
})

test('two tokens of one viewer in the same second differ', async () => {
  const build = () => buildViewerToken('ada', BUILD_KEYS, ISSUED_AT)
  expect(await build()).not.toBe(await build())
})

test('any subject without a fault arrives unchanged, and any other is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (subject) => {
      if (faultInSubject(subject) === null) {
        const token = await buildViewerToken(subject, BUILD_KEYS, ISSUED_AT)
        expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT)).toMatchObject({ ok: true, subject })
      } else await expect(buildViewerToken(subject, BUILD_KEYS, ISSUED_AT)).rejects.toThrow(RangeError)
    }),
    { numRuns: 60 },
  )
})

test.each([
  ['that is empty', ''],
  ['of blanks', '  '],
  ['with a NUL', 'ada\0'],
  ['with a line end', 'ada\n'],
  ['with a lone surrogate', 'ada\ud800'],
  ['of 256 bytes', 'é'.repeat(128)],
])('a subject %s is refused', async (_name, subject) => {
  await expect(buildViewerToken(subject, BUILD_KEYS, ISSUED_AT)).rejects.toThrow(RangeError)
})

test.each(['ada|staff', 'é'.repeat(127), '"}{"sub":"eve"', '東京 \u{1f3ac}'])(
  'the subject %s is accepted',
  (subject) => {
    expect(faultInSubject(subject)).toBeNull()
  },
)

test.each([Number.NaN, Number.POSITIVE_INFINITY, 0, -1])('no token is built at the time %s', async (now) => {
  await expect(buildViewerToken('ada', BUILD_KEYS, now)).rejects.toThrow(RangeError)
})

test('a token with a key of 4096 bits has fewer than 2,400 characters with the longest subject', async () => {
  const keys = { contentKey: CONTENT_KEY, serviceKey: { kid: KID, publicKey: LONG_KEY.publicKey } }
  expect((await buildViewerToken('é'.repeat(127), keys, ISSUED_AT)).length).toBeLessThan(2400)
})

test('a token names the key that encrypted it', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const newKey = { kid: 'new', publicKey }
  const token = await buildViewerToken('ada', { ...BUILD_KEYS, serviceKey: newKey }, ISSUED_AT)
  const [oldKey] = CHECK_KEYS.serviceKeys
  const rotated = { ...CHECK_KEYS, serviceKeys: [{ kid: 'new', privateKey }, ...(oldKey ? [oldKey] : [])] }
  expect(await checkViewerToken(token, rotated, ISSUED_AT)).toMatchObject({ ok: true })
  expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT)).toMatchObject({ reason: 'unknown-service-key' })
})

test('the public half of the content key is enough to check, and not to build', async () => {
  const publicHalf = { ...BUILD_KEYS, contentKey: createPublicKey(CONTENT_KEY) }
  await expect(buildViewerToken('ada', publicHalf, ISSUED_AT)).rejects.toThrow()
})

test('a token is signed in another thread, so the app answers other viewers meanwhile', async () => {
  const keys = { ...BUILD_KEYS, contentKey: LONG_KEY.privateKey }
  const build = () => Promise.all(Array.from({ length: 10 }, () => buildViewerToken('ada', keys, ISSUED_AT)))
  await build()
  const beforeBuild = process.threadCpuUsage()
  await build()
  const beforeSign = process.threadCpuUsage()
  for (let count = 0; count < 10; count += 1) sign('sha512', Buffer.from('ada'), LONG_KEY.privateKey)
  const end = process.threadCpuUsage()
  // CPU time of this thread only: other programs do not change it.
  expect(beforeSign.user - beforeBuild.user).toBeLessThan(end.user - beforeSign.user)
})
