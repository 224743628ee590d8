import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { RunningEmulator } from '../../../../src/tools/emulator/start-emulator.ts'

export interface EmulatorProcess extends Pick<RunningEmulator, 'url' | 'seed'> {
  /** Kills the process, as a crash would. */
  kill(): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('emulator-process.main.ts', import.meta.url))

/** Starts the emulator as a separate process. Several processes can share the database file. */
export async function startEmulatorProcess(dataFile: string): Promise<EmulatorProcess> {
  const child = spawn(process.execPath, [PROGRAM, dataFile], { stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('The emulator did not start'))),
  ])
  return { ...(JSON.parse(String(line)) as Pick<RunningEmulator, 'url' | 'seed'>), kill }
}
