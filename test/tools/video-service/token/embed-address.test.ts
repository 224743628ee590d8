import { expect, test } from 'vitest'
import { checkViewerToken } from '../../../../src/features/token/viewer-token/token-check.ts'
import { parseAllowedAddress } from '../../../../src/hash-lock/return-address.ts'
import { embedAddress } from '../../../../src/tools/video-service/token/embed-address.ts'
import { BUILD_KEYS, CHECK_KEYS } from '../../../features/token/viewer-token/token-keys.ts'

const KEYS = { ...BUILD_KEYS, allowed: [parseAllowedAddress('https://video.example/embed/')] }
const EMBED = 'https://video.example/embed/recorded/1?autoplay=a%20b'
const NOW = 1_800_000_000

test('an embed address keeps its query, and gets a token of the viewer that the service accepts', async () => {
  const address = await embedAddress(EMBED, 'ada@example.com', KEYS, NOW)
  const [before, token = ''] = address.split('&vt=')
  expect(before).toBe(EMBED)
  expect(await checkViewerToken(token, CHECK_KEYS, NOW)).toMatchObject({ ok: true, subject: 'ada@example.com' })
  expect(await checkViewerToken(token, CHECK_KEYS, NOW + 56)).toMatchObject({ reason: 'expired' })
})

test.each([
  ['another origin', 'https://evil.example/embed/1', 'ada'],
  ['a path outside of the list', 'https://video.example/channel/1', 'ada'],
  ['an address that has a token', `${EMBED}&v%74=1`, 'ada'],
  ['an empty viewer', EMBED, ''],
])('%s gets no token', async (_case, embed, subject) => {
  await expect(embedAddress(embed, subject, KEYS, NOW)).rejects.toThrow(RangeError)
})
