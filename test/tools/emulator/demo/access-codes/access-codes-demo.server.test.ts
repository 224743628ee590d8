import { expect, onTestFinished, test } from 'vitest'
import { homePageOf, startDemo, stopDemo, temporaryFolder } from '../demo-program.ts'

const CODE = /DEMO-[0-9A-Z-]+/

test('the home page of the demo shows an access code that signs in, and the next start keeps the code', async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const demo = startDemo({ DEMO_DATA_FOLDER: folder.path })
  onTestFinished(() => void stopDemo(demo))
  await demo.running
  const find = (pattern: RegExp) => pattern.exec(demo.printed())?.[0] ?? ''
  const code = CODE.exec(await homePageOf(demo))?.[0] ?? ''
  const login = find(/http:\/\/localhost:\d+\//)
  const enter = (typed: string) => {
    const body = new URLSearchParams({ code: typed, name: 'Ada' })
    return fetch(`${login}e/codes/access-code`, { method: 'POST', body, redirect: 'manual' })
  }
  expect((await enter('DEMO-CDF2-GHJK')).status).toBe(401)
  const answer = await enter(code.toLowerCase())
  expect(answer.status).toBe(303)
  expect(decodeURIComponent(answer.headers.get('location') ?? '')).toContain('{"user":"Ada"}')
  await stopDemo(demo)
  const again = startDemo({ DEMO_DATA_FOLDER: folder.path })
  onTestFinished(() => void stopDemo(again))
  await again.running
  expect(CODE.exec(await homePageOf(again))?.[0]).toBe(code)
})
