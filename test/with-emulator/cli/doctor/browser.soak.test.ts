import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import { watch } from './browser-viewer.ts'
import { FAULTS } from './faults/all-faults.ts'
import { authority } from './faults/certificates.ts'
import { type Fault, install } from './faults/installation.ts'
import { BLIND_SPOTS, NOT_FOR_BROWSERS } from './faults/not-for-browsers.ts'
import { UNFORESEEN_FAULTS } from './faults/unforeseen-faults.ts'
import { runDoctor } from './findings.ts'
import { SSO_FAULTS } from './sso/sso-faults.ts'
import { TOKEN_FAULTS } from './token/token-faults.ts'

type Judgement = 'agreement' | 'false all-clear' | 'false alarm' | 'blind spot' | 'not for browsers'

/** The judge is Chromium: does a viewer who signs in see the video? */
let browser: LaunchedBrowser
let service: RunningEmulator
beforeAll(async () => {
  service = await startEmulator({ port: 0, seed: { views: 0 } })
  browser = await launchBrowser('chromium', undefined, (await authority()).certificate)
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

async function judge(fault: Fault) {
  const installation = await install(fault, service)
  const { verdict, findings } = await runDoctor(installation.args, installation)
  const { isThrough, seen } = await watch(browser, installation)
  const causes = findings.filter(({ state }) => state !== 'ok').map(({ state, code }) => `${state} ${code}`)
  return { isThrough, seen, verdict, causes, judgement: judgementOf(fault.name, verdict, isThrough) }
}

/** An unproven verdict agrees with both. */
function judgementOf(name: string, verdict: string, isThrough: boolean): Judgement {
  if (BLIND_SPOTS[name] !== undefined) return isThrough ? 'agreement' : 'blind spot'
  if (verdict.startsWith('Viewers will get through') && !isThrough) return 'false all-clear'
  if (NOT_FOR_BROWSERS[name] !== undefined) return 'not for browsers'
  return isThrough && !/^(Viewers will get through|Not proven)/.test(verdict) ? 'false alarm' : 'agreement'
}

describe.each([
  ['faults', [...FAULTS, ...SSO_FAULTS, ...TOKEN_FAULTS]],
  ['faults that the doctor was not made for', UNFORESEEN_FAULTS],
] as const)('the doctor and Chromium judge %s', (title, faults) => {
  const results: { name: string; judgement: Judgement; isCauseFirst: boolean }[] = []

  test.each(faults.map((fault) => [fault.name, fault] as const))('%s', async (name, fault) => {
    const { judgement, causes, ...more } = await judge(fault)
    results.push({ name, judgement, isCauseFirst: causes[0] === fault.findings[0] })
    console.log(JSON.stringify({ name, judgement, causes, ...more }))
    expect({ name, judgement, cause: causes[0], ...more }).toMatchObject({
      judgement: BLIND_SPOTS[name] ? 'blind spot' : NOT_FOR_BROWSERS[name] ? 'not for browsers' : 'agreement',
      cause: fault.findings[0],
    })
  })

  test('no all-clear is false, and the cause comes first', () => {
    const count = (judgement: Judgement) => results.filter((one) => one.judgement === judgement).length
    const causes = results.filter(({ isCauseFirst }) => isCauseFirst).length
    console.log(
      `${title}: ${results.length - count('not for browsers')} judged by Chromium, ${count('agreement')} agree, ${count('false all-clear')} false all-clears, ${count('false alarm')} false alarms, ${count('blind spot')} blind spots, the cause first in ${causes} of ${results.length}`,
    )
    expect([count('false all-clear'), count('false alarm'), causes]).toEqual([0, 0, faults.length])
  })
})
