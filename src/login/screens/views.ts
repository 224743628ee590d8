import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ejs from 'ejs'

export interface Views {
  readonly signIn: ejs.TemplateFunction
  readonly message: ejs.TemplateFunction
  readonly asset: (name: string) => string
}

const VIEWS = fileURLToPath(new URL('../../../views', import.meta.url))
export const PUBLIC = fileURLToPath(new URL('../../../public', import.meta.url))
const addresses = new Map<string, string>()

/** Compiles the templates once, so that a mistake in a template stops the start. */
export function openViews(): Views {
  return { signIn: compileView('sign-in'), message: compileView('message'), asset: assetAddress }
}

/** Returns the address of a file in `public`. It changes with the content, so browsers may keep the file. */
export function assetAddress(name: string): string {
  const known = addresses.get(name)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(readFileSync(join(PUBLIC, name)))
  const address = `/assets/${name}?v=${digest.digest('base64url').slice(0, 10)}`
  addresses.set(name, address)
  return address
}

/** Compiles a template of `views`. @throws Error if the template is missing or has a mistake. */
export function compileView(name: string): ejs.TemplateFunction {
  const filename = join(VIEWS, `${name}.ejs`)
  return ejs.compile(readFileSync(filename, 'utf8'), { filename, cache: true })
}
