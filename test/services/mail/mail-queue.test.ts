import { expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { logOutages } from '../../../src/services/mail/log-outages.ts'
import { createMailQueue, type MailQueueDeps, type MailResult } from '../../../src/services/mail/mail-queue.ts'
import { type Mail, MailFault } from '../../../src/services/mail/smtp.ts'

const MAIL: Mail = { to: 'ada@example.com', subject: 's', text: 't', html: 'h', language: 'en' }
const away = new MailFault('ECONNECTION', { isFinal: false, cause: null })
const refused = new MailFault('EENVELOPE 550', { isFinal: true, cause: null })

/** A queue whose server does what `sends` say, one after another, and then accepts everything. */
function startQueue(sends: readonly (() => Promise<void>)[], deps: Partial<MailQueueDeps> = {}) {
  const seen = { mails: [] as Mail[], results: [] as MailResult[], faults: [] as unknown[], isClosed: false }
  const server = {
    send(mail: Mail) {
      const next = sends[seen.mails.length]
      seen.mails.push(mail)
      return next === undefined ? Promise.resolve() : next()
    },
    close() {
      seen.isClosed = true
    },
  }
  const onAway = (error: unknown) => seen.faults.push(error)
  const queue = createMailQueue({ server, mailsPerHour: 100, onAway, pauseMs: () => 0, retryMs: [1, 1, 1], ...deps })
  onTestFinished(() => queue.close())
  const add = (prepare = () => Promise.resolve<Mail | null>(MAIL)) =>
    queue.add({ prepare, onEnd: (result) => seen.results.push(result) })
  return { seen, queue, add }
}

test('a mail that cannot be sent is repeated with the same content, and then given up', async () => {
  const { seen, add } = startQueue(Array(4).fill(() => Promise.reject(away)))
  let prepared = 0
  add(() => {
    prepared += 1
    return Promise.resolve({ ...MAIL, text: `link ${prepared}` })
  })
  await expect.poll(() => seen.results).toEqual(['given-up'])
  expect(seen.mails.map(({ text }) => text)).toEqual(Array(4).fill('link 1'))
  expect(seen.faults).toHaveLength(3)
})

test('a mail is sent as soon as the server is back', async () => {
  const { seen, add } = startQueue([() => Promise.reject(away)])
  add()
  await expect.poll(() => seen.results).toEqual(['sent'])
})

test('a refused mail is not repeated', async () => {
  const { seen, add } = startQueue([() => Promise.reject(refused)])
  add()
  await expect.poll(() => seen.results).toEqual(['refused'])
  expect(seen.mails).toHaveLength(1)
})

test('a store that is away is asked again, and a viewer without an address gets no mail', async () => {
  const { seen, add } = startQueue([])
  let asked = 0
  add(() => {
    asked += 1
    return asked === 1 ? Promise.reject(new UpstreamError('user-store', 'away')) : Promise.resolve(null)
  })
  await expect.poll(() => seen.results).toEqual(['no-mail'])
  expect([asked, seen.mails.length]).toEqual([2, 0])
})

test('at most two mails are under way at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { seen, add } = startQueue(Array(10).fill(() => promise))
  for (let added = 0; added < 10; added += 1) add()
  await expect.poll(() => seen.mails.length).toBe(2)
  resolve()
  await expect.poll(() => seen.results).toHaveLength(10)
})

test.each([
  [1, 1_001],
  [2_000, 3_000],
])('with %i mails an hour, the queue holds %i, and drops further ones', (mailsPerHour, most) => {
  const { seen, add } = startQueue([], { mailsPerHour, pauseMs: () => 60_000 })
  for (let added = 0; added < most + 1; added += 1) add()
  expect(seen.results).toEqual(['dropped'])
})

test('as many mails as an hour allows wait for a mail server that is slow', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { seen, add } = startQueue(
    Array(2_500).fill(() => promise),
    { mailsPerHour: 2_000 },
  )
  for (let added = 0; added < 2_500; added += 1) add()
  await expect.poll(() => seen.mails.length).toBe(2)
  resolve()
  await expect.poll(() => seen.results.length).toBe(2_500)
  expect(new Set(seen.results)).toEqual(new Set(['sent']))
})

test('a closed queue drops its mails and sends no more', async () => {
  const { seen, queue, add } = startQueue([() => Promise.reject(away)], { retryMs: [60_000] })
  add()
  await expect.poll(() => seen.faults).toHaveLength(1)
  queue.close()
  add()
  await expect.poll(() => seen.results).toEqual(['dropped', 'dropped'])
  expect(seen.isClosed).toBe(true)
})

test('an outage has one line a minute in the log, and one line at its end', () => {
  const lines: object[] = []
  const note = (line: object) => void lines.push(line)
  let nowMs = 0
  const { onAway, onSent } = logOutages({ warn: note, info: note }, () => nowMs)
  onSent?.()
  onAway(away)
  onAway(away)
  nowMs = 60_000
  onAway(away)
  onSent?.()
  onSent?.()
  const event = 'mail-away'
  const reason = 'ECONNECTION'
  expect(lines).toEqual([{ event, reason }, { event, reason }, { event: 'mail-back' }])
})
