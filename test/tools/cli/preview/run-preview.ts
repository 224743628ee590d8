import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

/** Runs `brand preview`, and reads its file. */
export async function runPreview(env: Record<string, string>, args: readonly string[] = []) {
  const cwd = temporaryFolder()
  const file = join(cwd, 'screens.html')
  const ended = await runHere(['brand', 'preview', '--output', file, ...args], { cwd, env })
  if (ended.status !== 0) return { ...ended, file, html: '', names: [], screens: [] }
  const html = readFileSync(file, 'utf8')
  const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html) ?? []
  const { screens }: { screens: { id: string; html: string; sizes: string[] }[] } = JSON.parse(json)
  const names = [...html.matchAll(/<section id="screen-\d+">\n<h2>([^<]*)/g)].map(([, name = '']) => name)
  return { ...ended, file, html, names, screens }
}

/** Starts a server that no preview may connect to. */
export async function startUntouched() {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { host: `127.0.0.1:${port}`, connections: () => connections }
}
