import { distance } from 'fastest-levenshtein'

/** Shorter names are too similar to settings of other programs, such as HOST and HOSTS. */
const SHORTEST_LETTERS = 8
const MOST_WRONG_LETTERS = 2
/** Names that other programs use too, with the prefix of a store. */
const COMMON = /_CA$/
const ENDING = /_(FILE|PREVIOUS)$/

/** A name in the environment that is probably a misspelled setting. */
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
