import { beforeAll, describe, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../../../src/tools/emulator/start-emulator.ts'
import { examine, type Fault } from '../faults/installation.ts'
import { TOKEN_FAULTS, withTokens } from './token-faults.ts'

let service: RunningEmulator
beforeAll(async () => {
  service = await startEmulator({ port: 0, seed: { views: 0 } })
  return () => service.close()
})

const NONE: Fault = { name: 'none', findings: [] }

describe('the doctor and one fault with tokens', () => {
  test('without a fault, viewers will get through, and no token is shown', async () => {
    const { verdict, findings } = await examine({ ...NONE, ...withTokens() }, service)
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
    expect(findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['viewer-auth-proven', 'page', 'signed-in', 'viewer-returns']),
    )
    expect(verdict).toBe('Viewers will get through.')
    expect(JSON.stringify(findings)).not.toContain('eyJ')
  })

  test.each(TOKEN_FAULTS.map((fault) => [fault.name, fault] as const))('%s', async (_name, fault) => {
    const { verdict, findings } = await examine(fault, service)
    const named = findings.filter(({ state }) => state !== 'ok').map(({ state, code }) => `${state} ${code}`)
    expect(named).toEqual(fault.findings)
    expect(verdict.startsWith('Viewers will get through')).toBe(fault.isHarmless ?? false)
    expect(JSON.stringify(findings)).not.toContain('eyJ')
  })
})
