import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { programSettings } from './login/login-program.ts'

vi.setConfig({ testTimeout: 30_000 })

const PROGRAM = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Starts the program below a shell that forwards no signals, as npm does. Ends the shell when the program listens. */
async function startOrphan(variables: Record<string, string>) {
  const shell = spawn('sh', ['-c', '"$0" "$1" & echo $!; wait', process.execPath, PROGRAM], {
    env: { ...programSettings(), ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const closed = once(shell.stdout, 'close')
  while (!output.includes('"started"')) await once(shell.stdout, 'data')
  const address = `http://127.0.0.1:${/"port":(\d+)/.exec(output)?.[1]}/health/live`
  const pid = Number.parseInt(output, 10)
  onTestFinished(() => endIfRunning(pid))
  shell.kill('SIGTERM')
  return { address, closed, output: () => output }
}

function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

test('a program stops cleanly when its npm ends, and frees its port', async () => {
  const { address, closed, output } = await startOrphan({ npm_lifecycle_event: 'start' })
  await closed
  expect(output()).toContain('"event":"stopped"')
  await expect(fetch(address)).rejects.toThrow('fetch failed')
})

test('a program that was not started by npm outlives its shell', async () => {
  const { address } = await startOrphan({})
  await sleep(1_500)
  expect((await fetch(address)).status).toBe(200)
})
