/** Loads a part of a feature late, because most commands need few parts: `--help` takes half the time. */
export type Lazy<T> = () => Promise<T>

/** Loads the parts that features have, in the order of the list. Undefined is a feature without such a part. */
export async function loadAll<T>(parts: readonly (Lazy<T> | undefined)[]): Promise<T[]> {
  return await Promise.all(parts.flatMap((load) => (load === undefined ? [] : [load()])))
}
