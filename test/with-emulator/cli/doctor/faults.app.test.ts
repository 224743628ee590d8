import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { FAULTS } from './faults/all-faults.ts'
import { examine } from './faults/installation.ts'

let service: RunningEmulator
beforeAll(async () => {
  service = await startEmulator({ port: 0, seed: { views: 0 } })
})
afterAll(() => service.close())

describe('the doctor and one fault', () => {
  test('without a fault, viewers will get through', async () => {
    const { verdict, findings } = await examine({ name: 'none', findings: [] }, service)
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
    expect(verdict).toBe('Viewers will get through.')
  })

  test('at least 100 faults and 30 controls are tried, each with a name of its own', () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length)
    expect(FAULTS.filter(({ findings }) => findings.length > 0).length).toBeGreaterThanOrEqual(100)
    expect(FAULTS.filter(({ findings }) => findings.length === 0).length).toBeGreaterThanOrEqual(30)
  })

  test.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', async (_name, fault) => {
    const { verdict, findings } = await examine(fault, service)
    const named = findings.filter(({ state }) => state !== 'ok').map(({ state, code }) => `${state} ${code}`)
    expect(named).toEqual(fault.findings)
    expect(verdict.startsWith('Viewers will get through')).toBe(fault.isHarmless ?? false)
  })
})
