import { readConfig } from '../../../../config.ts'
import { ConfigError } from '../../../../errors.ts'
import { codeKey, viewerOf } from '../../../../features/access-codes/codes/code-records.ts'
import { type CodeStore, createCodeStore } from '../../../../features/access-codes/codes/code-store.ts'
import { withGuestStore } from '../../../../services/guests/record-stores.ts'
import type { GuestsSettings } from '../../../../services/guests/settings.ts'
import type { Viewer } from '../../../../users/user-store.ts'
import { canonicalText } from '../../../../users/viewer-fields.ts'
import type { TimeRange } from '../../../cli/output/time-range.ts'
import { isInGroup, type PeopleChoice, type Person, personOf } from '../../../cli/report/attendance/invited/people.ts'
import type { CommandIo } from '../../../cli/terminal/io.ts'

/**
 * Reads the people with access codes of all entry points: each personal code, and each sign-in with a shared one.
 * @throws ConfigError if there are none.
 */
export async function codePeople({ env }: CommandIo, choice: PeopleChoice): Promise<Person[]> {
  const { store } = readConfig(env).features.guests as GuestsSettings
  const wanted = choice.groups.map(canonicalText)
  const people: Person[] = []
  await withGuestStore(store, async (records) => {
    for await (const viewer of viewersOf(createCodeStore(records), choice.range)) {
      people.push(personOf(viewer, choice, isInGroup(viewer, wanted)))
    }
  })
  if (people.length === 0)
    throw new ConfigError('--invited codes: no access code was valid in this period. Check GUESTS_STORE_URL.')
  return people
}

async function* viewersOf(codes: CodeStore, range?: TimeRange): AsyncGenerator<Viewer> {
  const { fromMs, toMs } = range ?? { fromMs: -Infinity, toMs: Infinity }
  for (const batch of await codes.batches()) {
    const { createdAtSeconds, endsAtSeconds, revokedAtSeconds } = batch
    const endsAtMs = Math.min(endsAtSeconds ?? Infinity, revokedAtSeconds ?? Infinity) * 1000
    // The codes of an earlier event stay for months.
    if (createdAtSeconds * 1000 >= toMs || endsAtMs <= fromMs) continue
    for await (const { code, uses } of codes.codesOf(batch)) {
      if (!batch.isShared) {
        yield viewerOf({ batch, code }, 1, uses?.name ?? null).viewer
        continue
      }
      const names = new Map<number, string>()
      for await (const { number, name } of codes.people(codeKey(batch, code.number))) names.set(number, name)
      for (let use = 1; use <= (uses?.count ?? 0); use += 1) {
        yield viewerOf({ batch, code }, use, names.get(use) ?? null).viewer
      }
    }
  }
}
