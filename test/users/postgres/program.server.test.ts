import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migratePostgres, openEditablePostgresStore } from '../../../src/users/postgres/editable-store.ts'
import { ADMITTED } from '../../login/admitted.ts'
import { ADA, programSettings } from '../../login/login-program.ts'
import { type LoginProgram, runLoginProgram, startLoginProgram } from '../../login/start-program.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { settingsOf } from './fixture.ts'
import { type PostgresServer, startPostgres } from './server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

async function post({ port }: LoginProgram): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ username: ADA.username, password: ADA.password }),
  })
}

async function readiness({ port }: LoginProgram): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/health/ready`)).status
}

async function databaseWithViewer(): Promise<string> {
  const database = await server.createDatabase()
  const settings = settingsOf(server.url({ database }))
  await migratePostgres(settings)
  const store = await openEditablePostgresStore(settings)
  await store.add({ username: ADA.username, ...ADMITTED }, ADA.password)
  await store.close()
  return database
}

test('the program starts without PostgreSQL, serves once it is up, stops while it hangs, logs no secret', async () => {
  const database = await databaseWithViewer()
  await server.halt()
  const file = join(temporaryFolder(), 'url')
  writeFileSync(file, server.url({ database }))
  const { USER_STORE_URL: _none, ...settings } = programSettings()
  const program = await startLoginProgram({ ...settings, USER_STORE_URL_FILE: file, POSTGRES_TIMEOUT_SECONDS: '1' })
  expect(await readiness(program)).toBe(503)
  expect((await post(program)).status).toBe(503)
  await server.restart()
  await expect.poll(() => readiness(program), { timeout: 20_000 }).toBe(200)
  expect((await post(program)).status).toBe(303)
  await server.halt()
  const away = await post(program)
  expect(away.status).toBe(503)
  expect(await away.text()).toContain('role="alert"')
  expect(await readiness(program)).toBe(503)
  await server.restart()
  await expect.poll(() => readiness(program), { timeout: 20_000 }).toBe(200)
  expect((await post(program)).status).toBe(303)
  server.pause()
  const start = performance.now()
  program.child.kill('SIGTERM')
  const ended = await program.ended
  server.resume()
  expect(ended.status).toBe(0)
  expect(performance.now() - start).toBeLessThan(5_000)
  const secret = new URL(server.url()).password
  expect(program.output()).not.toMatch(new RegExp(`${secret}|PASSWORDMARKER`))
})

test('the program does not start without the viewers table, and names the command that creates it', async () => {
  const USER_STORE_URL = server.url({ database: await server.createDatabase() })
  const { status, stderr } = await runLoginProgram({ ...programSettings(), USER_STORE_URL }).ended
  expect(status).toBe(1)
  expect(stderr).toMatch(/^[^\n]* npm run -s viewer-auth -- viewers migrate[^\n]*\n$/)
})
