import type { Command } from 'commander'
import { type Config, readConfig } from '../../config.ts'
import { ConfigError } from '../../errors.ts'
import { addCommand, addGroup, type CommandContext, type Outcome, runCommand } from '../command.ts'
import { readServiceSettings } from '../service/service.ts'
import type { CommandIo } from '../terminal/io.ts'
import { addressOf } from './chosen-entry-point.ts'

/** `config …`: the settings of the login app, as `npm start` would find them. */
export function addConfigCommands(program: Command, context: CommandContext): void {
  const group = addGroup(program, 'config', 'the settings, from the environment or the file .env')
  addCommand(group, 'check', 'name every setting that is missing or wrong; exit status 1 when one is', [
    'viewer-auth config check',
    'viewer-auth config check --json',
  ]).action(({ json }: { json?: boolean }) => runCommand(context, json, () => Promise.resolve(check(context.io))))
}

function check({ env }: CommandIo): Outcome {
  const app = settingsOrMistakes(() => readConfig(env))
  // Who has no command line for the service need not say where it is.
  const hasService = Object.entries(env).some(([name, value]) => name.startsWith('SERVICE_') && value !== '')
  const service = hasService ? settingsOrMistakes(() => readServiceSettings(env)) : null
  const faults = [app, service].filter((found) => typeof found === 'string')
  if (typeof app === 'string' || faults.length > 0) return { ok: false, fault: faults.join('\n') }
  return { ok: true, text: describe(app, hasService), data: report(app, hasService) }
}

function settingsOrMistakes<T extends object>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

function report(config: Config, hasService: boolean): object {
  const entryPoints = config.entryPoints.map((entryPoint) => ({
    name: entryPoint.name,
    address: addressOf(config, entryPoint),
  }))
  return { entryPoints, service: hasService, warnings: config.warnings }
}

function describe(config: Config, hasService: boolean): string {
  return [
    'The settings are complete and well-formed.',
    ...config.entryPoints.map((entryPoint) => `  Entry point ${entryPoint.name}: ${addressOf(config, entryPoint)}`),
    hasService ? '  Video service: set' : '  Video service: not set (SERVICE_…), so no token, channel, lock and report',
    ...config.warnings.map((warning) => `Warning: ${warning}`),
  ].join('\n')
}
