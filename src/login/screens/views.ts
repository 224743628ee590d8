import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ejs from 'ejs'
import { assetAddress } from './assets.ts'

export type Views = ReturnType<typeof openViews>

const VIEWS = fileURLToPath(new URL('../../../views', import.meta.url))

/** Compiles the templates once, so that a mistake in a template stops the start. */
export function openViews() {
  return { signIn: compileView('sign-in'), message: compileView('message'), asset: assetAddress }
}

const compiled = new Map<string, ejs.TemplateFunction>()

/** Compiles a template of `views`, once for all entry points. @throws Error if the template is missing or has a mistake. */
export function compileView(name: string): ejs.TemplateFunction {
  const filename = join(VIEWS, `${name}.ejs`)
  const template = compiled.get(name) ?? ejs.compile(readFileSync(filename, 'utf8'), { filename, cache: true })
  compiled.set(name, template)
  return template
}
