import { parseArgs } from 'node:util'
import { z } from 'zod'
import { orUndefined } from '../../errors.ts'
import { isLoopbackName } from '../../settings/fields.ts'
import type { Companion } from './companion.ts'
import { COMPANIONS } from './running-companions.ts'

const MAX_SEED_VIEWS = 10_000_000

const Port = z.coerce
  .number({ error: 'must be a port number' })
  .int('must be a whole number')
  .min(0, 'must be between 0 and 65535')
  .max(65_535, 'must be between 0 and 65535')

const LockUrl = z.string().refine(isHttpUrl, 'must be an absolute http or https address')

/**
 * Settings of `npm run emulator`. EMULATOR_LOCK_URL and EMULATOR_LOCK_SECRET name the login app of the seeded locks.
 * Without a secret the emulator generates one and shows it in `/emulator/seed`.
 */
const Settings = z.object({
  EMULATOR_PORT: Port.default(4000),
  EMULATOR_HOST: z
    .string()
    .refine(
      isLoopbackName,
      'must be a loopback address, because the emulator shows its secrets to everyone who reaches it',
    )
    .default('127.0.0.1'),
  EMULATOR_DATA_FILE: z.string().min(1, 'must be a file name or ":memory:"').default('data/emulator.db'),
  EMULATOR_LOCK_URL: LockUrl.default('http://localhost:3000/'),
  EMULATOR_LOCK_SECRET: z.string().min(1, 'must not be empty').optional(),
  /** A JSON file. Without it the emulator has its default seed. */
  EMULATOR_SEED_FILE: z.string().optional(),
  /** Refuses what the documents do not have. */
  EMULATOR_STRICT: z.enum(['on', 'off'], 'must be on or off').default('off'),
  /** Lets the frames of the player ask the viewer for local networks, as a login app on an intranet needs it. */
  EMULATOR_LOCAL_NETWORK: z.enum(['on', 'off'], 'must be on or off').default('off'),
})

/** Settings of `npm run demo`. The demo sets all others itself. */
const DemoSettings = z.object({
  /** Port of the login app; 0 picks a free port. */
  DEMO_PORT: Port.default(3000),
  EMULATOR_PORT: Port.default(4000),
  /** A folder of its own, never the folder of a real installation. */
  DEMO_DATA_FOLDER: z.string().min(1).default('data/demo'),
  /** Passed on to the login app. A short lifetime shows how the player asks again. */
  HASH_LIFETIME_SECONDS: z.string().default('3600'),
})

interface CompanionPorts {
  /** The ports of the companions that start, by their names. */
  readonly companionPorts: Readonly<Record<string, number>>
}

export type EmulatorSettings = z.infer<typeof Settings> & CompanionPorts

export type DemoSettings = z.infer<typeof DemoSettings> & CompanionPorts

/** `status` is the exit status: 1 for a wrong setting, 2 for a wrong argument. */
export type Refusal = { ok: false; message: string; status: 1 | 2 }
export type SettingsResult<T> = { ok: true; settings: T } | Refusal

type Environment = Record<string, string | undefined>

const USAGE = 'Usage: npm run emulator -- [--strict] [--seed FILE] [--seed-views N], with N from 0 to 10000000'

/** The arguments of `npm run emulator`. `seedViews` is the least number of view segments. */
type EmulatorArguments = NonNullable<ReturnType<typeof readArguments>>

/**
 * Reads the settings, or lists all mistakes at once in a text for the terminal. An empty variable counts as unset.
 * @param args an argument wins over its setting.
 */
export function readEmulatorSettings(
  env: Environment,
  args: readonly string[],
): (SettingsResult<EmulatorSettings> & { ok: true } & EmulatorArguments) | Refusal {
  const given = readArguments(args)
  if (given === null) return { ok: false, message: USAGE, status: 2 }
  const settingsRead = readSettings(Settings, () => Port.optional(), env, 'The emulator')
  if (!settingsRead.ok) return settingsRead
  const { EMULATOR_SEED_FILE, EMULATOR_STRICT } = settingsRead.settings
  const seedFile = given.seedFile ?? EMULATOR_SEED_FILE
  return { ...settingsRead, ...given, seedFile, isStrict: given.isStrict || EMULATOR_STRICT === 'on' }
}

function readArguments(args: readonly string[]) {
  const options = {
    seed: { type: 'string' },
    'seed-views': { type: 'string', default: '0' },
    strict: { type: 'boolean', default: false },
  } as const
  const { values } = orUndefined(() => parseArgs({ args: [...args], options })) ?? {}
  const count = values?.['seed-views'] ?? ''
  if (!values || !/^\d{1,8}$/.test(count) || Number(count) > MAX_SEED_VIEWS) return null
  return { seedViews: Number(count), seedFile: values.seed, isStrict: values.strict }
}

/** Like readEmulatorSettings(). */
export function readDemoSettings(env: Environment): SettingsResult<DemoSettings> {
  return readSettings(DemoSettings, ({ demoPort }) => Port.default(demoPort), env, 'The demo')
}

function readSettings<T>(
  schema: z.ZodType<T>,
  portOf: (companion: Companion) => z.ZodType<number | undefined>,
  env: Environment,
  program: string,
): SettingsResult<T & CompanionPorts> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  const Ports = z.object(Object.fromEntries(COMPANIONS.map((companion) => [companion.portSetting, portOf(companion)])))
  const ports = Ports.safeParse(given)
  if (parsed.success && ports.success) {
    const companionPorts = COMPANIONS.flatMap(({ name, portSetting }) => {
      const port = ports.data[portSetting]
      return port === undefined ? [] : [[name, port] as const]
    })
    return { ok: true, settings: { ...parsed.data, companionPorts: Object.fromEntries(companionPorts) } }
  }
  const issues = [...(parsed.error?.issues ?? []), ...(ports.error?.issues ?? [])]
  const lines = issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`)
  return { ok: false, message: `${program} cannot start:\n${lines.join('\n')}`, status: 1 }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
