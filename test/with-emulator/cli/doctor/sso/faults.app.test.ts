import { beforeAll, describe, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../../../src/tools/emulator/start-emulator.ts'
import { CLIENT } from '../../../../features/sso/start-provider.ts'
import type { LogLine } from '../../../../login/start-login-app.ts'
import { examine, type Installation } from '../faults/installation.ts'
import { withProvider } from './provider.ts'
import { SSO_FAULTS } from './sso-faults.ts'

let service: RunningEmulator
beforeAll(async () => {
  service = await startEmulator({ port: 0, seed: { views: 0 } })
  return () => service.close()
})

describe('the doctor and one fault with single sign-on', () => {
  test('the doctor leaves one refusal in the log, with its name, and shows no secret', async () => {
    let lines: readonly LogLine[] = []
    const afterwards = ({ app }: Installation) => {
      lines = app.lines
    }
    const { findings } = await examine({ name: 'none', ...withProvider(), afterwards, findings: [] }, service)
    const signIns = lines.filter(({ event }) => event === 'sign-in')
    expect(signIns.filter(({ level }) => level !== 30)).toEqual([
      expect.objectContaining({ outcome: 'sso-refused', reason: 'provider-refused: doctor' }),
    ])
    expect(JSON.stringify(findings)).not.toContain(CLIENT.secret)
  })

  test.each(SSO_FAULTS.map((fault) => [fault.name, fault] as const))('%s', async (_name, fault) => {
    const { verdict, findings } = await examine(fault, service)
    const named = findings.filter(({ state }) => state !== 'ok').map(({ state, code }) => `${state} ${code}`)
    expect(named).toEqual(fault.findings)
    expect(verdict.startsWith('Viewers will get through')).toBe(fault.isHarmless ?? false)
  })
})
