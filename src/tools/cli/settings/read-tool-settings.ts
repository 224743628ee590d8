import type { z } from 'zod'
import { ConfigError } from '../../../errors.ts'
import { type Environment, sentenceOf } from '../../../settings/fields.ts'
import { readGivenSettings } from '../../../settings/named-file.ts'

/**
 * Reads the settings of a tool.
 * @param secrets those that may be in a file `NAME_FILE`.
 * @throws ConfigError that lists every missing or wrong setting. It repeats no value.
 */
export function readToolSettings<T>(env: Environment, schema: z.ZodType<T>, secrets: readonly string[]): T {
  const { given, unreadable, mistakes: faults } = readGivenSettings(env, secrets)
  const parsed = schema.safeParse(given)
  if (parsed.success && faults.length === 0) return parsed.data
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !unreadable.includes(String(path[0])))
  const mistakes = [...faults, ...issues.map(({ path, message }) => sentenceOf(path, message))]
  throw new ConfigError(`These settings are missing or wrong:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`)
}
