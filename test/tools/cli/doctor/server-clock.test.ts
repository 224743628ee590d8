import { expect, test } from 'vitest'
import { aheadSeconds } from '../../../../src/tools/cli/doctor/request.ts'
import { startService } from '../../video-service/test-service.ts'

test('a slow answer is not taken for a wrong clock', async () => {
  const dateMs = Date.now()
  const service = await startService((_req, res) => {
    res.setHeader('date', new Date(dateMs).toUTCString())
    setTimeout(() => res.end(), 2_500)
  })
  expect(await aheadSeconds(service.href, new AbortController().signal)).toBe(0)
})
