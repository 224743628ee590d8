import session, { type SessionData } from 'express-session'

type Callback<T = void> = (error: unknown, value?: T) => void
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
  class Store extends session.Store {
    override get(id: string, callback: Callback<SessionData | null>): void {
      void answer(() => read(id), callback)
    }
    override set(id: string, data: SessionData, callback?: Callback): void {
      void answer(() => write(id, data), callback)
    }
    override touch(id: string, data: SessionData, callback?: Callback): void {
      void answer(() => use(id, data), callback)
    }
    override destroy(id: string, callback?: Callback): void {
      void answer(() => remove(id), callback)
    }
  }
  return new Store()
}

async function answer<T>(step: () => Step<T>, callback: Callback<T> = () => {}): Promise<void> {
  let value: T
  try {
    value = await step()
  } catch (error) {
    return callback(error)
  }
  callback(null, value)
}
