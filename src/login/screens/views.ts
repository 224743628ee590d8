import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ejs from 'ejs'

export interface Views {
  readonly signIn: ejs.TemplateFunction
  readonly message: ejs.TemplateFunction
  readonly asset: (name: string) => string
}

/** Compiles the templates once, so that a mistake in a template stops the start. */
export function openViews(viewsFolder: string, publicFolder: string): Views {
  const addresses = new Map<string, string>()
  const asset = (name: string) => {
    const known = addresses.get(name)
    if (known !== undefined) return known
    const digest = createHash('sha256').update(readFileSync(join(publicFolder, name)))
    const address = `/assets/${name}?v=${digest.digest('base64url').slice(0, 10)}`
    addresses.set(name, address)
    return address
  }
  return { signIn: compileView(viewsFolder, 'sign-in'), message: compileView(viewsFolder, 'message'), asset }
}

/** @throws Error if the template is missing or has a mistake. */
export function compileView(folder: string, name: string): ejs.TemplateFunction {
  const filename = join(folder, `${name}.ejs`)
  return ejs.compile(readFileSync(filename, 'utf8'), { filename, cache: true })
}
