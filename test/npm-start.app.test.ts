import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import PACKAGE from '../package.json' with { type: 'json' }
import { programSettings } from './login/login-program.ts'
import { temporaryFolder } from './users/temporary-folder.ts'

const { scripts } = PACKAGE

test('SIGTERM to npm start stops the program cleanly, and frees its port', async () => {
  const folder = temporaryFolder()
  // A folder without an .env file.
  symlinkSync(fileURLToPath(new URL('../src', import.meta.url)), join(folder, 'src'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: scripts.start } }))
  const env = { ...programSettings(), PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder }
  const options = { cwd: folder, env, detached: true } as const
  const npm = spawn('npm', ['-s', 'start'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => endGroup(npm.pid))
  let output = ''
  npm.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const closed = once(npm.stdout, 'close')
  while (!output.includes('"started"')) await once(npm.stdout, 'data')
  const address = `http://127.0.0.1:${/"port":(\d+)/.exec(output)?.[1]}/health/live`
  expect((await fetch(address)).status).toBe(200)
  npm.kill('SIGTERM')
  await closed
  expect(output).toContain('"event":"stopped"')
  await expect(fetch(address)).rejects.toThrow('fetch failed')
})

test.each(['start', 'demo', 'emulator'] as const)('npm run %s leaves no shell that would keep signals', (script) => {
  expect(scripts[script]).toMatch(/^exec node /)
})

function endGroup(pid = Number.NaN): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All have ended.
  }
}
