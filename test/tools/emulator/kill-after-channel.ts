import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { startEmulatorProgram } from './emulator-program.ts'

interface Seed {
  clients: [{ client_id: string; client_secret: string }]
  users: [{ username: string; password: string }]
}

async function tokenOf(url: string): Promise<string> {
  const { clients } = (await (await fetch(`${url}/emulator/seed`)).json()) as Seed
  const [{ client_id, client_secret }] = clients
  const answer = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

/**
 * Kills `npm run emulator` again and again, each time right after it answered that a channel was created.
 * Fails when a channel is lost.
 */
export async function killAfterEachChannel(dataFolder: string, kills: number): Promise<void> {
  const dataFile = join(dataFolder, 'emulator.db')
  const settings = { EMULATOR_DATA_FILE: dataFile }
  const first = startEmulatorProgram(settings)
  const authorization = `Bearer ${await tokenOf(await first.url)}`
  first.child.kill('SIGTERM')
  await first.ended
  for (let kill = 1; kill <= kills; kill += 1) {
    const { child, url, ended } = startEmulatorProgram(settings)
    const created = await fetch(`${await url}/users/self/channels.json`, {
      method: 'POST',
      headers: { Authorization: authorization },
      body: new URLSearchParams({ title: `Channel ${kill}` }),
    })
    child.kill('SIGKILL')
    expect(created.status).toBe(201)
    await ended
    const database = new DatabaseSync(dataFile)
    const row = database.prepare(`SELECT count(*) AS n FROM channels WHERE title LIKE 'Channel %'`).get()
    database.close()
    expect(row?.n).toBe(kill)
  }
}
