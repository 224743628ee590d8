import { ConfigError } from '../../../errors.ts'
import { newSecret } from '../settings/secret-command.ts'
import type { Values } from './env-file.ts'
import { mistakesIn, settingOf, type Trial } from './trial.ts'

const GENERATED: readonly string[] = ['HASH_SECRET', 'SESSION_SECRET']

/**
 * Returns the changes with a new value for each secret that is missing. A secret that is there stays.
 * @throws ConfigError that lists what is still wrong.
 */
export function withSecrets(trial: Pick<Trial, 'env' | 'changes'>): Values {
  const isMissing = (name: string) => !trial.env[name] && !trial.env[`${name}_FILE`]
  const wanted = mistakesIn(trial.env)
    .map(settingOf)
    .filter((name) => GENERATED.includes(name) && isMissing(name))
  const secrets = Object.fromEntries(wanted.map((name) => [name, newSecret()]))
  const left = mistakesIn({ ...trial.env, ...secrets })
  if (left.length > 0) throw new ConfigError(`${left.join('\n  ')}\nNothing was changed.`)
  return { ...trial.changes, ...secrets }
}
