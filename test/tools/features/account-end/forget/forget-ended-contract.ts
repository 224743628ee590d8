import { expect, test } from 'vitest'
import { runHere } from '../../../cli/run-here.ts'

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

/** @param start creates a user store and returns the settings of it and of the other stores, in a folder. */
export function forgetEndedContract(name: string, start: () => Promise<{ cwd: string; env: Record<string, string> }>) {
  async function withViewers(settings: Record<string, string>) {
    const { cwd, env } = await start()
    const run = (...args: string[]) =>
      runHere(['viewers', ...args], { cwd, env: { ...env, ...settings }, stdin: 'correct horse battery' })
    for (const [username, end] of [
      ['ada', daysAgo(31)],
      ['bob', daysAgo(29)],
      ['eve', null],
      ['joe', daysAgo(400)],
    ] as const) {
      const attribute = end === null ? [] : ['--attribute', `accountEndsAt=${end}`]
      expect(await run('add', `${username}@example.com`, ...attribute)).toMatchObject({ status: 0 })
    }
    const left = async () => {
      const viewers = JSON.parse((await run('list', '--json')).stdout) as { username: string }[]
      return viewers.map(({ username }) => username.split('@')[0])
    }
    return { run, left, env }
  }

  test(`people whose accounts ended more days ago than the setting are forgotten, ${name}`, async () => {
    const { run, left } = await withViewers({ RETENTION_DAYS: '30' })
    const done = await run('forget-ended', '--yes', '--json')
    expect(JSON.parse(done.stdout)).toMatchObject({ ended: 2, forgotten: 2, faults: {} })
    expect(await left()).toEqual(['bob', 'eve'])
    expect(JSON.parse((await run('forget-ended', '--yes', '--json')).stdout)).toMatchObject({ ended: 0, forgotten: 0 })
  })

  test(`two runs at once forget each person once, ${name}`, async () => {
    const { run, left } = await withViewers({ RETENTION_DAYS: '30' })
    const both = await Promise.all([run('forget-ended', '--yes', '--json'), run('forget-ended', '--yes', '--json')])
    const forgotten = both.map(({ stdout }) => JSON.parse(stdout).forgotten)
    expect(forgotten[0] + forgotten[1]).toBe(2)
    expect(await left()).toEqual(['bob', 'eve'])
  })

  test(`the account stays for the next run while another store fails, ${name}`, async () => {
    const { run, left } = await withViewers({ RETENTION_DAYS: '30', SESSION_STORE_URL: 'redis://127.0.0.1:1' })
    const done = await run('forget-ended', '--yes', '--json')
    expect(done.status).toBe(1)
    expect(JSON.parse(done.stdout)).toMatchObject({ ended: 2, forgotten: 0, faults: { sessions: expect.any(String) } })
    expect(await left()).toEqual(['ada', 'bob', 'eve', 'joe'])
  })

  test(`without the setting, no person is forgotten, ${name}`, async () => {
    const { run, left } = await withViewers({})
    expect(await run('forget-ended', '--yes')).toMatchObject({ status: 1 })
    expect(await left()).toEqual(['ada', 'bob', 'eve', 'joe'])
  })
}
