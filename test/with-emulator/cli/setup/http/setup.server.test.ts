import { expect, test } from 'vitest'
import { startExampleService } from '../../../../users/http/example-service.ts'
import { openSetUp, SUCCESS, VIEWER } from '../set-up-store.ts'

test('setup with a login service says what to do for an unknown viewer, and a second run keeps the rest', async () => {
  const { url, token, findUrl } = await startExampleService()
  const setUp = await openSetUp({
    USER_STORE_URL: url,
    HTTP_STORE_TOKEN: token,
    HTTP_STORE_FIND_URL: findUrl ?? '',
  })
  const first = await setUp({ ...VIEWER, VIEWER: 'bob@example.com' })
  expect([first.status, first.printed]).toEqual([1, expect.stringContaining('Correct what the checks name')])
  expect(first.printed).not.toContain('press "Log in"')
  const second = await setUp({ ...VIEWER, CHANNEL: '1002' })
  expect([second.status, second.printed]).toEqual([SUCCESS[0], expect.stringMatching(SUCCESS[1])])
  expect(second.settings).toEqual(first.settings)
})
