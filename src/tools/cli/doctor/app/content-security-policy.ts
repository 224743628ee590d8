import { parsePolicies } from '../page/policy.ts'

/**
 * Returns the sources that a directive of the Content-Security-Policy does not allow. Browsers apply every policy that
 * has the directive. Without such a policy, no source counts as allowed, because the app always sends the directive.
 */
export function notAllowed(headers: Headers, directive: string, sources: readonly string[]): string[] {
  const policies = parsePolicies(headers.get('content-security-policy'))
  const lists = policies.map((policy) => policy.get(directive)).filter((list) => list !== undefined)
  return sources.filter((source) => lists.length === 0 || !lists.every((list) => list.includes(source)))
}

/** True if one of the policies has the directive. */
export function hasDirective(headers: Headers, directive: string): boolean {
  return parsePolicies(headers.get('content-security-policy')).some((policy) => policy.has(directive))
}
