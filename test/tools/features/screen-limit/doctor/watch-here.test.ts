import { expect, test } from 'vitest'
import { trySignIn } from '../../../../../src/tools/cli/doctor/app/sign-in/sign-in.ts'
import { passwordViewer } from '../../../../../src/tools/cli/doctor/app/sign-in/test-viewer.ts'
import type { DoctorConfig } from '../../../../../src/tools/cli/doctor/feature-check.ts'
import type { CommandIo } from '../../../../../src/tools/cli/terminal/io.ts'
import { watchHere } from '../../../../../src/tools/features/screen-limit/doctor/watch-here.ts'
import { withScreenLimit } from '../../../../features/screen-limit/entry-point.ts'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { ADA, startLoginApp } from '../../../../login/start-login-app.ts'
import { freePort } from '../../../../servers/free-port.ts'

test.each([
  ['newest', false],
  ['ask', true],
])('doctor signs a viewer in several times who may have one screen, with SCREENS=%s', async (_screens, asks) => {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  const entryPoint = withScreenLimit(ENTRY_POINT, { asks })
  const nowSeconds = () => Date.now() / 1000
  const app = await startLoginApp({ port, publicUrl, entryPoints: [entryPoint], nowSeconds })
  const config = {
    publicUrl: new URL(publicUrl),
    entryPoints: [entryPoint],
    featureChecks: [watchHere],
    answerChecks: [],
  }
  const signal = AbortSignal.timeout(30_000)
  const target = { config: config as unknown as DoctorConfig, entryPoint, player: null, signal }
  // As a viewer who already watches.
  await app.post('/sign-in', ADA)
  const ada = passwordViewer(ADA.username, ADA.password)
  const codes: string[] = []
  for await (const { state, code } of trySignIn({} as CommandIo, target, ada)) codes.push(`${state} ${code}`)
  expect(codes).toEqual(['ok signed-in', 'ok viewer-returns'])
})
