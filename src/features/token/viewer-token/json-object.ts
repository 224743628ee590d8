import { jsonIn } from '../../../json-text.ts'

/**
 * Parses a JSON object. Returns null for any other text, and for an object that names a member twice: parsers differ in
 * the value that they take.
 */
export function parseJsonObject(json: string): Readonly<Record<string, unknown>> | null {
  const parsed = jsonIn(json)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
  const names = memberNames(json)
  return new Set(names).size === names.length ? (parsed as Record<string, unknown>) : null
}

/** Returns the names of the members of valid JSON, those of nested objects excluded. */
function memberNames(json: string): string[] {
  const names: string[] = []
  let depth = 0
  for (const [token, quoted, isName] of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && quoted !== undefined && isName !== undefined) names.push(String(JSON.parse(quoted)))
  }
  return names
}
