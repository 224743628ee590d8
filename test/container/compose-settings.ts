import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { settingNames } from '../../src/config.ts'
import type { Block } from '../documentation/block.ts'
import { isSecret } from '../kit-settings.ts'

/** The container decides these. */
const OF_CONTAINER = ['PORT', 'HOST']
const FILE = 'compose.yaml'

/**
 * The settings that compose.yaml passes on from `.env`, in the order of the schema. An `env_file` would also hand the
 * app the secrets of the tools. Of a secret, only the file is passed on.
 */
export const composeSettings: Block = {
  name: 'settings',
  file: FILE,
  lines() {
    const written = settingsOutsideBlock()
    return settingNames()
      .filter((name) => !isSecret(name) && !OF_CONTAINER.includes(name) && !written.includes(name))
      .map((name) => `    ${name}: \${${name}:-}`)
  },
}

/** The settings of the app that compose.yaml decides itself, and secrets that Compose mounts. */
function settingsOutsideBlock(): string[] {
  const text = readFileSync(fileURLToPath(new URL(`../../${FILE}`, import.meta.url)), 'utf8')
  const [, login = ''] = /^x-login:[\s\S]*?^ {2}environment: &login-settings\n([\s\S]*?)^\S/m.exec(text) ?? []
  const outside = login.replace(/^.*settings: written by[\s\S]*end of settings$/m, '')
  return [...outside.matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name = '']) => name)
}
