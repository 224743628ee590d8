import { expect, test } from 'vitest'
import { checkCopyClocks } from '../../../../src/tools/cli/doctor/app/copy-clocks.ts'
import type { Finding } from '../../../../src/tools/cli/doctor/finding.ts'
import { closedAddress, startService } from '../../video-service/test-service.ts'

interface Copy {
  /** Of the header Date, which a proxy may write itself. */
  readonly date?: number
  readonly clocks?: Readonly<Record<string, number>>
}

/** Starts an app whose requests go to its copies in turn. */
async function start(...copies: readonly Copy[]): Promise<URL> {
  let requests = 0
  const service = await startService((_req, res) => {
    const { date = 0, clocks } = copies[requests % copies.length] ?? {}
    requests += 1
    res.setHeader('date', new Date(Date.now() + date * 1000).toUTCString())
    res.end(JSON.stringify({ status: 'ready', ...(clocks && { clocks }) }))
  })
  return new URL(service.origin)
}

async function check(publicUrl: URL, copies: readonly URL[] = []): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const signal = new AbortController().signal
  for await (const finding of checkCopyClocks({ publicUrl }, copies, signal)) findings.push(finding)
  return findings
}

const WRONG: Copy = { clocks: { GUESTS_STORE_URL: 90 } }

test('clocks that agree, within a second or two, have no finding', async () => {
  expect(await check(await start({}, { date: 1 }, { date: -1 }))).toEqual([])
})

test.each<[string, Copy, string | RegExp]>([
  ['ahead of a store that copies share', WRONG, '90 s ahead of GUESTS_STORE_URL. '],
  ['ahead of a store, behind a proxy that writes the Date', { ...WRONG, date: 0 }, '90 s ahead of GUESTS_STORE_URL. '],
  ['behind a store', { clocks: { LIMITS_STORE_URL: -30 } }, '30 s behind LIMITS_STORE_URL. '],
  ['ahead of this machine, without a shared store', { date: 61 }, /6[012] s ahead of this machine\. /],
])('an app whose clock is %s is a warning', async (_case, copy, text) => {
  const [finding, ...others] = await check(await start(copy))
  expect([finding?.state, finding?.code, others]).toEqual(['warning', 'copy-clock', []])
  expect(finding?.text).toMatch(text)
})

test('one of several copies behind a balancer is one warning, which says how to find the copy', async () => {
  const [finding, ...others] = await check(await start({}, {}, WRONG))
  expect(finding?.text).toMatch(/90 s ahead of GUESTS_STORE_URL, in \d of 5 answers\..*--copy/)
  expect(others).toEqual([])
})

test('with their addresses, the wrong copy is named, and so is one that does not answer', async () => {
  const right = await start({})
  const wrong = await start(WRONG)
  const findings = await check(right, [right, wrong, await closedAddress()])
  expect(findings.map(({ code }) => code)).toEqual(['nothing-listens', 'copy-clock'])
  expect(findings[1]?.text).toMatch(`at ${wrong.origin} is 90 s ahead`)
  expect(findings[1]?.text).not.toContain('--copy')
})
