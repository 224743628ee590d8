import { join } from 'node:path'

/** Returns the USER_STORE_URL for viewers in a file in this folder. */
export function viewersUrl(folder: string): string {
  return `sqlite:${join(folder, 'viewers.db')}`
}
