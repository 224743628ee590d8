import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import { TRIES } from '../../../src/services/mail-code/code.ts'
import { MOST_GUESSES_OF_PAIR, MOST_OF_PAIR } from '../../../src/services/mail-code/code-limits.ts'
import { AGAIN_SECONDS, RESEND_SECONDS } from '../../../src/services/mail-code/mail-codes.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { ADDRESS, mailCodesContract, startCodes } from './mail-codes-contract.ts'

mailCodesContract('SQLite', (nowSeconds) => {
  const file = join(temporaryFolder(), 'guests.db')
  const open = () => openFileRecords(file, { nowSeconds })
  return Promise.resolve({ store: open(), openOther: () => Promise.resolve(open()) })
})

test('after ten seconds the same code in the same frame is over, and in another frame it never counts', async () => {
  const { asked, ask, clock, use } = startCodes()
  const { secret, code } = await asked()
  expect(await use(secret, code)).toEqual({ ok: true })
  clock.seconds += AGAIN_SECONDS - 1
  expect(await use(secret, code)).toEqual({ ok: true })
  expect(await use(secret, code, 'other@example.com')).toEqual({ ok: false, reason: 'over' })
  expect(await use('x'.repeat(43), code)).toEqual({ ok: false, reason: 'over' })
  clock.seconds += 1
  expect(await use(secret, code)).toEqual({ ok: false, reason: 'over' })
  const other = await ask('other@example.com')
  expect(await use(other.ok ? other.secret : '', code, 'other@example.com')).toMatchObject({ reason: 'wrong' })
})

test('all codes of a frame work until they end, each with its own tries, and one ends them all', async () => {
  const { clock, codes, sent, use } = startCodes()
  const secret = 'f'.repeat(43)
  const request = { address: ADDRESS, secret, language: 'en', device: [], requestId: 'id' } as const
  for (let asks = 1; asks <= 3; asks += 1) {
    expect((await codes.ask({ ...request, clientAddress: `192.0.2.${asks}` })).ok).toBe(true)
    await expect.poll(() => sent.length).toBe(asks)
    // Two guesses, which are tries at each code so far.
    for (let guesses = 0; guesses < 2; guesses += 1) await use(secret, '22222222')
    clock.seconds += RESEND_SECONDS
  }
  const [first, second, third] = sent.map(({ code }) => code)
  // The first one has no tries left: not even the right code is compared with it.
  expect(await use(secret, first)).toEqual({ ok: false, reason: 'wrong', triesLeft: 2 })
  expect(await use(secret, second)).toEqual({ ok: false, reason: 'wrong', triesLeft: 1 })
  expect(await use(secret, third)).toEqual({ ok: true })
})

test('the mail of the code before may come last', async () => {
  const { clock, codes, sent, use } = startCodes()
  const secret = 'f'.repeat(43)
  for (let asks = 1; asks <= MOST_OF_PAIR; asks += 1) {
    const request = { address: ADDRESS, secret, clientAddress: '192.0.2.1', language: 'en', device: [] } as const
    expect((await codes.ask({ ...request, requestId: 'id' })).ok).toBe(true)
    await expect.poll(() => sent.length).toBe(asks)
    clock.seconds += RESEND_SECONDS
  }
  expect(await use(secret, sent[0]?.code)).toEqual({ ok: true })
  expect(await use(secret, sent[1]?.code)).toEqual({ ok: false, reason: 'over' })
})

test('a code of another frame is named, is not a guess, and frees the requests of its reader', async () => {
  const { ask, sent, codes } = startCodes()
  const client = '192.0.2.1'
  const frames: string[] = []
  for (let asks = 1; asks <= MOST_OF_PAIR; asks += 1) {
    const one = await ask(ADDRESS, client)
    frames.push(one.ok ? one.secret : '')
    await expect.poll(() => sent.length).toBe(asks)
  }
  expect(await ask(ADDRESS, client)).toMatchObject({ ok: false, limit: 'mailbox-and-network' })
  const use = (code = '', address = ADDRESS) =>
    codes.use({ secret: frames.at(-1) ?? '', address, code, clientAddress: client })
  for (let times = 0; times < 2 * TRIES; times += 1) {
    expect(await use(sent[0]?.code)).toEqual({ ok: false, reason: 'elsewhere' })
  }
  expect((await ask(ADDRESS, client)).ok).toBe(true)
  // A caller without a frame does not learn that a code exists.
  const nowhere = { secret: 'x'.repeat(43), address: ADDRESS, code: sent[0]?.code, clientAddress: client }
  expect(await codes.use(nowhere)).toEqual({ ok: false, reason: 'over' })
  expect(await use(sent[0]?.code, 'other@example.com')).toEqual({ ok: false, reason: 'wrong', triesLeft: TRIES - 1 })
  expect(await use(sent.at(-2)?.code)).toEqual({ ok: false, reason: 'elsewhere' })
  expect(await use(sent[MOST_OF_PAIR - 1]?.code)).toEqual({ ok: true })
})

test('one network guesses few codes of one mailbox, whatever it asks for', async () => {
  const { ask, codes } = startCodes()
  const outcomes: string[] = []
  for (let asks = 0; asks < 8; asks += 1) {
    const one = await ask(ADDRESS, '192.0.2.1')
    for (let guesses = 0; guesses < TRIES; guesses += 1) {
      const typed = { secret: one.ok ? one.secret : '', address: ADDRESS, code: '22222222', clientAddress: '192.0.2.1' }
      const use = await codes.use(typed)
      outcomes.push(use.ok ? 'ok' : 'limit' in use ? use.limit : 'compared')
    }
  }
  expect(outcomes.filter((one) => one === 'compared')).toHaveLength(MOST_GUESSES_OF_PAIR)
  expect(outcomes.at(-1)).toBe('mailbox-and-network')
})
