/** Shorter names are too similar to settings of other programs, such as HOST and HOSTS. */
const SHORTEST_LETTERS = 8
const MOST_WRONG_LETTERS = 2
/** Names that other programs use too, with the prefix of a store. */
const COMMON = /_CA$/
const ENDING = /_(FILE|PREVIOUS)$/

/** A name in the environment that is probably a misspelt setting. */
export interface LookAlike {
  readonly setting: string
  readonly sentence: string
}

/**
 * Finds unknown names that are almost the name of a setting.
 * @param given the names in the environment.
 * @param known the names of all settings.
 */
export function lookAlikes(given: readonly string[], known: readonly string[]): LookAlike[] {
  return given.flatMap((name) => {
    if (name.length < SHORTEST_LETTERS || known.includes(name)) return []
    const setting = known.find((one) => isSimilar(name, one) || lacksEnding(name, one))
    return setting === undefined ? [] : [{ setting, sentence: `Unknown setting ${name}. Did you mean ${setting}?` }]
  })
}

/** Returns the known field whose name is almost this one. Ignores capitals, "_" and "-", as in PLAYER_ORIGINS. */
export function similarField(name: string, known: readonly string[]): string | undefined {
  const lettersOf = (text: string) => text.toLowerCase().replace(/[_-]/g, '')
  return known.find((field) => distance(lettersOf(name), lettersOf(field)) <= MOST_WRONG_LETTERS)
}

function isSimilar(name: string, setting: string): boolean {
  return setting.length >= SHORTEST_LETTERS && distance(name, setting) <= MOST_WRONG_LETTERS
}

/** True if the ending is missing or cut short, as in SECURITY_LOG and SESSION_SECRET_PREV. */
function lacksEnding(name: string, setting: string): boolean {
  return name.length >= setting.replace(ENDING, '').length && setting.startsWith(name) && !COMMON.test(name)
}

/** Counts the letters to add, remove or change to turn one text into the other (Levenshtein); infinite above the limit. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MOST_WRONG_LETTERS) return Number.POSITIVE_INFINITY
  let before = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1]
    for (const [column, wanted] of [...other].entries()) {
      const changed = (before[column] ?? 0) + (letter === wanted ? 0 : 1)
      current.push(Math.min(changed, (before[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    if (Math.min(...current) > MOST_WRONG_LETTERS) return Number.POSITIVE_INFINITY
    before = current
  }
  return before[other.length] ?? 0
}
