import type { Response } from 'express'
import type { Coded } from '../../../errors.ts'
import type { Manager, Role } from '../../cli/manager/accounts/manager-store.ts'
import type { Words } from '../pages/words.ts'
import type { Scope } from './scope.ts'

/** A sentence on a page. Its text by the key. */
export interface Sentence {
  readonly text: string
  readonly values?: Readonly<Record<string, string | number>>
}

/** A message on the next page, perhaps with a button that undoes the act. Texts by their keys. */
export interface Notice extends Sentence {
  readonly tone: 'done' | 'refused'
  /** Sentences after the text. */
  readonly notes?: readonly Sentence[]
  readonly undo?: { readonly action: string; readonly fields: Readonly<Record<string, string>> }
}

/** The subject of an act, for the log. */
export interface ActSubject {
  readonly viewer?: string
  readonly entryPoint?: string
  /** An address or network that was unlocked. */
  readonly target?: string
  readonly count?: number
  readonly detail?: string
}

export type Answer =
  /** @property view a template of views/manager. @property reload the page that the browser loads by itself. */
  | {
      readonly kind: 'page'
      readonly view: string
      readonly model: object
      readonly status?: number
      readonly reload?: { readonly to: string; readonly seconds: number }
    }
  | { readonly kind: 'redirect'; readonly to: string; readonly notice?: Notice; readonly subject?: ActSubject }
  | { readonly kind: 'file'; readonly name: string; readonly type: string; readonly content: string | Buffer }
  | { readonly kind: 'stream'; readonly open: (res: Response) => void }

/** An uploaded file. */
export interface Upload {
  readonly name: string
  readonly content: Buffer
}

/** A request that the door let in. */
export interface Visit {
  readonly manager: Manager
  readonly scope: Scope
  /** Returns a field of the form or the query; empty for a missing or repeated one. */
  field(name: string): string
  fields(name: string): readonly string[]
  /** Returns a field of a form that comes back, because it was not done: empty for a missing one. Else returns `fresh`. */
  typed(name: string, fresh: string): string
  /** Returns a part of the path, decoded, or of the form that comes back. */
  part(name: string): string
  readonly upload: Upload | null
  readonly words: Words
  /** The id of the session, for data that a page keeps until the next page. */
  readonly sessionId: string
  /** True while the session counts. Does not use the session. */
  readonly isSignedIn: () => boolean
  /** The token of the session, for forms that a stream renders. */
  readonly formToken: string
}

/** A page or an act. A table of routes is the only way into the program: `createDoor` refuses a route without a role. */
export interface Route {
  readonly method: 'get' | 'post'
  /** `:name` stands for a viewer, and `:entryPoint` for an entry point. The door checks that the manager may see it. */
  readonly path: string
  readonly roles: readonly Role[]
  /** The name of the act in the log. Every post has one. */
  readonly act?: string
  /** True if the form has a file. */
  readonly hasUpload?: boolean
  handle(visit: Visit): Promise<Answer> | Answer
}

/** All roles that may use the page. */
export const ALL_ROLES: readonly Role[] = ['event-manager', 'help-desk', 'reader']
/** Roles that change viewers, doors and events. */
export const EDITORS: readonly Role[] = ['event-manager']
/** Roles that let in viewers whom a limit holds back. */
export const UNLOCKERS: readonly Role[] = ['event-manager', 'help-desk']

type Handle = Route['handle']

/** Makes the route of a page. */
export function get(path: string, roles: readonly Role[], handle: Handle): Route {
  return { method: 'get', path, roles, handle }
}

/** Makes the route of an act. @param act its name in the log. */
export function post(path: string, roles: readonly Role[], act: string, handle: Handle): Route {
  return { method: 'post', path, roles, act, handle }
}

export function page(view: string, model: object, status = 200): Answer {
  return { kind: 'page', view, model, status }
}

export function redirect(to: string, notice?: Notice, subject?: ActSubject): Answer {
  return { kind: 'redirect', to, ...(notice && { notice }), ...(subject && { subject }) }
}

/** Redirects with the message of a failed act, and its fault. */
export function refused(
  to: string,
  text: string,
  fault: Coded,
  { values, subject }: { readonly values?: Sentence['values']; readonly subject?: ActSubject } = {},
): Answer {
  return redirect(to, { tone: 'refused', text, notes: [sentenceOf(fault)], ...(values && { values }) }, subject)
}

/**
 * Returns the sentence of a fault of a store or a command. A fault without a code is one for an engineer: no page has its
 * words, which are for a terminal.
 */
export function sentenceOf({ code, values = {} }: Coded): Required<Sentence> {
  return { text: code === undefined ? 'errors.askEngineer' : `faults.${code}`, values }
}
