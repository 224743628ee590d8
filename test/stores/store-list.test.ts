import { expect, test } from 'vitest'
import { openLog } from '../../src/server/log/log.ts'
import { stores } from '../../src/stores.ts'

test('a counter that is opened twice is one counter: all entry points share it', async () => {
  const log = openLog('silent', { write: () => {} })
  const { openCounter } = await stores.openCounters({ kind: 'memory' }, { nowSeconds: () => 0, log })
  await openCounter('revoked', 60).penalty('pass')
  expect(await openCounter('revoked', 60).get('pass')).toMatchObject({ consumedPoints: 1 })
  expect(await openCounter('other', 60).get('pass')).toBeNull()
})
