import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../../../config.ts'
import { ConfigError } from '../../../errors.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { textTable } from '../terminal/table.ts'
import { addressOf } from './chosen-entry-point.ts'
import { appValues, entryPointValues, type ShownSettings } from './config-tables.ts'
import { hasServiceSettings, readServiceSettings } from './read-service-settings.ts'

/** Adds `config check`, which checks the settings as `npm start` would, and shows what the app will do. */
export function addConfigCommands(group: Command, context: CommandContext): void {
  addCommand(group, 'check', 'list every missing or wrong setting, or show what the app will do', [
    'viewer-auth config check',
    'viewer-auth config check --json',
  ]).action(({ json }: { json?: boolean }) => runCommand(context, json, () => check(context.io)))
}

async function check({ env, stdout }: CommandIo): Promise<Outcome> {
  const app = settingsOrMistakes(() => readConfig(env))
  // The video service is optional: check its settings only if there are any.
  const hasService = hasServiceSettings(env)
  const service = hasService ? settingsOrMistakes(() => readServiceSettings(env)) : null
  const logFault = typeof app === 'string' ? null : faultOfLog(app.securityLogFile)
  const faults = [app, service, logFault].filter((result) => typeof result === 'string')
  if (typeof app === 'string' || faults.length > 0) return { ok: false, fault: faults.join('\n') }
  return { ok: true, text: await describe(app, env, hasService, stdout), data: report(app, env, hasService) }
}

function settingsOrMistakes<T extends object>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

/** Returns a sentence if the start could not open the security log. Creates no file. */
function faultOfLog(file: string | null): string | null {
  try {
    if (file !== null) accessSync(existsSync(file) ? file : dirname(file), constants.W_OK)
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return `SECURITY_LOG_FILE cannot be opened (${code}). Set a file that this user may write.`
  }
}

function report(config: Config, env: CommandIo['env'], hasService: boolean): object {
  const entryPoints = config.entryPoints.map((entryPoint) => ({
    name: entryPoint.name,
    address: addressOf(config, entryPoint),
    settings: entryPointValues(config, entryPoint, env),
  }))
  return { entryPoints, settings: appValues(env), service: hasService, warnings: config.warnings }
}

async function describe(
  config: Config,
  env: CommandIo['env'],
  hasService: boolean,
  stdout: CommandIo['stdout'],
): Promise<string> {
  const table = (title: string, values: ShownSettings) => textTable(stdout, [title, ''], Object.entries(values))
  const tables = config.entryPoints.map((entryPoint) =>
    table(`Entry point ${entryPoint.name}`, entryPointValues(config, entryPoint, env)),
  )
  tables.push(table('The app', appValues(env)))
  const lines = [
    hasService
      ? 'Video service: set'
      : 'Video service: not set. token, channel, lock and report need the settings SERVICE_…',
    ...config.warnings.map((warning) => `Warning: ${warning}`),
  ]
  const blocks = ['The settings are complete and valid.', ...(await Promise.all(tables)), lines.join('\n')]
  return blocks.join('\n\n')
}
