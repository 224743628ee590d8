import { callbackify } from 'node:util'
import session, { type SessionData } from 'express-session'

type Step<T = void> = Promise<T> | T

/** The work of a store on the session with an id. */
export interface SessionSteps {
  /** Returns null for a session that is unknown, or has ended. */
  read(id: string): Step<SessionData | null>
  write(id: string, data: SessionData): Step
  /** Notes a use. Called at each use, so most of them need no write. */
  use(id: string, data: SessionData): Step
  remove(id: string): Step
}

/** Returns a store for express-session, which accepts only instances of its own Store class. */
export function expressStore({ read, write, use, remove }: SessionSteps): session.Store {
  const Store = session.Store as unknown as new () => session.Store
  return Object.assign(new Store(), {
    get: callbackify((id: string) => Promise.try(read, id)),
    set: callbackify((id: string, data: SessionData) => Promise.try(write, id, data)),
    touch: callbackify((id: string, data: SessionData) => Promise.try(use, id, data)),
    destroy: callbackify((id: string) => Promise.try(remove, id)),
  })
}
