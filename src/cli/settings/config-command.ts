import type { Command } from 'commander'
import { type Config, readConfig } from '../../config.ts'
import { ConfigError } from '../../errors.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { addressOf } from './chosen-entry-point.ts'
import { hasServiceSettings, readServiceSettings } from './read-service-settings.ts'

/** Adds `config check`, which checks the settings as `npm start` would. */
export function addConfigCommands(group: Command, context: CommandContext): void {
  addCommand(group, 'check', 'list every missing or wrong setting; exit status 1 if there is one', [
    'viewer-auth config check',
    'viewer-auth config check --json',
  ]).action(({ json }: { json?: boolean }) => runCommand(context, json, () => Promise.resolve(check(context.io))))
}

function check({ env }: CommandIo): Outcome {
  const app = settingsOrMistakes(() => readConfig(env))
  // The video service is optional: check its settings only if there are any.
  const hasService = hasServiceSettings(env)
  const service = hasService ? settingsOrMistakes(() => readServiceSettings(env)) : null
  const faults = [app, service].filter((result) => typeof result === 'string')
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
    'The settings are complete and valid.',
    ...config.entryPoints.map((entryPoint) => `  Entry point ${entryPoint.name}: ${addressOf(config, entryPoint)}`),
    hasService
      ? '  Video service: set'
      : '  Video service: not set. token, channel, lock and report need the settings SERVICE_…',
    ...config.warnings.map((warning) => `Warning: ${warning}`),
  ].join('\n')
}
