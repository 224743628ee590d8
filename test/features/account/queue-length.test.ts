import { expect, test } from 'vitest'
import { openAccount } from '../../../src/features/account/open-account.ts'
import type { AppParts } from '../../../src/login/service.ts'
import type { MailResult } from '../../../src/services/mail/mail-queue.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { mailSettings } from '../../services/mail/mail-server.ts'

test('the queue of the app is as long as RESET_MAILS_PER_HOUR says', async () => {
  const users = { passwordChanges: { assertAllowed: () => Promise.resolve() } }
  const services = { users, openCounter: openMemoryCounter, addressLimit: {}, log: {} } as unknown as AppParts
  const settings = { addressAttribute: 'username', nameAttribute: null, resetsPerHour: 50 }
  const queue = (await openAccount({ ...services, mailServer: mailSettings(9) }, settings, 1))?.mailQueue
  const results: MailResult[] = []
  for (let added = 0; added < 1_051; added += 1) {
    queue?.add({ prepare: () => Promise.resolve(null), onEnd: (result) => results.push(result) })
  }
  queue?.close()
  expect(results).toEqual(['dropped'])
})
