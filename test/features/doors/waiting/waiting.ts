import { expect } from 'vitest'
import type { DoorSettings } from '../../../../src/features/doors/fields.ts'
import type { EventWindow } from '../../../../src/settings/event-window.ts'
import { ENTRY_POINT } from '../../../login/entry-point.ts'
import { ADA, type Answer, type LoginAppOptions, START_SECONDS, startLoginApp } from '../../../login/start-login-app.ts'
import { withDoors } from '../entry-point.ts'

/** Within the life of a pass. */
export const OPENS = START_SECONDS + 600
export const CLOSES = OPENS + 7200
export const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' }
export const WAITING: Partial<DoorSettings> = {
  windows: [{ opensAtSeconds: OPENS, closesAtSeconds: CLOSES }],
  hasWaitingRoom: true,
}

/** Starts the app with a waiting room until the test ends. The door opens in an hour. */
export async function startWaiting(options: LoginAppOptions = {}) {
  // The doors of settings are an array that a test may change, as the file of entry points may.
  const windows: EventWindow[] = [...(WAITING.windows ?? [])]
  const app = await startLoginApp({ entryPoints: [withDoors(ENTRY_POINT, { ...WAITING, windows })], ...options })
  /** Follows to the page. A viewer with a session has it already. */
  const follow = (answer: Answer, headers = {}) => {
    if (answer.status === 200) return Promise.resolve(answer)
    expect([answer.status, answer.location]).toEqual([303, expect.stringMatching(/^(\/e\/\w+)?\/wait\?pass=/)])
    return app.get(answer.location ?? '', headers)
  }
  return {
    ...app,
    follow,
    /** Signs in, and follows to the page. */
    enter: async (fields = {}) => follow(await app.post('/sign-in', { ...ADA, ...fields }, OWN_PAGE)),
    /** Loads a page again, as its header says. */
    reload: (page: Answer, headers = {}) => app.get(refreshOf(page).path, headers),
    moveDoor(opensAtSeconds: number, closesAtSeconds: number): void {
      windows.splice(0, windows.length, { opensAtSeconds, closesAtSeconds })
    },
  }
}

export const reasonOf = ({ text }: Answer) => /<meta name="reason" content="([^"]*)"/.exec(text)?.[1]

/** Returns the seconds and the address of the next reload. */
export function refreshOf({ headers }: Answer): { readonly seconds: number; readonly path: string } {
  const [, seconds = '', path = ''] = /^(\d+); url=(\/\S+)$/.exec(headers.refresh ?? '') ?? []
  return { seconds: Number(seconds), path }
}

export function passIn(page: Answer): string {
  return new URLSearchParams(refreshOf(page).path.split('?')[1]).get('pass') ?? ''
}

/** Expects the page, without a response for the player and without a cookie. */
export function expectWaiting(page: Answer): void {
  expect([page.status, reasonOf(page), page.location, page.setCookies]).toEqual([200, 'waiting', undefined, []])
  expect(passIn(page)).not.toBe('')
}
