import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './installation.ts'

export const GOLD_SECRET = 'b81f4c02d97e36a5f0c8127d6e9a4b53'
const SILVER_SECRET = 'c92a5d13ea8f47b6a1d9238e7fab5c64'

/** Two entry points: only silver has the page, and only gold has a group, and single sign-on if it is given. */
export const twoEntryPoints = (goldSso: object = {}, silverSso: object = {}): Pick<Fault, 'settings'> => ({
  settings: ({ PLAYER_RETURN_URL = '', PLAYER_ORIGINS = '', USER_STORE_URL = '' }) => {
    const file = join(USER_STORE_URL.replace('sqlite:', ''), '../entry-points.json')
    const playerOrigins = PLAYER_ORIGINS.split(',')
    const shared = { playerReturnUrl: PLAYER_RETURN_URL, playerOrigins }
    const gold = { ...shared, name: 'gold', secret: GOLD_SECRET, allowedGroups: ['gold'], ...goldSso }
    const entryPoints = [
      { ...gold, playerOrigins: playerOrigins.slice(0, 1) },
      { ...shared, name: 'silver', secret: SILVER_SECRET, ...silverSso },
    ]
    writeFileSync(file, JSON.stringify(entryPoints), { mode: 0o600 })
    return { ENTRY_POINTS_FILE: file, HASH_SECRET: '', PLAYER_RETURN_URL: '', PLAYER_ORIGINS: '' }
  },
})
