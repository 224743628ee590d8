import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

export const MANY = 1_000_000
export const FEW = 1_000

/** Returns a name. Names with close numbers are far apart in alphabetical order. */
export function usernameOf(index: number): string {
  return `${(index * 2_654_435_761).toString(36)}.viewer@example.com`
}

/** Writes a file for `viewers import`, of viewers with a hash, a group and an attribute. */
export async function writeViewerFile(path: string, count: number, passwordHash: string): Promise<void> {
  const file = createWriteStream(path)
  file.write('username,password_hash,groups,department\n')
  for (let index = 0; index < count; index++) {
    const isRoom = file.write(`${usernameOf(index)},"${passwordHash}",staff,north\n`)
    if (!isRoom) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}
