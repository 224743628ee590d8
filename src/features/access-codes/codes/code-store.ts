import type { GuestRecords, RecordWrite } from '../../../services/guests/guest-records.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import { Batch, batchKey, Code, codeKey, type KnownCode, readSubject, Uses } from './code-records.ts'
import { typedRecords } from './typed-records.ts'
import { createUseCounter, USES } from './use-counter.ts'

/** A code to store, with the digest of its text. */
export interface NewCode extends Code {
  readonly digest: string
}

/** A code as commands list it. */
export interface ListedCode {
  readonly code: Code
  /** Null for a code that was never used. */
  readonly uses: Uses | null
}

/** A code that names a person. */
export interface CodeOfPerson extends KnownCode, ListedCode {
  /** True for the code of this person. Else the person typed the name at a sign-in. */
  readonly isOwn: boolean
  /** True if the name that was typed last is that of this person. */
  readonly isLast: boolean
  /** The sign-ins with this name, of a shared code. */
  readonly signIns: readonly number[]
}

/** The codes in the guests store. Every function throws an UpstreamError if the store does not answer. */
export type CodeStore = ReturnType<typeof createCodeStore>

const BATCHES = 'code-batch'
const CODES = 'code'
/** Records that lead from the digest of a code to its key. */
const DIGESTS = 'code-digest'
/** A code is two records. */
const CODES_IN_WRITE = 400
/** A used code is three records. */
const CODES_IN_REMOVAL = 300
const KEPT_SECONDS = 180 * 86_400

/** Creates the store of the codes of all entry points. */
export function createCodeStore(records: Pick<GuestRecords, 'read' | 'list' | 'write'>) {
  const { read, listed, change } = typedRecords(records)
  const uses = createUseCounter(records)
  async function known(key: string): Promise<KnownCode | null> {
    const own = readSubject(key)
    if (own === null) return null
    const [code, batch] = await Promise.all([read(CODES, key, Code), read(BATCHES, batchKey(own), Batch)])
    return code === null || batch === null || !batch.isComplete ? null : { batch, code }
  }
  return {
    /**
     * Stores a batch with its codes. No code is valid before all are stored: after a kill, the batch is incomplete.
     * @returns false if the label is taken.
     */
    async create(batch: Omit<Batch, 'isComplete'>, codes: readonly NewCode[]): Promise<boolean> {
      const key = batchKey(batch)
      const put = (isComplete: boolean, condition: number | 'absent') =>
        records.write([
          { kind: BATCHES, key, if: condition, text: JSON.stringify({ ...batch, isComplete }), ...endOfRecords(batch) },
        ])
      const version = await put(false, 'absent')
      if (version === null) return false
      for (let from = 0; from < codes.length; from += CODES_IN_WRITE) {
        const writes = codes.slice(from, from + CODES_IN_WRITE).flatMap((code) => writesOf(batch, code))
        if ((await records.write(writes)) === null) throw new Error('A code of a batch is taken')
      }
      return (await put(true, version)) !== null
    },
    /** Returns the batches of an entry point, or of all. */
    async batches(entryPoint?: string): Promise<readonly Batch[]> {
      const found: Batch[] = []
      const prefix = entryPoint === undefined ? '' : `${entryPoint}/`
      for await (const { value } of listed(BATCHES, prefix, Batch)) found.push(value)
      return found
    },
    batch: (entryPoint: string, label: string) => read(BATCHES, batchKey({ entryPoint, label }), Batch),
    /** Lists the codes of a batch by number. */
    async *codesOf(batch: Batch): AsyncGenerator<ListedCode> {
      const prefix = `${batchKey(batch)}/`
      const used = new Map<string, Uses>()
      for await (const { key, value } of listed(USES, prefix, Uses)) used.set(key, value)
      for await (const { key, value } of listed(CODES, prefix, Code)) yield { code: value, uses: used.get(key) ?? null }
    },
    people: uses.people,
    /** Finds a code by the digest of its text. Null if unknown, or of a batch that is incomplete. */
    async find(digest: string): Promise<KnownCode | null> {
      const record = await records.read(DIGESTS, digest)
      return record === null ? null : await known(record.text)
    },
    /** Finds a code by the subject of its viewer. */
    async ofSubject(subject: string): Promise<KnownCode | null> {
      const own = readSubject(subject)
      return own === null ? null : await known(own.key)
    },
    /** Counts a sign-in, and returns its number among those of the code. */
    use: ({ batch, code }: KnownCode, name: string | null, nowSeconds: number) =>
      uses.count(codeKey(batch, code.number), {
        name,
        atSeconds: nowSeconds,
        isShared: batch.isShared,
        ...endOfRecords(batch),
      }),
    /** Returns false if there is no such batch, or it is revoked. */
    revokeBatch: (batch: Pick<Batch, 'entryPoint' | 'label'>, nowSeconds: number) =>
      change(BATCHES, batchKey(batch), Batch, revoked(nowSeconds)),
    /** Returns false if there is no such code, or it is revoked. */
    revokeCode: (batch: Pick<Batch, 'entryPoint' | 'label'>, number: number, nowSeconds: number) =>
      change(CODES, codeKey(batch, number), Code, revoked(nowSeconds)),
    remove: removalIn(records),
    /** Lists the codes of a person, by the name or an attribute of the code, or a name that was typed. */
    async *ofPerson(name: string, sees: (entryPoint: string) => boolean): AsyncGenerator<CodeOfPerson> {
      const key = usernameKey(name)
      const isName = (text: string | null | undefined) => text != null && usernameKey(text) === key
      for await (const { value: batch } of listed(BATCHES, '', Batch)) {
        if (!sees(batch.entryPoint)) continue
        for await (const { code, uses: used } of this.codesOf(batch)) {
          const isOwn = isName(code.name) || Object.values(code.attributes).some(isName)
          const signIns: number[] = []
          const people = batch.isShared ? uses.people(codeKey(batch, code.number)) : []
          for await (const { number, name: typed } of people) if (isName(typed)) signIns.push(number)
          const isLast = isName(used?.name)
          if (isOwn || isLast || signIns.length > 0) yield { batch, code, uses: used, isOwn, isLast, signIns }
        }
      }
    },
    /** Takes the person out of a code, and revokes the person's own code. */
    async forget({ batch, code, isOwn, isLast, signIns }: CodeOfPerson, nowSeconds: number): Promise<void> {
      const key = codeKey(batch, code.number)
      const emptied = { name: null, groups: [], attributes: {}, revokedAtSeconds: code.revokedAtSeconds ?? nowSeconds }
      if (isOwn) await change(CODES, key, Code, (value) => ({ ...value, ...emptied }))
      if (isOwn || isLast) await change(USES, key, Uses, (value) => ({ ...value, name: null }))
      for (const number of signIns) await uses.forget(key, number)
    },
  }
}

