import { fileURLToPath } from 'node:url'
import ejs from 'ejs'

const view = (name: string) => fileURLToPath(new URL(`./views/${name}.ejs`, import.meta.url))

/** Renders a page of the provider as HTML. */
export type RenderPage = (name: 'sign-in' | 'message', locals: Readonly<Record<string, unknown>>) => Promise<string>

/** @param stylesheetPath the path of the pages' stylesheet. */
export function pageRenderer(stylesheetPath: string): RenderPage {
  return (name, locals) => ejs.renderFile(view(name), { stylesheetPath, ...locals }, { cache: true })
}
