import { EmulatorStartError } from './companion.ts'
import { readSeedFile } from './seed/seed-file.ts'
import { readEmulatorSettings } from './settings.ts'
import { type RunningEmulator, SERVICE_KEY_BITS, startEmulator } from './start-emulator.ts'

// A full disk or a closed pipe must not end the emulator.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

const settingsRead = readEmulatorSettings(process.env, process.argv.slice(2))
if (!settingsRead.ok) {
  process.stderr.write(`${settingsRead.message}\n`)
  process.exit(settingsRead.status)
}
const { settings, seedViews, seedFile, isStrict } = settingsRead

const emulator = await start().catch((error: unknown) => {
  process.stderr.write(`${error instanceof EmulatorStartError ? error.message : String(error)}\n`)
  process.exit(1)
})

process.stdout.write(`The emulated video service is at ${emulator.url}/\n`)
for (const { introduction } of emulator.companions) process.stdout.write(`${introduction}\n`)
let isStopping = false
// Stays registered: with Ctrl-C, the terminal and npm each send a signal.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(emulator))

async function start(): Promise<RunningEmulator> {
  return await startEmulator({
    port: settings.EMULATOR_PORT,
    host: settings.EMULATOR_HOST,
    dataFile: settings.EMULATOR_DATA_FILE,
    isStrict,
    delegatesLocalNetwork: settings.EMULATOR_LOCAL_NETWORK === 'on',
    serviceKeyBits: SERVICE_KEY_BITS,
    companions: {
      ports: settings.companionPorts,
      loginUrl: settings.EMULATOR_LOCK_URL,
    },
    seed: {
      ...(seedFile !== undefined && { file: readSeedFile(seedFile) }),
      views: seedViews,
      lock: {
        url: settings.EMULATOR_LOCK_URL,
        ...(settings.EMULATOR_LOCK_SECRET !== undefined && { secret: settings.EMULATOR_LOCK_SECRET }),
      },
    },
  })
}

function stop({ close }: RunningEmulator): void {
  if (isStopping) return
  isStopping = true
  close().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
}
