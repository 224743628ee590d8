import { expect, test } from 'vitest'
import { z } from 'zod'
import { startWayIn } from '../../../way-in.ts'
import { WAYS_IN } from '../../../ways-in.ts'
import { runProgram } from '../run-program.ts'

const Finding = z.object({ state: z.string(), code: z.string(), text: z.string() })

test.each(WAYS_IN)('the doctor checks an app with $name', async (way) => {
  const { app, folder, signIn } = await startWayIn(way)
  const { stdout, stderr } = await runProgram(['doctor', '--json'], { cwd: folder, env: { ...app.env } })
  const { findings } = z.object({ findings: z.array(Finding) }).parse(JSON.parse(stdout))
  // On a busy machine, the doctor says what it waits for.
  expect(stderr.replace(/^Waiting for .* …\n/gm, '')).toBe('')
  expect(findings.map(({ code }) => code)).toContain('settings-complete')
  // Without a sign-in, the user store is away.
  if (signIn) expect(findings.filter(({ state }) => state === 'failure')).toEqual([])
})