/** Returns the change that revokes a batch or a code. */
function revoked(atSeconds: number) {
  return <T extends Batch | Code>(value: T): T | null =>
    value.revokedAtSeconds === null ? { ...value, revokedAtSeconds: atSeconds } : null
}

/** Returns the function that removes a batch of personal codes, with all that is stored about them. */
function removalIn(records: Pick<GuestRecords, 'write'>) {
  const gone = (kind: string, key: string) => ({ kind, key, text: null })
  /** @param codes as they were created. */
  return async (batch: Pick<Batch, 'entryPoint' | 'label'>, codes: readonly NewCode[]): Promise<void> => {
    for (let from = 0; from < codes.length; from += CODES_IN_REMOVAL) {
      const removals = codes.slice(from, from + CODES_IN_REMOVAL).flatMap(({ digest, number }) => {
        const key = codeKey(batch, number)
        return [gone(CODES, key), gone(USES, key), gone(DIGESTS, digest)]
      })
      await records.write(removals)
    }
    await records.write([gone(BATCHES, batchKey(batch))])
  }
}

function writesOf(batch: Omit<Batch, 'isComplete'>, { digest, ...code }: NewCode): RecordWrite[] {
  const key = codeKey(batch, code.number)
  const end = endOfRecords(batch)
  return [
    { kind: CODES, key, if: 'absent', text: JSON.stringify(code), ...end },
    { kind: DIGESTS, key: digest, if: 'absent', text: key, ...end },
  ]
}

/** Returns the end of the records. They outlive the codes, for the reports after the event. */
function endOfRecords({ endsAtSeconds }: Pick<Batch, 'endsAtSeconds'>) {
  return { endsAtSeconds: endsAtSeconds === null ? null : endsAtSeconds + KEPT_SECONDS }
}
