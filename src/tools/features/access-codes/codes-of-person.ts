import { readFeatureSettings } from '../../../config.ts'
import { type CodeOfPerson, createCodeStore } from '../../../features/access-codes/codes/code-store.ts'
import { GUESTS_SETTINGS, withStoredGuests } from '../../../services/guests/settings.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import type { PersonRecords } from '../../cli/viewers/viewer-facts.ts'
import { rowOf } from './codes-command.ts'
import { now } from './open-codes.ts'

/** The access codes that name a person. */
export const codesOfPerson: PersonRecords = {
  field: 'accessCodes',
  find: (env, name) =>
    visit(
      env,
      name,
      () => true,
      ({ batch, code, uses, signIns }) => {
        const { groups, attributes } = code
        return Promise.resolve({
          entryPoint: batch.entryPoint,
          ...rowOf({ batch, code }, uses),
          groups,
          attributes,
          signIns,
        })
      },
    ),
  forget: async (env, name, sees) => (await visit(env, name, sees, (found, { forget }) => forget(found, now()))).length,
}

async function visit<T>(
  env: CommandIo['env'],
  name: string,
  sees: (entryPoint: string) => boolean,
  work: (found: CodeOfPerson, codes: ReturnType<typeof createCodeStore>) => Promise<T>,
): Promise<T[]> {
  const { settings } = readFeatureSettings({ PUBLIC_URL: 'http://localhost', ...env }, GUESTS_SETTINGS)
  return await withStoredGuests(settings, [], async (records) => {
    const codes = createCodeStore(records)
    const results: T[] = []
    for await (const found of codes.ofPerson(name, sees)) results.push(await work(found, codes))
    return results
  })
}
