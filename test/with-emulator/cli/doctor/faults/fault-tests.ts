import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../../../src/tools/emulator/start-emulator.ts'
import { type LaunchedBrowser, launchBrowser } from '../../../../browser/launch.ts'
import { hasAllRows } from '../../../../rows.ts'
import { watch } from '../browser-viewer.ts'
import { type Findings, runDoctor } from '../findings.ts'
import { authority } from './certificates.ts'
import { examine, type Fault, install } from './installation.ts'

type Judgement = 'agreement' | 'false all-clear' | 'false alarm' | 'blind spot' | 'not for browsers'

/**
 * Tests the doctor on installations with one fault each. `npm run test:soak` also lets Chromium judge them.
 * @returns what the doctor finds in another installation.
 */
export function testFaults(title: string, faults: readonly Fault[]): (fault: Fault) => Promise<Findings> {
  const service = sharedService()
  describe(`the doctor: ${title}`, () => {
    test.each(faults)('$name', async (fault) => {
      const { verdict, findings } = await examine(fault, service())
      expect(causesIn(findings)).toEqual(fault.findings)
      expect(verdict.startsWith('Viewers will get through')).toBe(fault.isHarmless ?? false)
      // The head of a token.
      expect(JSON.stringify(findings)).not.toContain('eyJ')
    })
    test('each installation has a name of its own', () => {
      expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
    })
  })
  if (hasAllRows) judgeFaults(title, faults)
  return (fault) => examine(fault, service())
}

/** Compares the doctor with Chromium: does a viewer who signs in see the video? */
export function judgeFaults(title: string, faults: readonly Fault[]): void {
  const service = sharedService()
  let browser: LaunchedBrowser
  beforeAll(async () => {
    browser = await launchBrowser('chromium', undefined, (await authority()).certificate)
    return () => browser.close()
  })

  describe(`the doctor and Chromium: ${title}`, () => {
    const results: { judgement: Judgement; isCauseFirst: boolean }[] = []

    test.each(faults)('$name', async (fault) => {
      const installation = await install(fault, service())
      const { verdict, findings } = await runDoctor(installation.args, installation)
      const { isThrough, seen } = await watch(browser, installation)
      const judgement = judgementOf(fault, verdict, isThrough)
      const causes = causesIn(findings)
      results.push({ judgement, isCauseFirst: causes[0] === fault.findings[0] })
      const seenByBoth = { name: fault.name, judgement, verdict, isThrough, seen }
      console.log(JSON.stringify({ ...seenByBoth, causes }))
      expect({ ...seenByBoth, cause: causes[0] }).toMatchObject({
        judgement: fault.blindSpot ? 'blind spot' : fault.notForBrowsers ? 'not for browsers' : 'agreement',
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
}

/** An emulator takes as long to start as all else. */
function sharedService(): () => RunningEmulator {
  let service: RunningEmulator
  beforeAll(async () => {
    service = await startEmulator({ port: 0, seed: { views: 0 } })
  })
  afterAll(() => service.close())
  return () => service
}

function causesIn(findings: Findings['findings']): string[] {
  return findings.filter(({ state }) => state !== 'ok').map(({ state, code }) => `${state} ${code}`)
}

/** An unproven verdict agrees with both. */
function judgementOf({ blindSpot, notForBrowsers }: Fault, verdict: string, isThrough: boolean): Judgement {
  if (blindSpot !== undefined) return isThrough ? 'agreement' : 'blind spot'
  if (verdict.startsWith('Viewers will get through') && !isThrough) return 'false all-clear'
  if (notForBrowsers !== undefined) return 'not for browsers'
  return isThrough && !/^(Viewers will get through|Not proven)/.test(verdict) ? 'false alarm' : 'agreement'
}
