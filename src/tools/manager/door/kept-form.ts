import type { Request } from 'express'
import type { KeptBySession } from '../kept-values.ts'
import type { Form } from './form-body.ts'
import type { Route } from './route.ts'

/** A form that was not done, until its page shows it again; or the page that a manager wanted after the session ended. */
export interface KeptForm {
  /** The path of the page, with its query if it had no form. */
  readonly page: string
  /** The fields, without passwords. Null for a page without a form, and for a form without fields. */
  readonly values: Form['values'] | null
  /** The parts of the path of the form, such as the entry point. */
  readonly parts: Request['params']
  /** True if the page has the path of the form, so that the fields are its query. */
  readonly isOwnPage: boolean
}

export type KeptForms = KeptBySession<KeptForm>

const SECRET = /^(?:token|repeated)$|password/i

/** Returns a form for its page: the longest path of the table that begins the path of the form. */
export function keptForm(routes: readonly Route[], { path }: Route, req: Request, { values }: Form): KeptForm {
  const isPage = (parts: readonly string[]) =>
    routes.some((route) => route.method === 'get' && route.path === parts.join('/'))
  const parts = path.split('/')
  while (parts.length > 1 && !isPage(parts)) parts.pop()
  const typed = new Map([...values].filter(([name]) => !SECRET.test(name)))
  return {
    page: req.path.split('/').slice(0, parts.length).join('/') || '/',
    values: typed.size > 0 ? typed : null,
    parts: req.params,
    isOwnPage: parts.join('/') === path,
  }
}
